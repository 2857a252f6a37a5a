/* SPDX-License-Identifier: MIT */
/* History of a type's tiers: counted during a generation, averaged when min_seq moves on. */
#ifndef GENLRU_GENS_HIST_H
#define GENLRU_GENS_HIST_H

#include "gens/lru.h"

/* avg := (avg + current) / 2, current := 0: time is counted in generations. Under the lru's lock. */
void genlru__hist_carry_over(struct genlru__hist *hist);

#endif
