/* SPDX-License-Identifier: MIT */
/*
 * Case 7 (a sudden large overshoot). The limit falls by a tenth, and then to a half, at once; nothing is evicted by that call. Each
 * insert after it evicts at most about twice what it adds and one batch, so none of them pays for the whole; and the cache
 * converges. A reservation of a tenth does its own share.
 */
#include "cache_test.h"

enum { CAPACITY = 20000, PER_INSERT = 8 + 2 };

static struct cache_test_owner owner;

static uint64_t nr_removed(struct genlru_cache *cache)
{
    return cache_test_stat(cache).removed[GENLRU_CACHE_EVICTED];
}

static void lower(struct genlru_cache *cache, uint64_t *key, uint64_t capacity)
{
    uint64_t before = nr_removed(cache), nr_inserts = 0, over;

    genlru_cache_set_capacity(cache, capacity);
    STRESS_CHECK(nr_removed(cache) == before, "set_capacity evicted");
    over = cache_test_stat(cache).over;
    STRESS_CHECK(over > 0, "nothing over");
    while (cache_test_stat(cache).over) {
        before = nr_removed(cache);
        STRESS_CHECK(cache_test_put(cache, &owner, (*key)++, 0) == 0, "put");
        STRESS_CHECK(nr_removed(cache) - before <= PER_INSERT, "one insert evicted %llu",
                     (unsigned long long)(nr_removed(cache) - before));
        STRESS_CHECK(++nr_inserts <= over, "does not converge");
    }
    STRESS_CHECK(nr_inserts >= over / PER_INSERT, "one insert did the work of all");
}

int main(int argc, char **argv)
{
    struct genlru_cache_config config = cache_test_config(&owner, CAPACITY);
    struct genlru_cache_reservation reservation = {0};
    struct genlru_cache *cache;
    uint64_t key;

    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    cache = cache_test_create(&config);
    for (key = 0; key < CAPACITY; key++)
        STRESS_CHECK(cache_test_put(cache, &owner, key, 0) == 0, "put");
    lower(cache, &key, CAPACITY * 9 / 10);
    lower(cache, &key, CAPACITY / 2);
    STRESS_CHECK(genlru_cache_reserve(cache, CAPACITY / 10, &reservation) == 0, "reserve");
    STRESS_CHECK(cache_test_stat(cache).over == 0 && cache_test_stat(cache).reserved == CAPACITY / 10, "reserved");
    genlru_cache_unreserve(cache, &reservation);
    STRESS_CHECK(cache_test_stat(cache).charge <= CAPACITY * 4 / 10, "given back");
    cache_test_verify(cache);
    cache_test_destroy(cache, &owner);
    genlru_cache_unregister_thread();
    return 0;
}
