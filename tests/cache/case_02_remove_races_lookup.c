/* SPDX-License-Identifier: MIT */
/*
 * Case 2 (a removal races look-ups and inserts of the same key under eviction pressure). 64 keys in a cache of 32: four
 * threads get or create, hold for a moment, release, erase the same key; a fifth evicts in small slices. A removed
 * entry that is held lives until its last release and never comes back; every value made is released once.
 */
#include "cache_test.h"

enum { NR_KEYS = 64, CAPACITY = 32, NR_WORKERS = 4 };

struct race {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t seed;
    unsigned nr_steps;
    unsigned nr_working;
};

static void work(struct race *r, struct stress_random *random)
{
    for (unsigned i = 0; i < r->nr_steps; i++) {
        uint64_t key = stress_below(random, NR_KEYS);
        struct genlru_cache_entry *e = genlru_cache_get_u64(r->cache, key);

        if (!e) {
            (void)cache_test_put(r->cache, &r->owner, key, 0);
            continue;
        }
        for (unsigned k = stress_below(random, 200); k; k--)
            STRESS_CHECK(((struct cache_test_value *)genlru_cache_value(r->cache, e))->key == key, "not its value");
        if (stress_once_in(random, 2))
            (void)genlru_cache_erase_u64(r->cache, key);
        STRESS_CHECK(((struct cache_test_value *)genlru_cache_value(r->cache, e))->key == key, "freed under a handle");
        genlru_cache_release(r->cache, e);
        genlru_cache_quiescent();
    }
}

static void play(void *ctx, unsigned thread)
{
    struct race *r = ctx;
    struct stress_random random = stress_random(r->seed, thread);

    if (thread < NR_WORKERS) {
        work(r, &random);
        __atomic_fetch_sub(&r->nr_working, 1, __ATOMIC_RELAXED);
        return;
    }
    while (__atomic_load_n(&r->nr_working, __ATOMIC_RELAXED)) {
        genlru_cache_set_capacity(r->cache, CAPACITY - 8);
        (void)genlru_cache_maintain(r->cache, 8);
        genlru_cache_set_capacity(r->cache, CAPACITY);
        genlru_cache_quiescent();
    }
}

static void run(const struct stress_options *options, unsigned stripes)
{
    struct race r = {.seed = options->seed, .nr_steps = stress_scaled(options, 20000), .nr_working = NR_WORKERS};
    struct genlru_cache_config config = cache_test_config(&r.owner, CAPACITY);

    stress_context("stripes %u", stripes);
    config.stripes = stripes;
    r.cache = cache_test_create(&config);
    cache_test_run(NR_WORKERS + 1, play, &r);
    cache_test_verify(r.cache);
    STRESS_CHECK(cache_test_stat(r.cache).detached == 0, "handles left");
    cache_test_destroy(r.cache, &r.owner);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    run(&options, 1);
    run(&options, 2);
    run(&options, 8);
    genlru_cache_unregister_thread();
    return 0;
}
