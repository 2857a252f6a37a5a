/* SPDX-License-Identifier: MIT */
/*
 * Compaction of sparse blocks. Deletes leave holes; a cursor walks the chains and merges a block with its younger
 * neighbour where both fit into one, in order: the survivors of the older one close up, those of the younger one
 * follow. It needs no memory, and never changes the order of nodes.
 *
 * When a whole pass has found nothing to merge, every two neighbours of a chain hold more than 60 nodes, hence
 *
 *   60 * linked <= 2 * live + 60 * (chains with blocks) + 60 * behind          (invariant 7)
 *
 * where `behind` counts the blocks that the current pass has yet to look at: a pass begins when the
 * equation with behind = 0 fails, which is looked at every 64 deletes, and is paid for a few blocks at a time.
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

#endif
