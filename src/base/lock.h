/* SPDX-License-Identifier: MIT */
/*
 * Locks and their order. A thread takes locks of rising rank only: stripe < lru < pool. The checked
 * build keeps a mask of what the thread holds and aborts on a violation.
 */
#ifndef GENLRU_BASE_LOCK_H
#define GENLRU_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/testing.h"

enum genlru__rank { GENLRU__RANK_STRIPE = 0, GENLRU__RANK_LRU = 1, GENLRU__RANK_POOL = 2 };

/* Sleeping lock: lru and pool. */
struct genlru__mutex {
    pthread_mutex_t mutex;
    enum genlru__rank rank;
};

int genlru__mutex_init(struct genlru__mutex *lock, enum genlru__rank rank); /* 0 or -errno */
void genlru__mutex_fini(struct genlru__mutex *lock);
void genlru__mutex_lock(struct genlru__mutex *lock);
bool genlru__mutex_trylock(struct genlru__mutex *lock);
void genlru__mutex_unlock(struct genlru__mutex *lock);

/*
 * One word: a stripe. Held for a few dozen instructions, once in 60 adds while its holder waits for the lru's lock.
 * It is tried, and the next stripe taken when it is busy; who waits for a given one (a flush, a walk, an add that
 * found all busy) yields the processor, since the holder may be preempted.
 */
struct genlru__spinlock {
    uint32_t is_held;
};

/* The checked build's watch over the order; nothing in others. */
void genlru__witness_lock(enum genlru__rank rank);
void genlru__witness_unlock(enum genlru__rank rank);

static inline bool genlru__spin_trylock(struct genlru__spinlock *lock)
{
    /*
     * acquire S1: pairs with release S0; guards the stripe's open blocks and their fill, and passes the window to
     * adds
     */
    if (__atomic_load_n(&lock->is_held, __ATOMIC_RELAXED) != 0 ||
        __atomic_exchange_n(&lock->is_held, 1, __ATOMIC_ACQUIRE) != 0)
        return false;
    if (GENLRU__IS_CHECKED)
        genlru__witness_lock(GENLRU__RANK_STRIPE);
    return true;
}

void genlru__spin_lock(struct genlru__spinlock *lock);

static inline void genlru__spin_unlock(struct genlru__spinlock *lock)
{
    if (GENLRU__IS_CHECKED)
        genlru__witness_unlock(GENLRU__RANK_STRIPE);
    if (genlru__bug(EDGE_S))
        __atomic_store_n(&lock->is_held, 0, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&lock->is_held, 0, __ATOMIC_RELEASE); /* release S0: pairs with acquire S1 */
}

#endif
