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

REPLAY_INLINE uint64_t replay_loop(struct policy *p, const uint32_t *ids, size_t n, replay_access_fn *access,
                                   replay_prefetch_fn *prefetch)
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

/*
 * The two entries of the vtable, from NAME_access(p, id, channel) and NAME_prefetch(p, id), for a
 * policy that counts entries.
 */
#define REPLAY_DEFINE(name)                                                                   \
    static bool name##_access_one(struct policy *p, uint32_t id, enum policy_channel channel) \
    {                                                                                         \
        return name##_access(p, id, channel);                                                 \
    }                                                                                         \
    static uint64_t name##_replay(struct policy *p, const uint32_t *ids, size_t n)            \
    {                                                                                         \
        return replay_loop(p, ids, n, name##_access, name##_prefetch);                        \
    }

/*
 * The same for one that also counts bytes: its access takes a fourth argument `sized`, a constant
 * in each of the two loops, so that counting entries pays nothing for it.
 */
#define REPLAY_DEFINE_SIZED(name)                                                                      \
    REPLAY_INLINE bool name##_access_unit(struct policy *p, uint32_t id, enum policy_channel channel)  \
    {                                                                                                  \
        return name##_access(p, id, channel, false);                                                   \
    }                                                                                                  \
    REPLAY_INLINE bool name##_access_sized(struct policy *p, uint32_t id, enum policy_channel channel) \
    {                                                                                                  \
        return name##_access(p, id, channel, true);                                                    \
    }                                                                                                  \
    static bool name##_access_one(struct policy *p, uint32_t id, enum policy_channel channel)          \
    {                                                                                                  \
        return name##_access(p, id, channel, p->sizes != NULL);                                        \
    }                                                                                                  \
    static uint64_t name##_replay(struct policy *p, const uint32_t *ids, size_t n)                     \
    {                                                                                                  \
        return p->sizes ? replay_loop(p, ids, n, name##_access_sized, name##_prefetch)                 \
                        : replay_loop(p, ids, n, name##_access_unit, name##_prefetch);                 \
    }

#endif
