/* SPDX-License-Identifier: MIT */
/*
 * Case 20 (weights that change or do not fit). An entry grows and shrinks in place, free, held and put aside; charge 0 by a
 * flag, while 0 without it means the default; as much as the capacity; more than the capacity, refused before anything
 * is evicted; sums that would wrap, refused; "no limit" is a number of its own.
 */
#include <errno.h>

#include "cache_test.h"

static struct cache_test_owner owner;

static struct genlru_cache *create(uint64_t capacity, enum genlru_cache_limit limit)
{
    struct genlru_cache_config config = cache_test_config(&owner, capacity);

    config.limit = limit;
    config.release = NULL;
    return cache_test_create(&config);
}

static int put(struct genlru_cache *cache, uint64_t key, uint64_t charge, uint32_t flags,
               struct genlru_cache_entry **ret)
{
    struct genlru_cache_insert how = {.charge = charge, .flags = flags};

    return genlru_cache_insert_u64(cache, key, &how, ret);
}

static void end(struct genlru_cache *cache)
{
    cache_test_verify(cache);
    STRESS_CHECK(genlru_cache_destroy(cache) == 0, "destroy");
}

static uint64_t charge_of(struct genlru_cache *cache)
{
    return cache_test_stat(cache).charge;
}

static void changing(void)
{
    struct genlru_cache *cache = create(100, GENLRU_CACHE_HARD);
    struct genlru_cache_entry *e, *f;

    STRESS_CHECK(put(cache, 1, 10, 0, &e) == 0 && charge_of(cache) == 10, "10");
    STRESS_CHECK(genlru_cache_recharge(cache, e, 60) == 0 && charge_of(cache) == 60, "60");
    STRESS_CHECK(genlru_cache_recharge(cache, e, 0) == 0 && charge_of(cache) == 0, "0");
    STRESS_CHECK(genlru_cache_recharge(cache, e, 100) == 0 && charge_of(cache) == 100, "all");
    STRESS_CHECK(genlru_cache_recharge(cache, e, 101) == -EFBIG && charge_of(cache) == 100, "more than all");
    STRESS_CHECK(genlru_cache_recharge(cache, e, UINT64_MAX) == -ERANGE && charge_of(cache) == 100, "far more");
    /* now it is put aside, since eviction meets it */
    STRESS_CHECK(put(cache, 2, 1, 0, NULL) < 0 && put(cache, 2, 1, 0, NULL) == -ENOBUFS, "all is held");
    STRESS_CHECK(cache_test_stat(cache).parked_nodes == 1, "put aside");
    STRESS_CHECK(genlru_cache_recharge(cache, e, 40) == 0 && charge_of(cache) == 40, "parked: 40");
    STRESS_CHECK(put(cache, 2, 60, 0, &f) == 0 && charge_of(cache) == 100, "beside it");
    STRESS_CHECK(genlru_cache_recharge(cache, f, 61) < 0 && charge_of(cache) == 100, "no room to grow");
    cache_test_verify(cache);
    STRESS_CHECK(genlru_cache_erase_entry(cache, e) == 0, "erase");
    STRESS_CHECK(charge_of(cache) == 100 && cache_test_stat(cache).detached == 1, "held, so charged");
    STRESS_CHECK(genlru_cache_recharge(cache, e, 5) == 0 && charge_of(cache) == 65, "removed and recharged");
    genlru_cache_release(cache, e);
    STRESS_CHECK(charge_of(cache) == 60 && cache_test_stat(cache).detached == 0, "let go");
    genlru_cache_release(cache, f);
    end(cache);
}

static void sizes(void)
{
    struct genlru_cache *cache = create(100, GENLRU_CACHE_HARD);

    for (uint64_t key = 0; key < 10; key++)
        STRESS_CHECK(put(cache, key, 10, 0, NULL) == 0, "put");
    STRESS_CHECK(put(cache, 50, 101, 0, NULL) == -EFBIG, "over-size");
    STRESS_CHECK(cache_test_stat(cache).entries == 10, "something was evicted for what can never fit");
    for (uint64_t key = 100; key < 150; key++)
        STRESS_CHECK(put(cache, key, 0, GENLRU_CACHE_INSERT_WEIGHTLESS, NULL) == 0, "weightless");
    STRESS_CHECK(charge_of(cache) == 100 && cache_test_stat(cache).entries == 60, "weightless entries weigh");
    STRESS_CHECK(put(cache, 51, 0, 0, NULL) == 0 && charge_of(cache) <= 100, "0 without the flag is 1");
    STRESS_CHECK(cache_test_stat(cache).removed[GENLRU_CACHE_EVICTED] >= 1, "and needs room");
    STRESS_CHECK(put(cache, 52, 100, 0, NULL) == 0 && charge_of(cache) == 100, "as much as the capacity");
    STRESS_CHECK(put(cache, 53, UINT64_C(1) << 32, 0, NULL) == -ERANGE, "more than 32 bits");
    end(cache);
}

static void sums(void)
{
    struct genlru_cache *cache = create(GENLRU_NO_LIMIT, GENLRU_CACHE_HARD);
    struct genlru_cache_reservation reservation = {0};

    STRESS_CHECK(put(cache, 1, UINT32_MAX, 0, NULL) == 0, "the largest charge");
    STRESS_CHECK(genlru_cache_reserve(cache, UINT64_MAX, &reservation) == -ERANGE, "more than can be summed");
    STRESS_CHECK(genlru_cache_reserve(cache, UINT64_MAX / 4, &reservation) == 0, "a large part");
    STRESS_CHECK(genlru_cache_reserve(cache, UINT64_MAX / 4, &reservation) == -ERANGE, "a sum that would wrap");
    STRESS_CHECK(charge_of(cache) == UINT32_MAX + UINT64_MAX / 4, "after refusals");
    STRESS_CHECK(genlru_cache_destroy(cache) == -EBUSY, "destroyed with a reservation");
    genlru_cache_unreserve(cache, &reservation);
    STRESS_CHECK(cache_test_stat(cache).over == 0 && charge_of(cache) == UINT32_MAX, "given back");
    end(cache);
}

static void metadata(void)
{
    struct genlru_cache_config config = cache_test_config(&owner, 10000);
    struct genlru_cache *cache;

    config.flags = GENLRU_CACHE_CHARGE_METADATA;
    config.release = NULL;
    cache = cache_test_create(&config);
    for (uint64_t key = 0; key < 1000; key++)
        STRESS_CHECK(put(cache, key, 100, 0, NULL) == 0, "put");
    STRESS_CHECK(cache_test_stat(cache).entries < 10000 / 140 && cache_test_stat(cache).entries > 10000 / 200,
                 "%llu entries of 100 with metadata", (unsigned long long)cache_test_stat(cache).entries);
    end(cache);
}

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    changing();
    sizes();
    sums();
    metadata();
    genlru_cache_unregister_thread();
    return 0;
}
