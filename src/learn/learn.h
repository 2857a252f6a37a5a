/* SPDX-License-Identifier: MIT */
/*
 * Learning: from the accesses of sampled keys to the rule in force.
 *
 *   hit of a sampled node ─┐                    one thread at a time                     lru->rule
 *                          ├─▶ stripe->sample ─▶ miniatures of all rules ─▶ learner ─▶   lru->epochs_due
 *   add of a sampled key ──┘   lossy buffer      mask of who missed          best rule
 *
 * A key is of the sample if its seeded hash is below a bound, so the same keys are on each return, and a miniature of
 * n entries sees the n / N-th part of the load of N. Sampled accesses gather in the stripe of their thread; who fills a buffer
 * tries to play it to the miniatures, and drops it if another thread is at that: nobody waits for learning.
 */
#ifndef GENLRU_LEARN_LEARN_H
#define GENLRU_LEARN_LEARN_H

#include "base/bits.h"
#include "gens/lru.h"
#include "genlru/stat.h"
#include "learn/learner.h"

/* What learning needs of a config; false = it is not to be had. */
bool genlru__learn_is_wanted(const struct genlru_config *config);

/* Makes lru->learn, and puts the rule it starts from in force. 0 or -ENOMEM. */
int genlru__learn_create(struct genlru *lru, const struct genlru_config *config);
void genlru__learn_destroy(struct genlru *lru);

/* What is known, for genlru_stat: a loose snapshot. Any thread; no lock. */
void genlru__learn_stat(const struct genlru *lru, struct genlru_stat *stat);

/* The hash that decides whether a key is of the sample. `how` may be NULL. Calls hash_of: no lock held. */
static inline uint64_t genlru__sample_hash(const struct genlru *lru, const struct genlru_node *node,
                                           const struct genlru_add *how)
{
    return genlru__mix((how && how->has_key_hash ? how->key_hash : lru->hash_of(lru->hash_ctx, node)) ^
                       lru->sample_seed);
}

/* Whether the key that an add brings is of the sample. */
static inline bool genlru__learn_samples(const struct genlru *lru, const struct genlru_node *node,
                                         const struct genlru_add *how)
{
    return lru->sample_bound && genlru__sample_hash(lru, node, how) >> 32 < lru->sample_bound;
}

/* What to tell of it once it is added; 0 = nothing: ahead of use its first hit is the access that counts. */
uint64_t genlru__learn_sample(const struct genlru *lru, const struct genlru_node *node, const struct genlru_add *how);
/* A sampled key was added, or hit. No lock held. */
void genlru__learn_add(struct genlru *lru, uint64_t sample);
void genlru__learn_hit(struct genlru *lru, const struct genlru_node *node, uint32_t word_before);

#endif
