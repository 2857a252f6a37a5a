/* SPDX-License-Identifier: MIT */
/* The presets, and the check of custom policies: see genlru/policy.h. */
#include "genlru/policy.h"

#include <string.h>

#include "base/sized.h"

/*
 * MGLRU before frequency guided promotion. refs count to 4, the next access marks the working set, and nothing
 * moves on a hit by read(); protection by tier happens at the scan. The two presets differ in where a once-read
 * node enters.
 */
#define MGLRU_RULES                                                                                    \
    .hit = {.refs_max = 4, .saturate_marks = 1},                                                       \
    .mapped = {.first_up = 0, .refs_cap = 1, .second_marks = 1, .second_refs = 2, .promoted_refs = 0}, \
    .refault = {.refs_cap = 0, .keep_workingset = 1},                                                  \
    .tiers = {.tier_of_refs = {0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},                        \
              .workingset_tier = 3,                                                                    \
              .base_gain = 2,                                                                          \
              .tier_gain = 3,                                                                          \
              .sum_below = 0,                                                                          \
              .min_refaults = 64,                                                                      \
              .protect_refs = 0,                                                                       \
              .lazy_saturated = 1}

const struct genlru_policy GENLRU_POLICY_MGLRU = {
    .size = sizeof(struct genlru_policy),
    .name = "mglru",
    MGLRU_RULES,
    .place = {.cold = 0,
              .warm = 1,
              .warm_refs = 1,
              .warm_workingset = 1,
              .fault = 1,
              .fault_workingset = -1,
              .hot = -2,
              .putback = -2},
};

const struct genlru_policy GENLRU_POLICY_MGLRU_OLD = {
    .size = sizeof(struct genlru_policy),
    .name = "mglru-old",
    MGLRU_RULES,
    .place = {.cold = 0,
              .warm = 1,
              .warm_refs = 0,
              .warm_workingset = 1,
              .fault = 0,
              .fault_workingset = -1,
              .hot = -2,
              .putback = -2},
};

/*
 * Frequency guided promotion: refs count to 7; an access beyond that raises the generation by one and leaves 3; from
 * the oldest two generations the second access already does (at most 3 refs are kept). A refault starts with
 * what its shadow counted, at most 3.
 */
#define FG_MAPPED                                                                                \
    {                                                                                            \
        .first_up = 1, .refs_cap = 3, .second_refs = 2, .promoted_refs = 3, .youngest_counts = 1 \
    }
#define FG_PLACE                                                                                                    \
    {                                                                                                               \
        .cold = 0, .warm = 1, .warm_refs = 2, .warm_workingset = 0, .fault = -2, .fault_workingset = -1, .hot = -2, \
        .putback = -2                                                                                               \
    }
