/* SPDX-License-Identifier: MIT */
/*
 * CLOCK over an array of pointers: a bit a hit sets unless it is set, and a hand that clears it. See subject.h.
 *
 *      slots  ▢ ▣ ▢ ▢ ▣ ▢ …      ▣ bit set: cleared, passed over      free: a stack of empty slots
 *                   ↑ hand ──▶        the slots 16 ahead are prefetched
 *
 * The hand, the stack and the slots are behind one mutex; hits take none.
 */
#include <pthread.h>
#include <stdlib.h>

#include "micro/subject.h"

enum { AHEAD = 16 };

#define NOWHERE UINT32_MAX

struct subject {
    pthread_mutex_t lock;
    struct object **slots; /* NULL = free; AHEAD more at the end, so that the hand need not look where it prefetches */
    uint32_t *free;
    size_t nr_free;
    size_t capacity;
    size_t hand;
};

static struct subject *create(size_t capacity)
{
    struct subject *s = calloc(1, sizeof(*s));

    if (!s) {
        return NULL;
    }
    s->capacity = s->nr_free = capacity;
    s->slots = objects_map((capacity + AHEAD) * sizeof(*s->slots));
    s->free = objects_map(capacity * sizeof(*s->free));
    if (!s->slots || !s->free) {
        objects_unmap(s->slots, (capacity + AHEAD) * sizeof(*s->slots));
        objects_unmap(s->free, capacity * sizeof(*s->free));
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < capacity; i++) {
        s->free[i] = (uint32_t)(capacity - 1 - i);
    }
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void destroy(struct subject *s)
{
    objects_unmap(s->slots, (s->capacity + AHEAD) * sizeof(*s->slots));
    objects_unmap(s->free, s->capacity * sizeof(*s->free));
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    (void)s;
    for (size_t i = 0; i < nr; i++) {
        uint32_t *bit = &objects[ids[i]].bit;

        if (!__atomic_load_n(bit, __ATOMIC_RELAXED)) {
            __atomic_store_n(bit, 1, __ATOMIC_RELAXED);
        }
    }
}

static int add(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];
        uint32_t slot;

        __atomic_store_n(&object->bit, 0, __ATOMIC_RELAXED);
        pthread_mutex_lock(&s->lock);
        slot = s->free[--s->nr_free];
        s->slots[slot] = object;
        object->slot = slot;
        pthread_mutex_unlock(&s->lock);
    }
    return 0;
}

static size_t evict(struct subject *s, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned)
{
    size_t done = 0, passed = 0;

    pthread_mutex_lock(&s->lock);
    while (done < nr && passed <= 2 * s->capacity) { /* after a round every bit is clear; free slots count as passed */
        struct object *object = s->slots[s->hand];

        __builtin_prefetch(s->slots[s->hand + AHEAD], 1);
        passed++;
        if (object && __atomic_load_n(&object->bit, __ATOMIC_RELAXED)) {
            __atomic_store_n(&object->bit, 0, __ATOMIC_RELAXED);
        } else if (object) {
            s->slots[s->hand] = NULL;
            s->free[s->nr_free++] = (uint32_t)s->hand;
            object->slot = NOWHERE;
            ids[done++] = (uint32_t)(object - objects);
        }
        s->hand = s->hand + 1 < s->capacity ? s->hand + 1 : 0;
    }
    pthread_mutex_unlock(&s->lock);
    *ret_scanned += passed;
    return done;
}

static void del(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];

        pthread_mutex_lock(&s->lock);
        if (object->slot != NOWHERE) {
            s->slots[object->slot] = NULL;
            s->free[s->nr_free++] = object->slot;
            object->slot = NOWHERE;
        }
        pthread_mutex_unlock(&s->lock);
    }
}

const struct subject_ops subject_clock = {"clock", SUBJECT_SLOT, 1,     1,   create, destroy,
                                          hit,     add,          evict, del, NULL,   NULL};
