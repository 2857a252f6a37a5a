/* SPDX-License-Identifier: MIT */
/*
 * sample.h - a miniature of a trace: all requests of the keys a hash picks, none of the others
 *
 *      trace      a b c a d b e a      hash(key) mod 2^24 < rate · 2^24 ?   a, d: yes
 *      miniature  a     a d     a      replayed through a cache of rate · capacity
 *
 * Picking keys, not requests, keeps every reuse of a picked key, and thins what lies between two
 * uses by `rate`: reuse distances shrink as the cache does. For LRU this is SHARDS (Waldspurger,
 * Park, Garthwaite, Ahmad, "Efficient MRC Construction with SHARDS", FAST 2015); that a cache
 * scaled down so predicts any policy is miniature simulation (Waldspurger, Saemundsson, Ahmad, Park,
 * "Cache Modeling and Optimization using Miniature Simulations", ATC 2017).
 *
 * The hash is of the key's dense id, which stands for the key one to one; so the sample is the same
 * in each run, and a smaller rate's sample is part of a larger one's.
 */
#ifndef GENLRU_BENCH_SIM_SAMPLE_H
#define GENLRU_BENCH_SIM_SAMPLE_H

#include "trace/trace.h"

#define SAMPLE_RATE_MIN 1e-6

struct sample {
    struct trace *trace;
    double rate; /* in 2^-24; 1 = everything */
};

/*
 * rate within SAMPLE_RATE_MIN … 1, rounded to 2^-24. 0; -ENOMEM; -ENOENT if it picks no key at all.
 * O(requests).
 */
int sample_create(const struct trace *trace, double rate, struct sample *ret);
void sample_destroy(struct sample *sample);

/* What the miniature of a cache of so many entries or bytes holds: at least 1 if that does. */
uint64_t sample_capacity(const struct sample *sample, uint64_t capacity);

/*
 * The least rate at which a cache of `entries` keeps SAMPLE_ENTRIES and the sample SAMPLE_KEYS of
 * nr_ids keys; 1 where that saves less than half.
 */
#define SAMPLE_ENTRIES 256
#define SAMPLE_KEYS 8192
double sample_fit(double entries, uint32_t nr_ids);

#endif
