/* SPDX-License-Identifier: MIT */
/*
 * Deleting: one compare-and-swap empties the node's slot, and with it the node is the caller's. If that fails a mover
 * holds the node, or has handed it out: the lru's lock says which, since movers are done when it is free.
 */
#include <errno.h>

#include "base/bits.h"
#include "base/check.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/sizes.h"
#include "gens/stripe.h"

enum { DELETES_PER_LOOK = 64 };

/* After every 64th delete of a stripe someone looks after holes: here if the lock is free, else the next who has it. */
static void pay_for_holes(struct genlru *lru, uint64_t nr_deletes, uint64_t nr_before)
{
    if (nr_deletes / DELETES_PER_LOOK == nr_before / DELETES_PER_LOOK)
        return;
    if (!genlru__mutex_trylock(&lru->lock)) {
        genlru__compaction_is_due(lru);
        return;
    }
    genlru__compact_some(lru);
    genlru__mutex_unlock(&lru->lock);
}

/* The slot was taken: the node is this call's until its word is changed. What it counts goes to `sizes`. */
static int finish(struct genlru *lru, struct genlru_node *node, struct genlru__batch *sizes)
{
    uint64_t state, after;
    uint32_t word;
    int error;

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
    if (genlru__counter_index(genlru_impl_word(state)) >= 0)
        genlru__batch_account(lru, sizes, state, after);
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

static int take_and_finish(struct genlru *lru, struct genlru_node *node, struct genlru__batch *sizes)
{
    bool is_taken;
    int result = 0;

    if (genlru__take_own(node))
        return finish(lru, node, sizes);
    genlru__mutex_lock(&lru->lock);
    is_taken = genlru__take_own(node);
    if (!is_taken)
        result = hand_over_to_evictor(node);
    genlru__mutex_unlock(&lru->lock);
    return is_taken ? finish(lru, node, sizes) : result;
}

static int check_lru(const struct genlru *lru, const struct genlru_node *node)
{
    if (GENLRU__IS_CHECKED && is_of_another_lru(lru, node))
        return genlru__misuse(lru, -EXDEV, "del of a node of another lru", node);
    return 0;
}

static int check_result(const struct genlru *lru, const struct genlru_node *node, int result)
{
    return result < 0 ? genlru__misuse(lru, result, "del of a node that is on no list", node) : result;
}

int genlru_del(struct genlru *lru, struct genlru_node *node)
{
    struct genlru__stripe *stripe;
    struct genlru__batch sizes;
    uint64_t ended;
    int result;

    if (!lru || !node)
        return -EINVAL;
    result = check_lru(lru, node);
    if (result)
        return result;
    genlru__batch_begin(&sizes);
    stripe = genlru__stripe_own(lru);
    genlru__del_begin(stripe, 1);
    result = take_and_finish(lru, node, &sizes);
    genlru__batch_flush(lru, &sizes);
    ended = genlru__del_end(stripe, 1);
    pay_for_holes(lru, ended, ended - 1);
    return check_result(lru, node, result);
}

/*
 * Nodes and their slots are two cold lines each, one behind the other, and a compare-and-swap waits for its own: they
 * are fetched side by side first, the nodes one group ahead.
 */
enum { GROUP = 16 };

static void prefetch_nodes(struct genlru_node *const *nodes, size_t nr)
{
    size_t i;

    for (i = 0; i < nr && i < GROUP; i++)
        __builtin_prefetch(nodes[i], 1);
}

static void prefetch_slots(struct genlru_node *const *nodes, size_t nr)
{
    size_t i;

    for (i = 0; i < nr; i++) /* relaxed: an address to prefetch, nothing more */
        __builtin_prefetch(genlru_impl_ptr_load_relaxed(&nodes[i]->slot), 1);
}

/* Deletes up to a group; returns how many are the caller's. */
static size_t del_group(struct genlru *lru, struct genlru_node *const *nodes, size_t nr, int *ret_results)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    struct genlru__batch sizes;
    uint64_t ended;
    size_t i, nr_yours = 0;

    genlru__batch_begin(&sizes);
    genlru__del_begin(stripe, nr);
    for (i = 0; i < nr; i++) {
        ret_results[i] = check_lru(lru, nodes[i]);
        if (ret_results[i] == 0)
            ret_results[i] = take_and_finish(lru, nodes[i], &sizes);
        nr_yours += ret_results[i] == GENLRU_YOURS;
    }
    genlru__batch_flush(lru, &sizes);
    ended = genlru__del_end(stripe, nr);
    pay_for_holes(lru, ended, ended - nr);
    for (i = 0; i < nr; i++)
        if (ret_results[i] == -ENOENT)
            (void)check_result(lru, nodes[i], ret_results[i]);
    return nr_yours;
}

size_t genlru_del_batch(struct genlru *lru, struct genlru_node *const *nodes, size_t nr, int *ret_results)
{
    size_t at, nr_yours = 0;

    prefetch_nodes(nodes, nr);
    for (at = 0; at < nr; at += GROUP) {
        size_t nr_now = (size_t)genlru__min(GROUP, nr - at);

        prefetch_slots(nodes + at, nr_now);
        prefetch_nodes(nodes + at + nr_now, nr - at - nr_now);
        nr_yours += del_group(lru, nodes + at, nr_now, ret_results + at);
    }
    return nr_yours;
}
