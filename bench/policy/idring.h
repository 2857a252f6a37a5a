/* SPDX-License-Identifier: MIT */
/*
 * idring.h - a queue of ids in a ring of slots, for policies that never remove from the middle
 *
 *      slot:  . . │oldest … youngest│ . . .
 *                  ▲ first           ▲ first + nr
 *
 * 4 bytes an entry, and a scan from the oldest end reads consecutive memory.
 */
#ifndef GENLRU_BENCH_POLICY_IDRING_H
#define GENLRU_BENCH_POLICY_IDRING_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>

#include "policy/array.h"

struct id_ring {
    uint32_t *slot;
    uint32_t room;
    uint32_t first; /* of the oldest */
    uint32_t nr;
};

/* Room for so many ids. 0 or -ENOMEM. id_ring_fini may be called on a zeroed ring. */
static inline int id_ring_init(struct id_ring *r, uint32_t room)
{
    *r = (struct id_ring){.room = room ? room : 1};
    r->slot = array_create(r->room, sizeof(*r->slot));
    return r->slot ? 0 : -ENOMEM;
}

static inline void id_ring_fini(struct id_ring *r)
{
    array_destroy(r->slot);
}

static inline uint32_t id_ring_index(const struct id_ring *r, uint32_t i)
{
    uint64_t at = (uint64_t)r->first + i;

    return (uint32_t)(at < r->room ? at : at - r->room);
}

/* The i-th, 0 = oldest. */
static inline uint32_t id_ring_at(const struct id_ring *r, uint32_t i)
{
    return r->slot[id_ring_index(r, i)];
}

/* As youngest. */
static inline void id_ring_push(struct id_ring *r, uint32_t id)
{
    assert(r->nr < r->room);
    r->slot[id_ring_index(r, r->nr)] = id;
    r->nr++;
}

/* The oldest, taken out. */
static inline uint32_t id_ring_pop(struct id_ring *r)
{
    assert(r->nr > 0);
    uint32_t id = r->slot[r->first];

    r->first = r->first + 1 < r->room ? r->first + 1 : 0;
    r->nr--;
    return id;
}

#endif
