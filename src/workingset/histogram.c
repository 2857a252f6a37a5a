/* SPDX-License-Identifier: MIT */
/*
 * Charge by age, tier and refs: a walk over the nodes in slices, each under the lock. A walker takes each node out of
 * its slot and publishes it there again, since a deleter may free a node that was not taken; the order of nodes
 * stays.
 */
#include <errno.h>
#include <string.h>

#include "base/sized.h"
#include "gens/chain.h"
#include "gens/window.h"
#include "genlru/stat.h"

enum { BLOCKS_PER_SLICE = 64 };

static void count_node(const struct genlru *lru, uint64_t state, struct genlru_workingset *sum)
{
    uint32_t word = genlru_impl_word(state), charge = genlru_impl_charge(state);
    unsigned type = genlru_impl_type(word), refs = genlru_impl_refs(word);
    uint64_t window = lru->view.window;
    bool is_young = false;

    sum->charge_by_refs[refs] += charge;
    sum->charge_by_tier[genlru__tier_of(word, genlru__policy(lru))] += charge;
    if (genlru__state_of(word) == GENLRU__PARKED) {
        sum->pinned_charge += charge;
        is_young = true;
    } else if (word & GENLRU_PROBATION) {
        sum->probation_charge += charge;
    } else {
        unsigned age = genlru_impl_age(window, type, genlru_impl_gen(word));

        sum->charge_by_age[age] += charge;
        is_young = age + 1 < genlru_impl_window_width(window, type);
    }
    if (is_young || refs >= 2 || (word & GENLRU_WORKINGSET))
        sum->workingset_charge += charge;
}

static void count_block(const struct genlru *lru, struct genlru__block *block, struct genlru_workingset *sum)
{
    unsigned i;

    for (i = block->scan; i < block->fill; i++)
        __builtin_prefetch(genlru_impl_ptr_load_relaxed(&block->slot[i]), 1);
    for (i = block->scan; i < block->fill; i++) {
        struct genlru_node *node = genlru__take(&block->slot[i]);

        if (!node)
            continue;
        count_node(lru, genlru_impl_load_relaxed(&node->state.do_not_touch), sum);
        genlru__publish(node, &block->slot[i]);
    }
}

/* The next block of the walk, or NULL at the end. */
static struct genlru__block *next_block(struct genlru *lru, struct genlru__cursor *cursor)
{
    struct genlru__block *block;

    while (!cursor->block && cursor->list < genlru__nr_lists(lru)) {
        cursor->block = lru->chain[cursor->list].head;
        if (!cursor->block)
            cursor->list++;
    }
    block = cursor->block;
    if (block) {
        cursor->block = block->next;
        if (!block->next)
            cursor->list++;
    }
    return block;
}

/* False at the end of the walk. */
static bool walk_slice(struct genlru *lru, struct genlru_workingset *sum)
{
    struct genlru__block *block = NULL;
    unsigned i;

    genlru__mutex_lock(&lru->lock);
    for (i = 0; i < BLOCKS_PER_SLICE; i++) {
        block = next_block(lru, &lru->cursor[GENLRU__CURSOR_WALK]);
        if (!block)
            break;
        count_block(lru, block, sum);
    }
    if (!block)
        lru->is_walking = false;
    genlru__mutex_unlock(&lru->lock);
    return block != NULL;
}

static void count_open_blocks(struct genlru *lru, struct genlru_workingset *sum)
{
    unsigned i, open;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);

        genlru__spin_lock(&stripe->lock);
        genlru__mutex_lock(&lru->lock); /* who holds a node holds the lock: a deleter waits for it */
        for (open = 0; open < GENLRU__NR_OPEN; open++)
            if (stripe->open[open].block)
                count_block(lru, stripe->open[open].block, sum);
        genlru__mutex_unlock(&lru->lock);
        genlru__spin_unlock(&stripe->lock);
    }
}

static bool begin_walk(struct genlru *lru)
{
    bool is_ours;

    genlru__mutex_lock(&lru->lock);
    is_ours = !lru->is_walking;
    if (is_ours) {
        lru->is_walking = true;
        lru->cursor[GENLRU__CURSOR_WALK] = (struct genlru__cursor){NULL, 0};
    }
    genlru__mutex_unlock(&lru->lock);
    return is_ours;
}

int genlru_workingset(struct genlru *lru, struct genlru_workingset *ret_workingset)
{
    struct genlru_workingset sum;

    if (!lru || !ret_workingset || !genlru__can_fill(ret_workingset))
        return -EINVAL;
    if (!begin_walk(lru))
        return -EBUSY;
    memset(&sum, 0, sizeof(sum));
    count_open_blocks(lru, &sum);
    while (walk_slice(lru, &sum))
        ;
    genlru__sized_out(ret_workingset, &sum, sizeof(sum));
    return 0;
}
