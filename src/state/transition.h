/* SPDX-License-Identifier: MIT */
/*
 * Every legal change of a node's word, as pure functions (word, context) -> word. The hit itself is
 * genlru_impl_word_hit in impl/state.h, since it is inlined; all other changes are here and nowhere else.
 *
 * Each returns 0 and the new word, or a negative errno where the change is not legal from that word; then *ret is
 * untouched. The callers run them inside compare-and-swap loops. tests/unit/transition.c enumerates them all.
 */
#ifndef GENLRU_STATE_TRANSITION_H
#define GENLRU_STATE_TRANSITION_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "genlru/impl/state.h"
#include "genlru/lru.h"
#include "genlru/policy.h"

enum genlru__node_state { GENLRU__OFF, GENLRU__LISTED, GENLRU__PARKED, GENLRU__ISOLATED_STATE, GENLRU__CONDEMNED };

/* What a change depends on beside the word. */
struct genlru__context {
    uint64_t window;
    const struct genlru_policy *policy;
    unsigned nr_gens;
};

/* What genlru_add knows of a node's past. */
struct genlru__past {
    bool is_recent; /* there is a shadow, and it is recent */
    uint8_t refs;
    uint8_t freq; /* already aged to the present epoch */
    bool workingset;
    bool is_near; /* recent, and within place.refault_percent */
};

static inline enum genlru__node_state genlru__state_of(uint32_t word)
{
    if (word & GENLRU_GEN_MASK)
        return GENLRU__LISTED;
    if (word & GENLRU_ISOLATED)
        return GENLRU__ISOLATED_STATE;
    if (!(word & GENLRU_PINNED))
        return GENLRU__OFF;
    return word & GENLRU_DEAD ? GENLRU__CONDEMNED : GENLRU__PARKED;
}

/* Tier of a node, 0 .. GENLRU_NR_TIERS-1. */
static inline unsigned genlru__tier_of(uint32_t word, const struct genlru_policy *policy)
{
    const struct genlru_tier_rules *tiers = &policy->tiers;

    if (word & GENLRU_TIER_CAP)
        return 0;
    if (tiers->workingset_tier && (word & GENLRU_WORKINGSET))
        return tiers->workingset_tier;
    return tiers->tier_of_refs[genlru_impl_refs(word)];
}

/* What of a word decides its tier but for advice: refs, and 16 if it is of the working set. */
enum { GENLRU__NR_MARKS = 32 };

static inline unsigned genlru__mark_of(uint32_t word)
{
    return genlru_impl_refs(word) | (word & GENLRU_WORKINGSET ? 16u : 0);
}

/* The other way round. */
static inline uint32_t genlru__word_of_mark(unsigned mark)
{
    return genlru_impl_with_refs(mark & 16u ? GENLRU_WORKINGSET : 0, mark & 15u);
}

/* What genlru_impl_only_rises compares with. */
void genlru__rises(const struct genlru_hit_rules *hit, uint32_t *ret_below, uint32_t *ret_below_youngest);

/* The value that genlru_impl_is_saturated compares with. */
struct genlru_saturated genlru__saturated(const struct genlru_policy *policy, uint64_t window);

/* On probation the gen code tells only that the node is listed. */
static inline uint32_t genlru__word_on_probation(uint32_t word)
{
    return genlru_impl_with_gen(word, 1) | GENLRU_PROBATION;
}

/* Beside the flags of genlru_add: the key is one of the sample. */
enum { GENLRU__ADD_SAMPLED = 1u << 6 };

/*
 * OFF -> LISTED. `flags` are GENLRU_ADD_* and GENLRU__ADD_SAMPLED; with `to_probation` below the oldest generation, if `flags` and `past`
 * allow.
 */
int genlru__word_add(uint32_t word, const struct genlru__context *context, unsigned flags,
                     const struct genlru__past *past, bool to_probation, uint32_t *ret);
/* LISTED or PARKED -> OFF or CONDEMNED; OFF stays (its pin holder let go while its slot was being taken). */
int genlru__word_del(uint32_t word, uint32_t *ret);
/* LISTED -> ISOLATED; -EBUSY when pinned. */
static inline int genlru__word_isolate(uint32_t word, uint32_t *ret)
{
    if (genlru__state_of(word) != GENLRU__LISTED)
        return -EPERM;
    if (word & GENLRU_PINNED)
        return -EBUSY;
    *ret = (word & ~(GENLRU_GEN_MASK | GENLRU_PROBATION)) | GENLRU_ISOLATED;
    return 0;
}
/* LISTED and PINNED -> PARKED. */
int genlru__word_park(uint32_t word, uint32_t *ret);
/* LISTED -> the same, PINNED. */
int genlru__word_pin(uint32_t word, uint32_t *ret);
/* Lets go: LISTED stays; PARKED -> LISTED if its slot was taken (`has_slot`), else OFF; CONDEMNED -> OFF. */
int genlru__word_unpin(uint32_t word, const struct genlru__context *context, bool has_slot, uint32_t *ret);
/* ISOLATED -> ISOLATED and DEAD; from DEAD it stays (the caller is the second of the two). */
int genlru__word_condemn(uint32_t word, uint32_t *ret);
/* ISOLATED, not DEAD -> LISTED. */
int genlru__word_putback(uint32_t word, const struct genlru__context *context, uint32_t *ret);
/* LISTED in the oldest generation -> one up: a protected tier, or a full window that ages. */
int genlru__word_protect(uint32_t word, const struct genlru__context *context, uint32_t *ret);
/* LISTED in the oldest generation -> up, for its own refs: a second chance. */
int genlru__word_keep(uint32_t word, const struct genlru__context *context, uint32_t *ret);
/* LISTED on probation -> the generations. */
int genlru__word_graduate(uint32_t word, const struct genlru__context *context, uint32_t *ret);
/*
 * LISTED in a generation -> the same, its gen code that of the generation it is read as: a lagging word is brought up before
 * its node is left on a younger list, so that no word ever lags by more than a window.
 */
int genlru__word_settle(uint32_t word, const struct genlru__context *context, uint32_t *ret);
/* LISTED in a generation -> the youngest: an access that slept so long that its gen code may mean another age. */
int genlru__word_refresh(uint32_t word, const struct genlru__context *context, uint32_t *ret);
/* A harvested accessed bit. */
int genlru__word_mapped(uint32_t word, const struct genlru__context *context, bool is_dear, uint32_t *ret);
int genlru__word_advise(uint32_t word, const struct genlru__context *context, enum genlru_advice advice, uint32_t *ret);

#endif
