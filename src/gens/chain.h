/* SPDX-License-Identifier: MIT */
/*
 * Chains of blocks, and the three ways a slot changes (docs/memory-model.md has the edges P, T and D):
 *
 *   0 ── publish, by the holder of a stripe in an open block or a mover in a linked one ──▶ node
 *   node ── take, by a mover's exchange or a deleter's compare-and-swap ──▶ 0
 *
 * The read-modify-write that empties a slot transfers the node's ownership. A mover touches a node only after
 * it took it: before that a deleter may free it at any moment.
 *
 * All but genlru__publish, genlru__take_own and genlru__stands_in_slot run under the lru's lock.
 */
#ifndef GENLRU_GENS_CHAIN_H
#define GENLRU_GENS_CHAIN_H

#include "base/testing.h"
#include "gens/lru.h"

/* Back pointer first, then the slot: the second store gives the node away, and is the last touch of it. */
static inline void genlru__publish(struct genlru_node *node, void **slot)
{
    if (genlru__bug(PUBLISH_ORDER))
        genlru_impl_ptr_store_release(slot, node);
    if (genlru__bug(EDGE_N))
        genlru_impl_ptr_store_relaxed(&node->slot, slot);
    else /* release N: a deleter that goes there finds a block, not raw memory */
        genlru_impl_ptr_store_release(&node->slot, slot);
    genlru__point(PUBLISH);
    if (genlru__bug(EDGE_P))
        genlru_impl_ptr_store_relaxed(slot, node);
    else if (!genlru__bug(PUBLISH_ORDER))
        genlru_impl_ptr_store_release(slot, node); /* release P: pairs with acquires T and D */
}

/* The node in a slot, now the caller's, or NULL. */
static inline struct genlru_node *genlru__take(void **slot)
{
    /* holes are many, and a load is cheaper than an exchange. acquire B: pairs with a deleter's release B */
    if (!genlru_impl_ptr_load_acquire(slot))
        return NULL;
    genlru__point(TAKE);
    return (struct genlru_node *)genlru_impl_ptr_exchange_acquire(slot, NULL); /* acquire T: pairs with P */
}

/*
 * Whether `node` stands in the slot it names; a guess. A swap of a cold line begins only when all before it is done, a load
 * long before: who looks first overlaps the misses of many calls.
 */
static inline bool genlru__stands_in_slot(const struct genlru_node *node)
{
    void **slot = (void **)genlru_impl_ptr_load_acquire(&node->slot); /* acquire N */

    return slot && genlru_impl_ptr_load_relaxed(slot) == node;
}

/* Takes `node` out of the slot it names, if it still stands there. */
static inline bool genlru__take_own(struct genlru_node *node)
{
    /*
     * acquire N: pairs with publish. Any value is safe, as the swap checks it, once its block's memory is initialised
     */
    void **slot = (void **)genlru_impl_ptr_load_acquire(&node->slot);

    genlru__point(TAKE_OWN);
    if (genlru__bug(DEL_BLIND))
        return slot && genlru_impl_ptr_exchange_acquire(slot, NULL);
    if (genlru__bug(EDGE_D))
        return slot &&
               __atomic_compare_exchange_n(slot, &(void *){node}, NULL, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    /* acquire D: pairs with P. release B: who finds the slot empty finds the node subtracted (sizes.h) */
    return slot && genlru_impl_ptr_cas_acq_rel(slot, node, NULL);
}

void genlru__chain_link_tail(struct genlru *lru, unsigned list, struct genlru__block *block);
void genlru__chain_link_head(struct genlru *lru, unsigned list, struct genlru__block *block);
void genlru__chain_unlink(struct genlru *lru, unsigned list, struct genlru__block *block);

/* Unlinks a block whose slots are all empty and gives it to the reserve or the pool. */
void genlru__chain_drop(struct genlru *lru, unsigned list, struct genlru__block *block);

/*
 * Publishes a node that the mover holds at the young end of a list. False when there is no block to be had; then the
 * mover puts the node back where it took it from.
 */
bool genlru__chain_append(struct genlru *lru, unsigned list, struct genlru_node *node);

/* Makes sure that the next append to a list succeeds. False: no block to be had. */
bool genlru__chain_reserve(struct genlru *lru, unsigned list);

/* The block at the young end of a list, with room for one more. NULL: no block to be had. */
static inline struct genlru__block *genlru__chain_open(struct genlru *lru, unsigned list)
{
    struct genlru__block *block = lru->chain[list].tail;

    if (GENLRU_LIKELY(block && block->fill < GENLRU__SLOTS))
        return block;
    return genlru__chain_reserve(lru, list) ? lru->chain[list].tail : NULL;
}

/* Nodes in a block now; others may take them at any time. */
unsigned genlru__block_count(const struct genlru__block *block);

#endif
