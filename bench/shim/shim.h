/* SPDX-License-Identifier: MIT */
/*
 * shim.h - Google Benchmark, as C sees it
 *
 *      main ── shim_init ─┬─ shim_group ─ shim_add … ─ shim_run ─┬─ shim_finish ── JSON, exit status
 *                         └───────────── once a group ───────────┘
 *
 *      one run of a benchmark, T threads:
 *         thread 0       setup ─┐   ┌─ run: prepare ─┐            ┌─ while (shim_next(s, 1024)) … ─┐
 *                               ├───┤                ├─ barrier ──┤                                ├─ all ── teardown
 *         thread 1 … T-1 ───────┘   └─ run: prepare ─┘            └─ while (shim_next(s, 1024)) … ─┘
 *
 * Loops are batched only: a call into C++ for each iteration would cost more than a hit does. The
 * repetitions of the benchmarks of a group take turns in random order (--benchmark_enable_random_interleaving),
 * so that a ratio within a group is one within the same minute; groups follow one another.
 *
 * Names are NAME[/ARG…][/iterations:N]/threads:T. Times are Google Benchmark's: real_time is wall time over the
 * iterations of all threads, so two threads that do not disturb each other halve it; cpu_time is the processor time
 * of all threads over the same.
 */
#ifndef GENLRU_BENCH_SHIM_SHIM_H
#define GENLRU_BENCH_SHIM_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHIM_ARGS_MAX 4
#define SHIM_THREADS_MAX 8

/* One thread's view of one run; valid inside the functions it is handed to. */
struct shim_state;

struct shim_bench {
    const char *name;                   /* operation/subject/…; copied */
    int64_t args[SHIM_ARGS_MAX];        /* appended to the name, read by shim_arg */
    unsigned nr_args;                   /* 0 … SHIM_ARGS_MAX */
    unsigned threads[SHIM_THREADS_MAX]; /* one run for each, up to the first 0; none = 1 */
    uint64_t iterations;                /* of each thread; 0 = as many as --benchmark_min_time takes */
    unsigned repetitions;               /* 0 = as --benchmark_repetitions says */

    /* Before the clock starts, by thread 0. 0, or a negative errno, which fails the run. May be NULL. */
    int (*setup)(struct shim_state *state, void *user);
    /* By every thread; calls shim_next until it says false, in every case. */
    void (*run)(struct shim_state *state, void *user);
    /* After the clock has stopped, by thread 0, if setup went well. May be NULL. */
    void (*teardown)(struct shim_state *state, void *user);
    void *user; /* the caller's; must live until shim_run has returned */
};

/*
 * Reads the --benchmark_… flags and removes them from argv. `defaults` (NULL at its end) are such flags that
 * the command line may override. Besides Google Benchmark's: --pin puts thread i on the i-th processor
 * allowed. --benchmark_out is always JSON. 0; -EINVAL when something is left that is no such flag; -EIO when the
 * file cannot be written. Either was named on standard error.
 */
int shim_init(int *argc, char **argv, const char *const *defaults);

/* Adds a line to the JSON's context: machine, build, settings. */
void shim_context(const char *key, const char *value);

/* Forgets the benchmarks added so far and begins a new group. */
void shim_group(void);

/* 0 or -EINVAL (no name, no run, too many arguments). */
int shim_add(const struct shim_bench *bench);

/* As shim_add, once for each argument lo, lo·multiplier, … up to and with hi, put in front of the others. */
int shim_add_range(const struct shim_bench *bench, int64_t lo, int64_t hi, int multiplier);

/* Runs those of the group that --benchmark_filter selects (or lists them). How many there were. */
size_t shim_run(void);

/* Completes the JSON. 0; -EIO if it could not be written; -ENOENT if nothing was run; -ECANCELED if a run failed. */
int shim_finish(void);

/* ---- inside a run ----------------------------------------------------------------------------------- */

/* Whether to do `batch` more iterations. The clock runs from the first call to the one that says false. */
bool shim_next(struct shim_state *state, uint64_t batch);

unsigned shim_thread(const struct shim_state *state);     /* 0 … shim_threads - 1 */
unsigned shim_threads(const struct shim_state *state);    /* of this run */
uint64_t shim_iterations(const struct shim_state *state); /* that each thread will do; known in setup */
int64_t shim_arg(const struct shim_state *state, unsigned i);

/* Stops the calling thread's clock, and starts it. A microsecond or so each: for long batches only. */
void shim_pause(struct shim_state *state);
void shim_resume(struct shim_state *state);

enum shim_counter_kind {
    SHIM_SUM,  /* of the threads' values */
    SHIM_MEAN, /* of the threads' values */
    SHIM_RATE  /* sum over the seconds the run took */
};

/* A figure beside the time. By any thread, after its loop; also by thread 0 in teardown, for all of them. */
void shim_counter(struct shim_state *state, const char *name, double value, enum shim_counter_kind kind);

/* Fails the run; the message is copied. The loop must go on until shim_next says false, which it does next. */
void shim_fail(struct shim_state *state, const char *message);

#ifdef __cplusplus
}
#endif
#endif
