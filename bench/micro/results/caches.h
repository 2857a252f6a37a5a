/* SPDX-License-Identifier: MIT */
/* caches.h - the cache_ benchmarks as README's table: a row an operation, a column a cache */
#ifndef GENLRU_BENCH_MICRO_RESULTS_CACHES_H
#define GENLRU_BENCH_MICRO_RESULTS_CACHES_H

#include <stdio.h>

#include "micro/results/runs.h"

/* Medians, as the summary's; "-" is what was not measured. Rows of which genlru was not measured are left out. */
void caches_print(FILE *out, const struct runs *runs);

#endif
