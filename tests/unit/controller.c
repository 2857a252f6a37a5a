/* SPDX-License-Identifier: MIT */
/*
 * The controller against a second spelling of its formula in 128 bits: random and chosen figures, small and as big as
 * 56 bits, both published pairs of gains, sums of lower tiers and tier 0 alone, and the choice between types.
 */
#include "reclaim/controller.h"

#include "unit.h"

__extension__ typedef unsigned __int128 u128;

/* R_pv < m or R_pv * (T_sp + m) * gain_sp <= (R_sp + 1) * T_pv * gain_pv */
static bool is_fine(struct genlru__rate sp, unsigned gain_sp, struct genlru__rate pv, unsigned gain_pv, unsigned m)
{
    return pv.refaulted < m ||
           (u128)pv.refaulted * ((u128)sp.total + m) * gain_sp <= ((u128)sp.refaulted + 1) * pv.total * gain_pv;
}

/* MGLRU: SP = tier 0, gains 2 and 3; FG: SP = all tiers below, gains 1 and 2. */
static unsigned threshold(const struct genlru__rates *rates, bool is_fg)
{
    unsigned tier, i;

    for (tier = 1; tier <= 3; tier++) {
        struct genlru__rate sp = {0, 0};

        for (i = 0; i < (is_fg ? tier : 1); i++) {
            sp.refaulted += rates->tier[i].refaulted;
            sp.total += rates->tier[i].total;
        }
        if (!is_fine(sp, is_fg ? 1 : 2, rates->tier[tier], is_fg ? 2 : 3, 64))
            return tier - 1;
    }
    return 3;
}

/* A figure of up to `bits` bits, all magnitudes alike. */
static uint64_t figure(uint64_t *random, unsigned bits)
{
    unsigned width = (unsigned)(unit_random(random) % (bits + 1));

    return width ? unit_random(random) >> (64 - width) : 0;
}

static void compare_with_spelling(unsigned bits)
{
    uint64_t random = unit_seed();
    unsigned i, seen[4] = {0}, fine[2] = {0};

    for (i = 0; i < 2000000; i++) {
        struct genlru__rate sp = {figure(&random, bits), figure(&random, bits)};
        struct genlru__rate pv = {figure(&random, bits), figure(&random, bits)};
        unsigned gain_sp = 1 + (unsigned)(unit_random(&random) % 255),
                 gain_pv = 1 + (unsigned)(unit_random(&random) % 255);
        unsigned m = i % 3 ? 64 : (unsigned)(unit_random(&random) % 256);
        bool want = is_fine(sp, gain_sp, pv, gain_pv, m);

        fine[want]++;
        unit_check(genlru__is_fine(sp, gain_sp, pv, gain_pv, m) == want,
                   "sp %llu/%llu x%u pv %llu/%llu x%u m %u: expected %d", (unsigned long long)sp.refaulted,
                   (unsigned long long)sp.total, gain_sp, (unsigned long long)pv.refaulted,
                   (unsigned long long)pv.total, gain_pv, m, want);
    }
    cr_assert(fine[0] > 1000 && fine[1] > 1000);
    for (i = 0; i < 500000; i++) {
        struct genlru__rates rates;
        unsigned tier, want_fg, want_mglru;

        for (tier = 0; tier < 4; tier++) {
            rates.tier[tier].total = figure(&random, bits);
            rates.tier[tier].refaulted =
                rates.tier[tier].total ? figure(&random, bits) % (rates.tier[tier].total + 1) : 0;
        }
        want_fg = threshold(&rates, true);
        want_mglru = threshold(&rates, false);
        seen[want_fg]++;
        unit_check(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU_FG.tiers) == want_fg, "FG: expected %u",
                   want_fg);
        unit_check(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU.tiers) == want_mglru, "MGLRU: expected %u",
                   want_mglru);
    }
    cr_assert(seen[0] && seen[1] && seen[2] && seen[3], "every threshold comes up");
}

Test(controller, small_figures)
{
    compare_with_spelling(12);
}

Test(controller, middle_figures)
{
    compare_with_spelling(27);
}

