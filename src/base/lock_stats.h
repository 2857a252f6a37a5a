/* SPDX-License-Identifier: MIT */
/*
 * How long mutexes are waited for and held, by rank: figures of a build for measuring (GENLRU_LOCK_STATS). Every other
 * build compiles the same text away behind a constant condition.
 *
 *   bucket   0 1 … 15 | 16 18 … 30 | 32 36 … 60 | …   ns: an eighth of their size wide
 *
 * One table a process, of all its lrus: relaxed atomics, a side table and no part of any struct.
 */
#ifndef GENLRU_BASE_LOCK_STATS_H
#define GENLRU_BASE_LOCK_STATS_H

#include <stdint.h>

#include "base/lock.h"

#ifndef GENLRU_LOCK_STATS
#define GENLRU_LOCK_STATS 0
#endif

enum { GENLRU__HAS_LOCK_STATS = GENLRU_LOCK_STATS };

enum genlru__lock_time { GENLRU__LOCK_WAITED, GENLRU__LOCK_HELD, GENLRU__NR_LOCK_TIMES };

enum { GENLRU__LOCK_BUCKETS = 35 * 8 }; /* up to 2^36 ns */

/* What happened since the last reset. counts[] is all zero where the build does not measure. */
void genlru__lock_stats_read(enum genlru__rank rank, enum genlru__lock_time time,
                             uint64_t counts[GENLRU__LOCK_BUCKETS]);
void genlru__lock_stats_reset(void);
/* The longest time that falls into a bucket, in ns. Pure. */
uint64_t genlru__lock_stats_ns(unsigned bucket);

/* For lock.c: before a mutex is asked for (returns the time), when it was got, when it is given back. */
uint64_t genlru__lock_stats_ask(void);
void genlru__lock_stats_got(enum genlru__rank rank, uint64_t asked_ns);
void genlru__lock_stats_give(enum genlru__rank rank);

#endif
