/* SPDX-License-Identifier: MIT */
/*
 * runs.h - what runs of genlru-bench measured, from their JSON files
 *
 *      insert_evict / genlru / 1M / 16 / threads:2     a run: so many repetitions
 *      operation      subject  size variant
 *
 * Google Benchmark's own medians are not used: the repetitions say how sure a ratio is, too.
 */
#ifndef GENLRU_BENCH_MICRO_RESULTS_RUNS_H
#define GENLRU_BENCH_MICRO_RESULTS_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "micro/results/json.h"

enum { RUN_REPETITIONS_MAX = 101, RUN_COUNTERS_MAX = 8 };

struct run_counter {
    const char *name;
    double value[RUN_REPETITIONS_MAX];
};

struct run {
    char *operation;
    char *subject;
    char *size;    /* "1M"; "1000000" where it is an argument */
    char *variant; /* the rest, may be "" */
    unsigned threads;
    unsigned repetitions;
    double real_ns[RUN_REPETITIONS_MAX]; /* wall time over the operations of all threads */
    double cpu_ns[RUN_REPETITIONS_MAX];  /* processor time of all threads over the same */
    struct run_counter counter[RUN_COUNTERS_MAX];
    unsigned nr_counters;
};

struct runs {
    struct run **run; /* in order of first appearance */
    size_t nr;
    struct json **files; /* their "context" tells of the machine */
    size_t nr_files;
    size_t nr_errors; /* repetitions that failed: left out */
};

/* Adds a file. 0, or a negative errno after a message on standard error. runs_fini in every case. */
int runs_read(struct runs *runs, const char *path);
void runs_fini(struct runs *runs);

/* NULL = not measured. */
const struct run *runs_find(const struct runs *runs, const char *operation, const char *subject, const char *size,
                            const char *variant, unsigned threads);

/* "1M", "10k" or "1000" as a number; 0 if it is none. */
double runs_size(const char *size);

/* The repetitions of a counter; NULL = there is none of that name. */
const double *run_counter(const struct run *run, const char *name);

/* Of n > 0 values, which it does not change. n ≤ RUN_REPETITIONS_MAX. */
double runs_median(const double *values, unsigned n);

#endif
