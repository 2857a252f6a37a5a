/* SPDX-License-Identifier: MIT */
/*
 * What the machine takes for the least that an operation needs: see subject.h
 *
 *      load       hit    one relaxed load of the object's line
 *      cmpxchg    hit    one locked compare-and-swap on it, after a load
 *      ring       hit    nothing; else as array
 *      array      add    the pointer appended to the thread's own array
 *                 evict  an array of pointers walked, each object prefetched 16 ahead, one word read and cleared
 *                 del    one store in the object
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "micro/subject.h"

enum { AHEAD = 16 };

struct subject {
    struct object **slots;
    size_t bytes;
    size_t capacity;
    uint64_t tail __attribute__((aligned(64))); /* of threads that append, a chunk at a time */
    uint64_t hand __attribute__((aligned(64)));
};

static struct subject *create(size_t capacity)
{
    struct subject *s = aligned_alloc(64, sizeof(*s));

    if (!s) {
        return NULL;
    }
    s->tail = s->hand = 0;
    s->capacity = capacity;
    s->bytes = capacity * sizeof(*s->slots);
    s->slots = objects_map(s->bytes);
    if (!s->slots) {
        free(s);
        return NULL;
    }
    memset(s->slots, 0, s->bytes); /* its pages are there before the clock starts */
    return s;
}

static void destroy(struct subject *s)
{
    objects_unmap(s->slots, s->bytes);
    free(s);
}

static void load_hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    (void)s;
    for (size_t i = 0; i < nr; i++) {
        uint32_t word = __atomic_load_n(&objects[ids[i]].word, __ATOMIC_RELAXED);

        __asm__ volatile("" ::"r"(word));
    }
}

static void cmpxchg_hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    (void)s;
    for (size_t i = 0; i < nr; i++) {
        uint32_t *word = &objects[ids[i]].word;
        uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);

        while (!__atomic_compare_exchange_n(word, &seen, seen + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

static void no_hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    (void)s;
    (void)objects;
    (void)ids;
    (void)nr;
}

/* Chunks of 64, one fetch_add each: a call is never for fewer where that matters. */
static int array_add(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr;) {
        size_t n = nr - i < 64 ? nr - i : 64;
        uint64_t at = __atomic_fetch_add(&s->tail, n, __ATOMIC_RELAXED);

        for (size_t k = 0; k < n; k++, i++) {
            /* release: pairs with the acquire of array_evict, so that an object's memory goes with it */
            __atomic_store_n(&s->slots[(at + k) % s->capacity], &objects[ids[i]], __ATOMIC_RELEASE);
        }
    }
    return 0;
}

static size_t array_evict(struct subject *s, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned)
{
    uint64_t hand = __atomic_fetch_add(&s->hand, nr, __ATOMIC_RELAXED) % s->capacity;
    uint32_t word = 0;

    for (size_t i = 0; i < nr; i++) {
        struct object *object = __atomic_load_n(&s->slots[hand], __ATOMIC_ACQUIRE);
        size_t ahead = hand + AHEAD < s->capacity ? hand + AHEAD : hand + AHEAD - s->capacity;

        __builtin_prefetch(__atomic_load_n(&s->slots[ahead], __ATOMIC_RELAXED), 1);
        hand = hand + 1 < s->capacity ? hand + 1 : 0;
        word += object->word;
        object->word = 0;
        ids[i] = (uint32_t)(object - objects);
    }
    __asm__ volatile("" ::"r"(word)); /* it was read */
    *ret_scanned += nr;
    return nr;
}

static void array_del(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    (void)s;
    for (size_t i = 0; i < nr; i++) {
        __atomic_store_n(&objects[ids[i]].mark, 0, __ATOMIC_RELAXED);
    }
}

const struct subject_ops limit_load = {
    .name = "load", .field = SUBJECT_WORD, .create = create, .destroy = destroy, .hit = load_hit, .add = array_add};

const struct subject_ops limit_cmpxchg = {.name = "cmpxchg",
                                          .field = SUBJECT_WORD,
                                          .create = create,
                                          .destroy = destroy,
                                          .hit = cmpxchg_hit,
                                          .add = array_add};

const struct subject_ops limit_array = {.name = "array",
                                        .field = SUBJECT_WORD,
                                        .create = create,
                                        .destroy = destroy,
                                        .hit = no_hit,
                                        .add = array_add,
                                        .evict = array_evict,
                                        .del = array_del};

const struct subject_ops limit_ring = {.name = "index",
                                       .field = SUBJECT_WORD,
                                       .create = create,
                                       .destroy = destroy,
                                       .hit = no_hit,
                                       .add = array_add,
                                       .evict = array_evict};
