/* SPDX-License-Identifier: MIT */
/*
 * Read-through: several threads ask for lines of a slow file by number; the cache loads each missing line once, whoever asked
 * first does it, the others wait for it, and all look at the same copy. Readers that only compare use a read section instead of
 * a handle.
 */
#include <errno.h>
#include <genlru/cache.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NR_LINES = 500, CAPACITY_BYTES = 8000, NR_THREADS = 3, NR_READS = 20000 };

static struct genlru_cache *cache;
static int nr_loads;

/* The slow source: line 13 cannot be read. */
static int load_line(void *ctx, const void *key, size_t key_bytes, struct genlru_cache_insert *ret_how)
{
    static __thread char line[64]; /* inline values are copied, so this may be reused */
    uint64_t number;

    (void)ctx;
    memcpy(&number, key, key_bytes);
    if (number == 13)
        return -EIO;
    __atomic_fetch_add(&nr_loads, 1, __ATOMIC_RELAXED);
    ret_how->value = line;
    ret_how->value_bytes = (size_t)snprintf(line, sizeof(line), "this is line %d", (int)number) + 1;
    return 0;
}

static void *read_lines(void *arg)
{
    static const struct genlru_cache_load how = {load_line, NULL, 32, GENLRU_NO_LIMIT};
    unsigned random = *(unsigned *)arg;
    char expected[64];

    genlru_cache_register_thread();
    for (int i = 0; i < NR_READS; i++) {
        struct genlru_cache_entry *e;
        int error, is_equal = 0;
        uint64_t number;

        random = random * 1103515245u + 12345u;
        number = (random >> 16) % NR_LINES * (random >> 24) / 256; /* small ones are frequent */
        snprintf(expected, sizeof(expected), "this is line %d", (int)number);
        genlru_cache_read_lock(); /* the cheap look: nothing to release, nothing stored if the line is hot */
        e = genlru_cache_get_rcu_u64(cache, number);
        if (e)
            is_equal = strcmp(genlru_cache_value(cache, e), expected) == 0;
        genlru_cache_read_unlock();
        if (is_equal)
            continue;
        error = genlru_cache_get_or_load(cache, &number, sizeof(number), &how, &e);
        if (error ? error != -EIO || number != 13 : strcmp(genlru_cache_value(cache, e), expected) != 0) {
            fprintf(stderr, "line %d: %d\n", (int)number, error);
            exit(EXIT_FAILURE);
        }
        if (!error)
            genlru_cache_release(cache, e);
        genlru_cache_quiescent(); /* for the flavour qsbr; nothing elsewhere */
    }
    genlru_cache_unregister_thread();
    return NULL;
}

int main(void)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    struct genlru_cache_stat stat = {.size = sizeof(stat)};
    unsigned seeds[NR_THREADS] = {1, 2, 3};
    pthread_t threads[NR_THREADS];

    config.capacity = CAPACITY_BYTES; /* of keys and lines */
    config.key_kind = GENLRU_CACHE_KEY_U64;
    config.value_kind = GENLRU_CACHE_VALUE_INLINE;
    genlru_cache_register_thread();
    if (genlru_cache_create(&config, &cache) != 0)
        return EXIT_FAILURE;
    genlru_cache_offline(); /* this thread waits for the others */
    for (int i = 0; i < NR_THREADS; i++)
        if (pthread_create(&threads[i], NULL, read_lines, &seeds[i]) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < NR_THREADS; i++)
        pthread_join(threads[i], NULL);
    genlru_cache_online();
    genlru_cache_stat(cache, &stat);
    printf("%d reads, %d loads, %llu lines in %llu bytes\n", NR_THREADS * NR_READS, nr_loads,
           (unsigned long long)stat.entries, (unsigned long long)stat.charge);
    if (stat.charge > CAPACITY_BYTES || nr_loads >= NR_THREADS * NR_READS / 2 || genlru_cache_destroy(cache) != 0)
        return EXIT_FAILURE;
    genlru_cache_unregister_thread();
    return EXIT_SUCCESS;
}
