/* SPDX-License-Identifier: MIT */
/*
 * An entry: what the heap's objects are.
 *
 *    0        8      12       16             24       32
 *   +--------+------+--------+--------------+--------+---------------------------------------------------+
 *   | key    | pins | expiry | node.state   | .slot  |                                                   |
 *   +--------+------+--------+--------------+--------+---------------------------------------------------+
 *   | number                                          | pointer                  number  → pointer    40 bytes
 *   | number                                          | length | value bytes     number  → inline
 *   | key_bytes, -                                    | pointer | key bytes      bytes   → pointer
 *   | key_bytes, value_bytes                          | value bytes | key bytes  bytes   → inline
 *
 * A look-up reads the first 24 bytes and the key; a hit writes the state at most, a pin the pins. What does not fit an
 * object of the heap is kept outside: a pointer to it stands where the bytes would begin.
 *
 * ## pins: who may free the entry
 *
 *   31 30     29    28      26..24 23       0
 *   +-+------+----+------+--------+----------+
 *   |-|PARKED|DEAD|LISTED| cause  | handles  |
 *   +-+------+----+------+--------+----------+
 *
 *   LISTED  core has the node, or will tell somebody that it has not: cleared by who is told GENLRU_YOURS, or by the
 *           evictor that took the isolated entry out of the index
 *   DEAD    it is in the index no more, and gets no new pins; set once, with the cause, by who took it out
 *   PARKED  the cache holds core's pin, since eviction met the entry while there were handles; the last handle gives it
 *           back
 *
 * The step that makes the word DEAD and nothing else (but the cause) retires the entry: exactly one does, since no bit
 * is ever set again after that. From then on only a grace period keeps it.
 */
#ifndef GENLRU_CACHE_ENTRY_H
#define GENLRU_CACHE_ENTRY_H

#include <stdbool.h>
#include <string.h>

#include "atomic.h"
#include "genlru/cache.h"
#include "genlru/node.h"
#include "heap.h"

struct genlru_cache_entry {
    uint64_t key; /* or two lengths of 32 bits */
    uint32_t pins;
    uint32_t expiry; /* in ticks; 0 = never */
    struct genlru_node node;
    uint64_t value; /* or where bytes begin */
};

#define GENLRU__PINS UINT32_C(0x00ffffff)
#define GENLRU__CAUSE_SHIFT 24
#define GENLRU__CAUSE (UINT32_C(7) << GENLRU__CAUSE_SHIFT)
#define GENLRU__LISTED (UINT32_C(1) << 28)
#define GENLRU__DEAD (UINT32_C(1) << 29)
#define GENLRU__PARKED (UINT32_C(1) << 30)

/* A cause of ours: an insert that failed. Its value stays with the caller. */
#define GENLRU__CAUSE_NONE 7u

/* What kind of entries a cache has. */
struct genlru__kind {
    bool has_number; /* keys are numbers */
    bool is_inline;  /* values are bytes */
};

/* A key as a call brings it. */
struct genlru__key {
    const void *bytes; /* of a number: its own `number` */
    uint32_t nr_bytes;
    uint64_t number;
};

/* The largest key and value. */
#define GENLRU__MAX_BYTES ((UINT32_C(1) << 31) - 1)

static inline unsigned char *genlru__tail(const struct genlru_cache_entry *e, size_t offset)
{
    return (unsigned char *)(uintptr_t)e + offset;
}

/* Where variable bytes begin, or the pointer to them stands. */
static inline size_t genlru__tail_offset(struct genlru__kind kind)
{
    return kind.is_inline && !kind.has_number ? 32 : 40;
}

static inline uint32_t genlru__key_bytes(struct genlru__kind kind, const struct genlru_cache_entry *e)
{
    return kind.has_number ? 8 : (uint32_t)e->key;
}

static inline uint32_t genlru__value_bytes(struct genlru__kind kind, const struct genlru_cache_entry *e)
{
    return !kind.is_inline ? 0 : kind.has_number ? (uint32_t)e->value : (uint32_t)(e->key >> 32);
}

/* False: every entry is an object of GENLRU__OBJECT_MIN bytes. */
static inline bool genlru__has_payload(struct genlru__kind kind)
{
    return kind.is_inline || !kind.has_number;
}

/* Variable bytes of an entry. */
static inline size_t genlru__payload_bytes(struct genlru__kind kind, size_t key_bytes, size_t value_bytes)
{
    return (kind.has_number ? 0 : key_bytes) + (kind.is_inline ? value_bytes : 0);
}

