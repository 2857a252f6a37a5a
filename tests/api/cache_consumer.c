/* SPDX-License-Identifier: MIT */
/* The smallest honest user of the installed libgenlru-cache: text to text, a bound, a count of what goes. */
#include <genlru/cache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NR_ENTRIES = 1000, CAPACITY = 4000 };

static int fail(const char *what, long value)
{
    fprintf(stderr, "cache_consumer: %s: %ld\n", what, value);
    return EXIT_FAILURE;
}

int main(void)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    struct genlru_cache_stat stat = {.size = sizeof(stat)};
    struct genlru_cache *cache;
    int error, nr_hits = 0;

    config.capacity = CAPACITY;
    config.value_kind = GENLRU_CACHE_VALUE_INLINE;
    genlru_cache_register_thread();
    error = genlru_cache_create(&config, &cache);
    if (error)
        return fail("create", error);
    for (int i = 0; i < NR_ENTRIES; i++) {
        char key[16], value[32], found[32];
        struct genlru_cache_insert how = {.value = value};
        size_t bytes;

        snprintf(key, sizeof(key), "key %d", i);
        snprintf(value, sizeof(value), "value %d", i);
        how.value_bytes = strlen(value);
        error = genlru_cache_insert(cache, key, strlen(key), &how, NULL);
        if (error)
            return fail("insert", error);
        error = genlru_cache_get_copy(cache, key, strlen(key), found, sizeof(found), &bytes);
        if (error || bytes != strlen(value) || memcmp(found, value, bytes) != 0)
            return fail("get", error);
    }
    for (int i = 0; i < NR_ENTRIES; i++) {
        char key[16];

        snprintf(key, sizeof(key), "key %d", i);
        nr_hits += genlru_cache_contains(cache, key, strlen(key));
    }
    error = genlru_cache_stat(cache, &stat);
    if (error || stat.charge > CAPACITY || (long)stat.entries != nr_hits || nr_hits < 150)
        return fail("entries left", nr_hits);
    error = genlru_cache_destroy(cache);
    if (error)
        return fail("destroy", error);
    genlru_cache_unregister_thread();
    printf("genlru-cache (%s): %d of %d entries fit\n", genlru_cache_rcu_flavour(), nr_hits, NR_ENTRIES);
    return EXIT_SUCCESS;
}
