/* SPDX-License-Identifier: MIT */
/* liburcu's slower calls, and the public calls that are about threads, read sections and fork. */
#include "rcu.h"

#include "genlru/cache.h"

char genlru__rcu_grace;

void genlru__rcu_call(genlru__rcu_head *head, void (*done)(genlru__rcu_head *head))
{
    GENLRU__TSAN_RELEASE(head);
    call_rcu(head, done);
}

void genlru__rcu_synchronize(void)
{
    synchronize_rcu();
    GENLRU__TSAN_ACQUIRE(&genlru__rcu_grace);
}

void genlru__rcu_barrier(void)
{
    rcu_barrier();
    GENLRU__TSAN_ACQUIRE(&genlru__rcu_grace);
}

#if GENLRU_CACHE_RCU == 2
#define WAS_ONLINE() rcu_read_ongoing()
#else
#define WAS_ONLINE() 0
#endif

static __thread int went_offline;

void genlru__rcu_offline(void)
{
    went_offline = WAS_ONLINE();
    if (went_offline)
        genlru_cache_offline();
}

void genlru__rcu_online(void)
{
    if (went_offline)
        genlru_cache_online();
}

void genlru_cache_register_thread(void)
{
    rcu_register_thread();
}

void genlru_cache_unregister_thread(void)
{
    GENLRU__TSAN_RELEASE(&genlru__rcu_grace);
    rcu_unregister_thread();
}

void genlru_cache_quiescent(void)
{
    GENLRU__TSAN_RELEASE(&genlru__rcu_grace);
    rcu_quiescent_state();
}

void genlru_cache_offline(void)
{
    GENLRU__TSAN_RELEASE(&genlru__rcu_grace);
    rcu_thread_offline();
}

void genlru_cache_online(void)
{
    rcu_thread_online();
}

const char *genlru_cache_rcu_flavour(void)
{
    return GENLRU__RCU_NAME;
}

void genlru_cache_read_lock(void)
{
    genlru__rcu_read_lock();
}

void genlru_cache_read_unlock(void)
{
    genlru__rcu_read_unlock();
}

#if GENLRU_CACHE_RCU == 3
static void flavour_before_fork(void)
{
    urcu_bp_before_fork();
}
static void flavour_after_fork_parent(void)
{
    urcu_bp_after_fork_parent();
}
static void flavour_after_fork_child(void)
{
    urcu_bp_after_fork_child();
}
#else
static void flavour_before_fork(void)
{
}
static void flavour_after_fork_parent(void)
{
}
static void flavour_after_fork_child(void)
{
}
#endif

void genlru_cache_before_fork(void)
{
    call_rcu_before_fork();
    flavour_before_fork();
}

void genlru_cache_after_fork_parent(void)
{
    flavour_after_fork_parent();
    call_rcu_after_fork_parent();
}

void genlru_cache_after_fork_child(void)
{
    flavour_after_fork_child();
    call_rcu_after_fork_child();
}
