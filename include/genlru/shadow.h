/* SPDX-License-Identifier: MIT */
/*
 * Shadows: what is left of an evicted node, 8 bytes that the owner keeps where the node was, or lets a
 * fixed-size nonresident table keep. Given back to genlru_add() it tells how long the node was away.
 *
 *  63   62         48 47 46 45  43 42    39 38    35 34       26 25            0
 * +---+--------------+-----+------+--------+--------+------------+--------------+
 * | 1 |  lru's tag   |type | epoch|  freq  |  refs  | wrk  seq   |    clock     |
 * +---+--------------+-----+------+--------+--------+------------+--------------+
 *   1        15         2     3       4        4       1 + 8           26
 *
 * clock: charge evicted by the lru so far, in steps of capacity / 2^16 (at least 1), modulo 2^26: distances are told
 * apart up to 512 times the capacity at creation, at least. seq: min_seq at eviction modulo 256. A shadow of another
 * lru is told by its tag and counts as not recent (a wrong lru passes with probability 2^-15).
 */
#ifndef GENLRU_SHADOW_H
#define GENLRU_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

struct genlru;
struct genlru_allocator;

typedef uint64_t genlru_shadow; /* 0 = no shadow */

/* What a shadow says, seen from now. */
struct genlru_shadow_info {
    uint64_t distance; /* charge evicted since, in the owner's unit, rounded to the clock's steps */
    uint32_t gens;     /* max_seq now less min_seq at eviction, up to 255: 2 or more right after an eviction */
    uint8_t refs;      /* at eviction */
    uint8_t freq;      /* at eviction */
    uint8_t type;
    uint8_t workingset; /* the node was part of the working set */
    uint8_t is_recent;  /* by the lru's policy: its return is a refault */
    uint8_t is_foreign; /* of another lru */
};

/* Reads a shadow. Returns 0, or -EINVAL for 0 or a value that is no shadow. Any thread; no lock; O(1). */
GENLRU_API int genlru_shadow_read(const struct genlru *lru, genlru_shadow shadow, struct genlru_shadow_info *ret_info);

/*
 * Nonresident table: for owners with nowhere to keep shadows. Fixed size, 8 bytes a slot, in sets of 8
 * slots (one cache line). A slot holds 16 bits of the key's seeded hash and the 48 bits of a shadow; a new shadow
 * replaces the set's oldest. A look-up for a key that is not there answers wrongly with probability
 * at most 8 * 2^-16 = 0.012 %. Lock-free; any thread; a table belongs to one lru.
 */
struct genlru_nonresident;

/*
 * `slots` is rounded up to a multiple of 8; `seed` decides which keys share a set. `allocator`
 * NULL = the C library's. Returns 0, -ENOMEM, or -EINVAL (no slots, or more than 2^32).
 */
GENLRU_API int genlru_nonresident_create(size_t slots, uint64_t seed, const struct genlru_allocator *allocator,
                                         struct genlru_nonresident **ret_table);
GENLRU_API void genlru_nonresident_destroy(struct genlru_nonresident *table);

/* Keeps `shadow` (of `lru`) for the key with this 64-bit hash. A shadow of 0 is not kept. O(1). */
GENLRU_API void genlru_nonresident_insert(struct genlru_nonresident *table, const struct genlru *lru, uint64_t key_hash,
                                          genlru_shadow shadow);
/* Takes the key's shadow out of the table; 0 if there is none. O(1). */
GENLRU_API genlru_shadow genlru_nonresident_take(struct genlru_nonresident *table, const struct genlru *lru,
                                                 uint64_t key_hash);
/* Fetches what insert and take of this key will look at: for who knows early what he will ask. O(1). */
GENLRU_API void genlru_nonresident_prefetch(const struct genlru_nonresident *table, uint64_t key_hash);
/* Bytes of memory that the table uses. */
GENLRU_API size_t genlru_nonresident_bytes(const struct genlru_nonresident *table);

#ifdef __cplusplus
}
#endif
#endif
