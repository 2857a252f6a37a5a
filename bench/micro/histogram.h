/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - times in nanoseconds, in buckets a 16th of their size wide
 *
 *      0 1 2 … 31 | 32 34 36 … 62 | 64 68 … 124 | …       up to 2^40 ns
 */
#ifndef GENLRU_BENCH_MICRO_HISTOGRAM_H
#define GENLRU_BENCH_MICRO_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_SUB_BITS = 4, HISTOGRAM_BUCKETS = 38 << HISTOGRAM_SUB_BITS };

struct histogram {
    uint64_t count[HISTOGRAM_BUCKETS];
    uint64_t max;
};

static inline unsigned histogram_bucket(uint64_t ns)
{
    unsigned exponent, bucket;

    if (ns < 2u << HISTOGRAM_SUB_BITS) {
        return (unsigned)ns;
    }
    exponent = 63u - (unsigned)__builtin_clzll(ns) - HISTOGRAM_SUB_BITS; /* ≥ 1 */
    bucket = (exponent << HISTOGRAM_SUB_BITS) + (unsigned)(ns >> exponent);
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

static inline void histogram_count(struct histogram *histogram, uint64_t ns)
{
    histogram->count[histogram_bucket(ns)]++;
    histogram->max = ns > histogram->max ? ns : histogram->max;
}

/* The upper end of a bucket. */
uint64_t histogram_value(unsigned bucket);

void histogram_merge(struct histogram *to, const struct histogram *from);

/* The value that a share of `quantile` (0 … 1) is not above, up to a 16th too much; 0 if nothing was counted. */
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);

#endif
