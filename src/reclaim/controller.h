/* SPDX-License-Identifier: MIT */
/*
 * The controller: which tiers to protect and which type to scan, from how often evicted nodes of each came back.
 *
 * It is a proportional controller on refault rates, the P of the PID controller of the kernel's MGLRU, with averages
 * over generations for the I. R = refaulted and T = evicted + protected, each average plus current generation. A
 * class PV (process variable) needs no protection against a class SP (set point) while its refaults are few, or its
 * weighted refault rate does not exceed the set point's:
 *
 *   R_pv < m   or   R_pv * (T_sp + m) * gain_sp <= (R_sp + 1) * T_pv * gain_pv          m = min_refaults
 *
 * Pure functions of a snapshot of the history.
 */
#ifndef GENLRU_RECLAIM_CONTROLLER_H
#define GENLRU_RECLAIM_CONTROLLER_H

#include "gens/lru.h"

struct genlru__rate {
    uint64_t refaulted;
    uint64_t total;
};

struct genlru__rates {
    struct genlru__rate tier[GENLRU_NR_TIERS];
};

/* Averages plus current counts of a type's history. */
struct genlru__rates genlru__rates_of(const struct genlru__hist *hist);

bool genlru__is_fine(struct genlru__rate sp, unsigned gain_sp, struct genlru__rate pv, unsigned gain_pv,
                     unsigned min_refaults);

/* Tiers above the result are protected. */
unsigned genlru__tier_threshold(const struct genlru__rates *rates, const struct genlru_tier_rules *rules);

/*
 * Whether type `pv` is to be scanned rather than `sp`: their refault rates weighted with what a refault of each
 * costs.
 */
bool genlru__prefer_type(const struct genlru__rates *sp, unsigned weight_sp, const struct genlru__rates *pv,
                         unsigned weight_pv, unsigned min_refaults);

#endif
