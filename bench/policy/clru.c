/* SPDX-License-Identifier: MIT */
/*
 * clru.c - the Linux kernel's classical two-list LRU, file pages only, one CPU
 *
 *                    refault with distance ≤ |active|
 *      miss ──────────┬────────────────────────────────┐
 *                     ▼                                ▼
 *              ┌── inactive ──┐  2nd read()     ┌─── active ───┐
 *   evict ◀────│ tail    head │ ───────────────▶│ tail    head │
 *      │       └──────────────┘  or young bits  └──────────────┘
 *      ▼              ▲         found by reclaim        │
 *   shadow            └───────── deactivation ──────────┘ (marks workingset)
 *   {age, workingset}
 *
 * Two channels tell it of an access. A read() is seen by software: the first one sets *referenced*,
 * the second one moves an inactive entry to the active list. A mapped access only sets the *young*
 * bit, which reclaim finds at the tail: once young is a second chance, twice (or young and
 * executable) is activation.
 *
 * nonresident age A counts evictions and activations. An evicted entry leaves A behind; when it
 * comes back after a distance d = A_now − A_then of at most the active list's length, it would have
 * stayed resident had the active list been shorter, so it competes with that list: it is inserted
 * active.
 *
 * Deactivation goes on in a reclaim cycle iff such a refault activation happened since the last
 * one, or the inactive list is low: inactive · ratio < active, ratio = floor(sqrt(10 · size in
 * GiB)), at least 1. An entry counts as one page of 4 KiB there.
 *
 * Reclaim asks for a chunk (chunk.h: 32) and looks at size >> priority of each list, 32 of the one,
 * 32 of the other, growing bolder from priority 12 to 0 until it has evicted that many.
 *
 * Order in a miss: make room, then judge the refault, then insert, then (read channel) mark the
 * access.
 *
 * Not modelled, because they need more than one CPU, type or process: the 31-entry insertion batch,
 * the anon/file split, several mappings of one page, the bound on shadows (8 a cached page: none
 * that old could still activate).
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/chunk.h"
#include "policy/clru.h"
#include "policy/idlist.h"
#include "policy/replay.h"

enum {
    CLRU_RESIDENT = 1 << 0,
    CLRU_ACTIVE = 1 << 1,     /* which list */
    CLRU_REFERENCED = 1 << 2, /* one access seen by software */
    CLRU_WORKINGSET = 1 << 3, /* was deactivated once; kept in the shadow */
    CLRU_YOUNG = 1 << 4,      /* the hardware's accessed bit */
    CLRU_EXEC = 1 << 5,       /* mapped executable */
    CLRU_SHADOW = 1 << 6,     /* not resident, evicted before: age[] is valid */
};

/* Reclaim looks at size >> priority of each list and grows bolder from here to 0. */
#define CLRU_PRIORITY 12
#define CLRU_PAGES_PER_GIB_SHIFT 18

struct clru {
    struct policy base;
    struct id_link *link;
    uint8_t *state;
    uint64_t *shadow_age; /* A at eviction, before it was counted */
    uint32_t inactive;    /* list heads */
    uint32_t active;
    uint32_t nr_inactive;
    uint32_t nr_active;
    uint32_t chunk; /* what reclaim asks for, and scans of one list at a time */
    uint64_t age;   /* A */
    uint64_t refault_activations;
    uint64_t last_activations; /* of them, at the end of the previous reclaim cycle */
    uint64_t restores;         /* refault activations of workingset entries */
};

static void clru_destroy(struct policy *p)
{
    struct clru *c = (struct clru *)p;

    array_destroy(c->link);
    array_destroy(c->state);
    array_destroy(c->shadow_age);
    free(c);
}

static int clru_create(const struct policy_config *config, struct policy **ret)
{
    struct clru *c = calloc(1, sizeof(*c));

    if (!c) {
        return -ENOMEM;
    }
    c->link = array_create((size_t)config->nr_ids + 2, sizeof(*c->link));
    c->state = array_create(config->nr_ids, sizeof(*c->state));
    c->shadow_age = array_create(config->nr_ids, sizeof(*c->shadow_age));
    if (!c->link || !c->state || !c->shadow_age) {
        clru_destroy(&c->base);
        return -ENOMEM;
    }
    policy_init(&c->base, &policy_clru, config);
    c->inactive = config->nr_ids;
    c->active = config->nr_ids + 1;
    c->chunk = policy_chunk((uint32_t)config->capacity);
    id_list_init(c->link, c->inactive);
    id_list_init(c->link, c->active);
    *ret = &c->base;
    return 0;
}

