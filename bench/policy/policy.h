/* SPDX-License-Identifier: MIT */
/*
 * policy.h - the one face all cache policies of the laboratory have
 *
 *      trace ──ids──▶ policy_replay ──▶ ops->replay   (batched, read channel)
 *      test  ──id───▶ policy_access ──▶ ops->access   (one request, any channel)
 *
 * A policy works over *dense ids*: the trace loader numbers the distinct keys 0, 1, 2 … in order of
 * first appearance, so a policy needs no hash table, only plain arrays of nr_ids elements. A
 * request for an id that is not resident is a miss, and the policy admits it at once (demand fill);
 * what it evicts for that, and when, is the policy.
 *
 * Capacity is counted in entries; or, where the config brings sizes, in bytes: then an object
 * larger than the whole cache is refused, which is a miss that changes nothing. Not every policy
 * has a definition for objects of several sizes (has_sizes).
 *
 * Everything here is single-threaded per policy instance and deterministic: the same calls give
 * the same hits. Instances share nothing, so several may run in parallel.
 */
#ifndef GENLRU_BENCH_POLICY_H
#define GENLRU_BENCH_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * How a request reaches the cache. Most policies know one kind of access and treat all but PREFETCH
 * as READ; the kernel's two (clru, genlru) distinguish them.
 */
enum policy_channel {
    POLICY_READ,     /* read(): software sees each access */
    POLICY_WRITE,    /* write(): accounted as a read by every policy here */
    POLICY_MAPPED,   /* load or store through a mapping: only an accessed bit remembers it */
    POLICY_EXEC,     /* the same, of an entry dear to lose (the kernel's executable pages) */
    POLICY_PREFETCH, /* brought in by guess: admitted if absent, no access counted */
};

/* Fields are appended only, so a policy written for fewer of them stays right. */
struct policy_config {
    uint64_t capacity;     /* entries (below 2^32), or bytes; 0 = never holds anything */
    uint32_t nr_ids;       /* ids passed later are < nr_ids */
    const uint64_t *sizes; /* bytes of each id, must outlive the policy; NULL = each counts 1 */
    const void *variant;   /* changes to the policy (spec.h); NULL = as published */
};

struct policy_ops;

/* The head of every policy's own struct. Written by the policy, read by anyone. */
struct policy {
    const struct policy_ops *ops;
    uint64_t capacity;
    uint32_t nr_ids;
    uint32_t nr_resident;  /* entries cached now; without sizes ≤ capacity after every call */
    uint64_t evictions;    /* entries removed to make room, since create */
    const uint64_t *sizes; /* of the config */
    uint64_t used;         /* with sizes: bytes cached now, ≤ capacity after every call */
    uint64_t missed_bytes; /* with sizes: of all misses but those of prefetches */
    uint64_t nr_refused;   /* with sizes: of these misses, those for objects larger than the cache */
};

struct policy_ops {
    const char *name;   /* as on the command line */
    const char *what;   /* one line for people */
    const char *source; /* paper, year */
    bool has_sizes;     /* may be created with config.sizes */

    /*
     * 0, or -ENOMEM / -EINVAL / -EFBIG (an object too large to be counted) with *ret untouched.
     * Memory is zeroed and faulted in here. O(nr_ids).
     */
    int (*create)(const struct policy_config *config, struct policy **ret);
    void (*destroy)(struct policy *p);
    /*
     * Tells the whole future once, before the first request: the n ids that access or replay will
     * get, in this order. NULL = the policy lives in the present. ids must outlive the policy. 0,
     * -ENOMEM, -EFBIG. O(nr_ids + n).
     */
    int (*prepare)(struct policy *p, const uint32_t *ids, size_t n);
    /* One request. True = it was resident (hit). */
    bool (*access)(struct policy *p, uint32_t id, enum policy_channel channel);
    /* n requests through POLICY_READ; returns the misses. Same effect as n calls of access. */
    uint64_t (*replay)(struct policy *p, const uint32_t *ids, size_t n);
    /* Changes nothing: not an access. */
    bool (*is_resident)(const struct policy *p, uint32_t id);
    /* The whole state in one line without a newline, for golden tests and for debugging. */
    void (*dump)(const struct policy *p, FILE *out);
};

/* For ops->create: the head of a new policy that holds nothing. */
static inline void policy_init(struct policy *p, const struct policy_ops *ops, const struct policy_config *config)
{
    memset(p, 0, sizeof(*p)); /* not by designators: C++ reads this, too */
    p->ops = ops;
    p->capacity = config->capacity;
    p->nr_ids = config->nr_ids;
    p->sizes = config->sizes;
}

/* All policies, in the order in which `genlru-sim policies` lists them; NULL past the end. */
const struct policy_ops *policy_at(size_t i);
/* NULL if there is none of that name. */
const struct policy_ops *policy_find(const char *name);

/*
 * As ops->create; -EINVAL also for more ids or entries than 32 bits count, -EOPNOTSUPP for sizes
 * where the policy has none.
 */
int policy_create(const struct policy_ops *ops, const struct policy_config *config, struct policy **ret);
/* To be called after create, before any request; does nothing for policies without prepare. */
int policy_prepare(struct policy *p, const uint32_t *ids, size_t n);
/* NULL is allowed. */
void policy_destroy(struct policy *p);
bool policy_access(struct policy *p, uint32_t id, enum policy_channel channel);
uint64_t policy_replay(struct policy *p, const uint32_t *ids, size_t n);
bool policy_is_resident(const struct policy *p, uint32_t id);

#endif
