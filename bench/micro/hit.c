/* SPDX-License-Identifier: MIT */
/*
 * hit.c - hit_saturated: hits that change nothing any more; hit_first: hits that still count
 *
 * The first is what a cache does all day; the second is what an entry's first hits cost, so it
 * goes over the objects once, in a random order. On a peer that makes no such difference both measure the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "micro/fixture.h"
#include "micro/micro.h"
#include "micro/stream.h"
#include "shim/shim.h"

enum { SUBJECTS_MAX = 6 };

struct hits {
    const struct subject_ops *ops;
    size_t nr;
    enum fixture_state state;
    const struct stream *stream;
    struct subject *subject;
};

static int setup(struct shim_state *state, void *user)
{
    struct hits *hits = user;

    (void)state;
    hits->subject = fixture_get(hits->ops, hits->nr, hits->state);
    return hits->subject ? 0 : -ENOMEM;
}

static void run(struct shim_state *state, void *user)
{
    const struct hits *hits = user;
    struct object *objects = objects_get(hits->nr);
    size_t position = stream_start(hits->stream, shim_thread(state), shim_threads(state));

    while (shim_next(state, STREAM_CHUNK)) {
        hits->ops->hit(hits->subject, objects, stream_next(hits->stream, &position), STREAM_CHUNK);
    }
}

/* What cannot be made to forget is made anew. */
static void teardown(struct shim_state *state, void *user)
{
    const struct hits *hits = user;

    (void)state;
    if (hits->state == FIXTURE_RISING && !hits->ops->forget && hits->ops->saturating_hits) {
        fixture_spoil(hits->ops);
    }
}

struct group {
    const char *operation;
    const char *pattern;
    const struct subject_ops *const *subjects; /* up to NULL */
    enum fixture_state state;
    size_t nr;
    uint64_t iterations; /* of each thread; 0 = any number */
};

static int run_group(const struct group *group, const struct stream *stream)
{
    struct hits hits[SUBJECTS_MAX];
    char name[96], size[MICRO_SIZE_TEXT];
    int error = 0;

    shim_group();
    for (unsigned i = 0; group->subjects[i] && !error; i++) {
        struct shim_bench bench = {.name = name,
                                   .threads = {1, 2},
                                   .iterations = group->iterations,
                                   .setup = setup,
                                   .run = run,
                                   .teardown = teardown,
                                   .user = &hits[i]};

        hits[i] = (struct hits){group->subjects[i], group->nr, group->state, stream, NULL};
        snprintf(name, sizeof(name), "%s/%s/%s/%s", group->operation, group->subjects[i]->name,
                 micro_size_text(group->nr, size), group->pattern);
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    return error;
}

static int run_saturated(size_t nr, const char *pattern, int theta)
{
    static const struct subject_ops *const subjects[] = {&limit_load,    &subject_genlru, &subject_clru, &subject_arc,
                                                         &subject_clock, &subject_lru,    NULL};
    struct group group = {"hit_saturated", pattern, subjects, FIXTURE_SATURATED, nr, 0};
    struct stream stream;
    int error = stream_init(&stream, nr, theta);

    if (!error) {
        error = run_group(&group, &stream);
        stream_fini(&stream);
    }
    return error;
}

static int run_first(size_t nr)
{
    static const struct subject_ops *const subjects[] = {&limit_cmpxchg, &subject_genlru, &subject_clru, &subject_arc,
                                                         &subject_clock, &subject_lru,    NULL};
    /* each thread its half: an object is hit once or twice in a repetition, and genlru counts to seven */
    struct group group = {"hit_first", "once", subjects, FIXTURE_RISING, nr, nr / 2 / STREAM_CHUNK * STREAM_CHUNK};
    struct stream stream = {objects_order(nr, 5), nr / STREAM_CHUNK * STREAM_CHUNK};
    int error = stream.ids ? 0 : -ENOMEM;

    if (!error) {
        error = run_group(&group, &stream);
    }
    stream_fini(&stream);
    return error;
}

int micro_hits(const struct micro_options *options)
{
    int error = run_saturated(options->nodes[0], "one", STREAM_ONE);

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        size_t nr = options->nodes[i];

        error = run_saturated(nr, "zipf:0.99", 99);
        error = error ? error : run_saturated(nr, "uniform", STREAM_UNIFORM);
        error = error ? error : run_first(nr);
    }
    return error;
}
