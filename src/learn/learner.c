/* SPDX-License-Identifier: MIT */
/* The learner: see learner.h. */
#include "learn/learner.h"

#include <string.h>

enum {
    MIN_LOOK = 100,
    FADE = 100, /* a hundredth */
    /* So that products of two counts fit 64 bits: with so many misses a span is halved; accesses are counted no further. */
    MAX_MISSED = 1 << 20,
    MAX_SEEN = 1 << 28,
};

static const struct genlru__learner_constants chosen = {
    .cost_permille = 100,
    .cost_halves = 3,
    .missed_permille = 1,
    .noise_percent = {[GENLRU__SPAN_LONG] = 50, [GENLRU__SPAN_ALL] = 300, [GENLRU__SPAN_SHORT] = 200},
    .fade_permille = {[GENLRU__SPAN_LONG] = 75, [GENLRU__SPAN_ALL] = 0, [GENLRU__SPAN_SHORT] = 10},
    .past_percent = 500,
    .change_percent = 150,
    .look_permille = 100,
};

static uint32_t share_of(uint32_t entries, uint32_t permille, uint32_t at_least)
{
    uint64_t share = (uint64_t)entries * permille / 1000;

    return share > at_least ? (uint32_t)share : at_least;
}

void genlru__learner_init(struct genlru__learner *learner, uint32_t entries, uint32_t current)
{
    unsigned span;

    memset(learner, 0, sizeof(*learner));
    learner->entries = entries;
    learner->current = current;
    learner->constants = chosen;
    learner->until_look = share_of(entries, chosen.look_permille, MIN_LOOK);
    for (span = 0; span < GENLRU__NR_SPANS; span++)
        learner->until_fade[span] = share_of(entries, chosen.fade_permille[span], 1);
}

/* All counts lose one part in so many. */
static void fade(struct genlru__evidence *evidence, unsigned parts)
{
    unsigned i, j;

    evidence->seen -= evidence->seen / parts;
    for (i = 0; i < GENLRU__NR_RULES; i++) {
        evidence->missed[i] -= evidence->missed[i] / parts;
        for (j = 0; j < GENLRU__NR_RULES; j++)
            evidence->lead[i][j] -= evidence->lead[i][j] / parts;
    }
}

static void count_misses(struct genlru__evidence *evidence, uint32_t missed)
{
    uint32_t hit = ~missed & ((1u << GENLRU__NR_RULES) - 1), i, j;
    bool is_full = false;

    for (i = missed; i; i &= i - 1) {
        unsigned loser = (unsigned)__builtin_ctz(i);

        evidence->missed[loser] += GENLRU__LEARNER_ONE;
        is_full = is_full || evidence->missed[loser] >= (uint64_t)MAX_MISSED * GENLRU__LEARNER_ONE;
        for (j = hit; j; j &= j - 1)
            evidence->lead[loser][__builtin_ctz(j)] += GENLRU__LEARNER_ONE;
    }
    if (is_full)
        fade(evidence, 2);
}

static void count(struct genlru__learner *learner, enum genlru__span span, uint32_t missed)
{
    struct genlru__evidence *evidence = &learner->evidence[span];
    uint32_t permille = learner->constants.fade_permille[span];

    if (evidence->seen < (uint64_t)MAX_SEEN * GENLRU__LEARNER_ONE)
        evidence->seen += GENLRU__LEARNER_ONE;
    if (missed)
        count_misses(evidence, missed);
    if (permille && (missed >> learner->current & 1u) && --learner->until_fade[span] == 0) {
        fade(evidence, FADE);
        learner->until_fade[span] = share_of(learner->entries, permille, 1);
    }
}

bool genlru__learner_count(struct genlru__learner *learner, uint32_t missed)
{
    const uint32_t all = (1u << GENLRU__NR_RULES) - 1;
    unsigned span;

    if (learner->age || (missed && missed != all))
        learner->age++;
    for (span = 0; span < GENLRU__NR_SPANS; span++)
        count(learner, span, missed);
    if (--learner->until_look != 0)
        return false;
    learner->until_look = share_of(learner->entries, learner->constants.look_permille, MIN_LOOK);
    return true;
}

