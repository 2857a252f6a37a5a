/* SPDX-License-Identifier: MIT */
/*
 * plot.h - an operation of genlru-bench as one inline SVG
 *
 *      dots, a line a size, variant and number of threads          curves over the size (growth)
 *        1M one, 1 thread   ○ load  ● genlru        ○ lru            ns│        ╱ genlru
 *        1M zipf, 1 thread      ○ load   ● genlru      ○ lru           │  ____╱── load
 *                          └┬────┬────┬ ns, logarithmic                └┬────┬ objects, logarithmic
 */
#ifndef GENLRU_BENCH_MICRO_RESULTS_PLOT_H
#define GENLRU_BENCH_MICRO_RESULTS_PLOT_H

#include <stdio.h>

#include "micro/results/runs.h"

/* Times of one thread, medians. An operation that nobody measured gives nothing. */
void plot_dots(FILE *out, const struct runs *runs, const char *operation);
void plot_curves(FILE *out, const struct runs *runs, const char *operation);

#endif
