/* SPDX-License-Identifier: MIT */
/* The end of an isolation: back onto the lru, or over to the deleter. */
#include <errno.h>

#include "base/bits.h"
#include "base/testing.h"
#include "gens/chain.h"
#include "gens/reserve.h"
#include "gens/sizes.h"
#include "gens/window.h"
#include "workingset/shadow.h"

/*
 * Takes back what the eviction that did not happen added to the clock and, unless a carry-over has averaged it, the
 * history.
 */
static void undo(struct genlru *lru, uint64_t state, const struct genlru__shadow_fields *shadow)
{
    if (!genlru__bug(CLOCK_KEPT))
        genlru_impl_fetch_add_relaxed(&lru->eviction_clock, -(uint64_t)genlru_impl_charge(state));
    genlru__bump(&lru->stat.putback, 1);
    if (shadow && shadow->seq == (uint8_t)lru->min_seq[shadow->type]) {
        uint64_t *evicted = &lru->hist[shadow->type].evicted[genlru__shadow_tier(lru, shadow)];

        genlru_impl_store_relaxed(evicted, genlru__sub_clamped(*evicted, 1));
    }
}

/* The node's word and list, under the lock. A slot is made sure of first, so that nothing has to be undone. */
static int putback_locked(struct genlru *lru, struct genlru_node *node, uint64_t *ret_state)
{
    struct genlru__context context = genlru__context(lru);
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch), after;
    uint32_t word;

    do {
        if (genlru__state_of(genlru_impl_word(state)) != GENLRU__ISOLATED_STATE)
            return -EPERM;
        if (genlru_impl_word(state) & GENLRU_DEAD && !genlru__bug(PUTBACK_BLIND)) {
            /* acquire H: DEAD was seen by a relaxed load, and the caller frees what the deleter wrote to */
            (void)genlru_impl_load_acquire(&node->state.do_not_touch);
            return GENLRU_YOURS;
        }
        (void)genlru__word_putback(genlru_impl_word(state), &context, &word);
        if (!genlru__chain_reserve(lru, genlru__list_of_word(lru, word)))
            return -ENOMEM;
        after = genlru_impl_with_word(state, word);
        /* acq_rel H: pairs with the deleter's DEAD, so that one of the two sees the other */
    } while (!genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, after));
    genlru__account(lru, state, after);
    genlru__point(PUTBACK);
    (void)genlru__chain_append(lru, genlru__list_of_word(lru, word), node);
    *ret_state = state;
    return 0;
}

int genlru_putback(struct genlru *lru, const struct genlru_victim *victim)
{
    struct genlru__shadow_fields fields;
    bool has_shadow, has_hash;
    uint64_t state, hash = 0;
    int result;

    if (!lru || !victim || !victim->node)
        return -EINVAL;
    if (genlru_node_type(victim->node) >= lru->nr_types)
        return genlru__misuse(lru, -EINVAL, "putback of a node whose type is not of this lru", victim->node);
    has_shadow =
        genlru__shadow_decode(victim->shadow, &fields) && fields.tag == lru->tag && fields.type < lru->nr_types;
    has_hash = lru->nonresident && lru->hash_of && genlru_node_is_isolated(victim->node);
    if (has_hash) /* while the node is the caller's: others may free it once it is listed */
        hash = lru->hash_of(lru->hash_ctx, victim->node);
    do {
        genlru__mutex_lock(&lru->lock);
        result = putback_locked(lru, victim->node, &state);
        if (result == 0)
            undo(lru, state, has_shadow ? &fields : NULL);
        genlru__mutex_unlock(&lru->lock);
    } while (result == -ENOMEM && genlru__reserve_fill(lru)); /* which only adds and evicts would fill otherwise */
    if (has_hash && result >= 0)                              /* no shadow of a node that is resident or deleted */
        (void)genlru_nonresident_take(lru->nonresident, lru, hash);
    return result == -EPERM ? genlru__misuse(lru, result, "putback of a node that is not isolated", victim->node)
                            : result;
}

int genlru_release(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state;
    uint32_t word;

    if (!lru || !node)
        return -EINVAL;
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    do {
        if (genlru__word_condemn(genlru_impl_word(state), &word) != 0)
            return genlru__misuse(lru, -EPERM, "release of a node that is not isolated", node);
        genlru__point(CONDEMN);
        if (genlru__bug(EDGE_H) &&
            genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)))
            break;
        /* acq_rel H: the second of the two to set DEAD frees, and sees all that the first one did to the node */
    } while (!genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)));
    return genlru__bug(RELEASE_BOTH) || genlru_impl_word(state) & GENLRU_DEAD ? GENLRU_YOURS : 0;
}
