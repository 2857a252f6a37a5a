/* SPDX-License-Identifier: MIT */
/* The learner's counts and its choice, against its formula in words and on sequences worked out by hand. */
#include "learn/learner.h"

#include <criterion/criterion.h>

enum { ENTRIES = 1000, ALL = 0xff };

static struct genlru__learner learner_of(uint32_t entries, uint32_t current)
{
    struct genlru__learner learner;

    genlru__learner_init(&learner, entries, current);
    return learner;
}

static uint32_t best_of(const struct genlru__learner *learner)
{
    enum genlru__span span;

    return genlru__learner_best(learner, &span);
}

static void count(struct genlru__learner *learner, uint32_t missed, unsigned times)
{
    while (times-- > 0)
        (void)genlru__learner_count(learner, missed);
}

Test(learner, begins_where_it_is_told)
{
    unsigned rule;

    for (rule = 0; rule < GENLRU__NR_RULES; rule++) {
        struct genlru__learner learner = learner_of(ENTRIES, rule);

        cr_assert(best_of(&learner) == rule);
    }
}

/* What all rules miss, or all hit, tells nothing. */
Test(learner, agreement_tells_nothing)
{
    struct genlru__learner learner = learner_of(ENTRIES, 1);

    count(&learner, ALL, 100000);
    count(&learner, 0, 100000);
    cr_assert(best_of(&learner) == 1);
}

/* The formulas, in floating point: 1 yes, 0 no, -1 so close that rounding decides. */
static int should_replace(enum genlru__span span, double saved, double lost, double missed, double age)
{
    static const double noise[] = {[GENLRU__SPAN_LONG] = 0.5, [GENLRU__SPAN_ALL] = 3, [GENLRU__SPAN_SHORT] = 2};
    double cost = ENTRIES / 10.0, gain, excess;

    if (span == GENLRU__SPAN_LONG)
        cost = missed / 1000 + cost * 3 * ENTRIES / (3 * ENTRIES + age);
    gain = saved - lost - cost;
    excess = (gain > 0 ? gain * gain : -1) - noise[span] * noise[span] * (saved + lost);
    return excess > 1 ? 1 : excess < -1 ? 0 : -1;
}

/* Every pair of counts around the bound, set directly, for a challenger that missed less. */
static void bound(enum genlru__span span)
{
    unsigned saved, lost, missed, age = 0, nr_yes = 0, nr_no = 0;

    for (lost = 0; lost < 3000; lost += 97, age = age * 2 + 100)
        for (missed = 0; missed < 20000; missed += 1999)
            for (saved = lost; saved < lost + 460; saved++) {
                struct genlru__learner learner = learner_of(ENTRIES, 3);
                struct genlru__evidence *evidence = &learner.evidence[span];
                int want = should_replace(span, saved, lost, missed, age % 100000);
                enum genlru__span by;

                learner.age = age % 100000;
                if (want < 0)
                    continue;

                evidence->lead[3][5] = (uint64_t)saved * GENLRU__LEARNER_ONE;
                evidence->lead[5][3] = (uint64_t)lost * GENLRU__LEARNER_ONE;
                evidence->missed[3] = (uint64_t)missed * GENLRU__LEARNER_ONE + 1;
                evidence->missed[5] = evidence->missed[3] - 1;
                learner.evidence[GENLRU__SPAN_LONG].seen =
                    1000 * GENLRU__LEARNER_ONE; /* without a miss, but in LONG itself */
                cr_assert(genlru__learner_best(&learner, &by) == (want ? 5 : 3), "span %d: saved %u lost %u missed %u",
                          (int)span, saved, lost, missed);
                cr_assert(!want || by == span);
                nr_yes += want == 1;
                nr_no += want == 0;
            }
    cr_assert(nr_yes > 1000 && nr_no > 1000);
}

Test(learner, bound)
{
    unsigned span;

    for (span = 0; span < GENLRU__NR_SPANS; span++)
        bound(span);
}

/* Of two that are better than the one in force, the one that missed less. */
Test(learner, takes_the_best)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, ALL & ~(1u << 6), 150); /* only 6 hits */
    count(&learner, ALL & ~(1u << 4), 200); /* only 4 does */
    cr_assert(best_of(&learner) == 4);
}

