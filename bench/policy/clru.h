/* SPDX-License-Identifier: MIT */
/*
 * clru.h - what only the tests of clru.c need to see
 */
#ifndef GENLRU_BENCH_POLICY_CLRU_H
#define GENLRU_BENCH_POLICY_CLRU_H

#include <stdint.h>

/*
 * How many times longer than the inactive list the active one may be in a cache of this many
 * entries: floor(sqrt(10 * GiB)) with 4 KiB an entry, at least 1. Pure.
 */
uint32_t clru_inactive_ratio(uint64_t entries);

#endif
