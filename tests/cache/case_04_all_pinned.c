/* SPDX-License-Identifier: MIT */
/*
 * Case 4 (nothing is evictable, or nearly nothing). With every entry held, inserts under a hard limit fail: first with
 * -EAGAIN, each having looked at a bounded number of entries and put them aside, then with -ENOBUFS, having
 * looked at none. With one in a thousand free, those are found. Entries let go are evictable again. Under a soft limit the insert
 * succeeds, and the overshoot is seen and worked off.
 */
#include <errno.h>
#include <stdlib.h>

#include "cache_test.h"

enum { CAPACITY = 5000, BOUND = 64 };

static struct cache_test_owner owner;
static struct genlru_cache_entry *held[CAPACITY];

static struct genlru_cache *fill(enum genlru_cache_limit limit, unsigned free_one_in)
{
    struct genlru_cache_config config = cache_test_config(&owner, CAPACITY);
    struct genlru_cache *cache;

    owner = (struct cache_test_owner){0, {0}};
    config.limit = limit;
    cache = cache_test_create(&config);
    for (unsigned i = 0; i < CAPACITY; i++) {
        STRESS_CHECK(cache_test_put(cache, &owner, i, 0) == 0, "put %u", i);
        held[i] = free_one_in && i % free_one_in == 0 ? NULL : genlru_cache_get_u64(cache, i);
    }
    return cache;
}

static void let_go(struct genlru_cache *cache)
{
    for (unsigned i = 0; i < CAPACITY; i++)
        genlru_cache_release(cache, held[i]);
}

static void all_held(void)
{
    struct genlru_cache *cache = fill(GENLRU_CACHE_HARD, 0);
    unsigned nr_again = 0;
    int result;

    while ((result = cache_test_put(cache, &owner, CAPACITY + nr_again, 0)) == -EAGAIN) {
        STRESS_CHECK(cache_test_stat(cache).parked_nodes <= (uint64_t)BOUND * (nr_again + 1),
                     "one insert parked too many");
        STRESS_CHECK(++nr_again < CAPACITY, "never says that all is pinned");
    }
    STRESS_CHECK(result == -ENOBUFS, "%d", result);
    STRESS_CHECK(nr_again > 0, "5000 entries were looked at by one insert");
    /* the last victims were put back with a pin when the call found no other; the next call meets them again */
    STRESS_CHECK(cache_test_stat(cache).parked_nodes > CAPACITY - 8, "most are not put aside");
    for (unsigned i = 0; i < 100; i++) {
        STRESS_CHECK(cache_test_put(cache, &owner, 2 * CAPACITY + i, 0) == -ENOBUFS, "insert %u", i);
        STRESS_CHECK(cache_test_stat(cache).parked_nodes == CAPACITY, "not all are put aside");
    }
    STRESS_CHECK(cache_test_stat(cache).entries == CAPACITY && cache_test_stat(cache).refused == nr_again + 101,
                 "counted");
    cache_test_verify(cache);
    let_go(cache);
    STRESS_CHECK(cache_test_stat(cache).parked_nodes == 0, "parked without a handle");
    STRESS_CHECK(cache_test_put(cache, &owner, 3 * CAPACITY, 0) == 0, "room again");
    cache_test_verify(cache);
    cache_test_destroy(cache, &owner);
}

static void nearly_all_held(void)
{
    struct genlru_cache *cache = fill(GENLRU_CACHE_HARD, 1000);
    unsigned nr_inserted = 0, nr_calls = 0;
    int result;

    do {
        result = cache_test_put(cache, &owner, CAPACITY + nr_calls, 0);
        nr_inserted += result == 0;
        STRESS_CHECK(result == 0 || result == -EAGAIN || result == -ENOBUFS, "%d", result);
    } while (result != -ENOBUFS && ++nr_calls < CAPACITY);
    /* the five free ones went; those that came are free, too, and make room for each other */
    STRESS_CHECK(nr_inserted >= 5, "%u inserted", nr_inserted);
    STRESS_CHECK(owner.made == CAPACITY + nr_inserted, "a value was lost");
    cache_test_verify(cache);
    let_go(cache);
    cache_test_destroy(cache, &owner);
}

static void soft(void)
{
    struct genlru_cache *cache = fill(GENLRU_CACHE_SOFT, 0);

    for (unsigned i = 0; i < 100; i++)
        STRESS_CHECK(cache_test_put(cache, &owner, CAPACITY + i, 0) == 0, "soft insert %u", i);
    STRESS_CHECK(cache_test_stat(cache).over > 0, "the overshoot is not seen");
    let_go(cache);
    while (genlru_cache_maintain(cache, 0) != 0)
        ;
    STRESS_CHECK(cache_test_stat(cache).over == 0, "the overshoot was not worked off");
    cache_test_verify(cache);
    cache_test_destroy(cache, &owner);
}

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    all_held();
    nearly_all_held();
    soft();
    genlru_cache_unregister_thread();
    return 0;
}
