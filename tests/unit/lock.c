/* SPDX-License-Identifier: MIT */
/* Locks: try, take, let go; and in the checked build the witness of ranks, which aborts on a wrong order. */
#include "base/lock.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "unit.h"

static void *try_mutex(void *lock)
{
    if (!genlru__mutex_trylock(lock))
        return NULL;
    genlru__mutex_unlock(lock);
    return lock;
}

static void *try_spin(void *lock)
{
    if (!genlru__spin_trylock(lock))
        return NULL;
    genlru__spin_unlock(lock);
    return lock;
}

static bool can_take(void *(*try)(void *), void *lock)
{
    pthread_t thread;
    void *result;

    cr_assert(pthread_create(&thread, NULL, try, lock) == 0 && pthread_join(thread, &result) == 0);
    return result != NULL;
}

Test(lock, mutex)
{
    struct genlru__mutex lock;

    cr_assert(genlru__mutex_init(&lock, GENLRU__RANK_LRU) == 0);
    cr_assert(can_take(try_mutex, &lock));
    genlru__mutex_lock(&lock);
    cr_assert(!can_take(try_mutex, &lock));
    genlru__mutex_unlock(&lock);
    cr_assert(genlru__mutex_trylock(&lock));
    cr_assert(!can_take(try_mutex, &lock));
    genlru__mutex_unlock(&lock);
    cr_assert(can_take(try_mutex, &lock));
    genlru__mutex_fini(&lock);
}

enum { NR_ADDS = 20000, NR_ADDERS = 4 };

struct sum {
    struct genlru__mutex lock;
    unsigned long value;
};

/* Now and then the holder lets others run, so that they try in vain and sleep. */
static void *add_up(void *arg)
{
    struct sum *sum = arg;
    unsigned i;

    for (i = 0; i < NR_ADDS; i++) {
        genlru__mutex_lock(&sum->lock);
        sum->value++;
        if (i % 64 == 0)
            sched_yield();
        genlru__mutex_unlock(&sum->lock);
    }
    return NULL;
}

Test(lock, mutex_excludes)
{
    struct sum sum = {.value = 0};
    pthread_t thread[NR_ADDERS];
    unsigned i;

    cr_assert(genlru__mutex_init(&sum.lock, GENLRU__RANK_LRU) == 0);
    for (i = 0; i < NR_ADDERS; i++)
        cr_assert(pthread_create(&thread[i], NULL, add_up, &sum) == 0);
    for (i = 0; i < NR_ADDERS; i++)
        pthread_join(thread[i], NULL);
    cr_assert(sum.value == (unsigned long)NR_ADDS * NR_ADDERS, "%lu", sum.value);
    genlru__mutex_fini(&sum.lock);
}

Test(lock, spin)
{
    struct genlru__spinlock lock = {0};

    genlru__spin_lock(&lock);
    cr_assert(!can_take(try_spin, &lock) && !genlru__spin_trylock(&lock));
    genlru__spin_unlock(&lock);
    cr_assert(can_take(try_spin, &lock) && genlru__spin_trylock(&lock));
    genlru__spin_unlock(&lock);
}

/* Rising ranks are in order: stripe, lru, pool; again after they were let go. */
Test(lock, order)
{
    struct genlru__spinlock stripes[2] = {{0}, {0}};
    struct genlru__mutex lru, pool;
    unsigned i;

    cr_assert(genlru__mutex_init(&lru, GENLRU__RANK_LRU) == 0 && genlru__mutex_init(&pool, GENLRU__RANK_POOL) == 0);
    for (i = 0; i < 3; i++) {
        genlru__spin_lock(&stripes[0]);
        genlru__spin_lock(&stripes[1]); /* verify holds all of them */
        genlru__mutex_lock(&lru);
        genlru__mutex_lock(&pool);
        genlru__mutex_unlock(&pool);
        genlru__mutex_unlock(&lru);
        genlru__spin_unlock(&stripes[1]);
        genlru__spin_unlock(&stripes[0]);
    }
    genlru__mutex_fini(&lru);
    genlru__mutex_fini(&pool);
}

Test(lock, wrong_order_of_mutexes, .signal = GENLRU_CHECKED ? SIGABRT : 0)
{
    struct genlru__mutex lru, pool;

    cr_assert(genlru__mutex_init(&lru, GENLRU__RANK_LRU) == 0 && genlru__mutex_init(&pool, GENLRU__RANK_POOL) == 0);
    genlru__mutex_lock(&pool);
    genlru__mutex_lock(&lru);
    genlru__mutex_unlock(&lru);
    genlru__mutex_unlock(&pool);
}

Test(lock, stripe_under_the_lru, .signal = GENLRU_CHECKED ? SIGABRT : 0)
{
    struct genlru__spinlock stripe = {0};
    struct genlru__mutex lru;

    cr_assert(genlru__mutex_init(&lru, GENLRU__RANK_LRU) == 0);
    genlru__mutex_lock(&lru);
    genlru__spin_lock(&stripe);
    genlru__spin_unlock(&stripe);
    genlru__mutex_unlock(&lru);
}
