/* SPDX-License-Identifier: MIT */
/*
 * latency.c - insert_latency: how long single inserts into a full cache take
 *
 * An insert adds one object, and when the thread has none left first evicts a batch (16, or one at a time); each is
 * timed. The subject `spin` only waits for SPIN_NS: whatever its quantiles are above that, the host
 * adds to everybody's.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "micro/churn.h"
#include "micro/fixture.h"
#include "micro/histogram.h"
#include "micro/micro.h"
#include "shim/shim.h"

enum { BATCH_MAX = 64, CHUNK = 256, THREADS_MAX = 2, SPIN_NS = 1000 };

struct latency {
    const struct subject_ops *ops; /* NULL = spin */
    size_t nr;
    unsigned batch;
    struct subject *subject;
    struct histogram histogram[THREADS_MAX];
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int setup(struct shim_state *state, void *user)
{
    struct latency *latency = user;

    (void)state;
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        latency->histogram[t] = (struct histogram){{0}, 0};
    }
    latency->subject = latency->ops ? fixture_get(latency->ops, latency->nr, FIXTURE_ADDED) : NULL;
    return latency->ops && !latency->subject ? -ENOMEM : 0;
}

struct spare {
    uint32_t ids[BATCH_MAX];
    size_t nr;
};

static bool insert(const struct latency *latency, struct object *objects, struct spare *spare)
{
    uint64_t scanned = 0;

    if (spare->nr == 0) {
        spare->nr = latency->ops->evict(latency->subject, objects, spare->ids, latency->batch, &scanned);
        if (spare->nr == 0) {
            return false;
        }
    }
    spare->nr--;
    churn_rename(objects, &spare->ids[spare->nr], 1);
    return latency->ops->add(latency->subject, objects, &spare->ids[spare->nr], 1) == 0;
}

static void spin(uint64_t began)
{
    while (now_ns() - began < SPIN_NS) {
    }
}

static void run(struct shim_state *state, void *user)
{
    struct latency *latency = user;
    struct histogram *histogram = &latency->histogram[shim_thread(state)];
    struct object *objects = objects_get(latency->nr);
    struct spare spare = {.nr = 0};

    while (shim_next(state, CHUNK)) {
        for (unsigned i = 0; i < CHUNK; i++) {
            uint64_t began = now_ns();

            if (!latency->ops) {
                spin(began);
            } else if (!insert(latency, objects, &spare)) {
                shim_fail(state, "nothing to evict, or no memory");
            }
            histogram_count(histogram, now_ns() - began);
        }
    }
    while (spare.nr > 0 && insert(latency, objects, &spare)) { /* leaves it as full as it was */
    }
}

static void report(struct shim_state *state, const struct histogram *all)
{
    shim_counter(state, "p50_ns", (double)histogram_quantile(all, 0.5), SHIM_SUM);
    shim_counter(state, "p99_ns", (double)histogram_quantile(all, 0.99), SHIM_SUM);
    shim_counter(state, "p999_ns", (double)histogram_quantile(all, 0.999), SHIM_SUM);
    shim_counter(state, "max_ns", (double)all->max, SHIM_SUM);
}

static void teardown(struct shim_state *state, void *user)
{
    struct latency *latency = user;
    struct histogram all = latency->histogram[0];

    for (unsigned t = 1; t < shim_threads(state); t++) {
        histogram_merge(&all, &latency->histogram[t]);
    }
    report(state, &all);
}

int micro_latency(const struct micro_options *options)
{
    static const struct {
        const struct subject_ops *ops;
        unsigned batch;
    } runs[] = {{NULL, 0},          {&subject_genlru, 1}, {&subject_genlru, 16}, {&subject_lru, 1},
                {&subject_lru, 16}, {&subject_lru16, 1},  {&subject_clru, 16},   {&subject_clock, 16}};
    enum { RUNS = sizeof(runs) / sizeof(runs[0]) };
    static struct latency latencies[RUNS];
    char name[96], size[MICRO_SIZE_TEXT];
    int error = 0;

    shim_group();
    for (unsigned i = 0; i < RUNS && !error; i++) {
        struct shim_bench bench = {.name = name,
                                   .threads = {1, THREADS_MAX},
                                   .setup = setup,
                                   .run = run,
                                   .teardown = teardown,
                                   .user = &latencies[i]};

        latencies[i] = (struct latency){.ops = runs[i].ops, .nr = options->nodes[0], .batch = runs[i].batch};
        micro_size_text(options->nodes[0], size);
        if (runs[i].ops) {
            snprintf(name, sizeof(name), "insert_latency/%s/%s/%u", runs[i].ops->name, size, runs[i].batch);
        } else {
            snprintf(name, sizeof(name), "insert_latency/spin/%s/%uns", size, (unsigned)SPIN_NS);
        }
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    return error;
}
