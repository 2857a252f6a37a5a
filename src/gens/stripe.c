/* SPDX-License-Identifier: MIT */
/* Stripes and their open blocks: see stripe.h. */
#include "gens/stripe.h"

#include <string.h>

#include "base/check.h"
#include "base/testing.h"
#include "base/thread.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/reserve.h"
#include "gens/sizes.h"

struct genlru__stripe *genlru__stripe_acquire_other(struct genlru *lru)
{
    unsigned own = genlru__own_number(lru), i;

    for (i = 1; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, (own + i) % lru->nr_stripes);

        if (genlru__spin_trylock(&stripe->lock))
            return stripe;
    }
    genlru__spin_lock(&genlru__stripe(lru, own)->lock);
    return genlru__stripe(lru, own);
}

unsigned genlru__open_home(const struct genlru *lru, const struct genlru__open *open)
{
    unsigned type = open->list / lru->lists_per_type;

    if (open->seq == GENLRU__NO_SEQ || open->seq >= lru->min_seq[type])
        return open->list;
    return genlru__list_of_seq(lru, type, lru->min_seq[type]);
}

/* To its chain, or to the pool if everything in it was deleted already. Under the lru's lock. */
static void hand_over(struct genlru *lru, struct genlru__open *open)
{
    struct genlru__block *block = open->block;
    unsigned list = genlru__open_home(lru, open), nr;

    genlru__assert(lru->chain[list].nr_open > 0);
    lru->chain[list].nr_open--;
    genlru__bump(&lru->nr_opened, (uint64_t)-1);
    genlru__chain_link_tail(lru, list, block);
    nr = genlru__block_count(block);
    lru->live_hint += nr;
    if (nr == 0)
        genlru__chain_drop(lru, list, block);
    else if (nr < GENLRU__SLOTS)
        genlru__compaction_is_due(lru);
    open->block = NULL;
}

/* Moves open[i] to the front, so that the last one is the least recently used. */
static void to_front(struct genlru__stripe *stripe, unsigned i)
{
    struct genlru__open open = stripe->open[i];

    memmove(&stripe->open[1], &stripe->open[0], i * sizeof(open));
    stripe->open[0] = open;
}

/* Registers a block as open for `list` in open[0]. Under the lru's lock. */
static void open_block(struct genlru *lru, struct genlru__stripe *stripe, unsigned list, uint64_t seq,
                       struct genlru__block *block)
{
    __atomic_store_n(&block->owner, lru, __ATOMIC_RELAXED);
    block->list = (uint16_t)list;
    stripe->open[0].block = block;
    stripe->open[0].seq = seq;
    stripe->open[0].list = (uint16_t)list;
    lru->chain[list].nr_open++;
    genlru__bump(&lru->nr_opened, 1);
}

static bool is_in_window(const struct genlru *lru, unsigned list, uint64_t seq)
{
    return seq == GENLRU__NO_SEQ || seq >= lru->min_seq[list / lru->lists_per_type];
}

/* Place for a new open block: that of a full one of the same list, a free one, or the least recently used. */
static unsigned place_to_open(const struct genlru__stripe *stripe, unsigned found)
{
    unsigned i;

    if (found < GENLRU__NR_OPEN)
        return found;
    for (i = 0; i < GENLRU__NR_OPEN - 1 && stripe->open[i].block; i++)
        ;
    return i;
}

static bool replace_open(struct genlru *lru, struct genlru__stripe *stripe, unsigned place, unsigned list, uint64_t seq,
                         struct genlru__block *block)
{
    bool is_valid;

    genlru__point(OPEN_BLOCK);
    genlru__mutex_lock(&lru->lock);
    is_valid = is_in_window(lru, list, seq);
    if (is_valid) {
        stripe->memo.window = 0; /* its block may be handed over */
        if (stripe->open[place].block)
            hand_over(lru, &stripe->open[place]);
        to_front(stripe, place);
        open_block(lru, stripe, list, seq, block);
        if (genlru__policy(lru)->probation.percent)
            genlru_impl_store_relaxed(&lru->used_hint, genlru__charge(lru));
        genlru__compact_if_due(lru);
    }
    genlru__mutex_unlock(&lru->lock);
    return is_valid;
}

struct genlru__block *genlru__stripe_spare(struct genlru *lru)
{
    return genlru__reserve_fill(lru) ? genlru__pool_get(lru->pool, true) : NULL;
}

void **genlru__stripe_slot(struct genlru *lru, struct genlru__stripe *stripe, unsigned list, uint64_t seq,
                           struct genlru__block **spare)
{
    unsigned i;

    for (i = 0; i < GENLRU__NR_OPEN; i++)
        if (stripe->open[i].block && stripe->open[i].list == list && stripe->open[i].seq == seq)
            break;
    if (i < GENLRU__NR_OPEN && stripe->open[i].block->fill < GENLRU__SLOTS) {
        if (i) {
            stripe->memo.window = 0; /* its block is not the one used last any more */
            to_front(stripe, i);
        }
    } else {
        if (!*spare || !replace_open(lru, stripe, place_to_open(stripe, i), list, seq, *spare))
            return NULL;
        *spare = NULL;
    }
    return &stripe->open[0].block->slot[stripe->open[0].block->fill++];
}

static void flush_stripe(struct genlru *lru, struct genlru__stripe *stripe, unsigned list)
{
    unsigned i;

    if (!genlru__bug(MEMO_KEPT))
        stripe->memo.window = 0;
    genlru__mutex_lock(&lru->lock);
    for (i = 0; i < GENLRU__NR_OPEN; i++)
        if (stripe->open[i].block &&
            (list == genlru__nr_lists(lru) || genlru__open_home(lru, &stripe->open[i]) == list))
            hand_over(lru, &stripe->open[i]);
    genlru__compact_if_due(lru);
    genlru__mutex_unlock(&lru->lock);
}

void genlru__flush(struct genlru *lru, unsigned list)
{
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);

        genlru__point(FLUSH);
        if (genlru__bug(FLUSH_UNLOCKED)) {
            flush_stripe(lru, stripe, list);
            continue;
        }
        genlru__spin_lock(&stripe->lock);
        flush_stripe(lru, stripe, list);
        genlru__spin_unlock(&stripe->lock);
    }
}
