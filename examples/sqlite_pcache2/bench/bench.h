/* SPDX-License-Identifier: MIT */
/*
 * genlru-sqlite-bench: genlru beside SQLite's own page cache, in one process, run after run.
 *
 *    main.c ── for each pair: own, genlru, or the other way round ──▶ subject.c ─▶ workloads.c, fetch.c
 *       │                                                                              │ reads
 *       └── paired.c: median of the ratios and its confidence interval                 ▼
 *                                                                   latency_vfs.c: each page read takes a while
 */
#ifndef GENLRU_SQLITE_BENCH_H
#define GENLRU_SQLITE_BENCH_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_METRICS = 6, MAX_PAIRS = 64 };

/* What one run measured. */
struct metrics {
    int nr;
    struct {
        const char *name;
        const char *unit; /* less is better in all */
        double value;
    } of[MAX_METRICS];
};
void metric_add(struct metrics *metrics, const char *name, const char *unit, double value);

struct options {
    int nr_pairs;
    unsigned latency_us; /* of a page read */
    unsigned scale;      /* rows are multiplied by it */
    const char *folder;
};

struct workload {
    const char *name, *what;
    void (*prepare)(const struct options *options, const char *path); /* NULL: no file */
    void (*run)(const struct options *options, const char *path, struct metrics *metrics);
};
extern const struct workload workloads[];
extern const size_t nr_workloads;

/* ---- subject.c ---- */

enum subject { SUBJECT_OWN, SUBJECT_GENLRU, NR_SUBJECTS };
extern const char *const subject_names[NR_SUBJECTS];
void subject_set(enum subject subject); /* shuts SQLite down and configures it */
const sqlite3_pcache_methods2 *subject_methods(void);

/* ---- fetch.c: the methods alone, hits only ---- */
void fetch_run(const struct options *options, const char *path, struct metrics *metrics);

/* ---- latency_vfs.c ---- */

/* Registers a VFS "latency" over the default one, once SQLite is initialised. 0 = no latency. */
void latency_set(unsigned microseconds);
uint64_t latency_reads(void); /* page reads so far */

/* ---- paired.c ---- */

struct paired {
    double own, genlru;      /* medians */
    double ratio, low, high; /* genlru / own within a pair: median, confidence interval */
    double confidence;       /* of the interval, at least 0.95 from 6 pairs on */
};
double paired_median(double *values, size_t nr); /* sorts them */
struct paired paired_summary(const double *own, const double *genlru, int nr);

/* ---- helpers of main.c ---- */

_Noreturn void bench_die(const char *what, const char *why);
uint64_t bench_now_ns(void);

#endif
