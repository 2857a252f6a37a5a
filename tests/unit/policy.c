/* SPDX-License-Identifier: MIT */
/* genlru_policy_check: the presets are sound, and each field out of its range is named, by itself. */
#include "unit.h"

Test(policy, presets_are_sound)
{
    static const struct genlru_policy *const presets[] = {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_OLD,
                                                          &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_DEFAULT};
    unsigned i, nr_gens;

    for (i = 0; i < 4; i++)
        for (nr_gens = 0; nr_gens <= 66; nr_gens++) {
            const char *wrong = genlru_policy_check(presets[i], nr_gens);

            if (nr_gens >= 3 && nr_gens <= 64)
                cr_assert_null(wrong, "%s at %u gens: %s", presets[i]->name, nr_gens, wrong);
            else
                cr_assert(wrong && strstr(wrong, "nr_gens"));
        }
}

/* The published numbers, so that nobody changes a preset by accident. */
Test(policy, presets_are_the_published_ones)
{
    const struct genlru_policy *fg = &GENLRU_POLICY_MGLRU_FG, *mg = &GENLRU_POLICY_MGLRU;
    unsigned refs;

    cr_assert(fg->hit.refs_max == 7 && fg->hit.overflow_up == 1 && fg->hit.overflow_refs == 3);
    cr_assert(fg->hit.defer_gens == 2 && fg->hit.defer_refs == 2 && fg->hit.defer_up == 1 &&
              fg->hit.promoted_refs == 3);
    cr_assert(fg->tiers.base_gain == 1 && fg->tiers.tier_gain == 2 && fg->tiers.sum_below == 1);
    cr_assert(fg->tiers.min_refaults == 64 && fg->tiers.protect_refs == 2 && !fg->tiers.lazy_saturated);
    cr_assert(fg->refault.refs_cap == 3 && fg->refault.workingset_refs == 2 && fg->refault.gens == 0);
    cr_assert(fg->mapped.first_up == 1 && fg->mapped.refs_cap == 3 && fg->mapped.second_refs == 2);
    cr_assert(mg->hit.refs_max == 4 && mg->hit.saturate_marks == 1 && !mg->hit.overflow_up && !mg->hit.defer_gens);
    cr_assert(mg->tiers.base_gain == 2 && mg->tiers.tier_gain == 3 && mg->tiers.sum_below == 0);
    cr_assert(mg->tiers.min_refaults == 64 && mg->tiers.lazy_saturated && mg->tiers.workingset_tier == 3);
    cr_assert(mg->place.warm_refs == 1 && GENLRU_POLICY_MGLRU_OLD.place.warm_refs == 0);
    for (refs = 0; refs <= 15; refs++) {
        unsigned tier = refs < 2 ? 0 : refs == 2 ? 1 : refs <= 4 ? 2 : 3;

        cr_assert(fg->tiers.tier_of_refs[refs] == tier);
    }
}

