/* SPDX-License-Identifier: MIT */
/*
 * A policy is a table of constants on the one mechanism. The presets are such tables, and an owner may
 * change a copy; genlru_create() checks it (genlru_policy_check() says what is wrong). Fields that say whether are 0 or 1,
 * unused ones 0.
 *
 * A place says where in the window a node goes: k >= 0 counts up from the bottom of a full window (0 is the
 * oldest generation), k < 0 down from the youngest (-1 is the youngest). Places outside of the present
 * window are clamped to it.
 */
#ifndef GENLRU_POLICY_H
#define GENLRU_POLICY_H

#include "export.h"
#include "impl/state.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Accessed bits that the owner harvests (genlru_access_batch), the kernel's page-table channel. */
struct genlru_mapped_rules {
    uint8_t first_up;      /* first access, in the oldest generation: up by this many */
    uint8_t refs_cap;      /* refs after a harvested access: min(refs + 1, this) */
    uint8_t second_marks;  /* a second access sets WORKINGSET */
    uint8_t second_refs;   /* refs (this access included) from which the node goes to the youngest; or WORKINGSET */
    uint8_t promoted_refs; /* cap of refs after that */
    uint8_t
        youngest_counts; /* in the youngest generation (or on none) a harvested access only counts, up to refs_max */
};

/* Where a node enters the window. */
struct genlru_place_rules {
    int8_t cold;             /* a node whose refs are below warm_refs */
    int8_t warm;             /* the others */
    uint8_t warm_refs;       /* 0 = refs alone never make a node warm */
    uint8_t warm_workingset; /* WORKINGSET makes a node warm */
    int8_t fault;            /* recent refault by a mapped access (GENLRU_ADD_MAPPED) */
    int8_t fault_workingset; /* ... of a node of the working set */
    int8_t hot;              /* GENLRU_ADD_HOT, genlru_advise(WILLNEED) */
    int8_t putback;          /* genlru_putback */
    int8_t refault;          /* recent refault within refault_percent, before the rules above */
    uint8_t unused;
    uint16_t refault_percent; /* share of the capacity evicted meanwhile; 0 = `refault` is not used */
};

/* What a returning node gets from its shadow. Recent: fewer than `gens` generations ago, or within the distance. */
struct genlru_refault_rules {
    uint8_t gens;              /* 0 = nr_gens */
    uint8_t refs_cap;          /* a recent refault starts with min(refs of the shadow, this) */
    uint8_t keep_workingset;   /* a recent refault gets WORKINGSET back */
    uint8_t workingset_refs;   /* refs from which a node counts as working set; 0 = the flag alone tells */
    uint16_t distance_percent; /* also recent: evicted less than this share of the capacity ago; 0 = not used */
    uint8_t keep_freq;         /* a recent refault gets freq back */
    uint8_t distance_only;     /* generations do not make a refault recent, the distance alone does */
};

/* Tiers, and when the controller protects one (algorithm: a proportional comparison of refault rates). */
struct genlru_tier_rules {
    uint8_t tier_of_refs[GENLRU_MAX_REFS + 1]; /* not falling, below GENLRU_NR_TIERS */
    uint8_t workingset_tier;                   /* tier of a node with WORKINGSET; 0 = by refs */
    uint8_t base_gain;                         /* weight of the lower tiers' refault rate */
    uint8_t tier_gain;                         /* weight of the judged tier's */
    uint8_t sum_below;                         /* 0: judge against tier 0; 1: against all tiers below together */
    uint8_t min_refaults;                      /* a tier with fewer refaults is not protected */
    uint8_t protect_refs;                      /* cap of refs when protected, or when aging moves the node up */
    uint8_t lazy_saturated; /* a saturated WORKINGSET node met in the oldest generation moves up, uncounted */
    uint8_t unused;
};

/* What becomes of the refs of a node that is kept. Its first access, the add, counts as one: it stays. */
enum genlru_decay {
    GENLRU_DECAY_ALL = 0,  /* refs = 1 */
    GENLRU_DECAY_HALF = 1, /* refs beyond the first are halved */
    GENLRU_DECAY_ONE = 2   /* refs - 1, at least 1 */
};

