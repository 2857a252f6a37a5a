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

        cr_assert(genlru__learner_best(&learner) == rule);
    }
}

/* What all rules miss, or all hit, tells nothing. */
Test(learner, agreement_tells_nothing)
{
    struct genlru__learner learner = learner_of(ENTRIES, 1);

    count(&learner, ALL, 100000);
    count(&learner, 0, 100000);
    cr_assert(genlru__learner_best(&learner) == 1);
}

/* The formula, in floating point: 1 yes, 0 no, -1 so close that rounding decides. */
static int should_replace(double saved, double lost, double missed, double age)
{
    double gain = saved - lost - missed / 1000 - ENTRIES / 10.0 * 5 * ENTRIES / (5 * ENTRIES + age);
    double excess = (gain > 0 ? gain * gain : -1) - 0.25 * (saved + lost); /* gain > 1/2 root of the sum */

    return excess > 1 ? 1 : excess < -1 ? 0 : -1;
}

/* Every pair of counts around the bound, set directly, for a challenger that missed less. */
Test(learner, bound)
{
    unsigned saved, lost, missed, age = 0, nr_yes = 0, nr_no = 0;

    for (lost = 0; lost < 3000; lost += 97, age = age * 2 + 100)
        for (missed = 0; missed < 20000; missed += 1999)
            for (saved = lost; saved < lost + 260; saved++) {
                struct genlru__learner learner = learner_of(ENTRIES, 3);
                int want = should_replace(saved, lost, missed, age % 100000);

                learner.age = age % 100000;
                if (want < 0)
                    continue;

                learner.lead[3][5] = (uint64_t)saved * GENLRU__LEARNER_ONE;
                learner.lead[5][3] = (uint64_t)lost * GENLRU__LEARNER_ONE;
                learner.missed[3] = (uint64_t)missed * GENLRU__LEARNER_ONE + 1;
                learner.missed[5] = learner.missed[3] - 1;
                cr_assert(genlru__learner_best(&learner) == (want ? 5 : 3), "saved %u lost %u missed %u", saved, lost,
                          missed);
                nr_yes += want == 1;
                nr_no += want == 0;
            }
    cr_assert(nr_yes > 1000 && nr_no > 1000);
}

/* Of two that are better than the one in force, the one that missed less. */
Test(learner, takes_the_best)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, ALL & ~(1u << 6), 150); /* only 6 hits */
    count(&learner, ALL & ~(1u << 4), 200); /* only 4 does */
    cr_assert(genlru__learner_best(&learner) == 4);
}

/* A rule that is worse in sum is not taken, however often it is better. */
Test(learner, weighs_both_ways)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, 1u << 0, 400); /* each of the others hits */
    count(&learner, ALL & ~(1u << 0), 390);
    cr_assert(genlru__learner_best(&learner) == 0);
}

/* Counts fade with misses of the rule in force; without them nothing does. */
Test(learner, forgets_by_misses)
{
    struct genlru__learner learner = learner_of(ENTRIES, 2);
    uint64_t lead;

    count(&learner, 1u << 5, 500); /* 2 hits */
    lead = learner.lead[5][2];
    cr_assert(lead == 500 * GENLRU__LEARNER_ONE);
    count(&learner, ALL & ~(1u << 2), 1000);
    cr_assert(learner.lead[5][2] == 1500 * GENLRU__LEARNER_ONE, "no miss of rule 2 yet");
    count(&learner, ALL, 30 * 100); /* a hundred decays by a hundredth: to 1/e */
    cr_assert_float_eq((double)learner.lead[5][2] / GENLRU__LEARNER_ONE, 1500 * 0.366, 1500 * 0.01);
}

/* The same lead moves a rule that has been in force for long, and not one that has just come. */
Test(learner, an_old_lead_weighs_more)
{
    struct genlru__learner learner = learner_of(ENTRIES, 0);

    count(&learner, ALL & ~(1u << 4), 80);
    cr_assert(genlru__learner_best(&learner) == 0);
    count(&learner, 0, 8 * ENTRIES);
    cr_assert(genlru__learner_best(&learner) == 4);
    genlru__learner_follow(&learner, 4);
    cr_assert(learner.current == 4 && learner.age == 0 && genlru__learner_best(&learner) == 4);
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
    cr_assert(genlru__learner_best(&old) == 1 && genlru__learner_best(&young) != 1);
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

/* Counts stay far from 2^32, whatever comes: nothing overflows. */
Test(learner, counts_are_bounded)
{
    struct genlru__learner learner = learner_of(2048, 0);
    unsigned i;

    count(&learner, 1u << 0, 10 * 1000 * 1000);
    cr_assert(learner.missed[0] < UINT64_C(1) << 32);
    for (i = 1; i < GENLRU__NR_RULES; i++)
        cr_assert(learner.lead[0][i] <= learner.missed[0]);
    cr_assert(genlru__learner_best(&learner) != 0);
}
