/* SPDX-License-Identifier: MIT */
/* Verdicts: see verdict.h. */
#include "reclaim/verdict.h"

static bool is_lazily_saturated(uint32_t word, const struct genlru_policy *policy)
{
    return policy->tiers.lazy_saturated && (word & GENLRU_WORKINGSET) && !(word & GENLRU_TIER_CAP) &&
           genlru_impl_refs(word) >= policy->hit.refs_max;
}

bool genlru__is_kept(uint32_t word, const struct genlru_policy *policy)
{
    return policy->keep.refs && genlru_impl_refs(word) >= policy->keep.refs && !(word & GENLRU_TIER_CAP);
}

bool genlru__is_protected(uint32_t word, const struct genlru_policy *policy, unsigned threshold)
{
    return genlru__tier_of(word, policy) > threshold || is_lazily_saturated(word, policy);
}

static enum genlru__verdict judge_probation(uint32_t word, const struct genlru__context *context,
                                            const struct genlru__judge *judge)
{
    const struct genlru_probation_rules *rules = &context->policy->probation;

    if (judge->duel != GENLRU__DUEL_OPEN)
        return judge->duel == GENLRU__DUEL_WON ? GENLRU__GRADUATE : GENLRU__ISOLATE;
    if (rules->duel)
        return genlru_impl_aged_freq(word, context->window) >= rules->promote_refs ? GENLRU__CONTEND : GENLRU__ISOLATE;
    return genlru_impl_refs(word) >= rules->promote_refs ? GENLRU__GRADUATE : GENLRU__ISOLATE;
}

enum genlru__verdict genlru__verdict_at_home(uint32_t word, const struct genlru__context *context,
                                             const struct genlru__judge *judge)
{
    const struct genlru_policy *policy = context->policy;

    if (word & GENLRU_PINNED)
        return GENLRU__PARK;
    if (judge->is_desperate)
        return GENLRU__ISOLATE;
    if (word & GENLRU_PROBATION)
        return judge_probation(word, context, judge);
    if (genlru__tier_of(word, policy) > judge->threshold)
        return GENLRU__PROTECT;
    if (is_lazily_saturated(word, policy))
        return GENLRU__PROTECT_LAZILY;
    if (judge->contender)
        return genlru_impl_aged_freq(word, context->window) >= judge->contender ? GENLRU__KEEP : GENLRU__ISOLATE;
    return genlru__is_kept(word, policy) ? GENLRU__KEEP : GENLRU__ISOLATE;
}

enum genlru__verdict genlru__verdict(const struct genlru *lru, uint32_t word, const struct genlru__judge *judge)
{
    struct genlru__context context = genlru__context(lru);

    if (genlru__home_of(lru, word) != judge->list)
        return GENLRU__MOVE;
    return genlru__verdict_at_home(word, &context, judge);
}
