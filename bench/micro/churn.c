/* SPDX-License-Identifier: MIT */
/*
 * churn.c - what moves objects onto the lists and off them, without an index
 *
 *      evict_scan     from a full cache two fifths of it, 64 at a time; nobody hit, or every other one
 *      add            to an empty one, up to half of it by each thread
 *      insert_evict   full, and in steady state: evict 16 or 64, add them again under new keys
 *      delete         in a random order, a quarter of a full one by each thread
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "micro/churn.h"
#include "micro/fixture.h"
#include "micro/micro.h"
#include "micro/stream.h"
#include "shim/shim.h"

enum { SUBJECTS_MAX = 8, BATCH_MAX = 64 };

struct churn {
    const struct group *group;
    const struct subject_ops *ops;
    struct subject *subject;
    uint64_t slabs; /* genlru's, before */
};

struct group {
    const char *operation;
    const char *variant;
    const struct subject_ops *const *subjects; /* up to NULL */
    size_t nr;
    enum fixture_state state;
    bool is_steady; /* leaves the subject as it was */
    uint64_t batch;
    uint64_t iterations; /* of each thread; 0 = any number */
    unsigned threads;    /* 1, or 1 and 2 */
    void (*run)(struct shim_state *state, void *user);
    struct stream *order; /* of what is named one by one; NULL = nothing is */
};

static int setup(struct shim_state *state, void *user)
{
    struct churn *churn = user;

    (void)state;
    if (churn->group->order && stream_need_order(churn->group->order, churn->group->nr) != 0) {
        return -ENOMEM;
    }
    churn->subject = fixture_get(churn->ops, churn->group->nr, churn->group->state);
    if (!churn->subject) {
        return -ENOMEM;
    }
    churn->slabs = churn->ops->slabs ? churn->ops->slabs(churn->subject) : 0;
    return 0;
}

static void teardown(struct shim_state *state, void *user)
{
    struct churn *churn = user;

    if (churn->ops->slabs) {
        shim_counter(state, "allocations", (double)(churn->ops->slabs(churn->subject) - churn->slabs), SHIM_SUM);
    }
    if (!churn->group->is_steady) {
        fixture_spoil(churn->ops);
    }
}

static void run_evict(struct shim_state *state, void *user)
{
    const struct churn *churn = user;
    struct object *objects = objects_get(churn->group->nr);
    uint32_t ids[BATCH_MAX];
    uint64_t scanned = 0, evicted = 0;

    while (shim_next(state, churn->group->batch)) {
        size_t n = churn->ops->evict(churn->subject, objects, ids, churn->group->batch, &scanned);

        evicted += n;
        if (n < churn->group->batch) {
            shim_fail(state, "nothing left to evict");
        }
    }
    shim_counter(state, "scanned", evicted ? (double)scanned / (double)evicted : 0, SHIM_MEAN);
}

/* A part of the order for each thread. */
static const uint32_t *part(const struct churn *churn, const struct shim_state *state)
{
    return churn->group->order->ids + shim_thread(state) * churn->group->iterations;
}

static void run_add(struct shim_state *state, void *user)
{
    const struct churn *churn = user;
    struct object *objects = objects_get(churn->group->nr);
    const uint32_t *ids = part(churn, state);

    for (; shim_next(state, churn->group->batch); ids += churn->group->batch) {
        if (churn->ops->add(churn->subject, objects, ids, churn->group->batch) != 0) {
            shim_fail(state, "no memory");
        }
    }
}

static void run_del(struct shim_state *state, void *user)
{
    const struct churn *churn = user;
    struct object *objects = objects_get(churn->group->nr);
    const uint32_t *ids = part(churn, state);

    for (; shim_next(state, churn->group->batch); ids += churn->group->batch) {
        churn->ops->del(churn->subject, objects, ids, churn->group->batch);
    }
}

static void run_pairs(struct shim_state *state, void *user)
{
    const struct churn *churn = user;
    struct object *objects = objects_get(churn->group->nr);
    uint32_t ids[BATCH_MAX];
    uint64_t scanned = 0;

    while (shim_next(state, churn->group->batch)) {
        size_t n = churn->ops->evict(churn->subject, objects, ids, churn->group->batch, &scanned);

        churn_rename(objects, ids, n);
        if (n < churn->group->batch || churn->ops->add(churn->subject, objects, ids, n) != 0) {
            shim_fail(state, "nothing left to evict, or no memory");
        }
    }
}

