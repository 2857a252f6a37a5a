/* SPDX-License-Identifier: MIT */
/* Locks with ranks: see lock.h. */
#include "base/lock.h"

#include "base/check.h"
#include "base/lock_stats.h"
#include "base/thread.h"

/* Locks of each rank that the calling thread holds. Kept in the checked build only. */
static _Thread_local unsigned char held[GENLRU__RANK_POOL + 1];

/* A trylock cannot deadlock, so stripes, which are only ever tried, may be taken several at a time. */
void genlru__witness_lock(enum genlru__rank rank)
{
    unsigned higher;

    for (higher = rank + (rank == GENLRU__RANK_STRIPE); higher <= GENLRU__RANK_POOL; higher++)
        genlru__assert(held[higher] == 0);
    held[rank]++;
}

void genlru__witness_unlock(enum genlru__rank rank)
{
    genlru__assert(held[rank] > 0);
    held[rank]--;
}

int genlru__mutex_init(struct genlru__mutex *lock, enum genlru__rank rank)
{
    lock->rank = rank;
    return -pthread_mutex_init(&lock->mutex, NULL);
}

void genlru__mutex_fini(struct genlru__mutex *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

void genlru__mutex_lock(struct genlru__mutex *lock)
{
    uint64_t asked_ns = GENLRU__HAS_LOCK_STATS ? genlru__lock_stats_ask() : 0;
    int error = pthread_mutex_lock(&lock->mutex);

    genlru__assert(error == 0);
    (void)error;
    if (GENLRU__HAS_LOCK_STATS)
        genlru__lock_stats_got(lock->rank, asked_ns);
    if (GENLRU__IS_CHECKED)
        genlru__witness_lock(lock->rank);
}

bool genlru__mutex_trylock(struct genlru__mutex *lock)
{
    if (pthread_mutex_trylock(&lock->mutex) != 0)
        return false;
    if (GENLRU__HAS_LOCK_STATS)
        genlru__lock_stats_got(lock->rank, genlru__lock_stats_ask());
    if (GENLRU__IS_CHECKED)
        genlru__witness_lock(lock->rank);
    return true;
}

void genlru__mutex_unlock(struct genlru__mutex *lock)
{
    if (GENLRU__HAS_LOCK_STATS)
        genlru__lock_stats_give(lock->rank);
    if (GENLRU__IS_CHECKED)
        genlru__witness_unlock(lock->rank);
    pthread_mutex_unlock(&lock->mutex);
}

void genlru__spin_lock(struct genlru__spinlock *lock)
{
    while (!genlru__spin_trylock(lock))
        genlru__yield();
}
