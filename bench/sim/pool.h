/* SPDX-License-Identifier: MIT */
/*
 * pool.h - tasks that share nothing, on the cores there are, their results in order
 *
 *      worker ─┐
 *      worker ─┼─ work(i), any order ──▶ caller: done(0), done(1), … each as soon as it may
 *      worker ─┘
 */
#ifndef GENLRU_BENCH_SIM_POOL_H
#define GENLRU_BENCH_SIM_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/progress.h"

struct pool {
    size_t nr_tasks;
    unsigned jobs; /* workers at most; 0 = as many as there are cores */
    void *ctx;
    /* In a worker. 0 or a negative errno. */
    int (*work)(void *ctx, size_t task);
    /* In the caller, in the order of the tasks, after their work; nothing after the first failure. */
    void (*done)(void *ctx, size_t task);
    /* For the progress line: what the workers have done of `total`. They add to it as they go. */
    struct progress *progress;
    atomic_uint_least64_t finished;
    uint64_t total;
};

/*
 * Runs all tasks and waits. 0, or what the first task in order that failed gave, in *ret_failed which
 * one; -ENOMEM and -EAGAIN (no thread) with *ret_failed = nr_tasks. After a failure no further task
 * begins.
 */
int pool_run(struct pool *pool, size_t *ret_failed);

/* Cores this process may use, at least 1. */
unsigned pool_cores(void);

#endif
