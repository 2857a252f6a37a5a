/* SPDX-License-Identifier: MIT */
/*
 * Stripes: where adds go without the lru's lock. Each group of threads fills blocks of its own, one for each of the
 * last few lists it added to, and hands a block over to its chain when it is full, when another list needs the place,
 * or when a flush asks for it. An open block is on no chain and invisible to scans.
 *
 * A word is given its generation under the stripe's lock, and an open block belongs to a generation's seq, not to its
 * list, which later generations reuse. If min_seq passes that seq meanwhile, the block is handed over to the oldest
 * generation, and its words lag, which they may (invariant 8). Each aging flushes every stripe, so they do not lag
 * far.
 *
 * Lock order: stripe, then lru, then pool.
 */
#ifndef GENLRU_GENS_STRIPE_H
#define GENLRU_GENS_STRIPE_H

#include "gens/lru.h"

struct genlru__stripe *genlru__stripe_acquire_other(struct genlru *lru);

/* The caller's stripe, or the next that is free; locked. */
static inline struct genlru__stripe *genlru__stripe_acquire(struct genlru *lru)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);

    return genlru__spin_trylock(&stripe->lock) ? stripe : genlru__stripe_acquire_other(lru);
}

static inline void genlru__stripe_release(struct genlru__stripe *stripe)
{
    genlru__spin_unlock(&stripe->lock);
}

/*
 * An empty slot at the young end of a list; the caller publishes a node in it before it releases the stripe. Where a
 * block has to be opened, *spare is used and becomes NULL. The result is NULL, with nothing changed, if there is no
 * spare: release the stripe, get one (genlru__stripe_spare) and come again; or if, in spite of a spare, generation
 * `seq` left the window before a block could be opened for it: look at the window again. `seq` is GENLRU__NO_SEQ for
 * a list that is no generation's.
 */
void **genlru__stripe_slot(struct genlru *lru, struct genlru__stripe *stripe, unsigned list, uint64_t seq,
                           struct genlru__block **spare);

/*
 * A block to open, with the movers' reserve filled up first; NULL: no memory for both. May call the allocator, so no
 * lock may be held.
 */
struct genlru__block *genlru__stripe_spare(struct genlru *lru);

/* List that an open block will be handed over to. Under the lru's lock. */
unsigned genlru__open_home(const struct genlru *lru, const struct genlru__open *open);

/* Hands over every stripe's open blocks of `list`, or all of them (list = nr_lists). No lock may be held. */
void genlru__flush(struct genlru *lru, unsigned list);

#endif
