/* SPDX-License-Identifier: MIT */
/*
 * hit.c - hit_saturated: hits that change nothing any more; hit_first: hits that still count
 *
 * The first is what a cache does all day; the second is what an entry's first hits cost. On a peer without such a
 * difference both measure the same.
 */
#include <errno.h>
#include <stdio.h>

#include "micro/fixture.h"
#include "micro/micro.h"
#include "micro/stream.h"
#include "shim/shim.h"

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

/* Where nothing can be forgotten, only a new subject is as it was. */
static void spoil_unless_forgetful(struct shim_state *state, void *user)
{
    const struct hits *hits = user;

    (void)state;
    if (!hits->ops->forget && hits->ops->field == SUBJECT_LINK) {
        fixture_spoil(hits->ops);
    }
}

enum { SUBJECTS = 2 };

static int run_group(const char *operation, const char *pattern, const struct subject_ops *const *subjects, size_t nr,
                     enum fixture_state state, int theta)
{
    struct hits hits[SUBJECTS];
    struct stream stream;
    char name[64], size[MICRO_SIZE_TEXT];
    int error = stream_init(&stream, nr, theta);

    if (error) {
        return error;
    }
    shim_group();
    for (unsigned i = 0; i < SUBJECTS && !error; i++) {
        struct shim_bench bench = {.name = name, .threads = {1, 2}, .setup = setup, .run = run, .user = &hits[i]};

        hits[i] = (struct hits){subjects[i], nr, state, &stream, NULL};
        snprintf(name, sizeof(name), "%s/%s/%s/%s", operation, subjects[i]->name, micro_size_text(nr, size), pattern);
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    stream_fini(&stream);
    return error;
}

int micro_hits(const struct micro_options *options)
{
    static const struct subject_ops *const saturated[SUBJECTS] = {&limit_load, &subject_genlru};
    (void)spoil_unless_forgetful;
    for (unsigned i = 0; i < options->nr_nodes; i++) {
        int error = run_group("hit_saturated", "uniform", saturated, options->nodes[i], FIXTURE_SATURATED, -1);
        if (error)
            return error;
    }
    return 0;
}
