/* SPDX-License-Identifier: MIT */
/* The rules a learning lru chooses among: sound for every window, alike where they must be, different where they may. */
#include "learn/rules.h"

#include <criterion/criterion.h>
#include <string.h>

Test(rules, are_sound)
{
    unsigned i, gens;

    for (i = 0; i < GENLRU_NR_RULES; i++)
        for (gens = GENLRU_MIN_GENS; gens <= GENLRU_MAX_GENS; gens++) {
            const char *wrong = genlru_policy_check(genlru_policy_rule(i), gens);

            cr_assert_null(wrong, "rule %u, %u generations: %s", i, gens, wrong);
        }
    cr_assert_null(genlru_policy_rule(GENLRU_NR_RULES));
    cr_assert_null(genlru_policy_rule(~0u));
}

/* Hits do not look which rule is in force; shadows of one must mean the same under another. */
Test(rules, share_what_outlives_them)
{
    const struct genlru_policy *first = genlru_policy_rule(0);
    unsigned i;

    for (i = 1; i < GENLRU_NR_RULES; i++) {
        const struct genlru_policy *rule = genlru_policy_rule(i);

        cr_assert(memcmp(&rule->hit, &first->hit, sizeof(rule->hit)) == 0);
        cr_assert(memcmp(&rule->mapped, &first->mapped, sizeof(rule->mapped)) == 0);
        cr_assert(memcmp(&rule->tiers, &first->tiers, sizeof(rule->tiers)) == 0);
        cr_assert(rule->full_window == 1 && rule->learn == 0);
        cr_assert(rule->refault.workingset_refs == first->refault.workingset_refs);
    }
}

Test(rules, differ)
{
    unsigned i, j;

    for (i = 0; i < GENLRU_NR_RULES; i++)
        for (j = 0; j < i; j++) {
            const struct genlru_policy *a = genlru_policy_rule(i), *b = genlru_policy_rule(j);

            cr_assert(strcmp(a->name, b->name) != 0);
            cr_assert(memcmp(&a->place, &b->place, sizeof(a->place)) ||
                      memcmp(&a->refault, &b->refault, sizeof(a->refault)) ||
                      memcmp(&a->probation, &b->probation, sizeof(a->probation)) ||
                      memcmp(&a->keep, &b->keep, sizeof(a->keep)));
        }
}
