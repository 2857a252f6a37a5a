/* SPDX-License-Identifier: MIT */
/*
 * Compaction of sparse blocks. Deletes leave holes, flushes hand over blocks that are not full, and aging joins the ends of
 * chains; a cursor walks the chains and merges a block with its younger
 * neighbour where both fit into one, in order: the survivors of the older one close up, those of the younger one
 * follow. It needs no memory, and never changes the order of nodes.
 *
 * When a whole pass has found nothing to merge, every two neighbours of a chain hold more than 60 nodes, hence
 *
 *   60 * linked <= 2 * live + 60 * (chains with blocks) + 60 * behind          (invariant 7)
 *
 * where `behind` counts the blocks that the current pass has yet to look at: a pass begins when the
 * equation with behind = 0 fails, which is looked at every 64 holes and whenever sparse blocks were linked, and is paid
 * for a few blocks at a time.
 *
 * Under the lru's lock.
 */
#ifndef GENLRU_GENS_COMPACT_H
#define GENLRU_GENS_COMPACT_H

#include "gens/lru.h"

/* True while blocks are too sparse by invariant 7 without its last term. O(gens x types x stripes). */
bool genlru__is_sparse(const struct genlru *lru);

/* Begins a pass if one is due, and does a bounded piece of it. */
void genlru__compact_some(struct genlru *lru);

enum { GENLRU__HOLES_PER_LOOK = 64 };

/*
 * Counts a hole that a delete or an unpin left, in the caller's stripe. True once in 64: look after holes then, here if the
 * lock is free, else by the next who has it. Without or under the lock.
 */
bool genlru__count_hole(struct genlru *lru);

/* Says that blocks may be too sparse; a mover looks before it unlocks. */
static inline void genlru__compaction_is_due(struct genlru *lru)
{
    genlru_impl_store_relaxed(&lru->is_compaction_due, 1);
}

static inline void genlru__compact_if_due(struct genlru *lru)
{
    if (genlru_impl_load_relaxed(&lru->is_compaction_due))
        genlru__compact_some(lru);
}

#endif
