/* SPDX-License-Identifier: MIT */
/* The sweep of the oldest generation: see sweep.h. */
#include "reclaim/sweep.h"

#include "base/bits.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/sizes.h"
#include "gens/window.h"

/* Moves up the words of a block of the oldest generation; where the nodes hang does not change. */
static uint64_t sweep_block(struct genlru *lru, struct genlru__block *block, struct genlru__batch *sizes)
{
    struct genlru__context context = genlru__context(lru);
    uint64_t nr = 0;
    unsigned i;

    for (i = block->scan; i < block->fill; i++)
        __builtin_prefetch(genlru_impl_ptr_load_relaxed(&block->slot[i]), 1);
    for (i = block->scan; i < block->fill; i++) {
        struct genlru_node *node = genlru__take(&block->slot[i]);
        uint64_t state, after;
        uint32_t word, before;

        if (!node)
            continue;
        nr++;
        state = genlru_impl_load_relaxed(&node->state.do_not_touch);
        do {
            before = genlru_impl_word(state);
            if (genlru__word_protect(before, &context, &word) != 0)
                word = before; /* promoted, parked or on probation: its word need not move */
            after = genlru_impl_with_word(state, word);
            /* relaxed: the node is published again below (release P) */
        } while (after != state && !genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after));
        if (after != state) {
            genlru__batch_account(lru, sizes, state, after);
            genlru__bump(&lru->hist[genlru_impl_type(before)].protected_[genlru__tier_of(before, genlru__policy(lru))],
                         1);
        }
        genlru__publish(node, &block->slot[i]);
    }
    return nr;
}

uint64_t genlru__sweep_oldest(struct genlru *lru, unsigned type, uint64_t max_scanned)
{
    unsigned from = genlru__list_of_seq(lru, type, lru->min_seq[type]);
    unsigned to = genlru__list_of_seq(lru, type, lru->min_seq[type] + 1);
    struct genlru__batch sizes;
    uint64_t nr = 0;

    genlru__batch_begin(&sizes);
    while (lru->chain[from].tail && nr < max_scanned) {
        struct genlru__block *block = lru->chain[from].tail;

        nr += 1 + sweep_block(lru, block, &sizes); /* an empty block costs something, too */
        genlru__chain_unlink(lru, from, block);
        genlru__chain_link_head(lru, to, block);
        genlru__compaction_is_due(lru);
    }
    genlru__batch_flush(lru, &sizes);
    return nr;
}
