/* SPDX-License-Identifier: MIT */
/*
 * What the scan does with a node it holds, a pure function of the node's word, the list it was found on and the window:
 *
 *   the word belongs on another list    MOVE      promoted by a hit, advised, unpinned: to where its word says
 *   pinned                              PARK      out of the way until it is unpinned
 *   tier above the threshold            PROTECT   one generation up
 *   used enough on probation            GRADUATE  to the generations; by duel: CONTEND for a place there
 *   refs enough for a second chance     KEEP      further up
 *   otherwise                           ISOLATE
 */
#ifndef GENLRU_RECLAIM_VERDICT_H
#define GENLRU_RECLAIM_VERDICT_H

#include "gens/window.h"

enum genlru__verdict {
    GENLRU__MOVE,
    GENLRU__PARK,
    GENLRU__PROTECT,
    GENLRU__PROTECT_LAZILY, /* saturated: not counted in the history */
    GENLRU__KEEP,
    GENLRU__GRADUATE,
    GENLRU__CONTEND,
    GENLRU__ISOLATE
};

/* List that a word belongs on, in whatever listed or parked state it is. */
static inline unsigned genlru__home_of(const struct genlru *lru, uint32_t word)
{
    if (genlru__state_of(word) == GENLRU__PARKED)
        return genlru__list_of_parked(lru, genlru_impl_type(word));
    return genlru__list_of_word(lru, word);
}

/* How the duel of a node of probation stands. */
enum genlru__duel { GENLRU__DUEL_OPEN, GENLRU__DUEL_WON, GENLRU__DUEL_LOST };

/* What a verdict depends on beside the word and the lru. */
struct genlru__judge {
    unsigned list;          /* where the node was found */
    unsigned threshold;     /* tiers above it are protected */
    unsigned contender;     /* freq of a node of probation that duels with those judged; 0 = none does */
    enum genlru__duel duel; /* of the node that is judged */
    bool is_desperate;      /* everything was looked at once: nothing but pins protects */
};

/* Under the lru's lock. */
enum genlru__verdict genlru__verdict(const struct genlru *lru, uint32_t word, const struct genlru__judge *judge);

/* The same for a word that is on the list it belongs on: pure. */
enum genlru__verdict genlru__verdict_at_home(uint32_t word, const struct genlru__context *context,
                                             const struct genlru__judge *judge);

/* Whether the tier keeps a word from the scan; whether it has refs enough for a second chance. Pure. */
bool genlru__is_protected(uint32_t word, const struct genlru_policy *policy, unsigned threshold);
bool genlru__is_kept(uint32_t word, const struct genlru_policy *policy);

#endif
