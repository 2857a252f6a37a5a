/* SPDX-License-Identifier: MIT */
/*
 * clock.c - second chance: a FIFO whose oldest entry is spared once if it was used
 *
 *              hand
 *      miss ─▶ [youngest … oldest] ── not referenced ─▶ out
 *               ▲              │
 *               └─ referenced ─┘ (the mark is taken)
 *
 * Corbató's pages stand in a circle and the hand moves; here the hand stands and the entries move,
 * which is the same. An entry comes in unmarked: the request that brings it is not a use yet.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/idring.h"
#include "policy/replay.h"

enum { RESIDENT = 1 << 0, REFERENCED = 1 << 1 };

struct clock {
    struct policy base;
    struct id_ring queue;
    uint8_t *state;
};

static void clock_destroy(struct policy *p)
{
    struct clock *c = (struct clock *)p;

    id_ring_fini(&c->queue);
    array_destroy(c->state);
    free(c);
}

static int clock_create(const struct policy_config *config, struct policy **ret)
{
    struct clock *c = calloc(1, sizeof(*c));

    if (!c) {
        return -ENOMEM;
    }
    policy_init(&c->base, &policy_clock, config);
    c->state = array_create(config->nr_ids, sizeof(*c->state));
    if (!c->state || id_ring_init(&c->queue, policy_entries_max(config))) {
        clock_destroy(&c->base);
        return -ENOMEM;
    }
    *ret = &c->base;
    return 0;
}

/* Each turn of the loop takes a mark, so it ends after one round at most. */
REPLAY_INLINE void clock_evict_one(struct clock *c, bool sized)
{
    for (;;) {
        uint32_t id = id_ring_pop(&c->queue);

        if (!(c->state[id] & REFERENCED)) {
            c->state[id] = 0;
            policy_count_eviction(&c->base, id, sized);
            return;
        }
        c->state[id] = RESIDENT;
        id_ring_push(&c->queue, id);
    }
}

REPLAY_INLINE bool clock_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct clock *c = (struct clock *)p;

    if (c->state[id]) {
        if (channel != POLICY_PREFETCH) {
            c->state[id] = RESIDENT | REFERENCED;
        }
        return true;
    }
    if (policy_refuses(p, id, sized)) {
        return false;
    }
    while (policy_is_full(p, id, sized)) {
        clock_evict_one(c, sized);
    }
    c->state[id] = RESIDENT;
    id_ring_push(&c->queue, id);
    policy_count_fill(p, id, sized);
    return false;
}

REPLAY_INLINE void clock_prefetch(const struct policy *p, uint32_t id)
{
    __builtin_prefetch(&((const struct clock *)p)->state[id], 1);
}

REPLAY_DEFINE_SIZED(clock)

static bool clock_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct clock *)p)->state[id];
}

/* Youngest first; r = referenced. */
static void clock_dump(const struct policy *p, FILE *out)
{
    const struct clock *c = (const struct clock *)p;

    fputs("clock:", out);
    for (uint32_t i = c->queue.nr; i > 0; i--) {
        uint32_t id = id_ring_at(&c->queue, i - 1);

        fprintf(out, " %u%s", (unsigned)id, c->state[id] & REFERENCED ? "r" : "");
    }
}

const struct policy_ops policy_clock = {
    .name = "clock",
    .what = "second chance: FIFO that spares an entry used since it was last looked at",
    .source = "Corbató: A paging experiment with the Multics system, MIT Project MAC, 1968",
    .has_sizes = true,
    .create = clock_create,
    .destroy = clock_destroy,
    .access = clock_access_one,
    .replay = clock_replay,
    .is_resident = clock_is_resident,
    .dump = clock_dump,
};
