/* SPDX-License-Identifier: MIT */
/*
 * The only file that knows liburcu: its flavour is chosen by GENLRU_CACHE_RCU (1 memb, 2 qsbr, 3 bp) when the library
 * is built. Read sections are inlined (_LGPL_SOURCE): the few lines of its headers that this takes are what the LGPL 2.1, section 5,
 * lets any program include; the rest is called.
 *
 * ThreadSanitizer does not see into liburcu 0.13, so the two edges that RCU gives us are told to it here, and nowhere
 * is anything suppressed:
 *
 *   G   what a read section did happens before the callback of a call_rcu that came after what it could reach was unlinked
 *   C   what a thread did before call_rcu happens before its callback
 */
#ifndef GENLRU_CACHE_RCU_H
#define GENLRU_CACHE_RCU_H

#include <stdbool.h>

#if defined(__SANITIZE_THREAD__)
#define GENLRU__HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GENLRU__HAS_TSAN 1
#endif
#endif

#ifndef GENLRU__HAS_TSAN
#define _LGPL_SOURCE /* inlined, liburcu's own accesses would be seen, and not what orders them */
#endif
#if GENLRU_CACHE_RCU == 1
#include <urcu.h>
#define GENLRU__RCU_NAME "memb"
#elif GENLRU_CACHE_RCU == 2
#include <urcu-qsbr.h>
#define GENLRU__RCU_NAME "qsbr"
#elif GENLRU_CACHE_RCU == 3
#include <urcu-bp.h>
#define GENLRU__RCU_NAME "bp"
#else
#error "GENLRU_CACHE_RCU must be 1 (memb), 2 (qsbr) or 3 (bp)"
#endif

#ifdef GENLRU__HAS_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define GENLRU__TSAN_RELEASE(address) __tsan_release(address)
#define GENLRU__TSAN_ACQUIRE(address) __tsan_acquire(address)
#else
#define GENLRU__TSAN_RELEASE(address) ((void)(address))
#define GENLRU__TSAN_ACQUIRE(address) ((void)(address))
#endif

extern char genlru__rcu_grace; /* stands for edge G */

static inline void genlru__rcu_read_lock(void)
{
    rcu_read_lock();
}

static inline void genlru__rcu_read_unlock(void)
{
    GENLRU__TSAN_RELEASE(&genlru__rcu_grace);
    rcu_read_unlock();
}

/* True if the thread is in no read section. qsbr cannot tell, so there nobody waits unasked. */
static inline bool genlru__rcu_may_wait(void)
{
    return GENLRU_CACHE_RCU != 2 && !rcu_read_ongoing();
}

typedef struct rcu_head genlru__rcu_head;

/*
 * `done` is called after a grace period by a thread of liburcu's; it begins with genlru__rcu_done(head) and ends with
 * genlru__rcu_ended(): what it did is over when genlru__rcu_barrier returns, which TSan must be told.
 */
void genlru__rcu_call(genlru__rcu_head *head, void (*done)(genlru__rcu_head *head));
static inline void genlru__rcu_done(genlru__rcu_head *head)
{
    GENLRU__TSAN_ACQUIRE(head);
    GENLRU__TSAN_ACQUIRE(&genlru__rcu_grace);
}

static inline void genlru__rcu_ended(void)
{
    GENLRU__TSAN_RELEASE(&genlru__rcu_grace);
}

/* Waits for a grace period; for all callbacks of calls that began before. Not in a read section. */
void genlru__rcu_synchronize(void);
void genlru__rcu_barrier(void);

/* Around a wait for something else than a grace period, which other threads need not wait for (qsbr). */
void genlru__rcu_offline(void);
void genlru__rcu_online(void);

#endif
