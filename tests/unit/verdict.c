/* SPDX-License-Identifier: MIT */
/*
 * Verdicts, enumerated: words of all ages, flags and refs, each list, each threshold; against the table of verdict.h.
 */
#include "reclaim/verdict.h"

#include "gens/window.h"
#include "unit.h"

static unsigned home(const struct genlru *lru, uint32_t word)
{
    unsigned type = genlru_impl_type(word);

    if (!genlru_impl_gen(word))
        return genlru__list_of_parked(lru, type);
    if (word & GENLRU_PROBATION)
        return genlru__list_of_probation(lru, type);
    return genlru__list_of_seq(lru, type,
                               lru->max_seq - genlru_impl_age(lru->view.window, type, genlru_impl_gen(word)));
}

static enum genlru__verdict judge(const struct genlru *lru, uint32_t word, unsigned list, unsigned threshold,
                                  bool is_desperate)
{
    const struct genlru_policy *p = &lru->policy;
    unsigned refs = genlru_impl_refs(word), tier = p->tiers.tier_of_refs[refs];

    if (home(lru, word) != list)
        return GENLRU__MOVE; /* the word belongs on another list */
    if (word & GENLRU_PINNED)
        return GENLRU__PARK;
    if (is_desperate)
        return GENLRU__ISOLATE;
    if (word & GENLRU_PROBATION)
        return refs >= p->probation.promote_refs ? GENLRU__GRADUATE : GENLRU__ISOLATE;
    if (p->tiers.workingset_tier && (word & GENLRU_WORKINGSET))
        tier = p->tiers.workingset_tier;
    if (word & GENLRU_TIER_CAP)
        return GENLRU__ISOLATE; /* no tier protects it */
    if (tier > threshold)
        return GENLRU__PROTECT;
    if (p->tiers.lazy_saturated && (word & GENLRU_WORKINGSET) && refs == p->hit.refs_max)
        return GENLRU__PROTECT_LAZILY;
    return GENLRU__ISOLATE;
}

static bool is_plain_on(const struct genlru *lru, uint32_t word, unsigned list, unsigned threshold)
{
    struct genlru__plain plain = genlru__plain_of(lru, list, threshold);

    return genlru__is_plain(&plain, word);
}

Test(verdict, enumerated)
{
    unsigned policy;

    for (policy = 0; policy < 3; policy++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_policy p = policy == 0   ? GENLRU_POLICY_MGLRU
                                 : policy == 1 ? GENLRU_POLICY_MGLRU_FG
                                               : GENLRU_POLICY_DEFAULT;
        unsigned flags, refs, age, type, list, threshold, seen[8] = {0};
        unsigned nr_plain = 0, nr_unplain = 0;
        bool is_plain;
        struct genlru *lru;

        p.probation = (struct genlru_probation_rules){10, 50, 3, 1, 2, 1};
        config.policy = &p;
        config.nr_types = 2;
        lru = unit_create(&config);
        for (age = 0; age < 6; age++) /* the last two lag */
            for (flags = 0; flags < 512; flags++)
                for (refs = 0; refs <= p.hit.refs_max; refs++)
                    for (type = 0; type < 2; type++) {
                        uint32_t word = genlru_impl_gen_of_age(lru->view.window, age) | refs << GENLRU_REFS_SHIFT |
                                        type << GENLRU_TYPE_SHIFT | (uint32_t)flags << GENLRU_FLAGS_SHIFT;

                        if (word & (GENLRU_ISOLATED | GENLRU_DEAD))
                            continue;
                        for (list = type * lru->lists_per_type; list < (type + 1) * lru->lists_per_type; list++)
                            for (threshold = 0; threshold < 8; threshold++) {
                                enum genlru__verdict got =
                                                         genlru__verdict(lru, word, list, threshold / 2, threshold % 2),
                                                     want = judge(lru, word, list, threshold / 2, threshold % 2);

                                if (list == home(lru, word) && age < 3 && !(word & GENLRU_PROBATION))
                                    continue; /* only the oldest generation is scanned */
                                unit_check(got == want, "%08x on list %u, threshold %u: %d, expected %d",
                                           (unsigned)word, list, threshold / 2, (int)got, (int)want);
                                seen[want]++;
                                is_plain = is_plain_on(lru, word, list, threshold / 2);
                                unit_check(!is_plain || want == GENLRU__ISOLATE, "%08x on list %u, threshold %u: plain",
                                           (unsigned)word, list, threshold / 2);
                                nr_plain += is_plain;
                                nr_unplain += !is_plain && want == GENLRU__ISOLATE;
                            }
                    }
        cr_assert(seen[GENLRU__MOVE] && seen[GENLRU__PARK] && seen[GENLRU__PROTECT] && seen[GENLRU__GRADUATE] &&
                  seen[GENLRU__ISOLATE] && (policy || seen[GENLRU__PROTECT_LAZILY]));
        /* the fast way is worth it: it knows all victims but those of desperate calls and of rare flags */
        cr_assert(nr_plain && nr_unplain);
        for (list = 0; list < 2; list++) /* a parked word's home is the parked list of its type */
            cr_assert(genlru__home_of(lru, GENLRU_PINNED | list << GENLRU_TYPE_SHIFT) ==
                      genlru__list_of_parked(lru, list));
        unit_end(&unit, lru, NULL, 0);
    }
}

/* What nearly every victim of the default policy looks like is plain, or the fast way would be none. */
Test(verdict, common_victims_are_plain)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru;
    uint32_t word;
    unsigned list;

    config.policy = &GENLRU_POLICY_DEFAULT;
    lru = unit_create(&config);
    word = genlru_impl_gen_of_age(lru->view.window, genlru__width(lru, 0) - 1);
    list = genlru__list_of_seq(lru, 0, lru->min_seq[0]);
    cr_assert(is_plain_on(lru, genlru_impl_with_refs(word, 0), list, 0));
    cr_assert(is_plain_on(lru, genlru_impl_with_refs(word, 1) | 3u << GENLRU_OWNER_SHIFT, list, 0));
    cr_assert(is_plain_on(lru, genlru_impl_with_refs(word, 1) | GENLRU_PREFETCHED, list, 0));
    cr_assert(!is_plain_on(lru, word | GENLRU_PINNED, list, 3));
    cr_assert(!is_plain_on(lru, word + 1, list, 3), "a younger word");
    unit_end(&unit, lru, NULL, 0);
}
