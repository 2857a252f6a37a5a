/* SPDX-License-Identifier: MIT */
/*
 * Every subject that is compared is a policy and loses nothing: what is added is evicted or deleted exactly once; of
 * two halves, what was hit stays longer; an LRU evicts in the order of use. Then the same with two threads, who hit, evict
 * and add again side by side: afterwards every object is on the list once.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/random.h"
#include "micro/subject.h"

enum { NR = 8192, BATCH = 16, ROUNDS = 3000 };

static const struct subject_ops *const subjects[] = {
    &subject_genlru, &subject_genlru_batch, &subject_lru, &subject_lru16, &subject_clru, &subject_arc, &subject_clock};
static struct object *objects;
static uint32_t *order;

static void check(bool is_right, const struct subject_ops *ops, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "subjects: %s: %s\n", ops->name, what);
        exit(EXIT_FAILURE);
    }
}

static struct subject *filled(const struct subject_ops *ops)
{
    struct subject *s = ops->create(NR);

    for (size_t i = 0; i < NR; i++) {
        objects[i].key = i;
    }
    check(s && ops->add(s, objects, order, NR) == 0, ops, "no memory");
    return s;
}

/* Takes everything off, each object once; how many there were. */
static size_t drain(const struct subject_ops *ops, struct subject *s, bool *seen)
{
    uint32_t ids[BATCH];
    uint64_t scanned = 0;
    size_t n, nr = 0;

    while ((n = ops->evict(s, objects, ids, BATCH, &scanned)) > 0) {
        for (size_t i = 0; i < n; i++) {
            check(ids[i] < NR && !seen[ids[i]], ops, "evicted twice");
            seen[ids[i]] = true;
        }
        nr += n;
    }
    check(scanned >= nr, ops, "looked at fewer than it evicted");
    return nr;
}

static void check_membership(const struct subject_ops *ops)
{
    static bool seen[NR];
    struct subject *s = filled(ops);

    memset(seen, 0, sizeof(seen));
    ops->del(s, objects, order, NR / 4);
    for (size_t i = 0; i < NR / 4; i++) {
        seen[order[i]] = true; /* and must not be evicted */
    }
    ops->del(s, objects, order, NR / 4); /* nothing happens */
    check(drain(ops, s, seen) == NR - NR / 4, ops, "objects are lost");
    ops->destroy(s);
}

/* Half is hit so often that the next scan keeps it: the first quarter that goes is of the other half. */
static void check_policy(const struct subject_ops *ops)
{
    struct subject *s = filled(ops);
    uint32_t ids[BATCH];
    uint64_t scanned = 0;
    size_t hit_ones = 0, nr = 0;

    for (unsigned k = 0; k < ops->promoting_hits; k++) {
        ops->hit(s, objects, order, NR / 2); /* the ones added first, which would go first */
    }
    while (nr < NR / 4) {
        size_t n = ops->evict(s, objects, ids, BATCH, &scanned);

        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < NR / 2; k++) {
                hit_ones += order[k] == ids[i];
            }
        }
        check(n > 0, ops, "nothing to evict");
        nr += n;
    }
    check(hit_ones == 0, ops, "what was hit goes first");
    ops->destroy(s);
}

static void check_lru_order(void)
{
    struct subject *s = filled(&subject_lru);
    uint32_t id;
    uint64_t scanned = 0;

    subject_lru.hit(s, objects, order, NR / 2);
    for (size_t i = 0; i < NR; i++) {
        check(subject_lru.evict(s, objects, &id, 1, &scanned) == 1, &subject_lru, "too few");
        check(id == order[(i + NR / 2) % NR], &subject_lru, "not in the order of use");
    }
    subject_lru.destroy(s);
}

/* One hit more changes nothing where the table says so: hit_saturated measures nothing else. */
static void check_saturation(const struct subject_ops *ops)
{
    static struct object before[NR];
    struct subject *s = filled(ops);

    for (unsigned k = 0; k < ops->saturating_hits; k++) {
        ops->hit(s, objects, order, NR);
    }
    memcpy(before, objects, sizeof(before));
    ops->hit(s, objects, order, NR);
    check(!ops->saturating_hits || !memcmp(before, objects, sizeof(before)), ops, "another hit changes something");
    if (ops->forget) {
        ops->forget(s, objects, NR);
        memcpy(before, objects, sizeof(before));
        for (unsigned k = 0; k < 2; k++) { /* hit_first does so at most */
            ops->hit(s, objects, order, NR);
            for (size_t i = 0; i < NR; i++) {
                check(memcmp(&before[i], &objects[i], sizeof(before[i])) != 0, ops, "nothing rises");
            }
            memcpy(before, objects, sizeof(before));
        }
    }
    ops->destroy(s);
}

struct worker {
    const struct subject_ops *ops;
    struct subject *subject;
    unsigned nr;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct random random = {w->nr + 1};
    uint32_t ids[BATCH];
    uint64_t scanned = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t n = w->ops->evict(w->subject, objects, ids, BATCH, &scanned);

        check(n == BATCH && w->ops->add(w->subject, objects, ids, n) == 0, w->ops, "a batch is missing");
        for (unsigned k = 0; k < BATCH; k++) { /* of the thread's own: an object in other hands is not hit */
            w->ops->hit(w->subject, objects, &ids[random_below(&random, BATCH)], 1);
        }
    }
    return NULL;
}

static void check_threads(const struct subject_ops *ops)
{
    static bool seen[NR];
    struct subject *s = filled(ops);
    struct worker workers[2] = {{ops, s, 0}, {ops, s, 1}};
    pthread_t threads[2];

    for (unsigned t = 0; t < 2; t++) {
        check(pthread_create(&threads[t], NULL, work, &workers[t]) == 0, ops, "no thread");
    }
    for (unsigned t = 0; t < 2; t++) {
        pthread_join(threads[t], NULL);
    }
    memset(seen, 0, sizeof(seen));
    check(drain(ops, s, seen) == NR, ops, "threads lose objects");
    ops->destroy(s);
}

int main(void)
{
    objects = objects_get(NR);
    order = objects_order(NR, 1);
    if (!objects || !order) {
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
        check_membership(subjects[i]);
        check_policy(subjects[i]);
        check_saturation(subjects[i]);
        check_threads(subjects[i]);
    }
    check_lru_order();
    free(order);
    return EXIT_SUCCESS;
}
