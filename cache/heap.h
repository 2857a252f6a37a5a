/* SPDX-License-Identifier: MIT */
/*
 * The heap of entries: slabs of one size class each, and 32-bit handles instead of pointers, so that an index slot
 * is 5 bytes.
 *
 *   handle:  31          18 17                0       slab: 16 KiB, 32, 64, ... 2 MiB, 2 MiB, ...
 *           +--------------+-------------------+      ┌───┬───┬───┬──────────────────────┐
 *           | slab number  | offset in units   | ───▶ │nr │   │   │ not carved yet ...   │
 *           +--------------+-------------------+      └───┴───┴───┴──────────────────────┘
 *            (unit = 8 bytes, so a heap is 32 GiB at most)
 *
 * Classes: every multiple of 8 from 40 to 512 bytes. What is larger keeps its bytes outside (entry.h). Objects have no
 * header. An object of 40 bytes (a number and a pointer) is placed so that its first 24 bytes are on one cache line.
 *
 * A lane (group of threads) has a short list of free objects of each class under its own lock; slabs have the rest,
 * under the heap's mutex. A slab that becomes wholly free serves any class; memory of many such goes back to the
 * allocator. Objects are freed only after a grace period, so readers may look at an object whose handle they found.
 */
#ifndef GENLRU_CACHE_HEAP_H
#define GENLRU_CACHE_HEAP_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"
#include "memory.h"

enum {
    GENLRU__OBJECT_MIN = 40,
    GENLRU__OBJECT_MAX = 512,
    GENLRU__NR_CLASSES = (GENLRU__OBJECT_MAX - GENLRU__OBJECT_MIN) / 8 + 1,
    GENLRU__HANDLE_SHIFT = 18, /* bits of a handle that are the offset */
    GENLRU__UNIT_SHIFT = 3,
    GENLRU__SLAB_SHIFT = GENLRU__HANDLE_SHIFT + GENLRU__UNIT_SHIFT
};

struct genlru__slab {
    uint32_t bytes;
    uint32_t bump;    /* offset of the first byte that was never carved */
    uint32_t free;    /* first of the free objects; the first four bytes of each are the next */
    uint32_t nr_free; /* on that list */
    uint32_t nr_used; /* in use or on a lane's list */
    uint32_t next;    /* slabs of the class that have room, or empty ones; number + 1 */
    uint32_t prev;
    uint16_t class_;
    bool is_listed;
};

struct genlru__heap {
    struct genlru__table slab; /* address of each slab */
    /* writers */
    pthread_mutex_t mutex __attribute__((aligned(64)));
    struct genlru__memory *memory;
    struct genlru__slab *info; /* of each slab; replaced with the table */
    uint32_t info_size;
    uint32_t nr_slabs;
    uint32_t empty; /* list of slabs without objects: number + 1 */
    uint32_t nr_empty;
    uint32_t hollow;                        /* list of those whose memory went back */
    uint32_t partial[GENLRU__NR_CLASSES];   /* lists of slabs with room */
    uint8_t is_aligned[GENLRU__NR_CLASSES]; /* objects begin where their first 24 bytes are on one line */
    uint64_t slab_bytes;
};

/* A lane's free objects of one class; under the lane's lock. */
struct genlru__magazine {
    uint32_t free;
    uint32_t nr;
};

/* 0 or -ENOMEM. */
int genlru__heap_init(struct genlru__heap *heap, struct genlru__memory *memory);
void genlru__heap_fini(struct genlru__heap *heap);

static inline unsigned genlru__class_of(size_t bytes)
{
    return bytes <= GENLRU__OBJECT_MIN ? 0 : (unsigned)(bytes - GENLRU__OBJECT_MIN + 7) / 8;
}

static inline void *genlru__heap_at(const struct genlru__heap *heap, uint32_t handle)
{
    /* acquire T; a handle is read with acquire, so the table that knows its slab is found */
    void **at = __atomic_load_n(&heap->slab.at, __ATOMIC_ACQUIRE);
    uint32_t offset = handle & ((UINT32_C(1) << GENLRU__HANDLE_SHIFT) - 1);

    return (char *)at[handle >> GENLRU__HANDLE_SHIFT] + ((size_t)offset << GENLRU__UNIT_SHIFT);
}

/*
 * Where the object is or was, to be prefetched and no more: it may be free, and its slab's memory given back. NULL: that it is.
 * Needs no lock.
 */
static inline const void *genlru__heap_hint(const struct genlru__heap *heap, uint32_t handle)
{
    void **at = __atomic_load_n(&heap->slab.at, __ATOMIC_ACQUIRE); /* acquire T */
    uint32_t offset = handle & ((UINT32_C(1) << GENLRU__HANDLE_SHIFT) - 1);
    const char *slab = genlru_impl_ptr_load_relaxed(&at[handle >> GENLRU__HANDLE_SHIFT]);

    return slab ? slab + ((size_t)offset << GENLRU__UNIT_SHIFT) : NULL;
}

/* Slabs are aligned to the largest, and begin with their number. */
static inline uint32_t genlru__heap_handle(const void *object)
{
    uintptr_t slab = (uintptr_t)object & ~(((uintptr_t)1 << GENLRU__SLAB_SHIFT) - 1);
    uint32_t offset = (uint32_t)((uintptr_t)object - slab);

    return *(const uint32_t *)slab << GENLRU__HANDLE_SHIFT | offset >> GENLRU__UNIT_SHIFT;
}

/* An object out of the magazine; 0 = it is empty. With the lane's lock. */
uint32_t genlru__magazine_pop(struct genlru__heap *heap, struct genlru__magazine *magazine, unsigned class_);
/* Puts one in, and says whether the magazine is too full (then genlru__heap_take_back some, without the lock). */
bool genlru__magazine_push(struct genlru__heap *heap, struct genlru__magazine *magazine, unsigned class_,
                           uint32_t handle);

/* Objects for an empty magazine, linked; returns how many, 0 = no memory. No lock may be held. */
uint32_t genlru__heap_take(struct genlru__heap *heap, unsigned class_, uint32_t *ret_first);
/* The other way round: `first` begins a list of objects of one class. */
void genlru__heap_take_back(struct genlru__heap *heap, uint32_t first);

/* How many a magazine is filled with; and what it may hold, since the dead come back in bursts. */
unsigned genlru__magazine_fill(unsigned class_);
unsigned genlru__magazine_max(unsigned class_);

/* Address sanitizer: what is free may not be looked at, but for the link. */
void genlru__poison(void *object, size_t bytes);
void genlru__unpoison(void *object, size_t bytes);

#endif
