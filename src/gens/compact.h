/* SPDX-License-Identifier: MIT */
/*
 * Compaction of sparse blocks. Deletes leave holes, flushes hand over blocks that are not full, and aging joins the
 * ends of chains; a cursor walks the chains and merges a block with its younger neighbour where both fit into one, in
 * order: the survivors of the older one close up, those of the younger one follow. It needs no memory, and never
 * changes the order of nodes.
 *
 * When a whole pass has found nothing to merge, every two neighbours of a chain hold more than 60 nodes, hence
 *
 *   60 * linked <= 2 * live + 60 * (chains with blocks) + 60 * behind          (invariant 7)
 *
 * where `behind` counts the blocks that the current pass has yet to look at: a pass begins when the equation with
 * behind = 0 fails, and is paid for a few blocks at a time. It is looked at every 64 deletes, whenever sparse blocks
 * were linked, and when it may fail by the nodes that lived at the last look less those evicted since: adding the
 * counters up is dear, and evictions alone can leave the sparse blocks over.
 *
 * Under the lru's lock.
 */
#ifndef GENLRU_GENS_COMPACT_H
#define GENLRU_GENS_COMPACT_H

#include "gens/lru.h"

/* True while blocks are too sparse by invariant 7 without its last term. O(gens x types x stripes). */
bool genlru__is_sparse(struct genlru *lru);

/* Begins a pass if one is due, and does a bounded piece of it. */
void genlru__compact_some(struct genlru *lru);

/* Says that blocks may be too sparse; a mover looks before it unlocks. */
static inline void genlru__compaction_is_due(struct genlru *lru)
{
    genlru_impl_store_relaxed(&lru->is_compaction_due, 1);
}

static inline void genlru__compact_if_due(struct genlru *lru)
{
    bool may_be_sparse =
        lru->nr_linked > lru->nr_nonempty && GENLRU__SLOTS * (lru->nr_linked - lru->nr_nonempty) > 2 * lru->live_hint;

    if (may_be_sparse || genlru_impl_load_relaxed(&lru->is_compaction_due))
        genlru__compact_some(lru);
}

#endif
