/* SPDX-License-Identifier: MIT */
/* A whole cache in thirty lines: libgenlru-cache, numbers to strings, at most 100 of them. */
#include <genlru/cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_back(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause)
{
    free(info->value); /* evicted, replaced, ...: now nobody looks at it any more */
    ++*((int *)ctx + (cause == GENLRU_CACHE_EVICTED));
}

int main(void)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    struct genlru_cache *cache;
    int nr_given_back[2] = {0, 0}, nr_hits = 0;

    config.capacity = 100;
    config.key_kind = GENLRU_CACHE_KEY_U64;
    config.release = give_back;
    config.ctx = nr_given_back;
    genlru_cache_register_thread();
    if (genlru_cache_create(&config, &cache) != 0)
        return EXIT_FAILURE;
    for (unsigned i = 0; i < 10000; i++) {
        unsigned key = i % 3 ? i % 50 : i; /* 50 hot ones, and a scan */
        struct genlru_cache_entry *e = genlru_cache_get_u64(cache, key);
        struct genlru_cache_insert how = {.value = e ? NULL : strdup("a value"), .charge = 1};

        nr_hits += e != NULL;
        if (!e && genlru_cache_insert_u64(cache, key, &how, &e) < 0)
            return EXIT_FAILURE;
        if (strcmp(genlru_cache_value(cache, e), "a value") != 0) /* e is ours until we release it */
            return EXIT_FAILURE;
        genlru_cache_release(cache, e);
    }
    if (genlru_cache_destroy(cache) != 0)
        return EXIT_FAILURE;
    printf("%d hits, %d evicted, %d left at the end\n", nr_hits, nr_given_back[1], nr_given_back[0]);
    return nr_hits > 4000 && nr_hits + nr_given_back[0] + nr_given_back[1] == 10000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
