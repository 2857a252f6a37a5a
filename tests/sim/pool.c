/* SPDX-License-Identifier: MIT */
/*
 * pool: all tasks run, their results come in order whatever the order they end in; a failure stops
 * what has not begun and is told with its task; the worker count is kept.
 */
#include "sim/pool.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                                    \
    do {                                                               \
        if (!(what)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

#define TASKS 200

struct test {
    struct pool pool;
    struct progress progress;
    size_t fails; /* this task, TASKS = none */
    size_t nr_done;
    atomic_uint begun;
    atomic_uint running;
    atomic_uint most;
    int result[TASKS];
};

static int work(void *ctx, size_t task)
{
    struct test *t = ctx;
    unsigned running = atomic_fetch_add(&t->running, 1) + 1;
    unsigned most = atomic_load(&t->most);

    while (most < running && !atomic_compare_exchange_weak(&t->most, &most, running)) {
    }
    atomic_fetch_add(&t->begun, 1);
    for (size_t i = 0; i < task * 7919 % 50; i++) {
        sched_yield(); /* the later ones may overtake */
    }
    t->result[task] = (int)task + 1;
    atomic_fetch_sub(&t->running, 1);
    return task == t->fails ? -ERANGE : 0;
}

static void done(void *ctx, size_t task)
{
    struct test *t = ctx;

    CHECK(task == t->nr_done);
    CHECK(t->result[task] == (int)task + 1);
    t->nr_done++;
}

static void run(unsigned jobs, size_t nr_tasks, size_t fails)
{
    struct test t = {.fails = fails};
    size_t failed = 0;

    t.pool = (struct pool){
        .nr_tasks = nr_tasks, .jobs = jobs, .ctx = &t, .work = work, .done = done, .progress = &t.progress};
    int rc = pool_run(&t.pool, &failed);

    CHECK(t.most <= (jobs ? jobs : pool_cores()));
    CHECK(t.running == 0);
    if (fails < nr_tasks) {
        CHECK(rc == -ERANGE);
        CHECK(failed == fails);
        CHECK(t.nr_done == fails);
        CHECK(t.begun >= fails + 1 && t.begun <= fails + 1 + (jobs ? jobs : pool_cores()) * 64 + 300);
    } else {
        CHECK(rc == 0);
        CHECK(t.nr_done == nr_tasks);
        CHECK(t.begun == nr_tasks);
    }
}

int main(void)
{
    static const unsigned jobs[] = {0, 1, 2, 3, 16, 300};

    CHECK(pool_cores() >= 1);
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        run(jobs[i], TASKS, TASKS);
        run(jobs[i], 1, 1);
        run(jobs[i], 0, TASKS);
        run(jobs[i], TASKS, 0);
        run(jobs[i], TASKS, 57);
        run(jobs[i], TASKS, TASKS - 1);
    }
    return 0;
}
