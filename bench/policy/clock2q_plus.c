/* SPDX-License-Identifier: MIT */
/*
 * clock2q_plus.c - Clock2Q+ (Zhai et al., VLDB 2026, arXiv 2511.21958)
 *
 *                window   │  rest
 *      miss ─▶ [youngest … │ … oldest] S (10 %) ── referenced ──▶ M (90 %, CLOCK) ─▶ out
 *                  hit: 0  │  hit: referenced      else ─▶ G (ghosts, 50 %) ── miss ─▶ M
 *
 * Metadata is asked for several times in a row by one operation: that is one use, not several. So
 * in the younger half of S, the correlation window, a hit sets no reference bit.
 *
 * S is a FIFO that nothing leaves from the middle of; so how many entries came in after one says
 * where it stands, and the window needs no list of its own.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/idlist.h"
#include "policy/idring.h"
#include "policy/replay.h"

#define SMALL_PERCENT 10
#define GHOST_PERCENT 50
#define WINDOW_PERCENT 50 /* of S */

enum { GONE, IN_SMALL, IN_MAIN, GHOST, WHERE_MASK = 3, REFERENCED = 4 };

struct clock2q_plus {
    struct policy base;
    struct id_ring small;
    struct id_ring main;
    struct id_link *ghost;
    uint8_t *state;
    uint32_t *birth; /* of entries in S: the count of S's insertions then, modulo 2^32 */
    uint32_t ghosts; /* list head */
    uint32_t nr_ghosts;
    uint32_t ghosts_room;
    uint32_t small_room;
    uint32_t window; /* the entries of S whose hits do not count */
    uint32_t births;
};

static void clock2q_plus_destroy(struct policy *p)
{
    struct clock2q_plus *c = (struct clock2q_plus *)p;

    id_ring_fini(&c->small);
    id_ring_fini(&c->main);
    array_destroy(c->ghost);
    array_destroy(c->state);
    array_destroy(c->birth);
    free(c);
}

static uint32_t percent_of(uint64_t whole, uint32_t percent)
{
    return (uint32_t)(whole * percent / 100);
}

static int clock2q_plus_create(const struct policy_config *config, struct policy **ret)
{
    struct clock2q_plus *c = calloc(1, sizeof(*c));
    uint32_t most = config->capacity < config->nr_ids ? (uint32_t)config->capacity : config->nr_ids;

    if (!c) {
        return -ENOMEM;
    }
    policy_init(&c->base, &policy_clock2q_plus, config);
    c->ghost = array_create((size_t)config->nr_ids + 1, sizeof(*c->ghost));
    c->state = array_create(config->nr_ids, sizeof(*c->state));
    c->birth = array_create(config->nr_ids, sizeof(*c->birth));
    if (!c->ghost || !c->state || !c->birth || id_ring_init(&c->small, most) || id_ring_init(&c->main, most)) {
        clock2q_plus_destroy(&c->base);
        return -ENOMEM;
    }
    c->ghosts = config->nr_ids;
    id_list_init(c->ghost, c->ghosts);
    c->small_room = percent_of(config->capacity, SMALL_PERCENT);
    c->small_room += c->small_room == 0;
    c->ghosts_room = percent_of(config->capacity, GHOST_PERCENT);
    c->window = percent_of(c->small_room, WINDOW_PERCENT);
    *ret = &c->base;
    return 0;
}

static inline void clock2q_plus_ghost_del(struct clock2q_plus *c, uint32_t id)
{
    id_list_del(c->ghost, id);
    c->nr_ghosts--;
    c->state[id] = GONE;
}

static inline void clock2q_plus_ghost_add(struct clock2q_plus *c, uint32_t id)
{
    c->state[id] = GONE;
    if (c->ghosts_room == 0) {
        return;
    }
    if (c->nr_ghosts == c->ghosts_room) {
        clock2q_plus_ghost_del(c, id_list_tail(c->ghost, c->ghosts));
    }
    c->state[id] = GHOST;
    c->nr_ghosts++;
    id_list_add(c->ghost, c->ghosts, id);
}

static inline void clock2q_plus_evicted(struct clock2q_plus *c)
{
    c->base.nr_resident--;
    c->base.evictions++;
}

