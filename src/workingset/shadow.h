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

genlru_shadow genlru__shadow_encode(const struct genlru__shadow_fields *fields);
/* False: `shadow` is none. */
bool genlru__shadow_decode(genlru_shadow shadow, struct genlru__shadow_fields *ret_fields);

/* Shadow of a victim with this word, isolated when the eviction clock stood at `clock`. Under the lru's lock. */
genlru_shadow genlru__shadow_make(const struct genlru *lru, uint32_t word, uint64_t clock);

/*
 * Tier that a victim counts in: of its eviction, from the word, and of its refault or putback, from the shadow. The
 * two are the same, so a shadow's marks decide, not what else the word said (a tier cap, a mark that is to be
 * computed from refs).
 */
unsigned genlru__victim_tier(const struct genlru *lru, uint32_t word);
unsigned genlru__shadow_tier(const struct genlru *lru, const struct genlru__shadow_fields *fields);

/* Steps of the clock since `clock` (a shadow's): how far a victim lies in the past. */
uint32_t genlru__clock_since(const struct genlru *lru, uint32_t clock);

/* What a returning node's shadow says to its add. Pure but for the window and clock it reads; any thread. */
struct genlru__past genlru__refault_judge(const struct genlru *lru, genlru_shadow shadow);

/* Counts a recent refault in the history and in the stripe's statistics. Under the stripe's lock. */
void genlru__refault_count(struct genlru *lru, struct genlru__stripe *stripe, genlru_shadow shadow);

#endif
