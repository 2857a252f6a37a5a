/* SPDX-License-Identifier: MIT */
/* Compaction of sparse blocks: see compact.h. */
#include "gens/compact.h"

#include "base/bits.h"
#include "gens/chain.h"
#include "gens/sizes.h"

/*
 * A piece of work: blocks looked at (about 100 ns each, sequential reads) and merged (up to 60 nodes taken and
 * published, a few microseconds). 64 deletes make room for 2.1 fewer blocks, and a pass that merges half of what it
 * looks at keeps up with them.
 */
enum { LOOKS_PER_PIECE = 16, MERGES_PER_PIECE = 4, PREFETCH_AHEAD = 8 };

/* Invariant 7 fails with this value of its last term. */
static bool is_sparse_beyond(struct genlru *lru, uint64_t behind)
{
    if (lru->nr_linked <= lru->nr_nonempty + behind) /* whatever is live: small lrus need not add counters up */
        return false;
    lru->live_hint = genlru__nr_nodes(lru);
    return GENLRU__SLOTS * lru->nr_linked > 2 * lru->live_hint + GENLRU__SLOTS * (lru->nr_nonempty + behind);
}

bool genlru__is_sparse(struct genlru *lru)
{
    return is_sparse_beyond(lru, 0);
}

/*
 * A pass begins a little before invariant 7 needs it, at fewer than 33 instead of 30 nodes a block: it takes a while,
 * and the most blocks there ever were are what the pool keeps.
 */
static bool is_pass_due(struct genlru *lru)
{
    enum { BEGIN_BELOW = 33 };

    lru->live_hint = 0; /* not counted: the next look that needs it does */
    if (lru->nr_linked <= lru->nr_nonempty)
        return false;
    lru->live_hint = genlru__nr_nodes(lru);
    return BEGIN_BELOW * (lru->nr_linked - lru->nr_nonempty) > lru->live_hint;
}

/* Closes the holes of a block in order; nodes keep their places relative to each other. */
static uint64_t close_up(struct genlru__block *block)
{
    unsigned to = block->scan, from;
    uint64_t nr_moved = 0;

    for (from = block->scan; from < block->fill; from++) {
        struct genlru_node *node;

        if (from == to && genlru_impl_ptr_load_relaxed(&block->slot[from])) {
            to++;
            continue;
        }
        node = genlru__take(&block->slot[from]);
        if (!node)
            continue;
        genlru__publish(node, &block->slot[to++]);
        nr_moved++;
    }
    block->fill = (uint8_t)to;
    return nr_moved;
}

static void prefetch_nodes(const struct genlru__block *block)
{
    unsigned i;

    for (i = block->scan; i < block->fill; i++)
        __builtin_prefetch(genlru_impl_ptr_load_relaxed(&block->slot[i]), 1);
}

/* Moves the nodes of `young`, which fit, behind those of `old`, and drops it. */
static void merge(struct genlru *lru, unsigned list, struct genlru__block *old, struct genlru__block *young)
{
    uint64_t nr_moved;
    unsigned i;

    prefetch_nodes(old);
    prefetch_nodes(young);
    nr_moved = close_up(old);
    if (old->fill + genlru__block_count(young) > GENLRU__SLOTS) {
        /* slots below old->scan are in the way: make room at the front, still in order */
        unsigned scan = old->scan;

        old->scan = 0;
        for (i = scan; i < old->fill; i++) {
            struct genlru_node *node = genlru__take(&old->slot[i]);

            if (node) {
                genlru__publish(node, &old->slot[i - scan]);
                nr_moved++;
            }
        }
        old->fill = (uint8_t)(old->fill - scan);
    }
    for (i = young->scan; i < young->fill; i++) {
        struct genlru_node *node = genlru__take(&young->slot[i]);

        if (node) {
            genlru__publish(node, &old->slot[old->fill++]);
            nr_moved++;
        }
    }
    genlru__bump(&lru->stat.compacted, nr_moved);
    genlru__chain_drop(lru, list, young);
}

/* The block under the cursor, which skips empty chains and goes round; NULL if there is none at all. */
static struct genlru__block *cursor_block(struct genlru *lru, struct genlru__cursor *cursor)
{
    unsigned i;

    for (i = 0; !cursor->block && i <= genlru__nr_lists(lru); i++) {
        if (cursor->list >= genlru__nr_lists(lru))
            cursor->list = 0;
        cursor->block = lru->chain[cursor->list].head;
        if (!cursor->block)
            cursor->list++;
    }
    return cursor->block;
}

void genlru__compact_some(struct genlru *lru)
{
    struct genlru__cursor *cursor = &lru->cursor[GENLRU__CURSOR_COMPACT];
    unsigned looks, merges = 0;

    genlru_impl_store_relaxed(&lru->is_compaction_due, 0);
    if (lru->compact_behind == 0) {
        if (!is_pass_due(lru))
            return;
        lru->compact_behind = lru->nr_linked;
    }
    /* a pass goes on to its end: to merge what it meets now is cheaper than to begin again a little later */
    for (looks = 0; looks < LOOKS_PER_PIECE && merges < MERGES_PER_PIECE && lru->compact_behind; looks++) {
        struct genlru__block *block = cursor_block(lru, cursor);
        struct genlru__block *young;
        unsigned nr;

        if (!block)
            break;
        young = block->next;
        nr = genlru__block_count(block);
        lru->compact_behind--;
        if (nr == 0) {
            genlru__chain_drop(lru, block->list, block); /* moves the cursor on */
        } else if (young && nr + genlru__block_count(young) <= GENLRU__SLOTS) {
            merge(lru, block->list, block, young); /* the block may take more of the next one: stay */
            merges++;
        } else {
            cursor->block = young;
            if (!young)
                cursor->list = block->list + 1u;
        }
    }
    if (lru->nr_linked < lru->compact_behind)
        lru->compact_behind = lru->nr_linked;
    if (is_sparse_beyond(lru, lru->compact_behind)) /* sparse blocks came behind the cursor: once round again */
        lru->compact_behind = lru->nr_linked;
}
