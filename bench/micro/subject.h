/* SPDX-License-Identifier: MIT */
/*
 * subject.h - one thing that is measured: genlru, a peer, or a limit of the machine
 *
 * Every call works on many objects, so that the call through the table costs nothing beside them; within, the
 * operation is inlined into the loop. Objects are named by their numbers in the array of objects.h.
 *
 * All subjects with the same `field` use the same members of the objects, so only one of these is filled
 * at a time (fixture.h sees to it).
 */
#ifndef GENLRU_BENCH_MICRO_SUBJECT_H
#define GENLRU_BENCH_MICRO_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "micro/objects.h"

enum subject_field {
    SUBJECT_NODE, /* genlru's node */
    SUBJECT_LINK, /* link, flags */
    SUBJECT_SLOT, /* slot, bit */
    SUBJECT_WORD, /* word, mark */
    SUBJECT_NR_FIELDS
};

struct subject; /* each has its own */

struct subject_ops {
    const char *name;
    enum subject_field field;

    unsigned saturating_hits; /* after so many in a row, one more changes nothing (0: each changes as much) */
    unsigned promoting_hits;  /* after so many since its add, the next scan keeps an object */

    /* For so many objects. NULL = no memory. */
    struct subject *(*create)(size_t capacity);
    /* With whatever is still on it: takes that off. */
    void (*destroy)(struct subject *subject);

    /* A hit on each. Any thread. */
    void (*hit)(struct subject *subject, struct object *objects, const uint32_t *ids, size_t nr);
    /* Adds objects that are not on it; each counts as used once. Any thread. 0 or -ENOMEM. */
    int (*add)(struct subject *subject, struct object *objects, const uint32_t *ids, size_t nr);
    /* Takes off up to `nr` of them, by the policy. Any thread. How many; *ret_scanned += nodes looked at. */
    size_t (*evict)(struct subject *subject, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned);
    /* Takes off the ones named; whoever is not on it is left alone. Any thread. */
    void (*del)(struct subject *subject, struct object *objects, const uint32_t *ids, size_t nr);
    /* Makes objects 0 … nr-1 forget how often they were used, where they stand. NULL = there is nothing to forget. */
    void (*forget)(struct subject *subject, struct object *objects, size_t nr);
    /* Allocations of its lists' memory so far. NULL = it makes none after create. */
    uint64_t (*slabs)(struct subject *subject);
};

extern const struct subject_ops subject_genlru;
extern const struct subject_ops subject_genlru_batch; /* the same, deleting 64 at a time */
extern const struct subject_ops subject_lru;          /* doubly linked list behind one mutex */
extern const struct subject_ops subject_lru16;        /* 16 of them, by key */
extern const struct subject_ops subject_clru;         /* two linked lists, as in the kernel before generations */
extern const struct subject_ops subject_arc;          /* four linked lists */
extern const struct subject_ops subject_clock;        /* array of pointers and a hand */

/* Limits: what no implementation can do without. Only some of the calls are there; the others are NULL. */
extern const struct subject_ops limit_load;    /* hit: relaxed load of the word */
extern const struct subject_ops limit_cmpxchg; /* hit: compare-and-swap that adds 1 */
extern const struct subject_ops limit_ring;    /* as limit_array, named index: the policy of an index alone */
extern const struct subject_ops limit_array;   /* add: append; evict: walk, prefetching; del: one store in the object */

#endif
