/* SPDX-License-Identifier: MIT */
/* model.h - throughput of n processors where one lock limits; model.c derives it */
#ifndef GENLRU_BENCH_MICRO_RESULTS_MODEL_H
#define GENLRU_BENCH_MICRO_RESULTS_MODEL_H

#define MODEL_HANDOVER_NS 360.0

struct model {
    double lookup_ns; /* an operation that does not insert */
    double pair_ns;   /* added by one that inserts and evicts */
    double held_ns;   /* of that under the lock */
};

/* Operations a nanosecond; `misses` is the share that insert, above 0. Pure. */
double model_rate(const struct model *model, double misses, unsigned processors, double handover_ns);

/* The number of processors from which on the lock is what limits. */
double model_limit(const struct model *model, double misses, double handover_ns);

#endif
