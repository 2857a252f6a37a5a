/* SPDX-License-Identifier: MIT */
/*
 * Verdicts, enumerated: words of all ages, flags and refs, each list, each threshold; against the table of verdict.h.
 */
#include "reclaim/plain.h"

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

/* Halved for each epoch that it is behind; the window's is 0. */
static unsigned freq_of(const struct genlru *lru, uint32_t word)
{
    unsigned behind = (0u - (word >> 15)) & 7u;

    (void)lru;
    return behind > 4 ? 0 : (word >> 11 & 15u) >> behind;
}

static enum genlru__verdict judge(const struct genlru *lru, uint32_t word, unsigned list, unsigned threshold,
                                  bool is_desperate, unsigned contender)
{
    const struct genlru_policy *p = genlru__policy(lru);
    unsigned refs = genlru_impl_refs(word), tier = p->tiers.tier_of_refs[refs];

    if (home(lru, word) != list)
        return GENLRU__MOVE; /* the word belongs on another list */
    if (word & GENLRU_PINNED)
        return GENLRU__PARK;
    if (is_desperate)
        return GENLRU__ISOLATE;
    if (word & GENLRU_PROBATION)
        return p->probation.duel ? freq_of(lru, word) >= p->probation.promote_refs ? GENLRU__CONTEND : GENLRU__ISOLATE
               : refs >= p->probation.promote_refs ? GENLRU__GRADUATE
                                                   : GENLRU__ISOLATE;
    if (p->tiers.workingset_tier && (word & GENLRU_WORKINGSET))
        tier = p->tiers.workingset_tier;
    if (tier > threshold && !(word & GENLRU_TIER_CAP)) /* capped: no tier protects it */
        return GENLRU__PROTECT;
    if (p->tiers.lazy_saturated && (word & GENLRU_WORKINGSET) && refs == p->hit.refs_max && !(word & GENLRU_TIER_CAP))
        return GENLRU__PROTECT_LAZILY;
    if (contender) /* frequency alone decides a duel */
        return freq_of(lru, word) >= contender ? GENLRU__KEEP : GENLRU__ISOLATE;
    return p->keep.refs && refs >= p->keep.refs && !(word & GENLRU_TIER_CAP) ? GENLRU__KEEP : GENLRU__ISOLATE;
}

/* What the short way says of a word, as if a scan met it on this list. */
static enum genlru__verdict plain_on(const struct genlru *lru, uint32_t word, const struct genlru__judge *how,
                                     struct genlru__plain *ret_plain)
{
    if (how->contender) {
        genlru__plain_opponents_of(ret_plain, lru, how->list, how);
        ret_plain->enough = how->contender;
    } else {
        genlru__plain_of(ret_plain, lru, how->list, how);
    }
    return genlru__plain_verdict(ret_plain, word);
}

static bool is_plain_victim(const struct genlru *lru, uint32_t word, unsigned list, unsigned threshold)
{
    const struct genlru__judge how = {list, threshold, 0, GENLRU__DUEL_OPEN, false};
    struct genlru__plain plain;

    return plain_on(lru, word, &how, &plain) == GENLRU__ISOLATE;
}

static bool is_oldest(const struct genlru *lru, unsigned list)
{
    unsigned type = list / lru->lists_per_type;

    return list == genlru__list_of_seq(lru, type, lru->min_seq[type]);
}

/* The short way and the long one say the same, of the word's fate and of the word after it. */
static void check_plain(const struct genlru *lru, uint32_t word, const struct genlru__judge *how,
                        enum genlru__verdict want, unsigned *count)
{
    struct genlru__context context = genlru__context(lru);
    struct genlru__plain plain;
    enum genlru__verdict got = plain_on(lru, word, how, &plain);
    unsigned class;
    uint32_t kept;

    count[got]++;
    if (got == GENLRU__MOVE) { /* not plain, or promoted */
        unsigned age;

        if (genlru__plain_is_younger(&plain, word, &age)) {
            cr_assert(want == GENLRU__MOVE && genlru__home_of(lru, word) != how->list);
            cr_assert_eq(genlru__home_of(lru, word),
                         genlru__list_of_seq(lru, genlru_impl_type(word), lru->max_seq - age));
            cr_assert(genlru__word_settle(word, &context, &kept) == 0 && kept == word, "it does not lag");
            count[GENLRU__PROTECT]++; /* no plain verdict else */
        }
        return;
    }
    unit_check(got == want, "%08x on list %u, threshold %u, contender %u: plainly %d, expected %d", (unsigned)word,
               how->list, how->threshold, how->contender, (int)got, (int)want);
    if (got != GENLRU__KEEP)
        return;
    cr_assert_eq(genlru__word_keep(word, &context, &kept), 0);
    unit_check(genlru__plain_keep(&plain, word, &class) == kept, "%08x is kept as another word", (unsigned)word);
    cr_assert_eq(plain.gen[class] >> GENLRU_GEN_SHIFT, genlru_impl_gen(kept));
    cr_assert_eq(plain.list[class], genlru__home_of(lru, kept));
}

