/* SPDX-License-Identifier: MIT */
/* Stripes and their open blocks: see stripe.h. */
#include "gens/stripe.h"

#include <string.h>

#include "base/check.h"
#include "base/thread.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/sizes.h"

static unsigned own_number(const struct genlru *lru)
{
    return lru->nr_stripes == 1 ? 0 : genlru__thread_number() % lru->nr_stripes;
}

struct genlru__stripe *genlru__stripe_own(struct genlru *lru)
{
    return genlru__stripe(lru, own_number(lru));
}

struct genlru__stripe *genlru__stripe_acquire(struct genlru *lru)
{
    unsigned own = own_number(lru), i;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, (own + i) % lru->nr_stripes);

        if (genlru__spin_trylock(&stripe->lock))
            return stripe;
    }
    genlru__spin_lock(&genlru__stripe(lru, own)->lock);
    return genlru__stripe(lru, own);
}

void genlru__stripe_release(struct genlru__stripe *stripe)
{
    genlru__spin_unlock(&stripe->lock);
}

/* To its chain, or to the pool if everything in it was deleted already. Under the lru's lock. */
static void hand_over(struct genlru *lru, struct genlru__open *open)
{
    struct genlru__block *block = open->block;

    genlru__assert(lru->chain[open->list].nr_open > 0);
    lru->chain[open->list].nr_open--;
    genlru__bump(&lru->nr_opened, (uint64_t)-1);
    genlru__chain_link_tail(lru, open->list, block);
    if (genlru__block_count(block) == 0)
        genlru__chain_drop(lru, open->list, block);
    else if (block->fill < GENLRU__SLOTS) /* flushed, or in the way of another list: chains stay dense all the same */
        genlru__compact_pair(lru, open->list, block);
    open->block = NULL;
}

/* Moves open[i] to the front, so that the last one is the least recently used. */
static void to_front(struct genlru__stripe *stripe, unsigned i)
{
    struct genlru__open open = stripe->open[i];

    memmove(&stripe->open[1], &stripe->open[0], i * sizeof(open));
    stripe->open[0] = open;
}

/*
 * Blocks for opening one, and for topping the reserve up, taken from the pool before the lru's lock: growing it calls the
 * allocator. False, with nothing kept, when the reserve could not be left full: movers must always have it.
 */
static bool get_blocks(struct genlru *lru, struct genlru__block **blocks, unsigned nr)
{
    unsigned i;

    for (i = 0; i < nr; i++) {
        blocks[i] = genlru__pool_get(lru->pool, true);
        if (!blocks[i]) {
            while (i-- > 0)
                genlru__pool_put(lru->pool, blocks[i]);
            return false;
        }
    }
    return true;
}

/* Blocks missing in the reserve. */
static unsigned missing_reserve(struct genlru *lru)
{
    unsigned nr;

    genlru__mutex_lock(&lru->lock);
    nr = GENLRU__RESERVE - (unsigned)lru->nr_reserve;
    genlru__mutex_unlock(&lru->lock);
    return nr;
}

/* Registers blocks[0] as open for `list` in open[0]; the other blocks top up the reserve. Under the lru's lock. */
static void open_block(struct genlru *lru, struct genlru__stripe *stripe, unsigned list, struct genlru__block **blocks,
                       unsigned nr)
{
    unsigned i;

    __atomic_store_n(&blocks[0]->owner, lru, __ATOMIC_RELAXED);
    stripe->open[0].block = blocks[0];
    stripe->open[0].list = blocks[0]->list = (uint16_t)list;
    lru->chain[list].nr_open++;
    genlru__bump(&lru->nr_opened, 1);
    for (i = 1; i < nr; i++) {
        if (lru->nr_reserve < GENLRU__RESERVE)
            genlru__reserve_push(lru, blocks[i]);
        else
            genlru__pool_put(lru->pool, blocks[i]);
    }
}

static bool is_in_window(const struct genlru *lru, unsigned list, uint64_t seq)
{
    return seq == GENLRU__NO_SEQ || seq >= lru->min_seq[list / lru->lists_per_type];
}

void **genlru__stripe_slot(struct genlru *lru, struct genlru__stripe *stripe, unsigned list, uint64_t seq,
                           bool *ret_stale)
{
    struct genlru__block *blocks[1 + GENLRU__RESERVE];
    unsigned nr, i;
    bool is_stale;

    *ret_stale = false;
    for (i = 0; i < GENLRU__NR_OPEN; i++)
        if (stripe->open[i].block && stripe->open[i].list == list)
            break;
    if (i < GENLRU__NR_OPEN && stripe->open[i].block->fill < GENLRU__SLOTS) {
        if (i)
            to_front(stripe, i);
        return &stripe->open[0].block->slot[stripe->open[0].block->fill++];
    }
    if (i == GENLRU__NR_OPEN) /* a free place, or else the least recently used */
        for (i = 0; i < GENLRU__NR_OPEN - 1 && stripe->open[i].block; i++)
            ;
    nr = 1 + missing_reserve(lru);
    if (!get_blocks(lru, blocks, nr))
        return NULL;
    genlru__mutex_lock(&lru->lock);
    is_stale = !is_in_window(lru, list, seq);
    if (!is_stale) {
        if (stripe->open[i].block)
            hand_over(lru, &stripe->open[i]);
        to_front(stripe, i);
        open_block(lru, stripe, list, blocks, nr);
        if (lru->policy.probation.percent)
            genlru_impl_store_relaxed(&lru->used_hint, genlru__sum_all(lru).charge);
        if (genlru_impl_load_relaxed(&lru->is_compaction_due))
            genlru__compact_some(lru);
    }
    genlru__mutex_unlock(&lru->lock);
    if (is_stale) {
        for (i = 0; i < nr; i++)
            genlru__pool_put(lru->pool, blocks[i]);
        *ret_stale = true;
        return NULL;
    }
    return &stripe->open[0].block->slot[stripe->open[0].block->fill++];
}

static void flush_stripe(struct genlru *lru, struct genlru__stripe *stripe, unsigned list)
{
    unsigned i;

    genlru__mutex_lock(&lru->lock);
    for (i = 0; i < GENLRU__NR_OPEN; i++)
        if (stripe->open[i].block && (list == genlru__nr_lists(lru) || stripe->open[i].list == list))
            hand_over(lru, &stripe->open[i]);
    genlru__mutex_unlock(&lru->lock);
}

void genlru__flush(struct genlru *lru, unsigned list)
{
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);

        genlru__spin_lock(&stripe->lock);
        flush_stripe(lru, stripe, list);
        genlru__spin_unlock(&stripe->lock);
    }
}
