/* SPDX-License-Identifier: MIT */
/* The presets' constants as rows of the table in docs/design.md; check_docs looks for each row there. */
#include <genlru/policy.h>

#include <stdio.h>

static const struct genlru_policy *const presets[] = {
    &GENLRU_POLICY_MGLRU_OLD, &GENLRU_POLICY_MGLRU,   &GENLRU_POLICY_MGLRU_FG,
    &GENLRU_POLICY_TUNED_FG,  &GENLRU_POLICY_DEFAULT,
};

enum { NR_PRESETS = sizeof(presets) / sizeof(presets[0]) };

#define ROW(field)                                   \
    do {                                             \
        printf("| `%s` |", #field);                  \
        for (unsigned i = 0; i < NR_PRESETS; i++)    \
            printf(" %d |", (int)presets[i]->field); \
        printf("\n");                                \
    } while (0)

/* The refs at which each tier begins. */
static void tiers_row(void)
{
    printf("| `tiers.tier_of_refs` |");
    for (unsigned i = 0; i < NR_PRESETS; i++) {
        unsigned tier = 0;

        for (unsigned refs = 0; refs <= GENLRU_MAX_REFS; refs++)
            for (; tier < presets[i]->tiers.tier_of_refs[refs]; tier++)
                printf("%s%u", tier ? ", " : " ", refs);
        printf(" |");
    }
    printf("\n");
}

int main(void)
{
    ROW(hit.refs_max);
    ROW(hit.overflow_up);
    ROW(hit.overflow_refs);
    ROW(hit.defer_gens);
    ROW(hit.defer_refs);
    ROW(hit.defer_up);
    ROW(hit.promoted_refs);
    ROW(hit.saturate_marks);
    ROW(hit.freq_max);
    ROW(mapped.first_up);
    ROW(mapped.refs_cap);
    ROW(mapped.second_marks);
    ROW(mapped.second_refs);
    ROW(mapped.promoted_refs);
    ROW(mapped.youngest_counts);
    ROW(place.cold);
    ROW(place.warm);
    ROW(place.warm_refs);
    ROW(place.warm_workingset);
    ROW(place.fault);
    ROW(place.fault_workingset);
    ROW(place.hot);
    ROW(place.putback);
    ROW(place.refault);
    ROW(place.refault_percent);
    ROW(refault.gens);
    ROW(refault.refs_cap);
    ROW(refault.keep_workingset);
    ROW(refault.workingset_refs);
    ROW(refault.distance_percent);
    ROW(refault.keep_freq);
    ROW(refault.distance_only);
    tiers_row();
    ROW(tiers.workingset_tier);
    ROW(tiers.base_gain);
    ROW(tiers.tier_gain);
    ROW(tiers.sum_below);
    ROW(tiers.min_refaults);
    ROW(tiers.protect_refs);
    ROW(tiers.lazy_saturated);
    ROW(probation.percent);
    ROW(probation.fill_percent);
    ROW(probation.promote_refs);
    ROW(probation.place);
    ROW(probation.promoted_refs);
    ROW(probation.refault_skips);
    ROW(probation.duel);
    ROW(keep.refs);
    ROW(keep.up);
    ROW(keep.up_doubling);
    ROW(keep.decay);
    ROW(age_percent);
    ROW(epoch_percent);
    ROW(full_window);
    ROW(learn);
    return 0;
}
