/* SPDX-License-Identifier: MIT */
/*
 * results.h - rows of `genlru-sim run` and `curve`, read back from their TSV
 *
 *      # command: genlru-sim run …      comments in front of the header: "# key: value"
 *      workload⇥policy⇥size⇥…           the header names the columns; unknown ones are skipped
 *      arc-OLTP⇥lru⇥1%⇥…                one row a workload × policy × size
 *
 * Several files become one set. All or nothing: a malformed line fails the whole, with its place.
 */
#ifndef GENLRU_BENCH_REPORT_RESULTS_H
#define GENLRU_BENCH_REPORT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/error.h"

struct result {
    uint32_t workload; /* index of a name, as the next two */
    uint32_t policy;
    uint32_t size;
    uint64_t capacity;
    uint64_t requests;
    double miss_ratio; /* or the other ratio that was asked for */
    double rate;       /* of the sample; 1 = full replay */
};

/* Distinct names in order of first appearance; an index serves as the name. */
struct names {
    char **text;
    uint32_t nr;
};

struct results {
    struct result *rows; /* in order of the files */
    size_t nr;
    struct names workloads;
    struct names policies;
    struct names sizes;
    struct names commands; /* of comments "# command: …" */
    struct names commits;  /* of "# commit: …" */
};

#define RESULTS_ROWS_MAX 20000 /* lookups are linear */

/*
 * Adds a file ("-" = standard input) to *results, which is zeroed at first; `metric` names the
 * column to take as the miss ratio. 0, or a negative errno with *error set; *results is to be given
 * to results_fini in every case.
 */
int results_read(const char *path, const char *metric, struct results *results, struct trace_error *error);
void results_fini(struct results *results);

/* NULL if there is none. O(rows). */
const struct result *results_find(const struct results *r, uint32_t workload, uint32_t policy, uint32_t size);
/* UINT32_MAX if there is none. */
uint32_t names_find(const struct names *names, const char *text);

#endif
