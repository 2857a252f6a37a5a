/* SPDX-License-Identifier: MIT */
/*
 * Case 18 (statistics under concurrency). Threads insert, replace, erase and hold while one reads statistics all the time: no figure is
 * ever negative or huge, charge and entries stay near what they can be, and when all is quiet the figures add up:
 * inserted = entries + removed.
 */
#include "cache_test.h"

enum { CAPACITY = 300, NR_WORKERS = 3 };

struct counting {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t seed;
    unsigned nr_steps;
    unsigned nr_working;
};

static void check(const struct genlru_cache_stat *stat)
{
    const uint64_t huge = UINT64_C(1) << 40;

    STRESS_CHECK(stat->charge <= 2 * CAPACITY && stat->entries <= 2 * CAPACITY, "charge %llu, entries %llu",
                 (unsigned long long)stat->charge, (unsigned long long)stat->entries);
    STRESS_CHECK(stat->reserved < huge && stat->over < huge && stat->detached < huge && stat->waiting < huge &&
                     stat->hits < huge && stat->misses < huge && stat->inserted < huge && stat->refused < huge &&
                     stat->index_bytes < huge && stat->entry_bytes < huge && stat->core_bytes < huge &&
                     stat->metadata_bytes < huge,
                 "a figure wrapped");
    for (unsigned i = 0; i < 6; i++)
        STRESS_CHECK(stat->removed[i] < huge, "removed");
}

static void play(void *ctx, unsigned thread)
{
    struct counting *c = ctx;
    struct stress_random random = stress_random(c->seed, thread);
    struct genlru_cache_stat stat;

    if (thread == NR_WORKERS) {
        while (__atomic_load_n(&c->nr_working, __ATOMIC_RELAXED)) {
            stat = cache_test_stat(c->cache);
            check(&stat);
            genlru_cache_quiescent();
        }
        return;
    }
    for (unsigned i = 0; i < c->nr_steps; i++) {
        uint64_t key = stress_below(&random, 2 * CAPACITY);

        genlru_cache_release(c->cache, genlru_cache_get_u64(c->cache, key));
        if (stress_once_in(&random, 4))
            (void)genlru_cache_erase_u64(c->cache, key);
        else
            (void)cache_test_put(c->cache, &c->owner, key, 0);
        genlru_cache_quiescent();
    }
    __atomic_fetch_sub(&c->nr_working, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    struct counting c = {.seed = options.seed, .nr_steps = stress_scaled(&options, 60000), .nr_working = NR_WORKERS};
    struct genlru_cache_config config = cache_test_config(&c.owner, CAPACITY);
    struct genlru_cache_stat stat;
    uint64_t removed = 0;

    genlru_cache_register_thread();
    config.stripes = 4;
    config.flags = GENLRU_CACHE_COUNT_LOOKUPS;
    c.cache = cache_test_create(&config);
    cache_test_run(NR_WORKERS + 1, play, &c);
    STRESS_CHECK(genlru_cache_drain(c.cache) == 0, "drain");
    stat = cache_test_stat(c.cache);
    check(&stat);
    for (unsigned i = 0; i < 5; i++)
        removed += stat.removed[i];
    STRESS_CHECK(stat.inserted == stat.entries + removed, "figures that do not add up");
    STRESS_CHECK(stat.hits + stat.misses == (uint64_t)NR_WORKERS * c.nr_steps, "look-ups");
    STRESS_CHECK(stat.waiting == 0 && stat.detached == 0, "after drain");
    cache_test_verify(c.cache);
    cache_test_destroy(c.cache, &c.owner);
    genlru_cache_unregister_thread();
    return 0;
}
