/* SPDX-License-Identifier: MIT */
/*
 * The lru as a structure: who owns which field. Everything that changes it is in this layer (lists, window, counters)
 * or above (verdicts, verbs).
 *
 *   struct genlru ─┬─ view        first line: all that a hit reads
 *                  ├─ chain[]     per type: one per generation (seq modulo a power of two), probation, parked
 *                  ├─ hist[]      per type: what the controller judges by
 *                  └─ stripe[]    per group of threads: open blocks, and counters[type][gen code]
 *
 * Lists hold hints, words hold the truth: a node in the wrong chain is legal, and moved when it is met. Counters
 * follow the words: counters[type][gen code], where code 0 counts parked nodes and PROBATION_INDEX those
 * on probation. A word may lag below min_seq (advised cold while on a young chain): its counter is read as the oldest
 * generation's, as its gen is (invariant 8). Sums over stripes may be transiently negative; readers clamp.
 */
#ifndef GENLRU_GENS_LRU_H
#define GENLRU_GENS_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/blocks.h"
#include "base/lock.h"
#include "base/thread.h"
#include "genlru/config.h"
#include "genlru/impl/hit.h"
#include "genlru/lru.h"
#include "state/transition.h"

enum {
    GENLRU__CACHE_LINE = 64,
    GENLRU__PROBATION_INDEX = 128, /* counter of nodes on probation; 1..127 are gen codes, 0 is parked */
    GENLRU__NR_COUNTERS = 129,
    GENLRU__NR_OPEN = 4, /* open blocks of a stripe: lists that adds go to alternate between few */
    GENLRU__RESERVE = 2, /* blocks kept for movers, so that a scan makes progress without memory (invariant 9) */
    GENLRU__NR_CURSORS = 2,
    GENLRU__NR_SAMPLES = 16 /* sampled accesses that a stripe gathers */
};

/*
 * What is accessed by atomics: aligned to its size on 32-bit platforms, too, where plain 64-bit members are not, and
 * an access across two cache lines is not atomic.
 */
typedef uint64_t genlru__u64 __attribute__((aligned(8)));

/* A FIFO of blocks, head oldest. Under the lru's lock. */
struct genlru__chain {
    struct genlru__block *head;
    struct genlru__block *tail;
    uint32_t nr_open;   /* blocks that stripes have open for it: nodes that a scan does not see yet */
    uint32_t nr_blocks; /* linked */
};

/* Relaxed atomics; two's complement, so that a sum over stripes is right whatever order steps come in. */
struct genlru__counter {
    genlru__u64 nodes;
    genlru__u64 charge;
};

struct genlru__open {
    struct genlru__block *block; /* NULL = free */
    genlru__u64 seq;             /* generation, or GENLRU__NO_SEQ */
    uint16_t list;
};

/* birth_ns of a generation that has just begun: later than any time, so its age is 0. */
#define GENLRU__NOT_STAMPED UINT64_MAX

/* seq of a list that is no generation's. */
#define GENLRU__NO_SEQ UINT64_MAX

/* What the last add without a past was asked, and what it did: adds of new nodes are alike. window 0 = nothing. */
struct genlru__memo {
    uint64_t window;
    const struct genlru_policy *policy;
    uint64_t how; /* flags, and whether new nodes went on probation */
    uint32_t word;
    uint32_t answer;                 /* the word after the add */
    struct genlru__block *block;     /* where the node went: open[0]'s */
    struct genlru__counter *counter; /* what counted it */
};

/* What threads of one stripe write. Aligned to a cache line, counters of all types behind it. */
struct genlru__stripe {
    struct genlru__spinlock lock;              /* guards memo, open[] and the blocks' fill */
    struct genlru__memo memo;                  /* under the lock */
    struct genlru__open open[GENLRU__NR_OPEN]; /* most recently used first */
    genlru__u64 held_charge;                   /* what changed the lru's charge under the lock: adds, most dels */
    genlru__u64 free_charge;                   /* ... and without it; written by anyone */
    genlru__u64 refaulted;                     /* statistics: relaxed atomics, written under the lock */
    genlru__u64 refaulted_workingset;
    genlru__u64
        nr_samples; /* sampled accesses ever, and the last of them (learn/learn.h): relaxed atomics, written by */
    genlru__u64 sample[GENLRU__NR_SAMPLES]; /* anyone; what is overwritten before it is read is lost */
    genlru__u64 held_dels;                  /* dels that counted under the lock, and without it; every 64th looks */
    genlru__u64 free_dels;                  /* after holes */
    struct genlru__counter counter[]; /* [2][nr_types][GENLRU__NR_COUNTERS]: counted without the lock, and under it */
};

