/* SPDX-License-Identifier: MIT */
/* Verdicts: see verdict.h. */
#include "reclaim/verdict.h"

#include "gens/window.h"

unsigned genlru__home_of(const struct genlru *lru, uint32_t word)
{
    if (genlru__state_of(word) == GENLRU__PARKED)
        return genlru__list_of_parked(lru, genlru_impl_type(word));
    return genlru__list_of_word(lru, word);
}

static bool is_lazily_saturated(uint32_t word, const struct genlru_policy *policy)
{
    return policy->tiers.lazy_saturated && (word & GENLRU_WORKINGSET) && !(word & GENLRU_TIER_CAP) &&
           genlru_impl_refs(word) >= policy->hit.refs_max;
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
