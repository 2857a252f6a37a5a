/* SPDX-License-Identifier: MIT */
/* Making shadows of victims, and judging returning ones: genlru/shadow.h draws the token. */
#ifndef GENLRU_WORKINGSET_SHADOW_H
#define GENLRU_WORKINGSET_SHADOW_H

#include "gens/lru.h"
#include "genlru/shadow.h"

/* The fields of a shadow. */
struct genlru__shadow_fields {
    uint32_t clock; /* 26 bits */
    uint8_t seq;
    bool workingset;
    uint8_t refs;
    uint8_t freq;
    uint8_t epoch;
    uint8_t type;
    uint16_t tag; /* 15 bits */
};

enum { GENLRU__SHADOW_LOW_BITS = 48, GENLRU__SHADOW_CLOCK_BITS = 26 };

/* Where each field begins. */
enum {
    GENLRU__SHADOW_SEQ = GENLRU__SHADOW_CLOCK_BITS,
    GENLRU__SHADOW_WORKINGSET = 34,
    GENLRU__SHADOW_REFS = 35,
    GENLRU__SHADOW_FREQ = 39,
    GENLRU__SHADOW_EPOCH = 43,
    GENLRU__SHADOW_TYPE = 46,
    GENLRU__SHADOW_TAG = GENLRU__SHADOW_LOW_BITS, /* the nonresident table keeps all but the tag */
    GENLRU__SHADOW_VALID = 63
};

static inline genlru_shadow genlru__shadow_encode(const struct genlru__shadow_fields *fields)
{
    return UINT64_C(1) << GENLRU__SHADOW_VALID |
           (uint64_t)(fields->clock & ((UINT32_C(1) << GENLRU__SHADOW_CLOCK_BITS) - 1)) |
           (uint64_t)fields->seq << GENLRU__SHADOW_SEQ | (uint64_t)fields->workingset << GENLRU__SHADOW_WORKINGSET |
           (uint64_t)(fields->refs & 15u) << GENLRU__SHADOW_REFS |
           (uint64_t)(fields->freq & 15u) << GENLRU__SHADOW_FREQ |
           (uint64_t)(fields->epoch & 7u) << GENLRU__SHADOW_EPOCH |
           (uint64_t)(fields->type & 3u) << GENLRU__SHADOW_TYPE |
           (uint64_t)(fields->tag & 0x7fffu) << GENLRU__SHADOW_TAG;
}

/* False: `shadow` is none. */
bool genlru__shadow_decode(genlru_shadow shadow, struct genlru__shadow_fields *ret_fields);

/* Marks whose shadows say that the node was, or by its refs became, part of the working set. */
static inline uint32_t genlru__workingset_marks(const struct genlru_policy *policy)
{
    unsigned refs = policy->refault.workingset_refs;

    return UINT32_C(0xffff) << 16 | (refs && refs < 16 ? UINT32_C(0xffff) << refs & UINT32_C(0xffff) : 0);
}

/* refs, freq, epoch and type stand in a shadow as they do in a word, so that they move together. */
enum { GENLRU__SHADOW_OF_WORD = GENLRU__SHADOW_REFS - GENLRU_REFS_SHIFT };
_Static_assert((int)GENLRU__SHADOW_OF_WORD == (int)GENLRU__SHADOW_FREQ - (int)GENLRU_FREQ_SHIFT &&
                   (int)GENLRU__SHADOW_OF_WORD == (int)GENLRU__SHADOW_EPOCH - (int)GENLRU_EPOCH_SHIFT &&
                   (int)GENLRU__SHADOW_OF_WORD == (int)GENLRU__SHADOW_TYPE - (int)GENLRU_TYPE_SHIFT,
               "fields of the word and of the shadow in the same order");

/* Shadow of a victim with this word, isolated when the eviction clock stood at `clock`. Under the lru's lock. */
static inline genlru_shadow genlru__shadow_make(const struct genlru *lru, uint32_t word, uint64_t clock)
{
    const uint32_t fields = GENLRU_REFS_MASK | GENLRU_FREQ_MASK | GENLRU_EPOCH_MASK | GENLRU_TYPE_MASK;

    return UINT64_C(1) << GENLRU__SHADOW_VALID | (uint64_t)lru->tag << GENLRU__SHADOW_TAG |
           (uint64_t)(word & fields) << GENLRU__SHADOW_OF_WORD |
           (uint64_t)(genlru__rule(lru)->workingset_marks >> genlru__mark_of(word) & 1u) << GENLRU__SHADOW_WORKINGSET |
           (uint64_t)(uint8_t)lru->min_seq[genlru_impl_type(word)] << GENLRU__SHADOW_SEQ |
           (clock >> lru->clock_shift & ((UINT64_C(1) << GENLRU__SHADOW_CLOCK_BITS) - 1));
}

/*
 * Tier that a victim counts in: of its eviction, from the word, and of its refault or putback, from the shadow. The
 * two are the same, so a shadow's marks decide, not what else the word said (a tier cap, a mark that is to be
 * computed from refs).
 */
static inline unsigned genlru__victim_tier(const struct genlru *lru, uint32_t word)
{
    return genlru__rule(lru)->tier_of_mark[genlru__mark_of(word)];
}

static inline unsigned genlru__shadow_tier(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    return genlru__tier_of(genlru__word_of_mark(fields->refs | (fields->workingset ? 16u : 0)), genlru__policy(lru));
}

/* Steps of the clock since `clock` (a shadow's): how far a victim lies in the past. */
uint32_t genlru__clock_since(const struct genlru *lru, uint32_t clock);

/* What a returning node's shadow says to its add. Pure but for the window and clock it reads; any thread. */
struct genlru__past genlru__refault_judge(const struct genlru *lru, genlru_shadow shadow);

/* Counts a recent refault in the history and in the stripe's statistics. Under the stripe's lock. */
void genlru__refault_count(struct genlru *lru, struct genlru__stripe *stripe, genlru_shadow shadow);

#endif
