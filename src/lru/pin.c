/* SPDX-License-Identifier: MIT */
/* Pins: one holder a node. A pinned node is not isolated; the scan parks it when it meets it. */
#include <errno.h>

#include "base/testing.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/sizes.h"
#include "gens/window.h"

int genlru_pin(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state;
    uint32_t word;
    int error;

    if (!lru || !node)
        return -EINVAL;
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    do {
        error = genlru__word_pin(genlru_impl_word(state), &word);
        if (error)
            return error; /* a second holder, or too late: ordinary answers, not misuse */
        /* acq_rel I: the evictor's isolating swap sees the pin, or the pin sees that the node is isolated */
    } while (!genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)));
    return 0;
}

/*
 * A parked node back to the generations, with the slot it was taken from. The lock is held, so that a deleter that
 * finds no slot waits for the new one. Without a block to move it to it goes back to its slot, and takes the whole
 * block along: on the parked list no scan would come by. The others there are parked again when they are met. (A block
 * that is on another list already, for want of one to park it in, stays: to a younger one it might carry words that lag.)
 */
static void relist(struct genlru *lru, struct genlru_node *node, void **slot, uint32_t word)
{
    struct genlru__block *block = genlru__block_of(slot);
    unsigned list = genlru__list_of_word(lru, word);

    genlru__point(RELIST);
    if (genlru__chain_append(lru, list, node))
        return;
    genlru__publish(node, slot);
    if (block->list != genlru__list_of_parked(lru, genlru_impl_type(word)))
        return;
    genlru__chain_unlink(lru, block->list, block);
    genlru__chain_link_tail(lru, list, block);
}

/* Lets go of a node that is parked, or was when last looked at. */
static int unpin_parked(struct genlru *lru, struct genlru_node *node)
{
    struct genlru__context context;
    uint64_t state, after;
    bool has_slot;
    uint32_t word;
    void **slot;
    int error;

    genlru__mutex_lock(&lru->lock);
    context = genlru__context(lru);
    slot = (void **)genlru_impl_ptr_load_relaxed(&node->slot);
    has_slot = genlru__take_own(node); /* else a deleter has it, who will see that it is not pinned any more */
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    do {
        error = genlru__word_unpin(genlru_impl_word(state), &context, has_slot, &word);
        if (error)
            break;
        after = genlru_impl_with_word(state, word);
        /* acq_rel H and I: pairs with a deleter that has the slot or set DEAD, and with a later isolating swap */
    } while (!genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, after));
    if (!error)
        genlru__account(lru, state, after);
    if (has_slot) {
        if (error)
            genlru__publish(node, slot);
        else
            relist(lru, node, slot, word);
        genlru__compact_if_due(lru); /* the parked list has a hole more */
    }
    genlru__mutex_unlock(&lru->lock);
    if (error)
        return genlru__misuse(lru, error, "unpin of a node that is not pinned", node);
    return !genlru__bug(UNPIN_BLIND) && genlru_impl_word(state) & GENLRU_DEAD ? GENLRU_YOURS : 0;
}

int genlru_unpin(struct genlru *lru, struct genlru_node *node)
{
    struct genlru__context context;
    uint64_t state;
    uint32_t word;

    if (!lru || !node)
        return -EINVAL;
    context = genlru__context(lru);
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    for (;;) {
        if (genlru__state_of(genlru_impl_word(state)) == GENLRU__PARKED)
            return unpin_parked(lru, node);
        if (genlru__word_unpin(genlru_impl_word(state), &context, true, &word) != 0)
            return genlru__misuse(lru, -EPERM, "unpin of a node that is not pinned", node);
        genlru__point(UNPIN);
        if (genlru__bug(EDGE_I) &&
            genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)))
            return genlru_impl_word(state) & GENLRU_DEAD ? GENLRU_YOURS : 0;
        /*
         * acq_rel H and I: pairs with the deleter's DEAD, whoever comes second frees; and with a later isolating swap
         */
        if (genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)))
            return !genlru__bug(UNPIN_BLIND) && genlru_impl_word(state) & GENLRU_DEAD ? GENLRU_YOURS : 0;
    }
}
