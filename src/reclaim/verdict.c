/* SPDX-License-Identifier: MIT */
/* Verdicts: see verdict.h. */
#include "reclaim/verdict.h"

#include <string.h>

#include "base/sized.h"
#include "workingset/shadow.h"

static bool is_lazily_saturated(uint32_t word, const struct genlru_policy *policy)
{
    return policy->tiers.lazy_saturated && (word & GENLRU_WORKINGSET) && !(word & GENLRU_TIER_CAP) &&
           genlru_impl_refs(word) >= policy->hit.refs_max;
}

static bool is_kept(uint32_t word, const struct genlru_policy *policy)
{
    return policy->keep.refs && genlru_impl_refs(word) >= policy->keep.refs && !(word & GENLRU_TIER_CAP);
}

static uint32_t marks_below(const struct genlru_policy *policy, unsigned threshold)
{
    uint32_t marks = 0;
    unsigned i;

    for (i = 0; i < GENLRU__NR_MARKS; i++) {
        uint32_t word = genlru__word_of_mark(i);

        if (genlru__tier_of(word, policy) <= threshold && !is_lazily_saturated(word, policy) && !is_kept(word, policy))
            marks |= UINT32_C(1) << i;
    }
    return marks;
}

void genlru__rule_init(struct genlru__rule *rule, const struct genlru_policy *policy, uint32_t number)
{
    unsigned threshold, mark;

    memset(rule, 0, sizeof(*rule));
    (void)genlru__sized_in(&rule->policy, sizeof(rule->policy), policy, sizeof(size_t)); /* checked before */
    rule->number = number;
    rule->workingset_marks = genlru__workingset_marks(&rule->policy);
    for (mark = 0; mark < GENLRU__NR_MARKS; mark++)
        rule->tier_of_mark[mark] = (uint8_t)genlru__tier_of(
            genlru__word_of_mark(rule->workingset_marks >> mark & 1u ? mark | 16u : mark), &rule->policy);
    for (threshold = 0; threshold < GENLRU_NR_TIERS; threshold++)
        rule->unprotected[threshold] = marks_below(&rule->policy, threshold);
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
    plain.marks = genlru__rule(lru)->unprotected[threshold];
    return plain;
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
    return is_kept(word, policy) ? GENLRU__KEEP : GENLRU__ISOLATE;
}

enum genlru__verdict genlru__verdict(const struct genlru *lru, uint32_t word, const struct genlru__judge *judge)
{
    struct genlru__context context = genlru__context(lru);

    if (genlru__home_of(lru, word) != judge->list)
        return GENLRU__MOVE;
    return genlru__verdict_at_home(word, &context, judge);
}