static int run_group(const struct group *group)
{
    struct churn churns[SUBJECTS_MAX];
    char name[96], size[MICRO_SIZE_TEXT];
    int error = 0;

    shim_group();
    for (unsigned i = 0; group->subjects[i] && !error; i++) {
        struct shim_bench bench = {.name = name,
                                   .threads = {1, group->threads > 1 ? group->threads : 0},
                                   .iterations = group->iterations,
                                   .setup = setup,
                                   .run = group->run,
                                   .teardown = teardown,
                                   .user = &churns[i]};

        churns[i] = (struct churn){group, group->subjects[i], NULL, 0};
        snprintf(name, sizeof(name), "%s/%s/%s%s%s", group->operation, group->subjects[i]->name,
                 micro_size_text(group->nr, size), *group->variant ? "/" : "", group->variant);
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    return error;
}

static uint64_t batches(size_t nr, uint64_t batch)
{
    return nr / batch * batch;
}

int micro_evict(const struct micro_options *options)
{
    static const struct subject_ops *const subjects[] = {&limit_array, &subject_genlru, &subject_clru,
                                                         &subject_arc, &subject_clock,  NULL};
    int error = 0;

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        size_t nr = options->nodes[i];
        struct group none = {.operation = "evict_scan",
                             .variant = "unused",
                             .subjects = subjects,
                             .nr = nr,
                             .state = FIXTURE_ADDED,
                             .batch = 64,
                             .threads = 1,
                             .run = run_evict};
        struct group half = none;

        none.iterations = half.iterations = batches(nr * 2 / 5, none.batch);
        half.variant = "half";
        half.state = FIXTURE_HALF_USED;
        error = run_group(&none);
        error = error ? error : run_group(&half);
    }
    return error;
}

static int run_ordered(const char *operation, const struct subject_ops *const *subjects, enum fixture_state state,
                       size_t nr, size_t part, void (*run)(struct shim_state *, void *))
{
    struct stream order = STREAM_NONE;
    struct group group = {.operation = operation,
                          .variant = "",
                          .subjects = subjects,
                          .nr = nr,
                          .state = state,
                          .batch = STREAM_CHUNK,
                          .iterations = batches(part, STREAM_CHUNK),
                          .threads = 2,
                          .run = run,
                          .order = &order};
    int error = run_group(&group);

    stream_fini(&order);
    return error;
}

int micro_add(const struct micro_options *options)
{
    static const struct subject_ops *const subjects[] = {&limit_array, &subject_genlru, &subject_clru,
                                                         &subject_arc, &subject_lru,    NULL};
    int error = 0;

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        error = run_ordered("add", subjects, FIXTURE_EMPTY, options->nodes[i], options->nodes[i] / 2, run_add);
    }
    return error;
}

int micro_delete(const struct micro_options *options)
{
    static const struct subject_ops *const subjects[] = {
        &limit_array, &subject_genlru, &subject_genlru_batch, &subject_clru, &subject_arc, &subject_lru, NULL};
    int error = 0;

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        error = run_ordered("delete", subjects, FIXTURE_ADDED, options->nodes[i], options->nodes[i] / 4, run_del);
    }
    return error;
}

int micro_insert_evict(const struct micro_options *options)
{
    static const struct subject_ops *const subjects[] = {&limit_array,   &subject_genlru, &subject_clru, &subject_arc,
                                                         &subject_clock, &subject_lru,    NULL};
    int error = 0;

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        struct group group = {.operation = "insert_evict",
                              .variant = "16",
                              .subjects = subjects,
                              .nr = options->nodes[i],
                              .state = FIXTURE_ADDED,
                              .is_steady = true,
                              .batch = 16,
                              .threads = 2,
                              .run = run_pairs};

        error = run_group(&group);
        group.variant = "64";
        group.batch = 64;
        error = error ? error : run_group(&group);
    }
    return error;
}
