/* SPDX-License-Identifier: MIT */
/*
 * Carry-over: avg := (avg + current) / 2 for refaulted and for evicted + protected, current := 0, when min_seq moves
 * on.
 */
#include "gens/hist.h"

#include "unit.h"

Test(hist, carry_over)
{
    struct genlru__hist hist;
    uint64_t random = unit_seed(), refaulted[4] = {0}, total[4] = {0};
    unsigned round, tier;

    memset(&hist, 0, sizeof(hist));
    for (round = 0; round < 1000; round++) {
        for (tier = 0; tier < 4; tier++) {
            unsigned bits = (unsigned)(unit_random(&random) % 40);

            hist.refaulted[tier] = unit_random(&random) >> (63 - bits);
            hist.evicted[tier] = unit_random(&random) >> (63 - bits);
            hist.protected_[tier] = unit_random(&random) >> (63 - bits);
            refaulted[tier] = (refaulted[tier] + hist.refaulted[tier]) / 2;
            total[tier] = (total[tier] + hist.evicted[tier] + hist.protected_[tier]) / 2;
        }
        genlru__hist_carry_over(&hist);
        for (tier = 0; tier < 4; tier++) {
            cr_assert(hist.avg_refaulted[tier] == refaulted[tier] && hist.avg_total[tier] == total[tier]);
            cr_assert(!hist.refaulted[tier] && !hist.evicted[tier] && !hist.protected_[tier]);
        }
    }
}

/* A life without refaults forgets: an average of n is gone after log2(n) + 1 generations. */
Test(hist, forgets)
{
    struct genlru__hist hist;
    unsigned i;

    memset(&hist, 0, sizeof(hist));
    hist.avg_refaulted[2] = 1 << 20;
    for (i = 0; i < 21; i++) {
        cr_assert(hist.avg_refaulted[2] > 0);
        genlru__hist_carry_over(&hist);
    }
    cr_assert(hist.avg_refaulted[2] == 0);
}

/* In an lru it happens once for each step of min_seq. */
Test(hist, follows_min_seq)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    unsigned i;

    for (i = 0; i < 5; i++) {
        uint64_t min_seq = unit_stat(lru).min_seq[0];

        lru->hist[0].avg_refaulted[1] = 1024;
        cr_assert(genlru_age(lru, 0) == 0);
        cr_assert(unit_stat(lru).tier[0][1].avg_refaulted == 1024u >> (unit_stat(lru).min_seq[0] - min_seq));
    }
    unit_end(&unit, lru, NULL, 0);
}
