/* SPDX-License-Identifier: MIT */
/*
 * pool.c - see pool.h
 */
#define _GNU_SOURCE
#include "sim/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_NS 100000000L

struct state {
    struct pool *pool;
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a task ended */
    size_t next;          /* task to be begun; lock */
    bool stop;            /* no further one; lock */
    int *result;          /* of each task; 1 = not ended; lock */
};

unsigned pool_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return n > 0 ? (unsigned)n : 1;
}

static void *worker(void *arg)
{
    struct state *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!s->stop && s->next < s->pool->nr_tasks) {
        size_t task = s->next++;

        pthread_mutex_unlock(&s->lock);
        int rc = s->pool->work(s->pool->ctx, task);

        pthread_mutex_lock(&s->lock);
        s->result[task] = rc;
        s->stop |= rc != 0;
        pthread_cond_signal(&s->ended);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Waits for the task under the lock, drawing meanwhile. False if it will never begin. */
static bool wait_for(struct state *s, size_t task)
{
    while (s->result[task] == 1) {
        struct timespec until;

        if (s->stop && task >= s->next) {
            return false;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&s->ended, &s->lock, &until);
        progress_tell(s->pool->progress, atomic_load(&s->pool->finished), s->pool->total);
    }
    return true;
}

static int collect(struct state *s, size_t *ret_failed)
{
    struct pool *p = s->pool;
    int rc = 0;

    pthread_mutex_lock(&s->lock);
    for (size_t task = 0; task < p->nr_tasks && !rc && wait_for(s, task); task++) {
        rc = s->result[task];
        *ret_failed = task;
        if (!rc && p->done) {
            pthread_mutex_unlock(&s->lock);
            progress_end(p->progress);
            p->done(p->ctx, task);
            pthread_mutex_lock(&s->lock);
        }
    }
    s->stop = true;
    pthread_mutex_unlock(&s->lock);
    progress_end(p->progress);
    return rc;
}

int pool_run(struct pool *p, size_t *ret_failed)
{
    unsigned jobs = p->jobs ? p->jobs : pool_cores();
    struct state s = {.pool = p};

    jobs = jobs < p->nr_tasks ? jobs : (unsigned)p->nr_tasks;
    *ret_failed = p->nr_tasks;
    pthread_t *threads = calloc(jobs ? jobs : 1, sizeof(*threads));

    s.result = malloc((p->nr_tasks + 1) * sizeof(*s.result));
    if (!threads || !s.result) {
        free(threads);
        free(s.result);
        return -ENOMEM;
    }
    for (size_t i = 0; i < p->nr_tasks; i++) {
        s.result[i] = 1;
    }
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.ended, NULL);
    unsigned started = 0;
    int rc = 0;

    while (started < jobs && (rc = pthread_create(&threads[started], NULL, worker, &s)) == 0) {
        started++;
    }
    /* Fewer workers than wanted do as well; none do not. */
    rc = started || !jobs ? collect(&s, ret_failed) : -rc;
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&s.ended);
    pthread_mutex_destroy(&s.lock);
    free(threads);
    free(s.result);
    return rc;
}
