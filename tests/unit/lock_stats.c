/* SPDX-License-Identifier: MIT */
/*
 * Times of locks. This program compiles lock.c and lock_stats.c for itself with GENLRU_LOCK_STATS on: each hold and
 * wait is counted once, in the bucket of its length, under its rank.
 */
#include "base/lock_stats.h"

#include <time.h>

#include <pthread.h>

#include "unit.h"

static uint64_t total(enum genlru__rank rank, enum genlru__lock_time time)
{
    uint64_t counts[GENLRU__LOCK_BUCKETS], sum = 0;
    unsigned i;

    genlru__lock_stats_read(rank, time, counts);
    for (i = 0; i < GENLRU__LOCK_BUCKETS; i++)
        sum += counts[i];
    return sum;
}

/* How many were at least so long. */
static uint64_t at_least(enum genlru__rank rank, enum genlru__lock_time time, uint64_t ns)
{
    uint64_t counts[GENLRU__LOCK_BUCKETS], sum = 0;
    unsigned i;

    genlru__lock_stats_read(rank, time, counts);
    for (i = 0; i < GENLRU__LOCK_BUCKETS; i++)
        sum += genlru__lock_stats_ns(i) >= ns ? counts[i] : 0;
    return sum;
}

static void sleep_ms(unsigned ms)
{
    struct timespec time = {0, (long)ms * 1000000};

    nanosleep(&time, NULL);
}

Test(lock_stats, buckets_rise_and_have_no_gaps)
{
    unsigned i;

    cr_assert_eq(genlru__lock_stats_ns(0), 0);
    cr_assert_eq(genlru__lock_stats_ns(15), 15);
    cr_assert_eq(genlru__lock_stats_ns(16), 17);
    cr_assert_eq(genlru__lock_stats_ns(23), 31);
    cr_assert_eq(genlru__lock_stats_ns(24), 35);
    for (i = 1; i < GENLRU__LOCK_BUCKETS; i++) {
        uint64_t width = genlru__lock_stats_ns(i) - genlru__lock_stats_ns(i - 1);

        unit_check(width >= 1 && width <= 1 + genlru__lock_stats_ns(i) / 8, "bucket %u", i);
    }
    cr_assert(genlru__lock_stats_ns(GENLRU__LOCK_BUCKETS - 1) > 60ull * 1000000000);
}

Test(lock_stats, each_hold_counts_once_under_its_rank)
{
    struct genlru__mutex lru, pool;

    cr_assert(genlru__mutex_init(&lru, GENLRU__RANK_LRU) == 0);
    cr_assert(genlru__mutex_init(&pool, GENLRU__RANK_POOL) == 0);
    genlru__lock_stats_reset();
    genlru__mutex_lock(&lru);
    cr_assert_eq(total(GENLRU__RANK_LRU, GENLRU__LOCK_HELD), 0, "it is still held");
    genlru__mutex_lock(&pool);
    sleep_ms(2);
    genlru__mutex_unlock(&pool);
    sleep_ms(2);
    genlru__mutex_unlock(&lru);
    cr_assert(genlru__mutex_trylock(&lru));
    genlru__mutex_unlock(&lru);

    cr_assert_eq(total(GENLRU__RANK_LRU, GENLRU__LOCK_HELD), 2);
    cr_assert_eq(total(GENLRU__RANK_LRU, GENLRU__LOCK_WAITED), 2);
    cr_assert_eq(total(GENLRU__RANK_POOL, GENLRU__LOCK_HELD), 1);
    cr_assert_eq(total(GENLRU__RANK_STRIPE, GENLRU__LOCK_HELD), 0);
    cr_assert_eq(at_least(GENLRU__RANK_LRU, GENLRU__LOCK_HELD, 4000000), 1, "the inner hold is part of the outer");
    cr_assert_geq(at_least(GENLRU__RANK_POOL, GENLRU__LOCK_HELD, 2000000), 1);
    genlru__lock_stats_reset();
    cr_assert_eq(total(GENLRU__RANK_LRU, GENLRU__LOCK_HELD), 0);
    genlru__mutex_fini(&lru);
    genlru__mutex_fini(&pool);
}

static void *wait_for(void *lock)
{
    genlru__mutex_lock(lock);
    genlru__mutex_unlock(lock);
    return NULL;
}

Test(lock_stats, who_waits_is_told_from_who_holds)
{
    struct genlru__mutex lock;
    pthread_t thread;

    cr_assert(genlru__mutex_init(&lock, GENLRU__RANK_LRU) == 0);
    genlru__lock_stats_reset();
    genlru__mutex_lock(&lock);
    cr_assert(pthread_create(&thread, NULL, wait_for, &lock) == 0);
    sleep_ms(50);
    genlru__mutex_unlock(&lock);
    pthread_join(thread, NULL);
    cr_assert_eq(total(GENLRU__RANK_LRU, GENLRU__LOCK_WAITED), 2);
    cr_assert_eq(total(GENLRU__RANK_LRU, GENLRU__LOCK_HELD), 2);
    /* unless the other thread did not get the processor for so long, it waited; it can not have held */
    cr_assert_geq(at_least(GENLRU__RANK_LRU, GENLRU__LOCK_HELD, 50000000), 1);
    genlru__mutex_fini(&lock);
}