/* ---- lists ---- */

static inline void clru_insert_inactive(struct clru *c, uint32_t id)
{
    c->state[id] &= (uint8_t)~CLRU_ACTIVE;
    id_list_add(c->link, c->inactive, id);
    c->nr_inactive++;
}

static inline void clru_insert_active(struct clru *c, uint32_t id)
{
    c->state[id] |= CLRU_ACTIVE;
    id_list_add(c->link, c->active, id);
    c->nr_active++;
}

static inline void clru_take(struct clru *c, uint32_t id)
{
    id_list_del(c->link, id);
    if (c->state[id] & CLRU_ACTIVE) {
        c->nr_active--;
    } else {
        c->nr_inactive--;
    }
}

/* ---- reclaim ---- */

static void clru_evict(struct clru *c, uint32_t id)
{
    clru_take(c, id);
    c->shadow_age[id] = c->age++;
    c->state[id] = (uint8_t)(CLRU_SHADOW | (c->state[id] & CLRU_WORKINGSET));
    c->base.nr_resident--;
    c->base.evictions++;
}

/* Looks at n entries from the inactive tail; returns how many of them it evicted. */
static uint32_t clru_shrink_inactive(struct clru *c, uint32_t n)
{
    uint32_t evicted = 0;

    for (; n; n--) {
        uint32_t id = id_list_tail(c->link, c->inactive);
        uint8_t s = c->state[id];

        if (!(s & CLRU_YOUNG)) {
            clru_evict(c, id); /* whatever referenced says */
            evicted++;
            continue;
        }
        clru_take(c, id);
        c->state[id] = (uint8_t)((s & ~CLRU_YOUNG) | CLRU_REFERENCED);
        if (s & (CLRU_REFERENCED | CLRU_EXEC)) {
            clru_insert_active(c, id);
        } else {
            clru_insert_inactive(c, id);
        }
    }
    return evicted;
}

/* Deactivates n entries from the active tail, but spares executable ones in use. */
static void clru_shrink_active(struct clru *c, uint32_t n)
{
    for (; n; n--) {
        uint32_t id = id_list_tail(c->link, c->active);
        uint8_t s = c->state[id];

        clru_take(c, id);
        c->state[id] = (uint8_t)(s & ~CLRU_YOUNG);
        if ((s & CLRU_YOUNG) && (s & CLRU_EXEC)) {
            clru_insert_active(c, id);
        } else {
            c->state[id] |= CLRU_WORKINGSET;
            clru_insert_inactive(c, id);
        }
    }
}

uint32_t clru_inactive_ratio(uint64_t entries)
{
    uint64_t gib = entries >> CLRU_PAGES_PER_GIB_SHIFT;
    uint32_t ratio = 1;

    /* The square root is small enough to count up to, and exact this way. */
    while ((uint64_t)(ratio + 1) * (ratio + 1) <= 10 * gib) {
        ratio++;
    }
    return ratio;
}

static bool clru_inactive_is_low(const struct clru *c)
{
    uint32_t ratio = clru_inactive_ratio((uint64_t)c->nr_inactive + c->nr_active);

    return (uint64_t)c->nr_inactive * ratio < c->nr_active;
}

static uint32_t clru_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One pass at one priority, chunk by chunk in turn; stops as soon as `want` are evicted. */
static uint32_t clru_pass(struct clru *c, int priority, bool may_deactivate, uint32_t want)
{
    uint32_t inactive = c->nr_inactive >> priority;
    uint32_t active = may_deactivate ? c->nr_active >> priority : 0;
    uint32_t evicted = 0;

    while ((inactive || active) && evicted < want) {
        /* The lists change under the pass: entries go back and forth. */
        uint32_t n = clru_min(clru_min(inactive, c->chunk), c->nr_inactive);

        evicted += clru_shrink_inactive(c, n);
        inactive -= clru_min(inactive, c->chunk);

        n = clru_min(clru_min(active, c->chunk), c->nr_active);
        clru_shrink_active(c, n);
        active -= clru_min(active, c->chunk);
    }
    return evicted;
}

/*
 * Frees at least one entry and asks for a chunk. A full round down to priority 0 looks at every
 * inactive entry and clears its young bit, so when a round frees nothing all are kept or activated,
 * and then the active list is what is not low, so it is deactivated: the third round frees at the
 * latest.
 */
