/* SPDX-License-Identifier: MIT */
/* Advice and weight: changes of a node's word or charge in whatever state it is. No locks. */
#include <errno.h>

#include "base/testing.h"
#include "gens/lru.h"
#include "gens/sizes.h"
#include "gens/window.h"

int genlru_advise(struct genlru *lru, struct genlru_node *node, enum genlru_advice advice)
{
    struct genlru__context context;
    uint64_t state, after;
    uint32_t word;

    if (!lru || !node)
        return -EINVAL;
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    do { /* edge W: by the newest window once more where too many agings were missed */
        do {
            context = genlru__context(lru);
            if (genlru__word_advise(genlru_impl_word(state), &context, advice, &word) != 0)
                return -EINVAL;
            after = genlru_impl_with_word(state, word);
            if (after == state)
                return 0;
            /* relaxed: advice publishes nothing; a lagging gen is read as the oldest (invariant 8) */
        } while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after));
        if (genlru__counter_index(genlru_impl_word(state)) != genlru__counter_index(word))
            genlru__account(lru, state, after);
        state = after;
    } while (genlru__is_too_late(lru, context.window, genlru__context(lru).window));
    return 0;
}

int genlru_recharge(struct genlru *lru, struct genlru_node *node, uint64_t charge)
{
    uint64_t state, after;

    if (!lru || !node)
        return -EINVAL;
    if (charge > UINT32_MAX)
        return -ERANGE;
    state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    do {
        after = genlru_impl_state(genlru_impl_word(state), (uint32_t)charge);
        if (after == state)
            return 0;
        /* relaxed: word and charge change together, and publish nothing else */
    } while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after));
    genlru__point(ACCOUNT);
    genlru__account(lru, state, after);
    if (genlru__bug(COUNT_TWICE))
        genlru__account(lru, state, after);
    /* an isolated node's charge stands in the eviction clock until it is put back */
    if (genlru__state_of(genlru_impl_word(state)) == GENLRU__ISOLATED_STATE)
        genlru_impl_fetch_add_relaxed(&lru->eviction_clock, charge - genlru_impl_charge(state));
    return 0;
}
