/* SPDX-License-Identifier: MIT */
/* Plain nodes, and the tables of a rule by which they are told: see plain.h. */
#include "reclaim/plain.h"

#include <string.h>

#include "base/check.h"
#include "base/sized.h"
#include "workingset/shadow.h"

static void sort_marks(struct genlru__rule *rule, unsigned threshold)
{
    unsigned i;

    for (i = 0; i < GENLRU__NR_MARKS; i++) {
        uint32_t word = genlru__word_of_mark(i), bit = UINT32_C(1) << i;

        if (genlru__is_protected(word, &rule->policy, threshold))
            continue;
        rule->open[threshold] |= bit;
        if (genlru__is_kept(word, &rule->policy))
            rule->kept_marks |= bit;
    }
}

/* What genlru__word_keep makes of each count, in a window that is wide enough for each way up. */
static void tell_kept(struct genlru__rule *rule)
{
    enum { WIDTH = GENLRU_MAX_GENS };
    const unsigned width[GENLRU_MAX_TYPES] = {WIDTH, WIDTH, WIDTH, WIDTH};
    const uint64_t max_seq = 2 * WIDTH;
    struct genlru__context context = {genlru__window_value(max_seq, width, 0), &rule->policy, WIDTH};
    uint32_t gen = genlru_impl_gen_of_age(context.window, WIDTH - 1), word;
    unsigned refs;

    for (refs = 0; refs <= GENLRU_MAX_REFS; refs++) {
        unsigned up;
        int error = genlru__word_keep(genlru_impl_with_refs(gen, refs), &context, &word);

        genlru__assert(error == 0);
        (void)error;
        up = WIDTH - 1 - genlru_impl_age(context.window, 0, genlru_impl_gen(word));
        rule->kept[refs].refs = (uint8_t)genlru_impl_refs(word);
        /* 0 where the keep goes to the youngest of all windows, whatever the count */
        rule->kept[refs].class = up > rule->policy.keep.up ? (uint8_t)(up - rule->policy.keep.up) : 0;
        genlru__assert(rule->kept[refs].class < GENLRU__NR_KEEPS);
    }
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
        sort_marks(rule, threshold);
    tell_kept(rule);
}

static void begin(struct genlru__plain *plain, const struct genlru *lru)
{
    memset(plain, 0, sizeof(*plain));
    plain->value = UINT32_MAX; /* nothing */
    plain->window = lru->view.window;
    plain->rule = genlru__rule(lru);
}

/* How far up a class of kept nodes goes: the age there. */
static unsigned age_of(const struct genlru__plain *plain, unsigned class)
{
    unsigned up = plain->rule->policy.keep.up + class;

    return plain->oldest > up ? plain->oldest - up : 0;
}

void genlru__plain_oldest(struct genlru__plain *ret, uint64_t window, unsigned type, unsigned threshold)
{
    uint32_t open = ret->rule->open[threshold];
    unsigned class;

    ret->window = window;
    ret->oldest = genlru_impl_window_width(window, type) - 1;
    ret->mask = GENLRU_GEN_MASK | GENLRU_TYPE_MASK | GENLRU_PINNED | GENLRU_TIER_CAP | GENLRU_PROBATION;
    ret->value = (uint32_t)genlru_impl_gen_of_age(window, ret->oldest) << GENLRU_GEN_SHIFT | (uint32_t)type
                                                                                                 << GENLRU_TYPE_SHIFT;
    ret->victims = open & ~ret->rule->kept_marks;
    ret->kept = open & ret->rule->kept_marks;
    ret->open = 0;
    for (class = 0; class < GENLRU__NR_KEEPS; class ++)
        ret->gen[class] = (uint32_t)genlru_impl_gen_of_age(window, age_of(ret, class)) << GENLRU_GEN_SHIFT;
}

void genlru__plain_opponents(struct genlru__plain *ret, uint64_t window, unsigned type, unsigned threshold)
{
    genlru__plain_oldest(ret, window, type, threshold);
    ret->victims = ret->kept = 0;
    ret->open = ret->rule->open[threshold];
    ret->keeps = true;
}

/* The queue before the generations: who was used too little is a victim, the others are for the verdict. */
static void set_probation(struct genlru__plain *plain, unsigned type)
{
    const struct genlru_probation_rules *rules = &plain->rule->policy.probation;

    plain->mask = GENLRU_GEN_MASK | GENLRU_TYPE_MASK | GENLRU_PINNED | GENLRU_TIER_CAP | GENLRU_PROBATION;
    plain->value = genlru__word_on_probation(0) | (uint32_t)type << GENLRU_TYPE_SHIFT;
    plain->enough = rules->promote_refs;
    if (rules->duel)
        plain->open = UINT32_MAX;
    else if (rules->promote_refs > GENLRU_MAX_REFS)
        plain->victims = UINT32_MAX;
    else
        plain->victims = ((UINT32_C(1) << rules->promote_refs) - 1) * UINT32_C(0x10001);
}

static void set_lists(struct genlru__plain *plain, const struct genlru *lru, unsigned type)
{
    unsigned class;

    for (class = 0; class < GENLRU__NR_KEEPS; class ++)
        plain->list[class] = (uint16_t)genlru__list_of_seq(lru, type, lru->max_seq - age_of(plain, class));
}

void genlru__plain_of(struct genlru__plain *ret, const struct genlru *lru, unsigned list,
                      const struct genlru__judge *judge)
{
    unsigned type = list / lru->lists_per_type;

    begin(ret, lru);
    if (list == genlru__list_of_probation(lru, type)) {
        set_probation(ret, type);
        if (judge->is_desperate) { /* nobody contends */
            ret->open = 0;
            ret->victims = UINT32_MAX;
        }
    } else if (list == genlru__list_of_seq(lru, type, lru->min_seq[type])) {
        genlru__plain_oldest(ret, ret->window, type, judge->threshold);
        set_lists(ret, lru, type);
        if (judge->is_desperate)
            ret->kept = 0;
    }
}

void genlru__plain_opponents_of(struct genlru__plain *ret, const struct genlru *lru, unsigned list,
                                const struct genlru__judge *judge)
{
    unsigned type = list / lru->lists_per_type;

    begin(ret, lru);
    genlru__plain_opponents(ret, ret->window, type, judge->threshold);
    set_lists(ret, lru, type);
}
