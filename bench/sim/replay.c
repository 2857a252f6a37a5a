/* SPDX-License-Identifier: MIT */
/*
 * replay.c - see replay.h
 *
 * All policies account writes as reads, so only prefetched, mapped and executable requests need to
 * be told one by one.
 */
#include "sim/replay.h"

uint64_t sim_replay(struct policy *p, const struct trace *t, uint64_t at, size_t n)
{
    const uint32_t *ids = t->ids + at;
    uint64_t misses = 0;

    if (t->is_plain) {
        return policy_replay(p, ids, n);
    }
    for (size_t i = 0; i < n; i++) {
        enum policy_channel channel = (enum policy_channel)t->channels[at + i];
        bool hit = policy_access(p, ids[i], channel);

        misses += !hit && channel != POLICY_PREFETCH;
    }
    return misses;
}
