/* SPDX-License-Identifier: MIT */
/*
 * charge.h - what an entry takes of the capacity: 1, or its bytes; and the accounting of both
 *
 *      miss ─▶ policy_refuses? ── yes ─▶ miss that changes nothing
 *                   │ no
 *                   ▼
 *              while policy_is_full: evict ─▶ policy_count_eviction
 *              put it in ─▶ policy_count_fill
 *
 * `sized` is a constant wherever this is inlined (replay.h).
 */
#ifndef GENLRU_BENCH_POLICY_CHARGE_H
#define GENLRU_BENCH_POLICY_CHARGE_H

#include "policy/policy.h"

static inline uint64_t policy_charge(const struct policy *p, uint32_t id, bool sized)
{
    return sized ? p->sizes[id] : 1;
}

/* To be asked once for each miss, which it counts: is the object larger than the whole cache? */
static inline bool policy_refuses(struct policy *p, uint32_t id, bool sized)
{
    if (!sized) {
        return false;
    }
    p->missed_bytes += p->sizes[id];
    if (p->sizes[id] <= p->capacity) {
        return false;
    }
    p->nr_refused++;
    return true;
}

/* Must something be evicted before this one is put in? */
static inline bool policy_is_full(const struct policy *p, uint32_t id, bool sized)
{
    /* No overflow: both are at most the capacity. */
    return sized ? p->sizes[id] > p->capacity - p->used : p->nr_resident == p->capacity;
}

static inline void policy_count_fill(struct policy *p, uint32_t id, bool sized)
{
    p->nr_resident++;
    if (sized) {
        p->used += p->sizes[id];
    }
}

static inline void policy_count_eviction(struct policy *p, uint32_t id, bool sized)
{
    p->nr_resident--;
    p->evictions++;
    if (sized) {
        p->used -= p->sizes[id];
    }
}

/* Most entries a cache of this config can hold at a time. */
static inline uint32_t policy_entries_max(const struct policy_config *config)
{
    if (config->sizes || config->capacity > config->nr_ids) {
        return config->nr_ids;
    }
    return (uint32_t)config->capacity;
}

#endif
