/* SPDX-License-Identifier: MIT */
/* History of tiers: see hist.h. */
#include "gens/hist.h"

void genlru__hist_carry_over(struct genlru__hist *hist)
{
    unsigned tier;

    for (tier = 0; tier < GENLRU_NR_TIERS; tier++) {
        uint64_t refaulted = genlru_impl_load_relaxed(&hist->refaulted[tier]);

        /* subtract what was read: adds may count on meanwhile */
        genlru_impl_fetch_add_relaxed(&hist->refaulted[tier], -refaulted);
        genlru_impl_store_relaxed(&hist->avg_refaulted[tier], (hist->avg_refaulted[tier] + refaulted) / 2);
        genlru_impl_store_relaxed(&hist->avg_total[tier],
                                  (hist->avg_total[tier] + hist->evicted[tier] + hist->protected_[tier]) / 2);
        genlru_impl_store_relaxed(&hist->evicted[tier], 0);
        genlru_impl_store_relaxed(&hist->protected_[tier], 0);
    }
}
