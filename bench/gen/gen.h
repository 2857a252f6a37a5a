/* SPDX-License-Identifier: MIT */
/*
 * gen.h - workloads that are computed instead of read
 *
 *      "zipf:theta=0.9" ──gen_create──▶ struct gen ──gen_fill──▶ keys and channels, batch by batch
 *
 * A generator is seeded and deterministic: the same spec gives the same requests everywhere. Keys
 * are numbers; the same number is the same object, also in another generator or in a trace that
 * contains it. Nothing is stored, so a workload may be longer than memory.
 */
#ifndef GENLRU_BENCH_GEN_GEN_H
#define GENLRU_BENCH_GEN_GEN_H

#include <stddef.h>
#include <stdint.h>

#include "trace/spec.h"
#include "trace/error.h"

struct gen_ops;

/* The head of every generator's own struct. */
struct gen {
    const struct gen_ops *ops;
    uint64_t left;   /* requests still to come */
    uint64_t total;  /* requests altogether, prefetches included where they are counted */
    uint64_t offset; /* added to every key */
};

/* What every generator takes beside its own parameters; see gen_common. */
enum { GEN_REQUESTS, GEN_SEED, GEN_OFFSET, GEN_OWN };

struct gen_ops {
    const char *name;
    const char *what;                /* one line for people */
    const struct spec_param *params; /* begin with the common ones */
    /* 0, or a negative errno with *error set and *ret untouched. The head is filled in for it. */
    int (*create)(const struct spec_value *values, struct gen **ret, struct trace_error *error);
    void (*destroy)(struct gen *g);
    /* Exactly n requests; channels come zeroed (POLICY_READ). */
    void (*fill)(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n);
    uint8_t uses_channels; /* whether it ever writes a channel */
};

/* All generators in the order of the list; NULL past the end. */
const struct gen_ops *gen_at(size_t i);

/* 0, or -EINVAL / -ENOMEM with *error set and *ret untouched. */
int gen_create(const char *spec, struct gen **ret, struct trace_error *error);
/* NULL is allowed. */
void gen_destroy(struct gen *g);

/* The next requests: min(n, what is left) of them; 0 = it is at its end. */
size_t gen_fill(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n);

/* The common parameters, as a list's first lines. */
#define GEN_COMMON(requests)                                                                       \
    {"requests", SPEC_COUNT, requests, 1, 1e15, "how many requests"},                              \
    {"seed", SPEC_COUNT, "1", 0, 18446744073709551615.0, "another seed, another sequence"},        \
    {"offset", SPEC_COUNT, "0", 0, 9223372036854775807.0,                                          \
     "added to every key, to keep apart what is chained"}

#endif