/* What a change from the rule in force would have to save, but for chance. */
static uint64_t cost_of_change(const struct genlru__learner *learner, enum genlru__span span)
{
    const struct genlru__learner_constants *k = &learner->constants;
    uint64_t cost = (uint64_t)learner->entries * k->cost_permille * GENLRU__LEARNER_ONE / 1000;
    uint64_t half = (uint64_t)learner->entries * k->cost_halves;

    if (span != GENLRU__SPAN_LONG)
        return cost;
    return cost * half / (half + learner->age) +
           learner->evidence[span].missed[learner->current] * k->missed_permille / 1000;
}

/* How many roots of what is counted a lead of rule j must exceed, in per cent. */
static uint64_t noise_of(const struct genlru__learner *learner, enum genlru__span span, unsigned j)
{
    const uint64_t *missed = learner->evidence[GENLRU__SPAN_ALL].missed;

    if (span == GENLRU__SPAN_LONG && missed[j] > missed[learner->current])
        return learner->constants.past_percent;
    return learner->constants.noise_percent[span];
}

/* Whether rule j should replace the one in force. */
static bool is_better(const struct genlru__learner *learner, enum genlru__span span, unsigned j)
{
    const struct genlru__evidence *evidence = &learner->evidence[span];
    uint64_t saved = evidence->lead[learner->current][j], lost = evidence->lead[j][learner->current];
    uint64_t cost = cost_of_change(learner, span), noise = noise_of(learner, span, j), gain;

    if (saved <= lost + cost)
        return false;
    gain = saved - lost - cost; /* gain > noise * sqrt(sum), squared; counts are at most 2^28 (MAX_MISSED) */
    return gain * gain / GENLRU__LEARNER_ONE * (100 * 100) > (saved + lost) * (noise * noise);
}

/* Of those that are better than the rule in force, the one that missed least; else the rule in force. */
static uint32_t best_of(const struct genlru__learner *learner, enum genlru__span span)
{
    const uint64_t *missed = learner->evidence[span].missed;
    unsigned best = learner->current, j;

    for (j = 0; j < GENLRU__NR_RULES; j++)
        if (j != learner->current && is_better(learner, span, j) && missed[j] < missed[best])
            best = j;
    return best;
}

/* Whether the rule in force now misses so much more often than of late that the load must be another one. */
static bool has_load_changed(const struct genlru__learner *learner)
{
    const struct genlru__evidence *now = &learner->evidence[GENLRU__SPAN_SHORT];
    const struct genlru__evidence *before = &learner->evidence[GENLRU__SPAN_LONG];

    /* 28 bits, 28 (whole accesses), and 8 */
    return now->missed[learner->current] * (before->seen / GENLRU__LEARNER_ONE) * 100 >
           before->missed[learner->current] * (now->seen / GENLRU__LEARNER_ONE) * learner->constants.change_percent;
}

uint32_t genlru__learner_best(const struct genlru__learner *learner, enum genlru__span *ret_span)
{
    unsigned span;

    for (span = 0; span < GENLRU__NR_SPANS; span++) {
        uint32_t best =
            span == GENLRU__SPAN_SHORT && !has_load_changed(learner) ? learner->current : best_of(learner, span);

        *ret_span = span;
        if (best != learner->current)
            return best;
    }
    return learner->current;
}

void genlru__learner_follow(struct genlru__learner *learner, uint32_t rule, enum genlru__span span)
{
    struct genlru__evidence *of_late = &learner->evidence[GENLRU__SPAN_LONG];
    struct genlru__evidence *all = &learner->evidence[GENLRU__SPAN_ALL];
    bool is_past = all->missed[rule] > all->missed[learner->current];

    learner->current = rule;
    learner->age = 0;
    if (span != GENLRU__SPAN_LONG)
        *of_late = learner->evidence[span];
    /* where it holds the opposite ALL is of another load, and would have the rule of then back at the next look */
    if (span == GENLRU__SPAN_SHORT || (span == GENLRU__SPAN_LONG && is_past))
        *all = *of_late;
}
