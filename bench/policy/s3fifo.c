/* SPDX-License-Identifier: MIT */
/*
 * s3fifo.c - S3-FIFO (Yang, Zhang, Qiu, Yue, Rashmi, SOSP 2023, algorithm 1)
 *
 *                        used more than once
 *      miss ─▶ S (10 %) ─────────────────────▶ M (90 %) ──▶ out, unless used: once more round
 *      miss of a ghost ──────────────────────▶ ▲
 *              S ── else ──▶ G (ghosts: as many as M may hold)
 *
 * Each entry counts its uses up to 3; the count is cleared when it goes to M, and one is taken
 * when M spares it. S is asked first once it has its share, else M.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/idlist.h"
#include "policy/idring.h"
#include "policy/replay.h"

#define SMALL_PERCENT 10
#define FREQ_MAX 3
#define MAIN_FREQ 2 /* uses in S that lead to M: "more than once" */

enum { GONE, IN_SMALL, IN_MAIN, GHOST, WHERE_MASK = 3, FREQ_SHIFT = 2 };

struct s3fifo {
    struct policy base;
    struct id_ring small;
    struct id_ring main;
    struct id_link *ghost; /* a ring of ghosts, since they leave from the middle */
    uint8_t *state;        /* where, and uses << FREQ_SHIFT */
    uint32_t ghosts;       /* list head */
    uint64_t small_used;   /* entries or bytes */
    uint64_t small_room;
    uint64_t ghosts_used;
    uint64_t ghosts_room;
};

static void s3fifo_destroy(struct policy *p)
{
    struct s3fifo *s = (struct s3fifo *)p;

    id_ring_fini(&s->small);
    id_ring_fini(&s->main);
    array_destroy(s->ghost);
    array_destroy(s->state);
    free(s);
}

static int s3fifo_create(const struct policy_config *config, struct policy **ret)
{
    struct s3fifo *s = calloc(1, sizeof(*s));
    uint32_t most = policy_entries_max(config);

    if (!s) {
        return -ENOMEM;
    }
    policy_init(&s->base, &policy_s3fifo, config);
    s->ghost = array_create((size_t)config->nr_ids + 1, sizeof(*s->ghost));
    s->state = array_create(config->nr_ids, sizeof(*s->state));
    if (!s->ghost || !s->state || id_ring_init(&s->small, most) || id_ring_init(&s->main, most)) {
        s3fifo_destroy(&s->base);
        return -ENOMEM;
    }
    s->ghosts = config->nr_ids;
    id_list_init(s->ghost, s->ghosts);
    s->small_room = config->capacity / 100 * SMALL_PERCENT + config->capacity % 100 * SMALL_PERCENT / 100;
    s->small_room += s->small_room == 0;
    s->ghosts_room = config->capacity - s->small_room;
    *ret = &s->base;
    return 0;
}

REPLAY_INLINE void s3fifo_ghost_del(struct s3fifo *s, uint32_t id, bool sized)
{
    id_list_del(s->ghost, id);
    s->ghosts_used -= policy_charge(&s->base, id, sized);
    s->state[id] = GONE;
}

REPLAY_INLINE void s3fifo_ghost_add(struct s3fifo *s, uint32_t id, bool sized)
{
    uint64_t charge = policy_charge(&s->base, id, sized);

    s->state[id] = GONE;
    if (charge > s->ghosts_room) {
        return;
    }
    while (charge > s->ghosts_room - s->ghosts_used) {
        s3fifo_ghost_del(s, id_list_tail(s->ghost, s->ghosts), sized);
    }
    s->state[id] = GHOST;
    s->ghosts_used += charge;
    id_list_add(s->ghost, s->ghosts, id);
}

REPLAY_INLINE void s3fifo_evict_main(struct s3fifo *s, bool sized)
{
    for (;;) {
        uint32_t id = id_ring_pop(&s->main);

        if (s->state[id] >> FREQ_SHIFT == 0) {
            s->state[id] = GONE;
            policy_count_eviction(&s->base, id, sized);
            return;
        }
        s->state[id] = (uint8_t)(s->state[id] - (1 << FREQ_SHIFT));
        id_ring_push(&s->main, id);
    }
}

