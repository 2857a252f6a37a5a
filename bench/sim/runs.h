/* SPDX-License-Identifier: MIT */
/*
 * runs.h - every trace × size × policy, one TSV row each, in this order; several at a time on the
 * cores there are
 *
 * Each run starts with an empty cache, so the first request of each distinct key must miss:
 * first_touch. What a policy can do something about is the rest: refaults = misses − first_touch.
 *
 * With samples, a miniature of each trace is replayed instead (sample.h), and the rows are
 * estimates for the whole: first_touch is known exactly, refaults are those of the miniature divided
 * by its rate.
 */
#ifndef GENLRU_BENCH_SIM_RUNS_H
#define GENLRU_BENCH_SIM_RUNS_H

#include "sim/sample.h"
#include "sim/workload.h"

/* The trace's distinct keys, or their bytes. */
uint64_t runs_whole(const struct trace *trace, enum sim_unit unit);

/* With unit bytes every trace must have sizes. 0, or -EINVAL after saying which has not. */
int runs_check_sizes(const struct sim_options *options, const struct workloads *workloads);

/*
 * Prints header and rows. samples: one for each workload, or NULL. 0, or a negative errno after the
 * reason was printed.
 */
int runs_all(const struct sim_options *options, const struct workloads *workloads, const struct sample *samples,
             struct progress *progress);

#endif
