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

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/*
 * A holder that runs is through in a microsecond or two as a rule, and who sleeps is awake again after ten or more, and has cost
 * the holder a system call: so a mutex is tried ten times more, four pauses apart, before it is slept for, which is for a holder
 * that was preempted or has a lot to do. A pause takes 5 to 50 ns by the processor, so all of it 0.2 to 2 us. Where
 * pause_a_little knows of no instruction there is nothing between the tries, and it is over in about the time of ten trylocks.
 */
static bool try_for_a_while(pthread_mutex_t *mutex)
{
    enum { TRIES = 10, PAUSES = 4 };
    unsigned i, k;

    for (i = 0; i < TRIES; i++) {
        for (k = 0; k < PAUSES; k++)
            pause_a_little();
        if (pthread_mutex_trylock(mutex) == 0)
            return true;
    }
    return false;
}

void genlru__mutex_lock(struct genlru__mutex *lock)
{
    uint64_t asked_ns = GENLRU__HAS_LOCK_STATS ? genlru__lock_stats_ask() : 0;
    int error = 0;

    if (pthread_mutex_trylock(&lock->mutex) != 0 && !try_for_a_while(&lock->mutex))
        error = pthread_mutex_lock(&lock->mutex);
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
