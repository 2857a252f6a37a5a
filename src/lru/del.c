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

enum { DELETES_PER_LOOK = 64 };

/* After every 64th delete of a stripe someone looks after holes: here if the lock is free, else the next who has it. */
static void pay_for_holes(struct genlru *lru)
{
    if (!genlru__mutex_trylock(&lru->lock)) {
        genlru__compaction_is_due(lru);
        return;
    }
    genlru__compact_some(lru);
    genlru__mutex_unlock(&lru->lock);
}

/*
 * The slot was taken: the node is this call's until its word is changed. `counted` is the state it was subtracted with;
 * a hit or a recharge may have changed it since.
 */
static int finish(struct genlru *lru, struct genlru_node *node, uint64_t counted)
{
    uint64_t state = counted, after;
    uint32_t word;
    int error;

    genlru__point(DELETED);
    genlru_impl_ptr_store_relaxed(&node->slot, NULL); /* before the word: a pin holder may free the node after it */
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
    if (GENLRU_UNLIKELY(state != counted) && !genlru__bug(DEL_STALE))
        genlru__account(lru, state, counted);
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

static void pay_if_due(struct genlru *lru, uint64_t nr_dels)
{
    if (GENLRU_UNLIKELY(nr_dels % DELETES_PER_LOOK == 0))
        pay_for_holes(lru);
}

/* The way when the node is parked, or its word or slot says that it may be in other hands. */
static int del_slowly(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state = 0;
    bool is_taken;
    int result = 0;

    if (genlru__bug(DEL_UNLOCKED))
        return hand_over_to_evictor(node);
    genlru__point(DEL_WAITS);
    genlru__mutex_lock(&lru->lock);
    is_taken = genlru__take_own(node);
    if (is_taken) {
        state = genlru_impl_load_relaxed(&node->state.do_not_touch);
        genlru__account(lru, state, genlru_impl_with_word(state, 0));
    } else {
        result = hand_over_to_evictor(node);
    }
    genlru__mutex_unlock(&lru->lock);
    if (!is_taken)
        return result;
    result = finish(lru, node, state);
    pay_if_due(lru, genlru__count_del(lru));
    return result;
}

/*
 * Whether the short way may be tried: the node is in a generation or on probation, so that a counter which is stale by the
 * time the slot is taken is one of those that are added up together, and stands in its slot. (A type that the lru does not
 * have is a node of another one: the counters would be others' memory.)
 */
static inline bool is_listed_here(const struct genlru *lru, const struct genlru_node *node, uint32_t word)
{
    return (word & GENLRU_GEN_MASK) && genlru_impl_type(word) < lru->nr_types && genlru__stands_in_slot(node);
}

int genlru_del(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state, nr_dels;
    int result;

    if (!lru || !node)
        return -EINVAL;
    if (GENLRU__IS_CHECKED && is_of_another_lru(lru, node))
        return genlru__misuse(lru, -EXDEV, "del of a node of another lru", node);
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    if (GENLRU_LIKELY(is_listed_here(lru, node, genlru_impl_word(state)))) {
        nr_dels = genlru__bug(EDGE_B) ? 1 : genlru__account_del(lru, state);
        if (GENLRU_LIKELY(genlru__take_own(node))) {
            if (genlru__bug(EDGE_B)) {
                genlru__point(DELETED);
                nr_dels = genlru__account_del(lru, state);
            }
            result = finish(lru, node, state);
            pay_if_due(lru, nr_dels);
            return result;
        }
        if (!genlru__bug(EDGE_B) && !genlru__bug(UNDEL_FORGOTTEN))
            genlru__account_undel(lru, state);
        pay_if_due(lru, nr_dels);
    }
    if ((genlru_impl_word(state) & GENLRU_GEN_MASK) && genlru_impl_type(genlru_impl_word(state)) >= lru->nr_types)
        return genlru__misuse(lru, -EXDEV, "del of a node whose type is not of this lru", node);
    result = del_slowly(lru, node);
    return result < 0 ? genlru__misuse(lru, result, "del of a node that is on no list", node) : result;
}

/*
 * A node and its slot are two cold lines, one behind the other, and a swap begins only when all before it is done. So they
 * are fetched side by side first: the slots of a group, and the nodes of the next one.
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

    for (i = 0; i < nr; i++)
        if (nodes[i]) /* relaxed: an address to prefetch, and nothing more */
            __builtin_prefetch(genlru_impl_ptr_load_relaxed(&nodes[i]->slot), 1);
}

size_t genlru_del_batch(struct genlru *lru, struct genlru_node *const *nodes, size_t nr, int *ret_results)
{
    size_t at, i, nr_now, nr_yours = 0;

    if (!lru || !nodes || !ret_results)
        return 0;
    prefetch_nodes(nodes, nr);
    for (at = 0; at < nr; at += nr_now) {
        nr_now = nr - at < GROUP ? nr - at : GROUP;
        prefetch_slots(nodes + at, nr_now);
        prefetch_nodes(nodes + at + nr_now, nr - at - nr_now);
        for (i = at; i < at + nr_now; i++) {
            ret_results[i] = genlru_del(lru, nodes[i]);
            nr_yours += ret_results[i] == GENLRU_YOURS;
        }
    }
    return nr_yours;
}
