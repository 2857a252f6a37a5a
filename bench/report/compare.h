/* SPDX-License-Identifier: MIT */
/*
 * compare.h - policies against LRU and against the optimum, as tables of a page
 *
 *      reduction  1 − misses / misses of LRU       what a policy saves; below 0 it costs
 *      excess     misses / misses of belady − 1    what the best possible would still save of it
 *
 * Over several sizes it is the mean of what the sizes give, each counted the same.
 */
#ifndef GENLRU_BENCH_REPORT_COMPARE_H
#define GENLRU_BENCH_REPORT_COMPARE_H

#include <stdio.h>

#include "report/results.h"

#define COMPARE_ALL UINT32_MAX

/*
 * 1 − misses / those of `base`, for one workload or COMPARE_ALL (the mean of the workloads' means),
 * one size or COMPARE_ALL; NaN where there is nothing to compare.
 */
double compare_reduction(const struct results *r, uint32_t base, uint32_t policy, uint32_t workload, uint32_t size);
/* misses / those of `base` − 1, in the same way. */
double compare_excess(const struct results *r, uint32_t base, uint32_t policy, uint32_t workload, uint32_t size);

/*
 * Policy × workload, best first; policy × size where there is one workload only. A sentence if no
 * row is of lru, or belady.
 */
void compare_write_heat_map(FILE *out, const struct results *r);
void compare_write_distance(FILE *out, const struct results *r);

/* The miss ratios behind the workload's curves. */
void compare_write_rows(FILE *out, const struct results *r, uint32_t workload);

/* Sizes of the workload's rows, ascending by capacity; the caller frees. NULL = no memory. */
uint32_t *compare_sizes(const struct results *r, uint32_t workload, uint32_t *ret_nr);

#endif
