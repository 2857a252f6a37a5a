/* SPDX-License-Identifier: MIT */
/*
 * table_cells.h - the cells of a published table: each policy at each theta, replayed
 */
#ifndef GENLRU_BENCH_SIM_TABLE_CELLS_H
#define GENLRU_BENCH_SIM_TABLE_CELLS_H

#include <stdbool.h>

#include "sim/options.h"
#include "sim/published.h"

struct table_options {
    const struct published_table *table;
    double theta[16];
    size_t nr_thetas;
    struct policy_spec policies[32];
    size_t nr_policies;
    unsigned jobs;
    unsigned scale; /* blocks, cache and reads are divided by it */
    unsigned seed;
    bool help;
};

/* Prints header and rows, several cells at a time. 0, or a negative errno after the reason was printed. */
int table_run(const struct table_options *options);

#endif