#define FG_RULES .mapped = FG_MAPPED, .place = FG_PLACE, .refault = {.refs_cap = 3, .workingset_refs = 2}
#define FG_TIERS(nr)                                                                                      \
    {                                                                                                     \
        .tier_of_refs = {0, 0, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, .base_gain = 1, .tier_gain = 2, \
        .sum_below = 1, .min_refaults = (nr), .protect_refs = 2                                           \
    }

const struct genlru_policy GENLRU_POLICY_MGLRU_FG = {
    .size = sizeof(struct genlru_policy),
    .name = "mglru-fg",
    .hit = {.refs_max = 7,
            .overflow_up = 1,
            .overflow_refs = 3,
            .defer_gens = 2,
            .defer_refs = 2,
            .defer_up = 1,
            .promoted_refs = 3},
    FG_RULES,
    .tiers = FG_TIERS(64),
};

/*
 * FG tuned: FG with five constants chosen by experiment on the open traces (docs/policy.md).
 *   - A new generation each time a quarter of the capacity was evicted. Hits by read() alone hardly ever age a
 *     window, and what was hot once then stays; this is the change that matters most.
 *   - Any generation but the youngest defers, at the third use, with 4 refs kept.
 *   - 16 refaults are enough to protect a tier, so that small caches are not without the controller.
 */
#define TUNED_HIT                                                                                             \
    {                                                                                                         \
        .refs_max = 7, .overflow_up = 1, .overflow_refs = 3, .defer_gens = 3, .defer_refs = 3, .defer_up = 1, \
        .promoted_refs = 4                                                                                    \
    }

const struct genlru_policy GENLRU_POLICY_TUNED_FG = {
    .size = sizeof(struct genlru_policy),
    .name = "tuned-fg",
    .hit = TUNED_HIT,
    FG_RULES,
    .tiers = FG_TIERS(16),
    .age_percent = 25,
};

/*
 * genlru's own: learns which of the rules in learn/rules.c suits the load. Where it cannot (no capacity, no hash_of) it is FG
 * tuned, with shadows that also count within half the capacity (docs/policy.md).
 */
const struct genlru_policy GENLRU_POLICY_DEFAULT = {
    .size = sizeof(struct genlru_policy),
    .name = "genlru",
    .hit = TUNED_HIT,
    .mapped = FG_MAPPED,
    .place = FG_PLACE,
    .refault = {.refs_cap = 3, .workingset_refs = 2, .distance_percent = 50},
    .tiers = FG_TIERS(16),
    .age_percent = 25,
    .learn = 1,
};

static int is_place(int place, unsigned nr_gens)
{
    return place >= -(int)nr_gens && place < (int)nr_gens;
}

static const char *check_hit(const struct genlru_hit_rules *hit)
{
    if (hit->refs_max < 1 || hit->refs_max > GENLRU_MAX_REFS)
        return "hit.refs_max is not 1..15";
    if (hit->overflow_up >= GENLRU_MAX_GENS || hit->defer_up >= GENLRU_MAX_GENS)
        return "hit.overflow_up or hit.defer_up is not below 64";
    if (hit->overflow_refs > hit->refs_max || hit->promoted_refs > hit->refs_max)
        return "hit.overflow_refs or hit.promoted_refs is above hit.refs_max";
    if (hit->defer_gens && (!hit->defer_up || !hit->defer_refs))
        return "hit.defer_gens without hit.defer_up or hit.defer_refs";
    if (hit->defer_gens > GENLRU_MAX_GENS)
        return "hit.defer_gens is above 64";
    if (hit->saturate_marks > 1)
        return "hit.saturate_marks is not 0 or 1";
    if (hit->freq_max > (1u << GENLRU_FREQ_BITS) - 1)
        return "hit.freq_max is above 15";
    return NULL;
}

static const char *check_mapped(const struct genlru_mapped_rules *mapped, const struct genlru_hit_rules *hit)
{
    if (mapped->refs_cap < 1 || mapped->refs_cap > hit->refs_max)
        return "mapped.refs_cap is not 1..hit.refs_max";
    if (mapped->promoted_refs > hit->refs_max)
        return "mapped.promoted_refs is above hit.refs_max";
    if (mapped->second_refs < 1)
        return "mapped.second_refs is 0";
    if (mapped->first_up >= GENLRU_MAX_GENS)
        return "mapped.first_up is not below 64";
    return NULL;
}

static const char *check_place(const struct genlru_place_rules *place, unsigned nr_gens)
{
    if (!is_place(place->cold, nr_gens) || !is_place(place->warm, nr_gens) || !is_place(place->hot, nr_gens) ||
        !is_place(place->fault, nr_gens) || !is_place(place->fault_workingset, nr_gens) ||
        !is_place(place->putback, nr_gens) || !is_place(place->refault, nr_gens))
        return "a place lies outside of the window of nr_gens generations";
    return NULL;
}

static const char *check_tiers(const struct genlru_tier_rules *tiers)
{
    unsigned i;

    for (i = 0; i <= GENLRU_MAX_REFS; i++) {
        if (tiers->tier_of_refs[i] >= GENLRU_NR_TIERS)
            return "tiers.tier_of_refs names a tier that is not 0..3";
        if (i && tiers->tier_of_refs[i] < tiers->tier_of_refs[i - 1])
            return "tiers.tier_of_refs falls";
    }
    if (tiers->workingset_tier >= GENLRU_NR_TIERS)
        return "tiers.workingset_tier is not 0..3";
    if (!tiers->base_gain || !tiers->tier_gain)
        return "tiers.base_gain or tiers.tier_gain is 0";
    if (tiers->protect_refs > GENLRU_MAX_REFS)
        return "tiers.protect_refs is above 15";
    return NULL;
}

static const char *check_probation(const struct genlru_probation_rules *probation, const struct genlru_hit_rules *hit,
                                   unsigned nr_gens)
{
    if (probation->percent > 90)
        return "probation.percent is above 90";
    if (probation->percent && probation->fill_percent > 100)
        return "probation.fill_percent is above 100";
    if (probation->percent && !is_place(probation->place, nr_gens))
        return "probation.place lies outside of the window of nr_gens generations";
    if (probation->promoted_refs > GENLRU_MAX_REFS)
        return "probation.promoted_refs is above 15";
    if (probation->duel > 64)
        return "probation.duel is above 64";
    if (probation->duel && (!probation->percent || !probation->promote_refs || !hit->freq_max))
        return "probation.duel without probation.percent, probation.promote_refs or hit.freq_max";
    return NULL;
}

static const char *check_keep(const struct genlru_keep_rules *keep)
{
    if (keep->up >= GENLRU_MAX_GENS)
        return "keep.up is not below 64";
    if (keep->refs && !keep->up)
        return "keep.refs without keep.up";
    if (keep->up_doubling > 1)
        return "keep.up_doubling is not 0 or 1";
    if (keep->decay > GENLRU_DECAY_ONE)
        return "keep.decay is no decay";
    return NULL;
}

/* What is 0 or 1 may come to mean more; what is unused may come to mean something. */
static const char *check_reserved(const struct genlru_policy *policy)
{
    static const uint8_t zeros[sizeof(policy->hit.unused)];

    if (memcmp(policy->hit.unused, zeros, sizeof(zeros)) != 0 || policy->place.unused || policy->tiers.unused ||
        policy->unused[0] || policy->unused[1])
        return "an unused field is not 0";
    if (policy->mapped.second_marks > 1 || policy->mapped.youngest_counts > 1)
        return "mapped.second_marks or mapped.youngest_counts is not 0 or 1";
    if (policy->place.warm_workingset > 1)
        return "place.warm_workingset is not 0 or 1";
    if (policy->refault.keep_workingset > 1 || policy->refault.keep_freq > 1 || policy->refault.distance_only > 1)
        return "refault.keep_workingset, refault.keep_freq or refault.distance_only is not 0 or 1";
    if (policy->tiers.sum_below > 1 || policy->tiers.lazy_saturated > 1)
        return "tiers.sum_below or tiers.lazy_saturated is not 0 or 1";
    if (policy->probation.percent && policy->probation.refault_skips > 1)
        return "probation.refault_skips is not 0 or 1";
    if (policy->probation.only_prefetched > 1)
        return "probation.only_prefetched is not 0 or 1";
    return NULL;
}

const char *genlru_policy_check(const struct genlru_policy *given, unsigned nr_gens)
{
    struct genlru_policy copy, *policy = &copy;
    const char *wrong;

    if (!given)
        return "there is no policy";
    if (genlru__sized_in(policy, sizeof(*policy), given, sizeof(*policy)) != 0)
        return "size is that of no struct genlru_policy known, or a field that is not known is not 0";
    if (!policy->name)
        return "name is NULL";
    if (nr_gens < GENLRU_MIN_GENS || nr_gens > GENLRU_MAX_GENS)
        return "nr_gens is not 3..64";
    wrong = check_hit(&policy->hit);
    if (!wrong)
        wrong = check_mapped(&policy->mapped, &policy->hit);
    if (!wrong)
        wrong = check_place(&policy->place, nr_gens);
    if (!wrong && policy->refault.gens > GENLRU_MAX_GENS)
        wrong = "refault.gens is above 64";
    if (!wrong && policy->refault.refs_cap > policy->hit.refs_max)
        wrong = "refault.refs_cap is above hit.refs_max";
    if (!wrong)
        wrong = check_tiers(&policy->tiers);
    if (!wrong)
        wrong = check_probation(&policy->probation, &policy->hit, nr_gens);
    if (!wrong)
        wrong = check_keep(&policy->keep);
    if (!wrong && policy->learn > 1)
        wrong = "learn is not 0 or 1";
    return wrong ? wrong : check_reserved(policy);
}
