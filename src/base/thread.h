/* SPDX-License-Identifier: MIT */
/* Small numbers for threads, so that each keeps to a stripe of its own. */
#ifndef GENLRU_BASE_THREAD_H
#define GENLRU_BASE_THREAD_H

/* 0 = the thread has none yet. initial-exec: one load relative to the thread pointer, in the shared library, too. */
extern _Thread_local unsigned genlru__number_plus_1 __attribute__((tls_model("initial-exec"), visibility("hidden")));

__attribute__((cold)) unsigned genlru__first_thread_number(void);

/* A number of the calling thread: 0, 1, 2, ... in the order of their first calls. */
static inline unsigned genlru__thread_number(void)
{
    return genlru__number_plus_1 ? genlru__number_plus_1 - 1 : genlru__first_thread_number();
}

/* Lets another thread run: used where one may be between two steps that are looked at together. */
void genlru__yield(void);

/* Processors that are on line, at least 1. */
unsigned genlru__nr_cpus(void);

#endif
