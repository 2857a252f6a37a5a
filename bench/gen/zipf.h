/* SPDX-License-Identifier: MIT */
/*
 * zipf.h - ranks 0 … n-1 with probability in proportion to (rank + 1)^-theta, exactly
 */
#ifndef GENLRU_BENCH_GEN_ZIPF_H
#define GENLRU_BENCH_GEN_ZIPF_H

#include <stdint.h>

#include "gen/random.h"

struct zipf {
    double n;
    double theta;
    double top; /* the law's integral at both ends, and the rejection's short cut */
    double bottom;
    double shortcut;
};

/* theta ≥ 0, n ≥ 1. O(1). */
void zipf_init(struct zipf *z, double theta, uint64_t n);
uint64_t zipf_next(const struct zipf *z, struct random *random);

#endif
