/* SPDX-License-Identifier: MIT */
/* Small numbers for threads, so that each keeps to a stripe of its own. */
#ifndef GENLRU_BASE_THREAD_H
#define GENLRU_BASE_THREAD_H

/* A number of the calling thread: 0, 1, 2, ... in the order of their first calls. */
unsigned genlru__thread_number(void);

/* Lets another thread run: used where one may be between two steps that are looked at together. */
void genlru__yield(void);

/* Processors that are on line, at least 1. */
unsigned genlru__nr_cpus(void);

#endif
