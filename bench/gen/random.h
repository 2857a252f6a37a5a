/* SPDX-License-Identifier: MIT */
/*
 * random.h - the generators' source of randomness: splitmix64 (Steele, Lea, Flood 2014)
 *
 * One word of state, the same figures on every machine.
 */
#ifndef GENLRU_BENCH_GEN_RANDOM_H
#define GENLRU_BENCH_GEN_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1), multiples of 2^-53. */
static inline double random_unit(struct random *r)
{
    return (double)(random_next(r) >> 11) * 0x1p-53;
}

/* 0 … n-1 for 0 < n ≤ 2^32, by multiplication; its bias of at most n / 2^64 cannot be seen. */
static inline uint64_t random_below(struct random *r, uint64_t n)
{
    uint64_t x = random_next(r);

    return (uint64_t)(((x >> 32) * n + ((x & UINT32_MAX) * n >> 32)) >> 32);
}

#endif
