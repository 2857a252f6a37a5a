/* SPDX-License-Identifier: MIT */
/* Creation with chosen counters: what genlru_create does, and tests use to start just below a wrap. */
#ifndef GENLRU_LRU_CREATE_H
#define GENLRU_LRU_CREATE_H

#include "gens/lru.h"

struct genlru__start {
    uint64_t max_seq; /* 0 = nr_gens - 1; else at least that */
    uint64_t eviction_clock;
    uint32_t epoch;
};

int genlru__create_at(const struct genlru_config *config, const struct genlru__start *start, struct genlru **ret_lru);

#endif
