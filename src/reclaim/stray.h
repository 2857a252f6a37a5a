/* SPDX-License-Identifier: MIT */
/* Nodes that counters tell of and no list has: how a call that found nothing to scan knows why. */
#ifndef GENLRU_RECLAIM_STRAY_H
#define GENLRU_RECLAIM_STRAY_H

#include "gens/lru.h"

/* Whether a list has blocks, linked or open; under the lru's lock, as the next. */
static inline bool genlru__has_nodes(const struct genlru__chain *chain)
{
    return chain->head || chain->nr_open;
}

/* True if a generation of the type, or its probation list, has blocks. */
static inline bool genlru__type_has_lists(const struct genlru *lru, unsigned type)
{
    uint64_t seq;

    for (seq = lru->min_seq[type]; seq <= lru->max_seq; seq++)
        if (genlru__has_nodes(&lru->chain[genlru__list_of_seq(lru, type, seq)]))
            return true;
    return genlru__has_nodes(&lru->chain[genlru__list_of_probation(lru, type)]);
}

/*
 * For when no list of the types had blocks; without the lock. Then the counters should tell of no nodes but parked ones: sets NOTHING,
 * PINNED or, after it told the owner, INCONSISTENT. False: lists have nodes again, and *ret_reason is untouched.
 */
bool genlru__nothing_left(struct genlru *lru, uint32_t types, enum genlru_evict_reason *ret_reason);

#endif
