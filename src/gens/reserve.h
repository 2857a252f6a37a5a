/* SPDX-License-Identifier: MIT */
/*
 * The reserve: a few blocks for movers, who hold the lru's lock and so must not call the allocator (invariant 9).
 * Adds fill it before they open a block, evict between its batches; a mover that finds it empty leaves the node where
 * it is.
 */
#ifndef GENLRU_GENS_RESERVE_H
#define GENLRU_GENS_RESERVE_H

#include "gens/lru.h"

/* Tops the reserve up from the pool. False: no memory. The lru's lock may not be held. Cheap when it is full. */
bool genlru__reserve_fill(struct genlru *lru);

/* An empty block for a mover, or NULL: from the pool if it has one, else from the reserve. Under the lru's lock. */
struct genlru__block *genlru__reserve_get(struct genlru *lru);

/* Takes a block whose slots are all empty back, into the reserve or the pool. Under the lru's lock. */
void genlru__reserve_put(struct genlru *lru, struct genlru__block *block);

/* Gives the reserve back to the pool. Under the lru's lock. */
void genlru__reserve_drain(struct genlru *lru);

#endif
