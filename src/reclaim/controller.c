/* SPDX-License-Identifier: MIT */
/* The controller: see controller.h. */
#include "reclaim/controller.h"

struct genlru__rates genlru__rates_of(const struct genlru__hist *hist)
{
    struct genlru__rates rates;
    unsigned tier;

    for (tier = 0; tier < GENLRU_NR_TIERS; tier++) {
        rates.tier[tier].refaulted =
            genlru_impl_load_relaxed(&hist->avg_refaulted[tier]) + genlru_impl_load_relaxed(&hist->refaulted[tier]);
        rates.tier[tier].total = genlru_impl_load_relaxed(&hist->avg_total[tier]) +
                                 genlru_impl_load_relaxed(&hist->evicted[tier]) +
                                 genlru_impl_load_relaxed(&hist->protected_[tier]);
        if ((int64_t)rates.tier[tier].refaulted < 0) /* a carry-over and an add met */
            rates.tier[tier].refaulted = 0;
    }
    return rates;
}

/* A product of two 64-bit figures. */
struct product {
    uint64_t high;
    uint64_t low;
};

/* By halves: there is no 128-bit type on 32-bit platforms, and they must come to the same victims. */
static struct product multiply(uint64_t a, uint64_t b)
{
    uint64_t a1 = a >> 32, a0 = a & UINT32_MAX, b1 = b >> 32, b0 = b & UINT32_MAX;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t carried = a0 * b1 + (middle & UINT32_MAX);

    return (struct product){a1 * b1 + (middle >> 32) + (carried >> 32), carried << 32 | (a0 * b0 & UINT32_MAX)};
}

bool genlru__is_fine(struct genlru__rate sp, unsigned gain_sp, struct genlru__rate pv, unsigned gain_pv,
                     unsigned min_refaults)
{
    struct product left, right;

    if (pv.refaulted < min_refaults)
        return true;
    /* exact: figures are counts of nodes, far below 2^55, and gains below 2^8 */
    left = multiply(pv.refaulted, (sp.total + min_refaults) * gain_sp);
    right = multiply(sp.refaulted + 1, pv.total * gain_pv);
    return left.high != right.high ? left.high < right.high : left.low <= right.low;
}

static struct genlru__rate sum_of_tiers(const struct genlru__rates *rates, unsigned nr)
{
    struct genlru__rate sum = {0, 0};
    unsigned tier;

    for (tier = 0; tier < nr; tier++) {
        sum.refaulted += rates->tier[tier].refaulted;
        sum.total += rates->tier[tier].total;
    }
    return sum;
}

unsigned genlru__tier_threshold(const struct genlru__rates *rates, const struct genlru_tier_rules *rules)
{
    unsigned tier;

    for (tier = 1; tier < GENLRU_NR_TIERS; tier++) {
        struct genlru__rate sp = sum_of_tiers(rates, rules->sum_below ? tier : 1);

        if (!genlru__is_fine(sp, rules->base_gain, rates->tier[tier], rules->tier_gain, rules->min_refaults))
            break;
    }
    return tier - 1;
}

bool genlru__prefer_type(const struct genlru__rates *sp, unsigned weight_sp, const struct genlru__rates *pv,
                         unsigned weight_pv, unsigned min_refaults)
{
    return genlru__is_fine(sum_of_tiers(sp, GENLRU_NR_TIERS), weight_pv, sum_of_tiers(pv, GENLRU_NR_TIERS), weight_sp,
                           min_refaults);
}
