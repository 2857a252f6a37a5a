/* SPDX-License-Identifier: MIT */
/*
 * Two linked lists, inactive and active, with a referenced bit: what came before generations. See subject.h.
 *
 *      hit   inactive ──▶ inactive, referenced ──▶ active ──▶ active, referenced
 *      evict takes the inactive list's last; a referenced one goes to the active list instead. While the inactive
 *            list is shorter than the active one, the active list's last come down to it, unreferenced
 *
 * The first and the last hit only set a bit, without the lock, and later ones look at it only.
 */
#include <pthread.h>
#include <stdlib.h>

#include "micro/subject.h"
#include "micro/subject/list.h"

enum { REFERENCED = 1, ACTIVE = 2 };
enum { DEACTIVATE_MAX = 32 }; /* under one hold, beside those scanned */

struct subject {
    pthread_mutex_t lock;
    struct list inactive;
    struct list active;
};

static inline uint32_t flags_of(const struct object *object)
{
    return __atomic_load_n(&object->flags, __ATOMIC_RELAXED);
}

static inline void set_flags(struct object *object, uint32_t flags)
{
    __atomic_store_n(&object->flags, flags, __ATOMIC_RELAXED);
}

static struct subject *create(size_t capacity)
{
    struct subject *s = aligned_alloc(64, (sizeof(*s) + 63) / 64 * 64);

    (void)capacity;
    if (s) {
        pthread_mutex_init(&s->lock, NULL);
        list_init(&s->inactive);
        list_init(&s->active);
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
    empty(&s->inactive);
    empty(&s->active);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void activate(struct subject *s, struct object *object)
{
    list_unlink(&s->inactive, object);
    list_push(&s->active, object);
    set_flags(object, ACTIVE);
}

static void activate_locking(struct subject *s, struct object *object)
{
    pthread_mutex_lock(&s->lock);
    if (list_has(object) && !(flags_of(object) & ACTIVE)) {
        activate(s, object);
    }
    pthread_mutex_unlock(&s->lock);
}

static void hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];
        uint32_t flags = flags_of(object);

        if (!(flags & REFERENCED)) {
            (void)__atomic_fetch_or(&object->flags, REFERENCED, __ATOMIC_RELAXED);
        } else if (!(flags & ACTIVE)) {
            activate_locking(s, object);
        }
    }
}

static int add(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];

        set_flags(object, 0);
        pthread_mutex_lock(&s->lock);
        list_push(&s->inactive, object);
        pthread_mutex_unlock(&s->lock);
    }
    return 0;
}

static void deactivate(struct subject *s)
{
    for (unsigned i = 0; i < DEACTIVATE_MAX && s->inactive.nr < s->active.nr; i++) {
        struct object *object = list_last(&s->active);

        list_unlink(&s->active, object);
        list_push(&s->inactive, object);
        set_flags(object, 0);
    }
}

static size_t evict(struct subject *s, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned)
{
    struct object *object;
    size_t done = 0;
    uint64_t scanned = 0;

    pthread_mutex_lock(&s->lock);
    deactivate(s);
    while (done < nr && (object = list_last(&s->inactive))) {
        scanned++;
        if (flags_of(object) & REFERENCED) {
            activate(s, object);
            if (s->inactive.nr == 0) {
                deactivate(s);
            }
        } else {
            list_remove(&s->inactive, object);
            ids[done++] = (uint32_t)(object - objects);
        }
    }
    pthread_mutex_unlock(&s->lock);
    *ret_scanned += scanned;
    return done;
}

static void del(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];

        pthread_mutex_lock(&s->lock);
        if (list_has(object)) {
            list_remove(flags_of(object) & ACTIVE ? &s->active : &s->inactive, object);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

const struct subject_ops subject_clru = {"clru", SUBJECT_LINK, 3, 1, create, destroy, hit, add, evict, del, NULL, NULL};
