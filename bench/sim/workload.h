/* SPDX-License-Identifier: MIT */
/*
 * workload.h - all traces of a command line, loaded before anything is printed
 *
 * Loading them up front costs the memory of all (4 bytes a request), and buys that a mistake in the
 * last one is told in the first seconds, with no row printed.
 */
#ifndef GENLRU_BENCH_SIM_WORKLOAD_H
#define GENLRU_BENCH_SIM_WORKLOAD_H

#include "sim/options.h"
#include "sim/progress.h"
#include "trace/trace.h"

struct workloads {
    struct trace **traces;
    size_t nr;
};

/* One of them. 0, or a negative errno with *error set and *ret untouched. */
int workload_load(const struct sim_source *source, const struct trace_options *options, struct progress *progress,
                  struct trace **ret, struct trace_error *error);

/* 0, or a negative errno after the reason was printed to stderr; nothing is kept then. */
int workloads_load(const struct sim_options *options, struct progress *progress, struct workloads *ret);
void workloads_destroy(struct workloads *w);

#endif
