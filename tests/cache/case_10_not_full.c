/* SPDX-License-Identifier: MIT */
/*
 * Case 10 (eviction although the cache is not full). The budget is shared: with any number of stripes, and from one thread or
 * several, N different keys of charge 1 all stay in a cache of N; one more evicts at least one and at most 1/64. Nor does a
 * skewed load take one group's entries: there are no shares.
 */
#include <string.h>

#include "cache_test.h"

enum { NR_THREADS = 2 };

struct filling {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t capacity;
};

static void fill(void *ctx, unsigned thread)
{
    struct filling *f = ctx;

    for (uint64_t key = thread; key < f->capacity; key += NR_THREADS)
        STRESS_CHECK(cache_test_put(f->cache, &f->owner, key, 0) == 0, "put");
}

static void run(uint64_t capacity, unsigned stripes)
{
    struct filling f = {.capacity = capacity};
    struct genlru_cache_config config = cache_test_config(&f.owner, capacity);
    uint64_t slack = capacity / 64 > 1 ? capacity / 64 : 1, left = 0;

    stress_context("capacity %llu, stripes %u", (unsigned long long)capacity, stripes);
    config.stripes = stripes;
    f.cache = cache_test_create(&config);
    cache_test_run(NR_THREADS, fill, &f);
    for (uint64_t key = 0; key < capacity; key++)
        STRESS_CHECK(genlru_cache_contains(f.cache, &key, 8), "key %llu is gone", (unsigned long long)key);
    STRESS_CHECK(cache_test_stat(f.cache).removed[GENLRU_CACHE_EVICTED] == 0, "evicted early");
    STRESS_CHECK(cache_test_put(f.cache, &f.owner, capacity, 0) == 0, "one more");
    for (uint64_t key = 0; key <= capacity; key++)
        left += (uint64_t)genlru_cache_contains(f.cache, &key, 8);
    STRESS_CHECK(left <= capacity && left >= capacity - slack, "%llu left", (unsigned long long)left);
    cache_test_verify(f.cache);
    cache_test_destroy(f.cache, &f.owner);
}

int main(int argc, char **argv)
{
    static const uint64_t capacities[] = {100, 1000, 30000};

    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    for (unsigned i = 0; i < 3; i++)
        for (unsigned stripes = 1; stripes <= 8; stripes *= 2)
            run(capacities[i], stripes);
    genlru_cache_unregister_thread();
    return 0;
}