/* A rule that is worse in sum is not taken, however often it is better. */
Test(learner, weighs_both_ways)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, 1u << 0, 400); /* each of the others hits */
    count(&learner, ALL & ~(1u << 0), 390);
    cr_assert(best_of(&learner) == 0);
}

static double lead(const struct genlru__learner *learner, enum genlru__span span, unsigned i, unsigned j)
{
    return (double)learner->evidence[span].lead[i][j] / GENLRU__LEARNER_ONE;
}

/* Counts fade with misses of the rule in force, at the pace of their span; without them nothing does. */
Test(learner, forgets_by_misses)
{
    struct genlru__learner learner = learner_of(ENTRIES, 2);
    unsigned span;

    count(&learner, 1u << 5, 500); /* 2 hits */
    count(&learner, ALL & ~(1u << 2), 1000);
    for (span = 0; span < GENLRU__NR_SPANS; span++)
        cr_assert(lead(&learner, span, 5, 2) == 1500, "span %u: no miss of rule 2 yet", span);
    count(&learner, ALL, 10 * 100); /* SHORT: a hundred decays by a hundredth, to 1/e; LONG: 13 */
    cr_assert_float_eq(lead(&learner, GENLRU__SPAN_SHORT, 5, 2), 1500 * 0.366, 1500 * 0.01);
    cr_assert_float_eq(lead(&learner, GENLRU__SPAN_LONG, 5, 2), 1500 * 0.878, 1500 * 0.01);
    cr_assert(lead(&learner, GENLRU__SPAN_ALL, 5, 2) == 1500);
}

/* A lead of now is believed where the load has changed, which the rule in force shows by missing more than it used to. */
static struct genlru__learner after_a_change(unsigned nr, unsigned one_in)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);
    unsigned i;

    for (i = 0; i < 8000; i++) /* all are as good, but for a few that only 0 hits; one access in 20 is missed */
        count(&learner, i % 200 == 0 ? ALL & ~(1u << 0) : i % 20 == 0 ? ALL : 0, 1);
    for (i = 0; i < nr; i++) /* now 4 hits what 0 misses */
        count(&learner, i % one_in == 0 ? ALL & ~(1u << 4) : 0, 1);
    return learner;
}

Test(learner, sees_that_the_load_has_changed)
{
    struct genlru__learner changed = after_a_change(3000, 2), same = after_a_change(10000, 20);
    enum genlru__span span;

    cr_assert(genlru__learner_best(&changed, &span) == 4 && span == GENLRU__SPAN_LONG);
    changed.constants.noise_percent[GENLRU__SPAN_LONG] = changed.constants.noise_percent[GENLRU__SPAN_ALL] = 100000;
    same.constants = changed.constants;
    cr_assert(genlru__learner_best(&changed, &span) == 4 && span == GENLRU__SPAN_SHORT);
    cr_assert(lead(&same, GENLRU__SPAN_SHORT, 0, 4) > 200, "4 leads there, too");
    cr_assert(best_of(&same) == 0, "rule 0 misses no more often than before");
    genlru__learner_follow(&changed, 4, GENLRU__SPAN_SHORT);
    for (span = 0; span < GENLRU__NR_SPANS; span++)
        cr_assert(lead(&changed, span, 0, 4) == lead(&changed, GENLRU__SPAN_SHORT, 0, 4), "span %d", (int)span);
}

/* Once a long past is over, a rule that it speaks against is taken, and kept: the spans do not undo each other's changes. */
Test(learner, does_not_go_back)
{
    struct genlru__learner learner = learner_of(512, 1);
    unsigned i, nr_changes = 0, at = 0;
    uint64_t random = 1;

    for (i = 0; i < 200000; i++) {
        bool is_past = i < 100000;
        enum genlru__span span;
        uint32_t missed = 0, best;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        if (random >> 33 & 1) /* both miss half of all, */
            missed = ALL;
        else if ((random >> 34) % 5 == 0) /* and one of them a tenth more: rule 0, then 1 */
            missed = is_past ? ALL & ~(1u << 1) : ALL & ~(1u << 0);
        if (!genlru__learner_count(&learner, missed))
            continue;
        best = genlru__learner_best(&learner, &span);
        if (best != learner.current) {
            genlru__learner_follow(&learner, best, span);
            nr_changes++;
            at = i;
        }
    }
    cr_assert(nr_changes == 1 && learner.current == 0, "%u changes, to rule %u", nr_changes, learner.current);
    cr_assert(at < 100000 + 20 * 512, "at %u", at);
}

