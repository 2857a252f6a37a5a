/* SPDX-License-Identifier: MIT */
/*
 * What the scan does with a node it holds, a pure function of the node's word, the list it was found on and the window:
 *
 *   the word belongs on another list    MOVE      promoted by a hit, advised, unpinned: to where its word says
 *   pinned                              PARK      out of the way until it is unpinned
 *   tier above the threshold            PROTECT   one generation up
 *   used enough on probation            GRADUATE  to the generations
 *   otherwise                           ISOLATE
 */
#ifndef GENLRU_RECLAIM_VERDICT_H
#define GENLRU_RECLAIM_VERDICT_H

#include "gens/lru.h"

enum genlru__verdict {
    GENLRU__MOVE,
    GENLRU__PARK,
    GENLRU__PROTECT,
    GENLRU__PROTECT_LAZILY, /* saturated: not counted in the history */
    GENLRU__GRADUATE,
    GENLRU__ISOLATE
};

/* List that a word belongs on, in whatever listed or parked state it is. */
unsigned genlru__home_of(const struct genlru *lru, uint32_t word);

/* `list` is where the node was found; tiers above `threshold` are protected. Under the lru's lock. */
enum genlru__verdict genlru__verdict(const struct genlru *lru, uint32_t word, unsigned list, unsigned threshold,
                                     bool is_desperate);

#endif
