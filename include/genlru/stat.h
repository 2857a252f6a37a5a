/* SPDX-License-Identifier: MIT */
/*
 * Looking inside. None of these calls promotes a node or changes which one is evicted next.
 */
#ifndef GENLRU_STAT_H
#define GENLRU_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "impl/state.h"
#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct genlru;

/* One generation of one type: a loose snapshot, never negative. */
struct genlru_gen_stat {
    uint64_t seq;
    uint64_t age_ns; /* since the generation began */
    uint64_t nodes;
    uint64_t charge;
};

/* The controller's view of one tier of one type. */
struct genlru_tier_stat {
    uint64_t avg_refaulted; /* moving average over generations that ended */
    uint64_t avg_total;     /* ... of evicted + protected */
    uint64_t refaulted;     /* in the current generation */
    uint64_t evicted;
    uint64_t protected_;
};

/*
 * A loose snapshot: figures are read one after another while others change them; each is itself never
 * negative. Takes no lock. O(generations x types x stripes).
 */
struct genlru_stat {
    size_t size; /* sizeof(struct genlru_stat), set by the caller; only so much is filled in */
    uint32_t nr_gens;
    uint32_t nr_types;
    uint32_t stripes;
    uint32_t freq_epoch; /* modulo 256 */
    uint64_t capacity;
    uint64_t max_seq;
    uint64_t min_seq[GENLRU_MAX_TYPES];
    uint64_t nodes; /* on the lru: generations, probation and parked */
    uint64_t charge;
    uint64_t pinned_nodes; /* parked: met by the scan while pinned */
    uint64_t pinned_charge;
    uint64_t probation_nodes;
    uint64_t probation_charge;
    uint64_t eviction_clock; /* charge evicted and not put back */
    uint64_t evicted;        /* nodes isolated, ever */
    uint64_t putback;
    uint64_t scanned;
    uint64_t promoted;
    uint64_t protected_;
    uint64_t parked;
    uint64_t aged;
    uint64_t refaulted;            /* adds whose shadow was recent */
    uint64_t refaulted_workingset; /* of these, of the working set */
    uint64_t prefetched_unused;    /* evicted without any access after a prefetch */
    uint64_t compacted;            /* nodes moved to close holes */
    uint64_t inconsistent;         /* reports to the error hook */
    uint64_t blocks;               /* slot blocks in use by this lru */
    uint64_t metadata_bytes;       /* of this lru: itself and its blocks (nodes are the owner's) */
    struct genlru_tier_stat tier[GENLRU_MAX_TYPES][GENLRU_NR_TIERS];
    uint8_t tier_threshold[GENLRU_MAX_TYPES]; /* tiers above it are protected now */
    uint32_t is_learning;                     /* 0: the configured policy is in force, and what follows is 0 */
    uint32_t rule;                            /* in force, as of genlru_policy_rule() */
    uint32_t sample_entries;                  /* of a miniature */
    uint32_t sample_per_million;              /* keys that are sampled */
    uint64_t samples;                         /* sampled accesses that the miniatures played */
    uint64_t samples_lost;                    /* of those told: another thread was at it */
    uint64_t rule_changes;
    uint64_t learn_bytes; /* in metadata_bytes, too */
    /* The evidence at the last look, per rule: sampled accesses of late that it missed, that it hit while the rule in force
     * missed them, and the other way round. */
    uint64_t rule_missed[GENLRU_NR_RULES];
    uint64_t rule_saved[GENLRU_NR_RULES];
    uint64_t rule_lost[GENLRU_NR_RULES];
};
GENLRU_API int genlru_stat(const struct genlru *lru, struct genlru_stat *ret_stat);

/* Generations of `type`, youngest first, into gens[0..max-1]; returns how many there are, or -EINVAL. No lock. */
GENLRU_API int genlru_stat_gens(const struct genlru *lru, unsigned type, struct genlru_gen_stat *gens, size_t max);

/*
 * Charge by age and by tier, from a walk over the nodes in slices of at most 64 blocks under the lru's lock; nodes
 * that come, go or move during the walk may be missed or counted twice. O(nodes). 0, -EINVAL, or -EBUSY (another walk
 * is on).
 */
struct genlru_workingset {
    size_t size;                             /* set by the caller */
    uint64_t charge_by_age[GENLRU_MAX_GENS]; /* 0 = youngest generation; all types */
    uint64_t charge_by_tier[GENLRU_NR_TIERS];
    uint64_t charge_by_refs[GENLRU_MAX_REFS + 1];
    uint64_t probation_charge;
    uint64_t pinned_charge;
    uint64_t workingset_charge; /* estimate of the working set: nodes used more than once, or younger than the oldest */
};
GENLRU_API int genlru_workingset(struct genlru *lru, struct genlru_workingset *ret_workingset);

/*
 * Text like the kernel's dump of its generations: a line per type and generation, the controller's
 * figures, counters. Writes at most `bytes` with a final NUL, and returns how many bytes it would have needed (as
 * snprintf does). Takes no list lock.
 */
GENLRU_API size_t genlru_dump(const struct genlru *lru, char *text, size_t bytes);

/*
 * Checks every invariant of the structure, numbered as in docs/design.md; holds every lock of the lru and walks every
 * node (O(nodes)). Counters are compared exactly, so no other call may be running. Returns 0, or the number (> 0) of
 * the first invariant that is broken; `text` (may be NULL) gets a sentence about it.
 */
GENLRU_API int genlru_verify(struct genlru *lru, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
