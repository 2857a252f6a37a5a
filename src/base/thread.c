/* SPDX-License-Identifier: MIT */
/*
 * Thread numbers. The counter is the library's only process-wide variable (but for a measuring build's, lock_stats.c):
 * hashing thread handles instead would put two of two threads on one of two stripes half of the time.
 */
#include "base/thread.h"

#include <sched.h>
#include <unistd.h>

static unsigned next_number;
_Thread_local unsigned genlru__number_plus_1;

unsigned genlru__first_thread_number(void)
{
    genlru__number_plus_1 = 1 + __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED) % (1u << 30);
    return genlru__number_plus_1 - 1;
}

unsigned genlru__nr_cpus(void)
{
    long nr = sysconf(_SC_NPROCESSORS_ONLN);

    return nr < 1 ? 1 : (unsigned)nr;
}

void genlru__yield(void)
{
    sched_yield();
}