/* Sets a field of a sound policy to a value; the check must name the field. */
#define WRONG(field, value, word)                                                                       \
    do {                                                                                                \
        struct genlru_policy p = GENLRU_POLICY_MGLRU_FG;                                                \
        struct genlru_config config;                                                                    \
        struct genlru *lru = (struct genlru *)&unit;                                                    \
        const char *wrong;                                                                              \
                                                                                                        \
        p.probation = (struct genlru_probation_rules){10, 90, 2, 1, 2, 1, 0, 0};                        \
        cr_assert_null(genlru_policy_check(&p, 4));                                                     \
        p.field = (value);                                                                              \
        wrong = genlru_policy_check(&p, 4);                                                             \
        cr_assert(wrong &&strstr(wrong, word), #field " = " #value ": %s", wrong ? wrong : "accepted"); \
        config = unit_config(&unit);                                                                    \
        config.policy = &p;                                                                             \
        cr_assert(genlru_create(&config, &lru) == -EINVAL && lru == (struct genlru *)&unit);            \
        cr_assert(unit.bytes == 0);                                                                     \
    } while (0)

Test(policy, each_field_out_of_range)
{
    static struct unit unit;

    WRONG(size, sizeof(struct genlru_policy) - 1, "size");
    WRONG(size, 0, "size");
    WRONG(size, SIZE_MAX, "size");
    WRONG(name, NULL, "name");
    WRONG(hit.refs_max, 0, "refs_max");
    WRONG(hit.refs_max, 16, "refs_max");
    WRONG(hit.overflow_up, 64, "overflow_up");
    WRONG(hit.overflow_refs, 8, "overflow_refs");
    WRONG(hit.defer_gens, 65, "defer_gens");
    WRONG(hit.defer_refs, 0, "defer_refs");
    WRONG(hit.defer_up, 0, "defer_up");
    WRONG(hit.defer_up, 64, "defer_up");
    WRONG(hit.promoted_refs, 8, "promoted_refs");
    WRONG(hit.saturate_marks, 2, "saturate_marks");
    WRONG(hit.freq_max, 16, "freq_max");
    WRONG(mapped.refs_cap, 0, "mapped.refs_cap");
    WRONG(mapped.refs_cap, 8, "mapped.refs_cap");
    WRONG(mapped.promoted_refs, 8, "mapped.promoted_refs");
    WRONG(mapped.second_refs, 0, "mapped.second_refs");
    WRONG(mapped.first_up, 64, "mapped.first_up");
    WRONG(place.cold, 4, "place");
    WRONG(place.warm, -5, "place");
    WRONG(place.fault, 100, "place");
    WRONG(place.fault_workingset, -100, "place");
    WRONG(place.hot, 4, "place");
    WRONG(place.putback, -5, "place");
    WRONG(refault.gens, 65, "refault.gens");
    WRONG(refault.refs_cap, 8, "refault.refs_cap");
    WRONG(tiers.tier_of_refs[15], 4, "tier_of_refs");
    WRONG(tiers.tier_of_refs[3], 0, "tier_of_refs");
    WRONG(tiers.workingset_tier, 4, "workingset_tier");
    WRONG(tiers.base_gain, 0, "base_gain");
    WRONG(tiers.tier_gain, 0, "tier_gain");
    WRONG(tiers.protect_refs, 16, "protect_refs");
    WRONG(probation.percent, 91, "probation.percent");
    WRONG(probation.fill_percent, 101, "probation.fill_percent");
    WRONG(probation.place, 4, "probation.place");
    WRONG(probation.duel, 65, "duel");
    WRONG(probation.duel, 1, "freq_max");
    WRONG(keep.up, 64, "keep.up");
    WRONG(keep.refs, 1, "keep.up");
    WRONG(keep.up_doubling, 2, "up_doubling");
    WRONG(keep.decay, 3, "decay");
    WRONG(place.refault, 4, "place");
    WRONG(learn, 2, "learn");
    WRONG(probation.promoted_refs, 16, "probation.promoted_refs");
    WRONG(mapped.second_marks, 2, "second_marks");
    WRONG(mapped.youngest_counts, 255, "youngest_counts");
    WRONG(place.warm_workingset, 2, "warm_workingset");
    WRONG(refault.keep_workingset, 2, "keep_workingset");
    WRONG(refault.keep_freq, 2, "keep_freq");
    WRONG(tiers.sum_below, 2, "sum_below");
    WRONG(tiers.lazy_saturated, 2, "lazy_saturated");
    WRONG(probation.refault_skips, 2, "refault_skips");
    WRONG(probation.only_prefetched, 2, "only_prefetched");
    WRONG(hit.unused[0], 1, "unused");
    WRONG(hit.unused[6], 1, "unused");
    WRONG(place.unused, 1, "unused");
    WRONG(tiers.unused, 1, "unused");
    cr_assert_not_null(genlru_policy_check(NULL, 4));
}

/* A program built with a newer header: what it leaves at 0 is not missed, what it sets is refused. */
Test(policy, larger_struct)
{
    struct {
        struct genlru_policy policy;
        size_t newer[2];
    } own = {GENLRU_POLICY_MGLRU_FG, {0, 0}};
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru;

    own.policy.size = sizeof(own);
    own.policy.hit.refs_max = 9;
    cr_assert_null(genlru_policy_check(&own.policy, 4));
    config.policy = &own.policy;
    lru = unit_create(&config);
    cr_assert(genlru__policy(lru)->size == sizeof(own.policy) && lru->view.rules.refs_max == 9);
    unit_end(&unit, lru, NULL, 0);
    own.newer[1] = 1;
    cr_assert(strstr(genlru_policy_check(&own.policy, 4), "not known"));
    cr_assert(genlru_create(&config, &lru) == -EINVAL && unit.bytes == 0);
}

/* The edges of the ranges are inside. */
Test(policy, edges_are_sound)
{
    struct genlru_policy p = GENLRU_POLICY_MGLRU_FG;

    p.hit = (struct genlru_hit_rules){15, 63, 15, 64, 255, 63, 15, 1, 15, {0}};
    p.mapped = (struct genlru_mapped_rules){63, 15, 1, 255, 15, 1};
    p.place = (struct genlru_place_rules){3, -4, 0, 0, -1, 3, 0, -4, 3, 0, 65535};
    p.refault.gens = 64;
    p.refault.refs_cap = 15;
    p.probation = (struct genlru_probation_rules){90, 100, 255, -4, 15, 1, 0, 0};
    cr_assert_null(genlru_policy_check(&p, 4));
    p.hit = (struct genlru_hit_rules){1, 0, 0, 0, 0, 0, 0, 0, 0, {0}};
    p.mapped = (struct genlru_mapped_rules){0, 1, 0, 1, 0, 0};
    p.refault.refs_cap = 0;
    p.probation = (struct genlru_probation_rules){0, 255, 0, 100, 0, 0, 0, 0};
    cr_assert_null(genlru_policy_check(&p, 4), "without probation its other fields do not matter");
}
