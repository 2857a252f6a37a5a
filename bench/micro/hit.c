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

enum { SUBJECTS_MAX = 6, STREAM_ORDER = -3 };

/* What is measured together. */
struct group {
    const char *operation;
    const char *pattern;
    const struct subject_ops *const *subjects; /* up to NULL */
    enum fixture_state state;
    size_t nr;
    uint64_t iterations; /* of each thread; 0 = any number */
    int theta;           /* of the stream; STREAM_ORDER = each object once */
    struct stream stream;
};

struct hits {
    struct group *group;
    const struct subject_ops *ops;
    struct subject *subject;
};

static int setup(struct shim_state *state, void *user)
{
    struct hits *hits = user;
    struct group *group = hits->group;
    int error = group->theta == STREAM_ORDER ? stream_need_order(&group->stream, group->nr)
                                             : stream_need(&group->stream, group->nr, group->theta);

    (void)state;
    hits->subject = error ? NULL : fixture_get(hits->ops, group->nr, group->state);
    return hits->subject ? 0 : -ENOMEM;
}

static void run(struct shim_state *state, void *user)
{
    const struct hits *hits = user;
    const struct stream *stream = &hits->group->stream;
    struct object *objects = objects_get(hits->group->nr);
    size_t position = stream_start(stream, shim_thread(state), shim_threads(state));

    while (shim_next(state, STREAM_CHUNK)) {
        hits->ops->hit(hits->subject, objects, stream_next(stream, &position), STREAM_CHUNK);
    }
}

/* What cannot be made to forget is made anew. */
static void teardown(struct shim_state *state, void *user)
{
    const struct hits *hits = user;

    (void)state;
    if (hits->group->state == FIXTURE_RISING && !hits->ops->forget && hits->ops->saturating_hits) {
        fixture_spoil(hits->ops);
    }
}

static int run_group(struct group *group)
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

        hits[i] = (struct hits){group, group->subjects[i], NULL};
        snprintf(name, sizeof(name), "%s/%s/%s/%s", group->operation, group->subjects[i]->name,
                 micro_size_text(group->nr, size), group->pattern);
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    stream_fini(&group->stream);
    return error;
}

static int run_saturated(size_t nr, const char *pattern, int theta)
{
    static const struct subject_ops *const subjects[] = {&limit_load,    &subject_genlru, &subject_clru, &subject_arc,
                                                         &subject_clock, &subject_lru,    NULL};
    struct group group = {"hit_saturated", pattern, subjects, FIXTURE_SATURATED, nr, 0, theta, STREAM_NONE};

    return run_group(&group);
}

static int run_first(size_t nr)
{
    static const struct subject_ops *const subjects[] = {&limit_cmpxchg, &subject_genlru, &subject_clru, &subject_arc,
                                                         &subject_clock, &subject_lru,    NULL};
    /* each thread its half: an object is hit once in a repetition */
    uint64_t half = nr / 2 / STREAM_CHUNK * STREAM_CHUNK;
    struct group group = {"hit_first", "once", subjects, FIXTURE_RISING, nr, half, STREAM_ORDER, STREAM_NONE};

    return run_group(&group);
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
