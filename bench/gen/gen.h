/* SPDX-License-Identifier: MIT */
/*
 * gen.h - workloads that are computed instead of read
 *
 *      "zipf:theta=0.9" ──gen_create──▶ struct gen ──gen_fill──▶ keys and channels, batch by batch
 *
 * A generator is seeded and deterministic: the same spec gives the same requests. Keys are numbers;
 * the same number is the same object, also in another generator or in a trace chained with it.
 * Nothing is stored, so a workload may be longer than memory.
 */
#ifndef GENLRU_BENCH_GEN_GEN_H
#define GENLRU_BENCH_GEN_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "trace/error.h"
#include "trace/spec.h"
#include "trace/trace.h"

struct gen_ops;

/* The head of every generator's own struct. */
struct gen {
    const struct gen_ops *ops;
    uint64_t left;   /* requests still to come, prefetches included */
    uint64_t offset; /* added to every key */
};

/* Every generator's list of parameters begins with these three. */
enum { GEN_REQUESTS, GEN_SEED, GEN_OFFSET, GEN_OWN };

#define GEN_COMMON(requests, seed)                                                                               \
    {"requests", SPEC_COUNT, requests, 1, 1e15, "how many, prefetches included"},                                \
        {"seed", SPEC_COUNT, seed, 0, 18446744073709551615.0, "another seed, another sequence"},                 \
    {                                                                                                            \
        "offset", SPEC_COUNT, "0", 0, 9223372036854775807.0, "added to every key, to keep apart what is chained" \
    }

struct gen_ops {
    const char *name;
    const char *what;                /* one line for people */
    const struct spec_param *params; /* the common ones first */
    bool has_channels;               /* whether it writes channels */
    /* Zeroed memory of that size is the generator; create fills in its own part. */
    size_t bytes;
    /* 0; -ENOMEM; -EINVAL with *error set. destroy is called in any case, if it is not NULL. */
    int (*create)(struct gen *g, const struct spec_value *values, struct trace_error *error);
    void (*destroy)(struct gen *g);
    /* Exactly n requests. The channels are POLICY_READ before. */
    void (*fill)(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n);
};

/* All generators in the order of the list; NULL past the end. */
const struct gen_ops *gen_at(size_t i);

/* "name:a=1,b=2" or "name". 0, or -EINVAL / -ENOMEM with *error set and *ret untouched. */
int gen_create(const char *spec, struct gen **ret, struct trace_error *error);
/* NULL is allowed. */
void gen_destroy(struct gen *g);

/* The next requests: min(n, what is left) of them; 0 = it is at its end. */
size_t gen_fill(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n);

/*
 * The whole workload as a trace, whose name is the spec. Also takes what gen_create does not:
 * "trace:FILE", and "chain:(SPEC)(SPEC)…", the parts one after the other. options (NULL = defaults)
 * are for files, and for progress, told in requests for a generator. 0, or negative errno with
 * *error set and *ret untouched.
 */
int gen_load(const char *spec, const struct trace_options *options, struct trace **ret, struct trace_error *error);

/* Whether the spec can be produced, as far as this can be told without producing it. */
int gen_check(const char *spec, struct trace_error *error);

#endif