static inline bool genlru__is_outside(struct genlru__kind kind, size_t payload_bytes)
{
    return genlru__tail_offset(kind) + payload_bytes > GENLRU__OBJECT_MAX;
}

/* Of the object in the heap. */
static inline size_t genlru__object_bytes(struct genlru__kind kind, size_t payload_bytes)
{
    return genlru__tail_offset(kind) + (genlru__is_outside(kind, payload_bytes) ? sizeof(void *) : payload_bytes);
}

/*
 * What an entry costs in bytes: its object, what is outside, and its share of index and lists (about 10 and 12; the rest
 * is for objects placed on lines).
 */
static inline size_t genlru__entry_cost(struct genlru__kind kind, size_t payload_bytes)
{
    enum { SHARE = 24, OUTSIDE = 16 };
    size_t object = (genlru__object_bytes(kind, payload_bytes) + 7) & ~(size_t)7;

    object = object < GENLRU__OBJECT_MIN ? GENLRU__OBJECT_MIN : object;
    return object + SHARE + (genlru__is_outside(kind, payload_bytes) ? payload_bytes + OUTSIDE : 0);
}

static inline unsigned char *genlru__payload(struct genlru__kind kind, const struct genlru_cache_entry *e)
{
    size_t bytes = genlru__payload_bytes(kind, genlru__key_bytes(kind, e), genlru__value_bytes(kind, e));
    unsigned char *tail = genlru__tail(e, genlru__tail_offset(kind)), *outside;

    if (!genlru__is_outside(kind, bytes))
        return tail;
    memcpy(&outside, tail, sizeof(outside));
    return outside;
}

static inline const void *genlru__entry_key(struct genlru__kind kind, const struct genlru_cache_entry *e)
{
    if (kind.has_number)
        return &e->key;
    return genlru__payload(kind, e) + genlru__value_bytes(kind, e);
}

static inline void *genlru__entry_value(struct genlru__kind kind, const struct genlru_cache_entry *e)
{
    return kind.is_inline ? (void *)genlru__payload(kind, e) : (void *)(uintptr_t)e->value;
}

static inline bool genlru__entry_has_key(struct genlru__kind kind, const struct genlru_cache_entry *e,
                                         const struct genlru__key *key)
{
    if (kind.has_number)
        return e->key == key->number;
    return (uint32_t)e->key == key->nr_bytes && memcmp(genlru__entry_key(kind, e), key->bytes, key->nr_bytes) == 0;
}

/* ---- pins; none of these takes a lock ---- */

/* A handle more; false if the entry is dead. In a read section, or with a handle. */
static inline bool genlru__entry_pin(struct genlru_cache_entry *e)
{
    uint32_t pins = genlru__u32_load_relaxed(&e->pins);

    do {
        if (GENLRU_UNLIKELY(pins & GENLRU__DEAD) || GENLRU_UNLIKELY((pins & GENLRU__PINS) == GENLRU__PINS))
            return false;
    } while (GENLRU_UNLIKELY(!genlru__u32_cas_acquire(&e->pins, &pins, pins + 1))); /* acquire R */
    return true;
}

/* A handle less, where that is all there is to it: false otherwise, with nothing changed. */
static inline bool genlru__entry_try_drop(struct genlru_cache_entry *e)
{
    uint32_t pins = genlru__u32_load_relaxed(&e->pins);

    do {
        if (GENLRU_UNLIKELY(pins & (GENLRU__DEAD | GENLRU__PARKED)))
            return false;
    } while (GENLRU_UNLIKELY(!genlru__u32_cas_acq_rel(&e->pins, &pins, pins - 1))); /* acq_rel R */
    return true;
}

/* Adds and clears bits in one step; returns the word after it. The bits to set must be clear. */
static inline uint32_t genlru__entry_change(struct genlru_cache_entry *e, uint32_t set, uint32_t clear, uint32_t sub)
{
    uint32_t pins = genlru__u32_load_relaxed(&e->pins), after;

    do {
        after = ((pins | set) & ~clear) - sub;
        /* acq_rel R: what this party did to the entry is before what the retiring one does */
    } while (!genlru__u32_cas_acq_rel(&e->pins, &pins, after));
    return after;
}

static inline bool genlru__is_retired(uint32_t pins)
{
    return (pins & ~GENLRU__CAUSE) == GENLRU__DEAD;
}

static inline uint32_t genlru__dead(unsigned cause)
{
    return GENLRU__DEAD | cause << GENLRU__CAUSE_SHIFT;
}

#endif
