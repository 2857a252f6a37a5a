/* SPDX-License-Identifier: MIT */
/*
 * Case 19 (shrinking on line). While threads insert and look up, the capacity goes to 50 %, 10 %, 0 and back: the call evicts
 * nothing itself, slices do; values are released as for any eviction; and what was given up can be filled again at once.
 * Two caches that share a budget hand it over four times each way.
 */
#include <errno.h>
#include <sched.h>

#include "cache_test.h"

enum { CAPACITY = 20000, NR_WORKERS = 2 };

struct shrinking {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t seed;
    unsigned goes_on;
};

static void converge(struct genlru_cache *cache)
{
    unsigned nr_slices = 0;

    while (cache_test_stat(cache).over) {
        (void)genlru_cache_maintain(cache, 100);
        STRESS_CHECK(++nr_slices < 100000, "does not converge");
        genlru_cache_quiescent();
    }
}

static void play(void *ctx, unsigned thread)
{
    static const unsigned percents[] = {50, 10, 0, 100, 1, 100};
    struct shrinking *s = ctx;
    struct stress_random random = stress_random(s->seed, thread);

    while (thread > 0 && __atomic_load_n(&s->goes_on, __ATOMIC_RELAXED)) {
        uint64_t key = stress_below(&random, 2 * CAPACITY);
        int result = 0;

        if (!genlru_cache_touch(s->cache, &key, 8))
            result = cache_test_put(s->cache, &s->owner, key, 0);
        STRESS_CHECK(result >= 0 || result == -EFBIG, "put: %d", result);
        genlru_cache_quiescent();
    }
    if (thread > 0)
        return;
    for (unsigned i = 0; i < 6; i++) {
        genlru_cache_set_capacity(s->cache, (uint64_t)CAPACITY * percents[i] / 100);
        converge(s->cache);
        for (unsigned k = 0; k < 100; k++)
            sched_yield();
    }
    __atomic_store_n(&s->goes_on, 0, __ATOMIC_RELAXED);
}

static void fill(struct genlru_cache *cache, struct cache_test_owner *owner, uint64_t from, uint64_t to)
{
    for (; from < to; from++)
        STRESS_CHECK(cache_test_put(cache, owner, from, 0) >= 0, "put");
}

static void hand_over(void)
{
    struct cache_test_owner owner[2] = {{0, {0}}, {0, {0}}};
    struct genlru_cache *cache[2];
    uint64_t capacity[2] = {4000, 4000};

    for (unsigned i = 0; i < 2; i++) {
        struct genlru_cache_config config = cache_test_config(&owner[i], capacity[i]);

        cache[i] = cache_test_create(&config);
        fill(cache[i], &owner[i], 0, capacity[i]);
    }
    for (unsigned k = 0; k < 8; k++) {
        unsigned from = k / 4;

        capacity[from] -= 1000 - 250 * (k % 4 == 3);
        genlru_cache_set_capacity(cache[from], capacity[from]);
        converge(cache[from]);
        capacity[!from] += 1000 - 250 * (k % 4 == 3);
        genlru_cache_set_capacity(cache[!from], capacity[!from]);
        fill(cache[!from], &owner[!from], 10000 * (k + 1), 10000 * (k + 1) + capacity[!from]);
        STRESS_CHECK(cache_test_stat(cache[!from]).entries >= capacity[!from] * 63 / 64,
                     "room that was given is not used");
        STRESS_CHECK(cache_test_stat(cache[0]).charge + cache_test_stat(cache[1]).charge <= 8000, "together too much");
    }
    for (unsigned i = 0; i < 2; i++) {
        cache_test_verify(cache[i]);
        cache_test_destroy(cache[i], &owner[i]);
    }
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    struct shrinking s = {.seed = options.seed, .goes_on = 1};
    struct genlru_cache_config config = cache_test_config(&s.owner, CAPACITY);

    genlru_cache_register_thread();
    s.cache = cache_test_create(&config);
    fill(s.cache, &s.owner, 0, CAPACITY);
    genlru_cache_set_capacity(s.cache, CAPACITY / 2);
    STRESS_CHECK(cache_test_stat(s.cache).entries == CAPACITY, "set_capacity evicted");
    cache_test_run(1 + NR_WORKERS, play, &s);
    cache_test_verify(s.cache);
    cache_test_destroy(s.cache, &s.owner);
    hand_over();
    genlru_cache_unregister_thread();
    return 0;
}