Test(controller, big_figures)
{
    compare_with_spelling(40);
}

Test(controller, huge_figures)
{
    compare_with_spelling(54);
}

Test(controller, by_hand)
{
    struct genlru__rates none = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}};
    /* tier 1 comes back twice as often as tier 0: 128/1000 against 64/1000. FG's gains 1:2 let it pass exactly up to
     * R * (T0 + 64) <= (R0 + 1) * T * 2 = 130000: 122 * 1064 = 129808 passes, 123 * 1064 does not */
    struct genlru__rates rates = {{{64, 1000}, {122, 1000}, {0, 0}, {0, 0}}};

    cr_assert(genlru__tier_threshold(&none, &GENLRU_POLICY_MGLRU_FG.tiers) == 3, "no history protects nothing");
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU_FG.tiers) == 3);
    rates.tier[1].refaulted = 123;
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU_FG.tiers) == 0);
    /* MGLRU's 2:3: R * 1064 * 2 <= 65 * 1000 * 3 = 195000: 91 passes, 92 does not */
    rates.tier[1].refaulted = 91;
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU.tiers) == 3);
    rates.tier[1].refaulted = 92;
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU.tiers) == 0);
    /* 63 refaults are too few to say anything */
    rates.tier[0] = (struct genlru__rate){0, 1000000};
    rates.tier[1] = (struct genlru__rate){63, 63};
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU_FG.tiers) == 3);
    rates.tier[1] = (struct genlru__rate){64, 64};
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU_FG.tiers) == 0);
    /* tier 3 alone is bad */
    rates = (struct genlru__rates){{{0, 1000}, {0, 1000}, {0, 1000}, {500, 1000}}};
    cr_assert(genlru__tier_threshold(&rates, &GENLRU_POLICY_MGLRU_FG.tiers) == 2);
}

/* R = average + refaulted, T = average + evicted + protected; negative remains of a race count as 0. */
Test(controller, rates_of_history)
{
    struct genlru__hist hist;
    struct genlru__rates rates;
    unsigned tier;

    memset(&hist, 0, sizeof(hist));
    for (tier = 0; tier < 4; tier++) {
        hist.avg_refaulted[tier] = 10 + tier;
        hist.avg_total[tier] = 100 + tier;
        hist.evicted[tier] = 1000 * (tier + 1);
        hist.protected_[tier] = 7;
        hist.refaulted[tier] = 3 * tier;
    }
    hist.refaulted[3] = (uint64_t)-20;
    rates = genlru__rates_of(&hist);
    for (tier = 0; tier < 4; tier++) {
        cr_assert(rates.tier[tier].refaulted == (tier == 3 ? 0 : 10 + 4 * tier));
        cr_assert(rates.tier[tier].total == 100 + tier + 1000 * (tier + 1) + 7);
    }
}

/* The type whose refaults cost less is scanned: rate times weight, all tiers together. */
Test(controller, types)
{
    struct genlru__rates a = {{{50, 1000}, {50, 0}, {0, 0}, {0, 0}}}, b = {{{0, 0}, {0, 1000}, {0, 0}, {200, 0}}};
    struct genlru__rate sum_a = {100, 1000}, sum_b = {200, 1000};
    uint64_t random = unit_seed();
    unsigned i;

    cr_assert(!genlru__prefer_type(&a, 100, &b, 100, 64), "b comes back twice as often: scan a");
    cr_assert(genlru__prefer_type(&b, 100, &a, 100, 64));
    cr_assert(genlru__prefer_type(&a, 200, &b, 90, 64), "unless a's refaults cost more than twice as much");
    for (i = 0; i < 100000; i++) {
        unsigned weight_a = 1 + (unsigned)(unit_random(&random) % 200),
                 weight_b = 1 + (unsigned)(unit_random(&random) % 200);

        unit_check(genlru__prefer_type(&a, weight_a, &b, weight_b, 64) == is_fine(sum_a, weight_b, sum_b, weight_a, 64),
                   "weights %u, %u", weight_a, weight_b);
    }
}
