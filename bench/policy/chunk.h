/* SPDX-License-Identifier: MIT */
/*
 * chunk.h - how many entries a policy that evicts in batches frees at a time
 *
 * The kernel's direct reclaim asks for 32 pages, of caches of thousands to millions. Ours may hold
 * 50 entries, and freeing 32 of these at once would measure emptiness, not the policy.
 */
#ifndef GENLRU_BENCH_POLICY_CHUNK_H
#define GENLRU_BENCH_POLICY_CHUNK_H

#include <stdint.h>

#define POLICY_CHUNK_MAX 32
#ifndef POLICY_CHUNK_SHARE
#define POLICY_CHUNK_SHARE 16
#endif

/* 32, but not more than this share of the cache, and at least 1. */
static inline uint32_t policy_chunk(uint32_t capacity)
{
    uint32_t share = capacity / POLICY_CHUNK_SHARE;

    if (share >= POLICY_CHUNK_MAX) {
        return POLICY_CHUNK_MAX;
    }
    return share ? share : 1;
}

#endif
