/* SPDX-License-Identifier: MIT */
/*
 * growth.c - genlru alone, from a thousand objects to fifty million: what of its cost is cache and TLB
 *
 * growth_hit: saturated hits, uniform. growth_pair: evict 64 and add them again; the counter evict_ns is the evict's
 * part. The limits beside them go the same way: a load of the object's line, an array walked and appended to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "micro/churn.h"
#include "micro/fixture.h"
#include "micro/micro.h"
#include "micro/stream.h"
#include "shim/shim.h"

enum { BATCH = 64, SUBJECTS = 2 };

struct growth {
    const struct subject_ops *ops;
    size_t nr;
    enum fixture_state state;
    struct stream *stream; /* NULL = none */
    struct subject *subject;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int setup(struct shim_state *state, void *user)
{
    struct growth *growth = user;

    (void)state;
    if (growth->stream && stream_need(growth->stream, growth->nr, STREAM_UNIFORM) != 0) {
        return -ENOMEM;
    }
    growth->subject = fixture_get(growth->ops, growth->nr, growth->state);
    return growth->subject ? 0 : -ENOMEM;
}

static void run_hits(struct shim_state *state, void *user)
{
    const struct growth *growth = user;
    struct object *objects = objects_get(growth->nr);
    size_t position = 0;

    while (shim_next(state, STREAM_CHUNK)) {
        growth->ops->hit(growth->subject, objects, stream_next(growth->stream, &position), STREAM_CHUNK);
    }
}

static void run_pairs(struct shim_state *state, void *user)
{
    const struct growth *growth = user;
    struct object *objects = objects_get(growth->nr);
    uint32_t ids[BATCH];
    uint64_t scanned = 0, evicting = 0, evicted = 0;

    while (shim_next(state, BATCH)) {
        uint64_t began = now_ns();
        size_t n = growth->ops->evict(growth->subject, objects, ids, BATCH, &scanned);

        evicting += now_ns() - began;
        evicted += n;
        churn_rename(objects, ids, n);
        if (n < BATCH || growth->ops->add(growth->subject, objects, ids, n) != 0) {
            shim_fail(state, "nothing to evict, or no memory");
        }
    }
    shim_counter(state, "evict_ns", evicted ? (double)evicting / (double)evicted : 0, SHIM_MEAN);
}

static int run_group(const char *operation, const struct subject_ops *limit, size_t nr, enum fixture_state state,
                     struct stream *stream, void (*run)(struct shim_state *, void *))
{
    const struct subject_ops *subjects[SUBJECTS] = {limit, &subject_genlru};
    struct growth growths[SUBJECTS];
    char name[96];
    int error = 0;

    shim_group();
    for (unsigned i = 0; i < SUBJECTS && !error; i++) {
        struct shim_bench bench = {
            .name = name, .args = {(int64_t)nr}, .nr_args = 1, .setup = setup, .run = run, .user = &growths[i]};

        growths[i] = (struct growth){subjects[i], nr, state, stream, NULL};
        snprintf(name, sizeof(name), "%s/%s", operation, subjects[i]->name);
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    return error;
}

static int run_size(size_t nr)
{
    struct stream stream = STREAM_NONE;
    int error = run_group("growth_hit", &limit_load, nr, FIXTURE_SATURATED, &stream, run_hits);
    stream_fini(&stream);
    return error ? error : run_group("growth_pair", &limit_array, nr, FIXTURE_ADDED, NULL, run_pairs);
}

/* Powers of ten, and the end. */
int micro_growth(const struct micro_options *options)
{
    int error = 0;
    size_t nr;

    for (nr = 1000; nr < options->growth_nodes && !error; nr *= 10) {
        error = run_size(nr);
    }
    return error ? error : run_size(options->growth_nodes);
}
