/* SPDX-License-Identifier: MIT */
/* Verdicts: see verdict.h. */
#include "reclaim/verdict.h"

static bool is_lazily_saturated(uint32_t word, const struct genlru_policy *policy)
{
    return policy->tiers.lazy_saturated && (word & GENLRU_WORKINGSET) && !(word & GENLRU_TIER_CAP) &&
           genlru_impl_refs(word) >= policy->hit.refs_max;
}

uint32_t genlru__marks_below(const struct genlru_policy *policy, unsigned threshold)
{
    uint32_t marks = 0;
    unsigned i;

    for (i = 0; i < GENLRU__NR_MARKS; i++) {
        uint32_t word = genlru__word_of_mark(i);

        if (genlru__tier_of(word, policy) <= threshold && !is_lazily_saturated(word, policy))
            marks |= UINT32_C(1) << i;
    }
    return marks;
}

struct genlru__plain genlru__plain_of(const struct genlru *lru, unsigned list, unsigned threshold)
{
    struct genlru__plain plain = {
        GENLRU_GEN_MASK | GENLRU_TYPE_MASK | GENLRU_PINNED | GENLRU_TIER_CAP | GENLRU_PROBATION, UINT32_MAX, 0};
    unsigned type = list / lru->lists_per_type;

    if (list != genlru__list_of_seq(lru, type, lru->min_seq[type]))
        return plain;
    plain.value = (uint32_t)genlru_impl_gen_of_age(lru->view.window, genlru__width(lru, type) - 1) << GENLRU_GEN_SHIFT |
                  (uint32_t)type << GENLRU_TYPE_SHIFT;
    plain.marks = lru->unprotected[threshold];
    return plain;
}

enum genlru__verdict genlru__verdict(const struct genlru *lru, uint32_t word, unsigned list, unsigned threshold,
                                     bool is_desperate)
{
    if (genlru__home_of(lru, word) != list)
        return GENLRU__MOVE;
    if (word & GENLRU_PINNED)
        return GENLRU__PARK;
    if (is_desperate)
        return GENLRU__ISOLATE;
    if (word & GENLRU_PROBATION)
        return genlru_impl_refs(word) >= lru->policy.probation.promote_refs ? GENLRU__GRADUATE : GENLRU__ISOLATE;
    if (genlru__tier_of(word, &lru->policy) > threshold)
        return GENLRU__PROTECT;
    return is_lazily_saturated(word, &lru->policy) ? GENLRU__PROTECT_LAZILY : GENLRU__ISOLATE;
}