/* What all that was seen says, the other memory goes on from; what it says itself changes no memory. */
Test(learner, goes_on_from_what_decided)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, ALL & ~(1u << 4), 3000);
    cr_assert(lead(&learner, GENLRU__SPAN_LONG, 0, 4) < lead(&learner, GENLRU__SPAN_ALL, 0, 4));
    genlru__learner_follow(&learner, 4, GENLRU__SPAN_LONG);
    cr_assert(lead(&learner, GENLRU__SPAN_LONG, 0, 4) < lead(&learner, GENLRU__SPAN_ALL, 0, 4));
    genlru__learner_follow(&learner, 4, GENLRU__SPAN_ALL);
    cr_assert(lead(&learner, GENLRU__SPAN_LONG, 0, 4) == 3000 && lead(&learner, GENLRU__SPAN_ALL, 0, 4) == 3000);
    cr_assert(lead(&learner, GENLRU__SPAN_SHORT, 0, 4) < 2000);
}

/* The same lead moves a rule that has been in force for long, and not one that has just come. */
Test(learner, an_old_lead_weighs_more)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, ALL & ~(1u << 4), 80);
    cr_assert(best_of(&learner) == 0);
    count(&learner, 0, 8 * ENTRIES);
    cr_assert(best_of(&learner) == 4);
    genlru__learner_follow(&learner, 4, GENLRU__SPAN_LONG);
    cr_assert(learner.current == 4 && learner.age == 0 && best_of(&learner) == 4);
}

/* While a cache fills, no rule evicts and all miss the same: that time says nothing of the rule in force. */
Test(learner, time_of_agreement_is_no_age)
{
    struct genlru__learner old = learner_of(ENTRIES, 1), young = learner_of(ENTRIES, 1);

    count(&old, ALL, 16 * ENTRIES);
    count(&old, 0, 16 * ENTRIES);
    cr_assert(old.age == 0);
    count(&old, 1u << 1, 90); /* rule 1 missed, the others hit: not yet worth the cost */
    count(&young, 1u << 1, 90);
    cr_assert(old.age == 90 && young.age == 90);
    count(&young, 0, 16 * ENTRIES);
    cr_assert(young.age == 16 * ENTRIES + 90, "once they differed, agreement counts");
    cr_assert(best_of(&old) == 1 && best_of(&young) != 1);
}

Test(learner, looks_now_and_then)
{
    struct genlru__learner small = learner_of(64, 0), large = learner_of(2000, 0);
    unsigned i, nr_small = 0, nr_large = 0;

    for (i = 0; i < 10000; i++) {
        nr_small += genlru__learner_count(&small, ALL);
        nr_large += genlru__learner_count(&large, ALL);
    }
    cr_assert(nr_small == 100 && nr_large == 50, "%u %u", nr_small, nr_large);
}

/* No count of misses exceeds 2^28, whatever comes: no product of two overflows. */
Test(learner, counts_are_bounded)
{
    struct genlru__learner learner = learner_of(2048, 0);
    unsigned i, span;

    count(&learner, 1u << 0, 10 * 1000 * 1000);
    for (span = 0; span < GENLRU__NR_SPANS; span++) {
        cr_assert(learner.evidence[span].seen <= UINT64_C(1) << 36);
        cr_assert(learner.evidence[span].missed[0] <= UINT64_C(1) << 28);
        for (i = 1; i < GENLRU__NR_RULES; i++)
            cr_assert(learner.evidence[span].lead[0][i] <= learner.evidence[span].missed[0]);
    }
    cr_assert(best_of(&learner) != 0);
}

/* However long nothing is missed, nothing is forgotten. */
Test(learner, hits_make_nothing_forgotten)
{
    struct genlru__learner learner = learner_of(512, 0);
    unsigned span;

    count(&learner, ALL & ~(1u << 4), 200);
    count(&learner, 0, 10 * 1000 * 1000);
    for (span = 0; span < GENLRU__NR_SPANS; span++)
        cr_assert(lead(&learner, span, 0, 4) > 60, "span %u", span);
    cr_assert(lead(&learner, GENLRU__SPAN_ALL, 0, 4) == 200);
}
