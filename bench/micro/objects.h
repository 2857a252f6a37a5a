/* SPDX-License-Identifier: MIT */
/*
 * objects.h - the 64-byte objects that everything measured here links or marks
 *
 *      0      8              24            40     44     48     52     56              64
 *      ┌──────┬──────────────┬─────────────┬──────┬──────┬──────┬──────┬───────────────┐
 *      │ key  │ genlru_node  │ prev, next  │ word │ flags│ slot │ bit  │ mark          │
 *      └──────┴──────────────┴─────────────┴──────┴──────┴──────┴──────┴───────────────┘
 *               genlru         linked peers  limits linked  CLOCK       limits
 *
 * One cache line, allocated once for the whole process and shared: each kind of subject has fields of its own,
 * so that genlru, CLOCK, the limits and one linked list can be filled at the same time, and none pays
 * for another's metadata with a second line. Lists are filled in a random order, so that neighbours on a
 * list are no neighbours in memory. Huge pages where the system gives them.
 */
#ifndef GENLRU_BENCH_MICRO_OBJECTS_H
#define GENLRU_BENCH_MICRO_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include <genlru/genlru.h>

struct link {
    struct link *prev;
    struct link *next; /* NULL = on no list */
};

struct object {
    uint64_t key;
    struct genlru_node node;
    struct link link;
    uint32_t word;  /* what the limits read and write */
    uint32_t flags; /* of the linked peers */
    uint32_t slot;  /* CLOCK's: where it stands */
    uint32_t bit;   /* CLOCK's */
    uint64_t mark;  /* the limits', too */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct object) == 64, "one cache line");

#define OBJECTS_MAX ((size_t)50 * 1000 * 1000)

/* The first `nr` objects, always at the same place, until the process ends. NULL = no memory, or too many. */
struct object *objects_get(size_t nr);

/* A random permutation of 0 … nr-1, the same in every run; another one for each `seed`. NULL = no memory. */
uint32_t *objects_order(size_t nr, uint64_t seed);

/* `bytes` of zeroed memory, in huge pages if possible. NULL = no memory. */
void *objects_map(size_t bytes);
void objects_unmap(void *memory, size_t bytes);

#endif