/* Per type: what was evicted, protected and refaulted, by tier (see reclaim/controller.h). Relaxed atomics. */
struct genlru__hist {
    genlru__u64
        avg_refaulted[GENLRU_NR_TIERS];     /* written under the lru's lock, like the next three; integers, so that */
    genlru__u64 avg_total[GENLRU_NR_TIERS]; /* every platform comes to the same victims */
    genlru__u64 evicted[GENLRU_NR_TIERS];
    genlru__u64 protected_[GENLRU_NR_TIERS];
    genlru__u64 refaulted[GENLRU_NR_TIERS]; /* adds count here without the lock */
};

/* A place in the lists that survives the unlinking of its block. Under the lru's lock. */
struct genlru__cursor {
    struct genlru__block *block; /* NULL = at the head of `list` */
    uint32_t list;
};

enum genlru__cursor_use { GENLRU__CURSOR_COMPACT, GENLRU__CURSOR_WALK };

/* Statistics of movers: written under the lock, read by genlru_stat without it, so relaxed atomics. */
struct genlru__mover_stat {
    genlru__u64 evicted;
    genlru__u64 putback;
    genlru__u64 scanned;
    genlru__u64 promoted;
    genlru__u64 protected_;
    genlru__u64 parked;
    genlru__u64 aged;
    genlru__u64 prefetched_unused;
    genlru__u64 compacted;
    genlru__u64 inconsistent;
};

/* What becomes of a node with so many refs that a scan keeps. */
struct genlru__kept {
    uint8_t refs;
    uint8_t class; /* generations up beyond the policy's keep.up */
};

enum { GENLRU__NR_KEEPS = 4 }; /* classes: up_doubling goes up by as many doublings as refs have */

/* A policy and what follows from it. Immutable while an lru runs on it. */
struct genlru__rule {
    struct genlru_policy policy;
    uint32_t open[GENLRU_NR_TIERS]; /* by threshold: marks that no tier protects */
    uint32_t kept_marks;            /* of these, those that a scan keeps (reclaim/plain.h) */
    uint32_t workingset_marks;      /* whose shadows say so */
    struct genlru__kept kept[GENLRU_MAX_REFS + 1];
    uint8_t tier_of_mark[GENLRU__NR_MARKS]; /* that a victim counts in */
    uint32_t number;                        /* tells an lru's rules apart */
};

struct genlru__learn;

struct genlru {
    struct genlru_view view; /* read by hits; written under the lock when the window changes */

    const struct genlru__rule *rule; /* in force: relaxed atomic, points to what never changes */

    /* Never changed after creation. */
    struct genlru__rule configured; /* by the config's policy */
    struct genlru_allocator allocator;
    struct genlru_pool *pool;
    struct genlru__chain *chain; /* [nr_lists] */
    char *stripes;               /* nr_stripes, stripe_bytes apart */
    size_t stripe_bytes;
    size_t bytes; /* of this allocation */
    uint32_t nr_gens;
    uint32_t nr_types;
    uint32_t nr_stripes;
    uint32_t lists_per_type; /* gen_mask + 1 generations, probation, parked */
    uint32_t gen_mask;       /* a generation's list is seq & gen_mask */
    uint32_t clock_shift;    /* a shadow's clock counts in steps of 2^clock_shift charge */
    uint16_t tag;            /* 15 bits that tell this lru's shadows from others' */
    bool owns_pool;
    uint8_t type_weight[GENLRU_MAX_TYPES];
    uint64_t (*now_ns)(void *ctx);
    void *clock_ctx;
    void (*on_error)(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node);
    void *error_ctx;
    struct genlru_nonresident *nonresident;
    uint64_t (*hash_of)(void *ctx, const struct genlru_node *node);
    void *hash_ctx;

    struct genlru__learn *learn; /* NULL = no learning (learn/learn.h) */
    uint64_t sample_seed;  /* a key is of the sample if the upper half of its hash, mixed with this, is below that: */
    uint64_t sample_bound; /* 0 = none are, 2^32 = all */

