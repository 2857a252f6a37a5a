/* SPDX-License-Identifier: MIT */
/*
 * replay.h - the batched replay loop, written once
 *
 * A policy instantiates it with its own access and prefetch functions; both are inlined, so a
 * request costs no indirect call. The state of the request REPLAY_AHEAD places later is prefetched:
 * with the ids of a trace in an array the future is known, and 16 requests of some 10 ns each cover
 * a DRAM access. Every policy gets this, so they stay comparable.
 */
#ifndef GENLRU_BENCH_POLICY_REPLAY_H
#define GENLRU_BENCH_POLICY_REPLAY_H

#include "policy/policy.h"

#define REPLAY_AHEAD 16

#if defined(__GNUC__)
#define REPLAY_INLINE static inline __attribute__((always_inline))
#else
#define REPLAY_INLINE static inline
#endif

typedef bool replay_access_fn(struct policy *p, uint32_t id, enum policy_channel channel);
typedef void replay_prefetch_fn(const struct policy *p, uint32_t id);

REPLAY_INLINE uint64_t replay_loop(struct policy *p, const uint32_t *ids, size_t n,
                                   replay_access_fn *access, replay_prefetch_fn *prefetch)
{
    uint64_t misses = 0;
    size_t i = 0;

    for (; i + REPLAY_AHEAD < n; i++) {
        prefetch(p, ids[i + REPLAY_AHEAD]);
        misses += !access(p, ids[i], POLICY_READ);
    }
    for (; i < n; i++) {
        misses += !access(p, ids[i], POLICY_READ);
    }
    return misses;
}

#endif