/* What is used goes to M; ends with the first one that is not, or when S is empty. */
REPLAY_INLINE void s3fifo_evict_small(struct s3fifo *s, bool sized)
{
    while (s->small.nr > 0) {
        uint32_t id = id_ring_pop(&s->small);

        s->small_used -= policy_charge(&s->base, id, sized);
        if (s->state[id] >> FREQ_SHIFT < MAIN_FREQ) {
            policy_count_eviction(&s->base, id, sized);
            s3fifo_ghost_add(s, id, sized);
            return;
        }
        s->state[id] = IN_MAIN;
        id_ring_push(&s->main, id);
    }
}

REPLAY_INLINE bool s3fifo_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct s3fifo *s = (struct s3fifo *)p;
    uint8_t state = s->state[id];

    if (state != GONE && state != GHOST) {
        if (channel != POLICY_PREFETCH && state >> FREQ_SHIFT < FREQ_MAX) {
            s->state[id] = (uint8_t)(state + (1 << FREQ_SHIFT));
        }
        return true;
    }
    if (policy_refuses(p, id, sized)) {
        return false;
    }
    while (policy_is_full(p, id, sized)) {
        if (s->small_used >= s->small_room || s->main.nr == 0) {
            s3fifo_evict_small(s, sized);
        } else {
            s3fifo_evict_main(s, sized);
        }
    }
    /* Asked only now, as the paper does: making room may have pushed it off G's end. */
    if (s->state[id] == GHOST) {
        s3fifo_ghost_del(s, id, sized);
        s->state[id] = IN_MAIN;
        id_ring_push(&s->main, id);
    } else {
        s->state[id] = IN_SMALL;
        id_ring_push(&s->small, id);
        s->small_used += policy_charge(p, id, sized);
    }
    policy_count_fill(p, id, sized);
    return false;
}

REPLAY_INLINE void s3fifo_prefetch(const struct policy *p, uint32_t id)
{
    __builtin_prefetch(&((const struct s3fifo *)p)->state[id], 1);
}

REPLAY_DEFINE_SIZED(s3fifo)

static bool s3fifo_is_resident(const struct policy *p, uint32_t id)
{
    uint8_t state = ((const struct s3fifo *)p)->state[id];

    return state != GONE && state != GHOST;
}

static void dump_ring(const struct s3fifo *s, FILE *out, const char *name, const struct id_ring *r)
{
    fprintf(out, "%s:", name);
    for (uint32_t i = r->nr; i > 0; i--) {
        uint32_t id = id_ring_at(r, i - 1);

        fprintf(out, " %u.%u", (unsigned)id, (unsigned)s->state[id] >> FREQ_SHIFT);
    }
    fputs(" | ", out);
}

/* Youngest first, behind the id its uses. */
static void s3fifo_dump(const struct policy *p, FILE *out)
{
    const struct s3fifo *s = (const struct s3fifo *)p;

    dump_ring(s, out, "s", &s->small);
    dump_ring(s, out, "m", &s->main);
    fputs("g:", out);
    for (uint32_t id = s->ghost[s->ghosts].next; id != s->ghosts; id = s->ghost[id].next) {
        fprintf(out, " %u", (unsigned)id);
    }
}

const struct policy_ops policy_s3fifo = {
    .name = "s3fifo",
    .what = "S3-FIFO: small, main and ghost queue, promotion at the second use",
    .source = "Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for cache eviction, "
              "SOSP 2023",
    .has_sizes = true,
    .create = s3fifo_create,
    .destroy = s3fifo_destroy,
    .access = s3fifo_access_one,
    .replay = s3fifo_replay,
    .is_resident = s3fifo_is_resident,
    .dump = s3fifo_dump,
};