    /* Changed by anyone: relaxed atomics. */
    struct genlru__spinlock rule_lock; /* of changes of rule and capacity */
    genlru__u64 epochs_due;            /* freq epochs that learning asks for; begun by the next evict */
    genlru__u64 capacity;
    genlru__u64 eviction_clock; /* charge isolated and not put back */
    genlru__u64 used_hint;      /* charge at a recent hand-over or evict */
    genlru__u64 probation_from; /* ... from which on new nodes go on probation; UINT64_MAX = none do */
    genlru__u64
        recent_within;       /* evicted less than this ago, a node comes back as recent, and as near (0 = none does); */
    genlru__u64 near_within; /* like the one before follows from the rule in force and the capacity */
    genlru__u64 is_compaction_due;

    /* Under the lock; the sequence numbers are relaxed atomics, read by statistics without it. */
    struct genlru__mutex lock __attribute__((aligned(64)));
    genlru__u64 max_seq;
    genlru__u64 min_seq[GENLRU_MAX_TYPES];
    genlru__u64 birth_ns[GENLRU_MAX_GENS]; /* of generation seq & gen_mask; relaxed atomics */
    genlru__u64 age_clock;                 /* eviction clock when the last generation began by volume */
    genlru__u64 epoch_clock;               /* ... and the last freq epoch */
    genlru__u64 epochs_begun;              /* of those due */
    uint32_t epoch;
    uint32_t nr_nonempty; /* chains with blocks */
    genlru__u64 nr_reserve;
    struct genlru__block *reserve[GENLRU__RESERVE];
    genlru__u64 nr_linked;                     /* blocks on chains */
    genlru__u64 nr_opened;                     /* blocks open in stripes */
    genlru__u64 flushed_seq[GENLRU_MAX_TYPES]; /* oldest generation whose open blocks an aging has asked for */
    genlru__u64 live_hint;                     /* nodes when the compaction last counted them, with those handed over
                                               since and without those evicted */
    genlru__u64 compact_behind;                /* blocks the compaction has yet to look at in this pass (invariant 7) */
    genlru__u64 reported_nodes; /* what the last report of an inconsistency was about; 0 once the figures agree again */
    struct genlru__cursor cursor[GENLRU__NR_CURSORS];
    bool is_walking;
    struct genlru__hist hist[GENLRU_MAX_TYPES];
    struct genlru__mover_stat stat;
};

/* The rule in force. Relaxed: rules are made before the lru is shared, and any of them will do for one decision. */
static inline const struct genlru__rule *genlru__rule(const struct genlru *lru)
{
    return __atomic_load_n(&lru->rule, __ATOMIC_RELAXED);
}

static inline const struct genlru_policy *genlru__policy(const struct genlru *lru)
{
    return &genlru__rule(lru)->policy;
}

static inline struct genlru__stripe *genlru__stripe(const struct genlru *lru, unsigned nr)
{
    return (struct genlru__stripe *)(void *)(lru->stripes + nr * lru->stripe_bytes);
}

/* The stripe of the calling thread. */
static inline unsigned genlru__own_number(const struct genlru *lru)
{
    return lru->nr_stripes == 1 ? 0 : genlru__thread_number() % lru->nr_stripes;
}

static inline struct genlru__stripe *genlru__stripe_own(const struct genlru *lru)
{
    return genlru__stripe(lru, genlru__own_number(lru));
}

/* Number of the list of a generation, of probation and of parked nodes of a type. */
static inline unsigned genlru__list_of_seq(const struct genlru *lru, unsigned type, uint64_t seq)
{
    return type * lru->lists_per_type + ((unsigned)seq & lru->gen_mask);
}

static inline unsigned genlru__list_of_probation(const struct genlru *lru, unsigned type)
{
    return type * lru->lists_per_type + lru->gen_mask + 1;
}

static inline unsigned genlru__list_of_parked(const struct genlru *lru, unsigned type)
{
    return type * lru->lists_per_type + lru->gen_mask + 2;
}

static inline unsigned genlru__nr_lists(const struct genlru *lru)
{
    return lru->nr_types * lru->lists_per_type;
}

/* Increments a statistic that only lock holders write and that others read without the lock. */
static inline void genlru__bump(uint64_t *counter, uint64_t by)
{
    genlru_impl_store_relaxed(counter, genlru_impl_load_relaxed(counter) + by);
}

/* Tells the error hook, or in the checked build aborts if there is none. No lock may be held. Returns `error`. */
int genlru__misuse(const struct genlru *lru, int error, const char *what, const struct genlru_node *node);

#endif