static void clru_reclaim(struct clru *c)
{
    uint32_t evicted = 0;
    int rounds = 0;

    do {
        bool refaulted = c->refault_activations != c->last_activations;

        for (int priority = CLRU_PRIORITY; priority >= 0 && evicted < c->chunk; priority--) {
            bool may_deactivate = refaulted || clru_inactive_is_low(c);

            evicted += clru_pass(c, priority, may_deactivate, c->chunk - evicted);
        }
        c->last_activations = c->refault_activations;
        rounds++;
        assert(rounds <= 4);
    } while (evicted == 0);
}

/* ---- access ---- */

/* What read() does to a resident entry after it has found it. */
static inline void clru_mark_accessed(struct clru *c, uint32_t id)
{
    uint8_t s = c->state[id];

    if (!(s & CLRU_REFERENCED)) {
        c->state[id] = s | CLRU_REFERENCED;
    } else if (!(s & CLRU_ACTIVE)) {
        clru_take(c, id);
        c->state[id] = (uint8_t)(s & ~CLRU_REFERENCED);
        clru_insert_active(c, id);
        c->age++;
    }
}

static inline void clru_mark(struct clru *c, uint32_t id, enum policy_channel channel)
{
    switch (channel) {
    case POLICY_READ:
    case POLICY_WRITE:
        clru_mark_accessed(c, id);
        break;
    case POLICY_MAPPED:
        c->state[id] |= CLRU_YOUNG;
        break;
    case POLICY_EXEC:
        c->state[id] |= CLRU_YOUNG | CLRU_EXEC;
        break;
    case POLICY_PREFETCH:
        break;
    }
}

static void clru_fill(struct clru *c, uint32_t id)
{
    if (c->base.nr_resident == c->base.capacity) {
        clru_reclaim(c);
    }
    uint8_t s = c->state[id];
    bool activate = (s & CLRU_SHADOW) && c->age - c->shadow_age[id] <= c->nr_active;

    c->state[id] = CLRU_RESIDENT;
    c->base.nr_resident++;
    if (!activate) {
        clru_insert_inactive(c, id);
        return;
    }
    clru_insert_active(c, id);
    c->age++;
    c->refault_activations++;
    if (s & CLRU_WORKINGSET) {
        c->state[id] |= CLRU_WORKINGSET;
        c->restores++;
    }
}

REPLAY_INLINE bool clru_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct clru *c = (struct clru *)p;
    bool hit = c->state[id] & CLRU_RESIDENT;

    if (!hit) {
        clru_fill(c, id);
    }
    clru_mark(c, id, channel);
    return hit;
}

REPLAY_INLINE void clru_prefetch(const struct policy *p, uint32_t id)
{
    const struct clru *c = (const struct clru *)p;

    __builtin_prefetch(&c->state[id], 1);
    __builtin_prefetch(&c->link[id], 1);
}

REPLAY_DEFINE(clru)

static bool clru_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct clru *)p)->state[id] & CLRU_RESIDENT;
}

static void clru_dump_list(const struct clru *c, FILE *out, const char *name, uint32_t head)
{
    fprintf(out, "%s:", name);
    for (uint32_t id = c->link[head].next; id != head; id = c->link[id].next) {
        uint8_t s = c->state[id];

        fprintf(out, " %u%s%s%s%s", (unsigned)id, s & CLRU_REFERENCED ? "r" : "", s & CLRU_WORKINGSET ? "w" : "",
                s & CLRU_YOUNG ? "y" : "", s & CLRU_EXEC ? "x" : "");
    }
    fputs(" | ", out);
}

/* r referenced, w workingset, y young, x executable */
static void clru_dump(const struct policy *p, FILE *out)
{
    const struct clru *c = (const struct clru *)p;

    clru_dump_list(c, out, "active", c->active);
    clru_dump_list(c, out, "inactive", c->inactive);
    fprintf(out, "age %llu refaults %llu restores %llu", (unsigned long long)c->age,
            (unsigned long long)c->refault_activations, (unsigned long long)c->restores);
}

const struct policy_ops policy_clru = {
    .name = "clru",
    .what = "Linux classical LRU: active/inactive lists with refault distance",
    .source = "J. Weiner: thrash detection-based file cache sizing, Linux patch series, 2012-2014",
    .create = clru_create,
    .destroy = clru_destroy,
    .access = clru_access_one,
    .replay = clru_replay,
    .is_resident = clru_is_resident,
    .dump = clru_dump,
};