/* Second chances: what a scan of an oldest generation keeps for its own refs, if no tier protects it. */
struct genlru_keep_rules {
    uint8_t refs;        /* refs from which a node is kept; 0 = none is */
    uint8_t up;          /* ... this many generations above the oldest */
    uint8_t up_doubling; /* 1 = and one more for each doubling of refs - 1 */
    uint8_t decay;       /* enum genlru_decay */
};

/* A first-use queue below the oldest generation; 0 percent = there is none. */
struct genlru_probation_rules {
    uint8_t percent;       /* its share of the capacity, 0..90 */
    uint8_t fill_percent;  /* new nodes go there once the lru is this full */
    uint8_t promote_refs;  /* refs (duel: freq) from which a node leaves for the generations when it reaches the end */
    int8_t place;          /* ... to this place */
    uint8_t promoted_refs; /* cap of refs then */
    uint8_t refault_skips; /* a recent refault (within place.refault_percent, if set) does not pass through probation */
    /*
     * Duel: a node that may leave probation has to beat one of this many nodes of the oldest generation, in turn: those of
     * its freq or more are kept, the first of less is evicted in its stead. If all win, it is evicted. 0 = no duel.
     */
    uint8_t duel;
    /*
     * 1 = only nodes added ahead of use (GENLRU_ADD_PREFETCHED) pass through probation: what a scan reads ahead and uses once
     * leaves soon, and takes no more room than probation has. 0 = all new nodes do.
     */
    uint8_t only_prefetched;
};

struct genlru_policy {
    size_t size;      /* sizeof(struct genlru_policy) of the header the owner compiled with; see config.h */
    const char *name; /* static string */
    struct genlru_hit_rules hit;
    struct genlru_mapped_rules mapped;
    struct genlru_place_rules place;
    struct genlru_refault_rules refault;
    struct genlru_tier_rules tiers;
    struct genlru_probation_rules probation;
    struct genlru_keep_rules keep;
    uint16_t age_percent; /* a new generation each time this share of the capacity was evicted, or as soon as the window
                               is not full after that; 0 = only when needed */
    uint16_t epoch_percent; /* a new freq epoch each time this share of the capacity was evicted; 0 = never */
    uint8_t full_window;    /* a new generation as soon as the oldest is empty: the window stays nr_gens wide */
    /*
     * 1 = learn which rule (genlru_policy_rule) suits the load, and follow it instead of all of the above. For lrus with a
     * capacity and hash_of; without either, the above is in force.
     */
    uint8_t learn;
    uint8_t unused[2];
};

/*
 * The presets. As data symbols they are copied into programs that are not position-independent, so their size is frozen
 * with the soname: a larger struct genlru_policy is a new GENLRU_ABI. Values may change with any version.
 */
/* MGLRU as mainline has it before frequency guided promotion, with the refs = 1 placement. */
extern GENLRU_API const struct genlru_policy GENLRU_POLICY_MGLRU;
/* The same without that placement: only the working set enters above the oldest generation. */
extern GENLRU_API const struct genlru_policy GENLRU_POLICY_MGLRU_OLD;
/* Frequency guided promotion, the v3 rules with deferral out of the oldest two generations. */
extern GENLRU_API const struct genlru_policy GENLRU_POLICY_MGLRU_FG;
/* The same with constants chosen by experiment: the best fixed policy here for owners whose keys cannot be sampled. */
extern GENLRU_API const struct genlru_policy GENLRU_POLICY_TUNED_FG;
/*
 * genlru's own: what a config without a policy gets. It learns, given a capacity and hash_of; else it is TUNED_FG that
 * also counts shadows by distance.
 */
extern GENLRU_API const struct genlru_policy GENLRU_POLICY_DEFAULT;

/* Rules that a learning lru chooses among. */
#define GENLRU_NR_RULES 8u

/*
 * The rules that a learning lru chooses among, complete policies that do not learn: for fixing one, and for experiments.
 * NULL past the last. Pure.
 */
GENLRU_API const struct genlru_policy *genlru_policy_rule(unsigned number);

/*
 * Checks a policy for a window of nr_gens generations. Returns NULL if it is sound, else a static
 * sentence that names the first field that is not. Pure.
 */
GENLRU_API const char *genlru_policy_check(const struct genlru_policy *policy, unsigned nr_gens);

#ifdef __cplusplus
}
#endif
#endif