static inline void clock2q_plus_evict_main(struct clock2q_plus *c)
{
    for (;;) {
        uint32_t id = id_ring_pop(&c->main);

        if (!(c->state[id] & REFERENCED)) {
            c->state[id] = GONE;
            clock2q_plus_evicted(c);
            return;
        }
        c->state[id] = IN_MAIN;
        id_ring_push(&c->main, id);
    }
}

static inline void clock2q_plus_evict_small(struct clock2q_plus *c)
{
    while (c->small.nr > 0) {
        uint32_t id = id_ring_pop(&c->small);

        if (!(c->state[id] & REFERENCED)) {
            clock2q_plus_ghost_add(c, id);
            clock2q_plus_evicted(c);
            return;
        }
        c->state[id] = IN_MAIN;
        id_ring_push(&c->main, id);
    }
}

static inline void clock2q_plus_hit(struct clock2q_plus *c, uint32_t id)
{
    bool in_window = (c->state[id] & WHERE_MASK) == IN_SMALL && c->births - c->birth[id] <= c->window;

    if (!in_window) {
        c->state[id] |= REFERENCED;
    }
}

static void clock2q_plus_fill(struct clock2q_plus *c, uint32_t id)
{
    while (c->base.nr_resident == c->base.capacity) {
        if (c->small.nr >= c->small_room || c->main.nr == 0) {
            clock2q_plus_evict_small(c);
        } else {
            clock2q_plus_evict_main(c);
        }
    }
    if (c->state[id] == GHOST) {
        clock2q_plus_ghost_del(c, id);
        c->state[id] = IN_MAIN;
        id_ring_push(&c->main, id);
    } else {
        c->state[id] = IN_SMALL;
        c->birth[id] = c->births++;
        id_ring_push(&c->small, id);
    }
    c->base.nr_resident++;
}

REPLAY_INLINE bool clock2q_plus_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct clock2q_plus *c = (struct clock2q_plus *)p;

    if (c->state[id] == GONE || c->state[id] == GHOST) {
        clock2q_plus_fill(c, id);
        return false;
    }
    if (channel != POLICY_PREFETCH) {
        clock2q_plus_hit(c, id);
    }
    return true;
}

REPLAY_INLINE void clock2q_plus_prefetch(const struct policy *p, uint32_t id)
{
    const struct clock2q_plus *c = (const struct clock2q_plus *)p;

    __builtin_prefetch(&c->state[id], 1);
    __builtin_prefetch(&c->birth[id], 1);
}

REPLAY_DEFINE(clock2q_plus)

static bool clock2q_plus_is_resident(const struct policy *p, uint32_t id)
{
    uint8_t state = ((const struct clock2q_plus *)p)->state[id];

    return state != GONE && state != GHOST;
}

static void dump_ring(const struct clock2q_plus *c, FILE *out, const char *name, const struct id_ring *r)
{
    fprintf(out, "%s:", name);
    for (uint32_t i = r->nr; i > 0; i--) {
        uint32_t id = id_ring_at(r, i - 1);

        fprintf(out, " %u%s", (unsigned)id, c->state[id] & REFERENCED ? "r" : "");
    }
    fputs(" | ", out);
}

/* Youngest first; r = referenced. */
static void clock2q_plus_dump(const struct policy *p, FILE *out)
{
    const struct clock2q_plus *c = (const struct clock2q_plus *)p;

    dump_ring(c, out, "s", &c->small);
    dump_ring(c, out, "m", &c->main);
    fputs("g:", out);
    for (uint32_t id = c->ghost[c->ghosts].next; id != c->ghosts; id = c->ghost[id].next) {
        fprintf(out, " %u", (unsigned)id);
    }
}

const struct policy_ops policy_clock2q_plus = {
    .name = "clock2q+",
    .what = "Clock2Q+: like S3-FIFO, but hits soon after insertion do not count",
    .source = "Zhai et al.: Clock2Q+: A simple and efficient replacement algorithm for metadata "
              "cache in VMware vSAN, VLDB 2026, arXiv 2511.21958",
    .create = clock2q_plus_create,
    .destroy = clock2q_plus_destroy,
    .access = clock2q_plus_access_one,
    .replay = clock2q_plus_replay,
    .is_resident = clock2q_plus_is_resident,
    .dump = clock2q_plus_dump,
};
