/* SPDX-License-Identifier: MIT */
/* Times of locks: see lock_stats.h. */
#include "base/lock_stats.h"

#include "base/memory.h"

enum { SUB_BITS = 3 };

static uint64_t table[GENLRU__RANK_POOL + 1][GENLRU__NR_LOCK_TIMES][GENLRU__LOCK_BUCKETS];

/* Of each rank a thread holds one mutex at most, but in genlru_verify, which is not measured. */
static _Thread_local uint64_t got_ns[GENLRU__RANK_POOL + 1];

static unsigned bucket_of(uint64_t ns)
{
    unsigned exponent, bucket;

    if (ns < 2u << SUB_BITS)
        return (unsigned)ns;
    exponent = 63u - (unsigned)__builtin_clzll(ns) - SUB_BITS;
    bucket = (exponent << SUB_BITS) + (unsigned)(ns >> exponent);
    return bucket < GENLRU__LOCK_BUCKETS ? bucket : GENLRU__LOCK_BUCKETS - 1;
}

uint64_t genlru__lock_stats_ns(unsigned bucket)
{
    unsigned exponent = bucket >> SUB_BITS, sub = bucket & ((1u << SUB_BITS) - 1);

    if (exponent < 2)
        return bucket;
    return ((uint64_t)(sub + (1u << SUB_BITS) + 1) << (exponent - 1)) - 1;
}

static void count(enum genlru__rank rank, enum genlru__lock_time time, uint64_t ns)
{
    __atomic_fetch_add(&table[rank][time][bucket_of(ns)], 1, __ATOMIC_RELAXED); /* a statistic */
}

void genlru__lock_stats_read(enum genlru__rank rank, enum genlru__lock_time time, uint64_t counts[GENLRU__LOCK_BUCKETS])
{
    unsigned i;

    for (i = 0; i < GENLRU__LOCK_BUCKETS; i++)
        counts[i] = GENLRU__HAS_LOCK_STATS ? __atomic_load_n(&table[rank][time][i], __ATOMIC_RELAXED) : 0;
}

void genlru__lock_stats_reset(void)
{
    unsigned rank, time, i;

    if (!GENLRU__HAS_LOCK_STATS)
        return;
    for (rank = 0; rank <= GENLRU__RANK_POOL; rank++)
        for (time = 0; time < GENLRU__NR_LOCK_TIMES; time++)
            for (i = 0; i < GENLRU__LOCK_BUCKETS; i++)
                __atomic_store_n(&table[rank][time][i], 0, __ATOMIC_RELAXED);
}

uint64_t genlru__lock_stats_ask(void)
{
    return GENLRU__HAS_LOCK_STATS ? genlru__monotonic_ns(NULL) : 0;
}

void genlru__lock_stats_got(enum genlru__rank rank, uint64_t asked_ns)
{
    if (!GENLRU__HAS_LOCK_STATS)
        return;
    got_ns[rank] = genlru__monotonic_ns(NULL);
    count(rank, GENLRU__LOCK_WAITED, got_ns[rank] - asked_ns);
}

void genlru__lock_stats_give(enum genlru__rank rank)
{
    if (!GENLRU__HAS_LOCK_STATS)
        return;
    count(rank, GENLRU__LOCK_HELD, genlru__monotonic_ns(NULL) - got_ns[rank]);
}
