/* SPDX-License-Identifier: MIT */
/*
 * Compaction of sparse blocks. Deletes leave holes; a cursor walks the chains and merges a block with its younger
 * neighbour where both fit into one, in order: the survivors of the older one close up, those of the younger one
 * follow. It needs no memory, and never changes the order of nodes.
 *
 * Every two neighbours of a chain hold more than 60 nodes when a whole pass has found nothing to merge, hence
 *
 *   60 * linked <= 2 * live + 60 * (chains with blocks) + 60 * behind          (invariant 7)
 *
 * where `behind` counts the blocks that the current pass has yet to look at: a pass begins when the
 * equation with behind = 0 fails, and is paid for a few blocks at a time. It is looked at wherever the equation can
 * begin to fail: every 64 holes (deletes, nodes unpinned from the parked list), after each batch of evictions (fewer nodes
 * live) and each aging (fewer chains). Where blocks that are not full become neighbours, at a hand-over and when the
 * oldest generation is moved up, they are merged at once.
 *
 * Under the lru's lock.
 */
#ifndef GENLRU_GENS_COMPACT_H
#define GENLRU_GENS_COMPACT_H

#include "gens/lru.h"

enum { GENLRU__HOLES_PER_LOOK = 64 };

/* True while blocks are too sparse by invariant 7 without its last term. O(gens x types x stripes). */
bool genlru__is_sparse(const struct genlru *lru);

/* The same from a number of live nodes that the caller knows. O(1). */
static inline bool genlru__is_sparse_for(const struct genlru *lru, uint64_t live)
{
    return GENLRU__SLOTS * lru->nr_linked > 2 * live + (uint64_t)GENLRU__SLOTS * lru->nr_nonempty;
}

/* Begins a pass if one is due, and does a bounded piece of it. */
void genlru__compact_some(struct genlru *lru);

/* Merges a block with its older neighbour, if it has one and both fit into one. */
void genlru__compact_pair(struct genlru *lru, unsigned list, struct genlru__block *young);

/* Counts a hole; every 64th of a stripe asks for a look at the equation. O(1), no lock needed. */
bool genlru__count_hole(struct genlru *lru);

#endif