Test(verdict, enumerated)
{
    unsigned policy;

    for (policy = 0; policy < 3 + 8; policy++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_policy p = policy == 0   ? GENLRU_POLICY_MGLRU
                                 : policy == 1 ? GENLRU_POLICY_MGLRU_FG
                                 : policy == 2 ? GENLRU_POLICY_DEFAULT
                                               : *genlru_policy_rule(policy - 3);
        unsigned flags, refs, age, type, list, threshold, seen[GENLRU__ISOLATE + 1] = {0}, turn = 0;
        unsigned plain[GENLRU__ISOLATE + 1] = {0};
        struct genlru *lru;

        if (!p.probation.percent)
            p.probation = (struct genlru_probation_rules){10, 50, 3, 1, 2, 1, 0, 0};
        config.policy = &p;
        config.nr_types = 2;
        lru = unit_create(&config);
        for (age = 0; age < 6; age++) /* the last two lag */
            for (flags = 0; flags < 512; flags++)
                for (refs = 0; refs <= p.hit.refs_max; refs++)
                    for (type = 0; type < 2; type++) {
                        uint32_t word = genlru_impl_gen_of_age(lru->view.window, age) | refs << GENLRU_REFS_SHIFT |
                                        type << GENLRU_TYPE_SHIFT | (uint32_t)flags << GENLRU_FLAGS_SHIFT |
                                        (turn++ * 5 & 0x7f) << GENLRU_FREQ_SHIFT; /* freq and epoch */

                        if (word & (GENLRU_ISOLATED | GENLRU_DEAD))
                            continue;
                        if ((word & GENLRU_PROBATION) && age != 2) /* as add makes it, nearly always */
                            word = genlru__word_on_probation(word);
                        for (list = type * lru->lists_per_type; list < (type + 1) * lru->lists_per_type; list++)
                            for (threshold = 0; threshold < 12; threshold++) {
                                struct genlru__judge how = {list, threshold / 3, 0, GENLRU__DUEL_OPEN, false};

                                enum genlru__verdict got, want;

                                how.is_desperate = threshold % 3 == 1;
                                how.contender = threshold % 3 == 2 ? 1 + turn % 15 : 0;
                                got = genlru__verdict(lru, word, &how);
                                want = judge(lru, word, list, threshold / 3, how.is_desperate, how.contender);

                                if (list == home(lru, word) && age < 3 && !(word & GENLRU_PROBATION))
                                    continue; /* only the oldest generation is scanned */
                                unit_check(got == want, "%08x on list %u, threshold %u: %d, expected %d",
                                           (unsigned)word, list, threshold / 3, (int)got, (int)want);
                                seen[want]++;
                                if (!how.contender || is_oldest(lru, list)) /* duels are with the oldest */
                                    check_plain(lru, word, &how, want, plain);
                            }
                    }
        cr_assert(seen[GENLRU__MOVE] && seen[GENLRU__PARK] && (policy > 2 || seen[GENLRU__PROTECT]) &&
                  seen[GENLRU__ISOLATE] && (policy || seen[GENLRU__PROTECT_LAZILY]) &&
                  (policy < 3 || seen[GENLRU__KEEP]) && seen[p.probation.duel ? GENLRU__CONTEND : GENLRU__PARK]);
        /* the short way is worth it, and there is need of the other one */
        cr_assert(plain[GENLRU__ISOLATE] && plain[GENLRU__MOVE] && plain[GENLRU__PROTECT] &&
                  (policy < 3 || plain[GENLRU__KEEP]) && (!p.probation.duel || plain[GENLRU__CONTEND]));
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
    cr_assert(is_plain_victim(lru, genlru_impl_with_refs(word, 0), list, 0));
    cr_assert(is_plain_victim(lru, genlru_impl_with_refs(word, 1) | 3u << GENLRU_OWNER_SHIFT, list, 0));
    cr_assert(is_plain_victim(lru, genlru_impl_with_refs(word, 1) | GENLRU_PREFETCHED, list, 0));
    cr_assert(!is_plain_victim(lru, word | GENLRU_PINNED, list, 3));
    cr_assert(!is_plain_victim(lru, word + 1, list, 3), "a younger word");
    unit_end(&unit, lru, NULL, 0);
}
