/* SPDX-License-Identifier: MIT */
/*
 * Case 13 (reading tools must not disturb). Two caches get the same calls; beside one of them peek, contains, iterate and stat
 * run all the time: the same keys go in the same order. And a walk beside threads that insert, erase and look up,
 * while the index grows, meets every key that stays, and survives everything that goes.
 */
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"

enum { CAPACITY = 500, NR_STEPS = 20000, NR_STAYING = 400, NR_WORKERS = 3, NR_WALKS = 60 };

static uint64_t hash(void *ctx, const void *key, size_t key_bytes, uint64_t seed)
{
    uint64_t number;

    (void)ctx;
    (void)key_bytes;
    memcpy(&number, key, 8);
    return (number + seed) * UINT64_C(0x9e3779b97f4a7c15) ^ number >> 3;
}

/* A sum over all that is in. */
static int add(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    (void)e;
    *(uint64_t *)ctx += hash(NULL, info->key, 8, 99);
    return 0;
}

static int ignore(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    (void)ctx;
    (void)e;
    (void)info;
    return 0;
}

static void read_everything(struct genlru_cache *cache, uint64_t key)
{
    genlru_cache_release(cache, genlru_cache_peek(cache, &key, 8));
    (void)genlru_cache_contains(cache, &key, 8);
    (void)cache_test_stat(cache);
    if (key % 50 == 0)
        (void)genlru_cache_iterate(cache, ignore, NULL);
}

static void one_history(uint64_t seed, bool has_readers, uint64_t *at_step)
{
    struct cache_test_owner owner = {0, {0}};
    struct genlru_cache_config config = cache_test_config(&owner, CAPACITY);
    struct stress_random random = stress_random(seed, 0);
    struct genlru_cache *cache = cache_test_create(&config);

    for (unsigned step = 0; step < NR_STEPS; step++) {
        uint64_t key = stress_below(&random, stress_once_in(&random, 2) ? 300 : 3000);
        struct genlru_cache_entry *e = genlru_cache_get_u64(cache, key);

        if (e)
            genlru_cache_release(cache, e);
        else
            STRESS_CHECK(cache_test_put(cache, &owner, key, 0) == 0, "insert");
        if (has_readers)
            read_everything(cache, step % 3000);
        at_step[step] = cache_test_stat(cache).removed[GENLRU_CACHE_EVICTED];
        if (step % 20 == 0)
            (void)genlru_cache_iterate(cache, add, &at_step[step]);
    }
    STRESS_CHECK(cache_test_stat(cache).removed[GENLRU_CACHE_EVICTED] > 1000, "nothing happened");
    cache_test_destroy(cache, &owner);
}

static void same_order(uint64_t seed)
{
    uint64_t *without = calloc(NR_STEPS, sizeof(*without)), *with = calloc(NR_STEPS, sizeof(*with));

    STRESS_CHECK(without && with, "no memory");
    one_history(seed, false, without);
    one_history(seed, true, with);
    for (unsigned step = 0; step < NR_STEPS; step++)
        STRESS_CHECK(without[step] == with[step], "readers changed what is evicted, at step %u", step);
    free(without);
    free(with);
}

struct walk {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t seed;
    unsigned nr_working;
    unsigned nr_walks;
    unsigned seen[NR_STAYING];
};

static int see(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    struct walk *w = ctx;
    uint64_t key;

    memcpy(&key, info->key, 8);
    STRESS_CHECK(((struct cache_test_value *)genlru_cache_value(w->cache, e))->key == key, "not its value");
    if (key < NR_STAYING)
        w->seen[key]++;
    else if (key % 5 == 0)
        (void)genlru_cache_erase_entry(w->cache, e); /* removal under the walk's feet */
    return 0;
}

static void play(void *ctx, unsigned thread)
{
    struct walk *w = ctx;
    struct stress_random random = stress_random(w->seed, thread);

    if (thread > 0) {
        while (__atomic_load_n(&w->nr_working, __ATOMIC_RELAXED)) {
            uint64_t key = NR_STAYING + stress_below(&random, 100000);

            (void)cache_test_put(w->cache, &w->owner, key, 0);
            (void)genlru_cache_touch(w->cache, &key, 8);
            if (stress_once_in(&random, 2))
                (void)genlru_cache_erase_u64(w->cache, key);
            genlru_cache_quiescent();
        }
        return;
    }
    for (unsigned i = 0; i < w->nr_walks; i++) {
        memset(w->seen, 0, sizeof(w->seen));
        STRESS_CHECK(genlru_cache_iterate(w->cache, see, w) == 0, "iterate");
        for (unsigned key = 0; key < NR_STAYING; key++)
            STRESS_CHECK(w->seen[key] >= 1, "walk %u did not meet key %u", i, key);
        genlru_cache_quiescent();
    }
    __atomic_store_n(&w->nr_working, 0, __ATOMIC_RELAXED);
}

static void complete_walks(const struct stress_options *options)
{
    struct walk *w = calloc(1, sizeof(*w));
    struct genlru_cache_config config;

    STRESS_CHECK(w, "no memory");
    config = cache_test_config(&w->owner, GENLRU_NO_LIMIT);
    w->cache = cache_test_create(&config);
    w->seed = options->seed;
    w->nr_working = 1;
    w->nr_walks = stress_scaled(options, NR_WALKS);
    for (uint64_t key = 0; key < NR_STAYING; key++)
        STRESS_CHECK(cache_test_put(w->cache, &w->owner, key, 0) == 0, "put");
    cache_test_run(1 + NR_WORKERS, play, w);
    cache_test_verify(w->cache);
    cache_test_destroy(w->cache, &w->owner);
    free(w);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    same_order(options.seed);
    complete_walks(&options);
    genlru_cache_unregister_thread();
    return 0;
}
