/* SPDX-License-Identifier: MIT */
/*
 * Deleting: one compare-and-swap empties the node's slot, and with it the node is the caller's. If that fails a mover
 * holds the node, or has handed it out: the lru's lock says which, since movers are done when it is free.
 */
#include <errno.h>

#include "base/check.h"
#include "base/testing.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/sizes.h"
#include "gens/stripe.h"

enum { DELETES_PER_LOOK = 64 };

/* Every 64th delete of a stripe looks after holes: here if the lock is free, else by the next who has it. */
static void pay_for_hole(struct genlru *lru, uint64_t nr_deletes)
{
    if (nr_deletes % DELETES_PER_LOOK != 0)
        return;
    if (!genlru__mutex_trylock(&lru->lock)) {
        genlru__compaction_is_due(lru);
        return;
    }
    genlru__compact_some(lru);
    genlru__mutex_unlock(&lru->lock);
}

/* The slot was taken: the node is this call's until its word is changed. */
static int finish(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state, after;
    uint32_t word;
    int error;

    genlru__point(DELETED);
    genlru_impl_ptr_store_relaxed(&node->slot, NULL); /* before the word: a pin holder may free the node after it */
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    do {
        error = genlru__word_del(genlru_impl_word(state), &word);
        genlru__assert(error == 0);
        (void)error;
        after = genlru_impl_with_word(state, word);
        /*
         * acq_rel H: pairs with the pin holder's unpin. Swapped also where nothing changes (the holder of a parked
         * node let go first): the acquire is what lets the caller free the node.
         */
    } while (!genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, after));
    genlru__point(ACCOUNT);
    if (genlru__counter_index(genlru_impl_word(state)) >= 0)
        genlru__account(lru, state, after);
    return word & GENLRU_PINNED ? 0 : GENLRU_YOURS;
}

/*
 * In nobody's slot: isolated, unless the call is a mistake. The lock is held, since a putback that came between the
 * look at the slot and this would list the node again, and nobody would ever delete it.
 */
static int hand_over_to_evictor(struct genlru_node *node)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    uint32_t word;

    do {
        if (genlru__word_condemn(genlru_impl_word(state), &word) != 0)
            return -ENOENT;
        genlru__point(CONDEMN);
        /* acq_rel H: pairs with the evictor's release; with its putback it is the lock that does */
    } while (!genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)));
    return genlru_impl_word(state) & GENLRU_DEAD ? GENLRU_YOURS : 0;
}

static bool is_of_another_lru(const struct genlru *lru, const struct genlru_node *node)
{
    void *slot = genlru_impl_ptr_load_acquire(&node->slot); /* acquire N */
    void *owner = slot ? __atomic_load_n(&genlru__block_of(slot)->owner, __ATOMIC_RELAXED) : NULL;

    /* a block on its way between lrus has no owner, and its slots no nodes */
    return owner && owner != lru && genlru_impl_ptr_load_relaxed((void **)slot) == node;
}

static int take_and_finish(struct genlru *lru, struct genlru_node *node)
{
    bool is_taken;
    int result = 0;

    if (genlru__take_own(node))
        return finish(lru, node);
    if (genlru__bug(DEL_UNLOCKED))
        return hand_over_to_evictor(node);
    genlru__mutex_lock(&lru->lock);
    is_taken = genlru__take_own(node);
    if (!is_taken)
        result = hand_over_to_evictor(node);
    genlru__mutex_unlock(&lru->lock);
    return is_taken ? finish(lru, node) : result;
}

int genlru_del(struct genlru *lru, struct genlru_node *node)
{
    struct genlru__stripe *stripe;
    int result;

    if (!lru || !node)
        return -EINVAL;
    if (GENLRU__IS_CHECKED && is_of_another_lru(lru, node))
        return genlru__misuse(lru, -EXDEV, "del of a node of another lru", node);
    stripe = genlru__stripe_own(lru);
    if (!genlru__bug(EDGE_B))
        genlru__del_begin(stripe);
    if (genlru__bug(EDGE_E))
        (void)genlru__del_end(stripe);
    result = take_and_finish(lru, node);
    if (genlru__bug(EDGE_B))
        genlru__del_begin(stripe);
    if (!genlru__bug(EDGE_E))
        pay_for_hole(lru, genlru__del_end(stripe));
    return result < 0 ? genlru__misuse(lru, result, "del of a node that is on no list", node) : result;
}
