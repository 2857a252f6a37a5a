/* SPDX-License-Identifier: MIT */
/* cache.h - the groups of benchmarks of whole caches, one after another. 0 or a negative errno. */
#ifndef GENLRU_BENCH_CACHE_CACHE_H
#define GENLRU_BENCH_CACHE_CACHE_H

#include "micro/micro.h"

int cache_benchmarks(const struct micro_options *options);

#endif
