/* SPDX-License-Identifier: MIT */
/* The controller: see controller.h. */
#include "reclaim/controller.h"

struct genlru__rates genlru__rates_of(const struct genlru__hist *hist)
{
    struct genlru__rates rates;
    unsigned tier;

    for (tier = 0; tier < GENLRU_NR_TIERS; tier++) {
        rates.tier[tier].refaulted = genlru_impl_load_relaxed(&hist->avg_refaulted[tier]) +
                                     genlru_impl_load_relaxed(&hist->refaulted[tier]);
        rates.tier[tier].total = genlru_impl_load_relaxed(&hist->avg_total[tier]) +
                                 genlru_impl_load_relaxed(&hist->evicted[tier]) +
                                 genlru_impl_load_relaxed(&hist->protected_[tier]);
        if ((int64_t)rates.tier[tier].refaulted < 0) /* a carry-over and an add met */
            rates.tier[tier].refaulted = 0;
    }
    return rates;
}

bool genlru__is_fine(struct genlru__rate sp, unsigned gain_sp, struct genlru__rate pv, unsigned gain_pv,
                     unsigned min_refaults)
{
    /* 2^27 * 2^27 * 2^8 stays below 2^63: halve all four alike until they fit */
    const uint64_t limit = UINT64_C(1) << 27;

    if (pv.refaulted < min_refaults)
        return true;
    sp.total += min_refaults;
    sp.refaulted += 1;
    while (sp.refaulted > limit || sp.total > limit || pv.refaulted > limit || pv.total > limit) {
        sp.refaulted >>= 1;
        sp.total >>= 1;
        pv.refaulted >>= 1;
        pv.total >>= 1;
    }
    return pv.refaulted * sp.total * gain_sp <= sp.refaulted * pv.total * gain_pv;
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
