/* SPDX-License-Identifier: MIT */
/*
 * ARC (Megiddo, Modha, FAST 2003, figure 4) on linked lists behind one mutex. See subject.h.
 *
 *      ghosts                cached        cached          ghosts
 *      B1 ◀─────────────────  T1  ──hit──▶  T2  ─────────────▶ B2
 *
 * T1 and T2 link objects; what was evicted is remembered in ghosts.h. Beside the paper's, eviction is a call
 * of its own, in batches, since that is what is measured: it is REPLACE as often as asked.
 */
#include <pthread.h>
#include <stdlib.h>

#include "micro/subject.h"
#include "micro/subject/ghosts.h"
#include "micro/subject/list.h"

enum { IN_T2 = 4 };

struct subject {
    pthread_mutex_t lock;
    struct list t1;
    struct list t2;
    struct ghosts ghosts;
    size_t capacity;
    double p; /* target for |T1| */
};

static struct subject *create(size_t capacity)
{
    struct subject *s = calloc(1, sizeof(*s));

    if (s && ghosts_init(&s->ghosts, capacity) != 0) {
        free(s);
        return NULL;
    }
    if (s) {
        s->capacity = capacity;
        pthread_mutex_init(&s->lock, NULL);
        list_init(&s->t1);
        list_init(&s->t2);
    }
    return s;
}

static void empty(struct list *list)
{
    struct object *object;

    while ((object = list_last(list))) {
        list_remove(list, object);
        object->flags = 0;
    }
}

static void destroy(struct subject *s)
{
    empty(&s->t1);
    empty(&s->t2);
    ghosts_fini(&s->ghosts);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static inline struct list *list_of(struct subject *s, const struct object *object)
{
    return object->flags & IN_T2 ? &s->t2 : &s->t1;
}

static void hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];

        pthread_mutex_lock(&s->lock);
        if (list_has(object)) {
            list_unlink(list_of(s, object), object);
            object->flags = IN_T2;
            list_push(&s->t2, object);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

/* Cases II and III: a ghost's return moves the target. */
static void adapt(struct subject *s, enum ghost_list found)
{
    double b1 = (double)s->ghosts.nr[GHOSTS_B1], b2 = (double)s->ghosts.nr[GHOSTS_B2];

    if (found == GHOSTS_B1) {
        double p = s->p + (b1 > 0 && b2 > b1 ? b2 / b1 : 1);

        s->p = p < (double)s->capacity ? p : (double)s->capacity;
    } else {
        double p = s->p - (b2 > 0 && b1 > b2 ? b1 / b2 : 1);

        s->p = p > 0 ? p : 0;
    }
}

/* Case IV: what is remembered stays within |T1|+|B1| ≤ c and |T1|+|T2|+|B1|+|B2| ≤ 2c. */
static void bound_ghosts(struct subject *s)
{
    size_t b1 = s->ghosts.nr[GHOSTS_B1], b2 = s->ghosts.nr[GHOSTS_B2];

    if (b1 && s->t1.nr + b1 > s->capacity) {
        ghosts_drop(&s->ghosts, GHOSTS_B1);
    } else if (b2 && s->t1.nr + s->t2.nr + b1 + b2 > 2 * s->capacity) {
        ghosts_drop(&s->ghosts, GHOSTS_B2);
    }
}

static int add(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];
        enum ghost_list found;

        ghosts_prefetch(&s->ghosts, object->key);
        pthread_mutex_lock(&s->lock);
        found = ghosts_find(&s->ghosts, object->key);
        if (found != GHOSTS_NONE) {
            adapt(s, found);
            ghosts_take(&s->ghosts, object->key);
            object->flags = IN_T2;
            list_push(&s->t2, object);
        } else {
            object->flags = 0;
            list_push(&s->t1, object);
            bound_ghosts(s);
        }
        pthread_mutex_unlock(&s->lock);
    }
    return 0;
}

static size_t evict(struct subject *s, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned)
{
    size_t done = 0;

    pthread_mutex_lock(&s->lock);
    while (done < nr && s->t1.nr + s->t2.nr > 0) {
        bool from_t1 = s->t1.nr > 0 && ((double)s->t1.nr > s->p || s->t2.nr == 0);
        struct list *list = from_t1 ? &s->t1 : &s->t2;
        struct object *object = list_last(list);

        list_remove(list, object);
        ghosts_put(&s->ghosts, object->key, from_t1 ? GHOSTS_B1 : GHOSTS_B2);
        ids[done++] = (uint32_t)(object - objects);
    }
    pthread_mutex_unlock(&s->lock);
    *ret_scanned += done;
    return done;
}

static void del(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];

        pthread_mutex_lock(&s->lock);
        if (list_has(object)) {
            list_remove(list_of(s, object), object);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

const struct subject_ops subject_arc = {"arc", SUBJECT_LINK, 0, 1, create, destroy, hit, add, evict, del, NULL, NULL};
