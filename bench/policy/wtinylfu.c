/* SPDX-License-Identifier: MIT */
/*
 * wtinylfu.c - W-TinyLFU (Einziger, Friedman, Manes, ACM TOS 2017), and with a window that learns
 * its size (Einziger, Eytan, Friedman, Manes, Middleware 2018)
 *
 *                                    main: segmented LRU
 *      miss ─▶ window (LRU, 1 %) ─▶ ? ─▶ probation ── hit ─▶ protected (80 % of main)
 *                                   │        ▲──── too many ────│
 *                                   ▼        ▼
 *                                  out      out
 *
 * Whoever leaves the window duels with the oldest of probation: the one that was asked for more
 * often lately, by the sketch, stays; at a draw the one that is there.
 *
 * Hill climbing: after each 10 requests for every entry of the cache the hit ratio is compared with
 * that of the stretch before. If it fell, the direction turns. Then the window moves one step of
 * 5 % of the cache in that direction.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/idlist.h"
#include "policy/replay.h"
#include "policy/sketch.h"

#define WINDOW_PERCENT 1
#define PROTECTED_PERCENT 80 /* of the main part */
#define CLIMB_PERCENT 5      /* of the capacity */
#define CLIMB_EVERY 10       /* requests for each entry */

enum wtinylfu_list { NOWHERE, WINDOW, PROBATION, PROTECTED, NR_LISTS };

struct wtinylfu {
    struct policy base;
    struct id_link *link; /* ids, then a head for each list */
    uint8_t *where;
    struct sketch sketch;
    uint32_t len[NR_LISTS];
    uint32_t window_room;
    uint32_t main_room;
    uint32_t protected_room;
    /* Hill climbing; period 0 = the window stays. */
    uint64_t period;
    uint64_t requests; /* since the last step */
    uint64_t hits;
    uint64_t last_hits;
    uint32_t step;
    bool shrinks;
};

static uint32_t head_of(const struct wtinylfu *w, enum wtinylfu_list list)
{
    return w->base.nr_ids + (uint32_t)list;
}

static void wtinylfu_destroy(struct policy *p)
{
    struct wtinylfu *w = (struct wtinylfu *)p;

    array_destroy(w->link);
    array_destroy(w->where);
    sketch_fini(&w->sketch);
    free(w);
}

static uint32_t percent_of(uint64_t whole, uint32_t percent)
{
    return (uint32_t)(whole * percent / 100);
}

static void set_window(struct wtinylfu *w, uint32_t room)
{
    w->window_room = room;
    w->main_room = (uint32_t)w->base.capacity - room;
    w->protected_room = percent_of(w->main_room, PROTECTED_PERCENT);
}

static int create(const struct policy_config *config, const struct policy_ops *ops, bool climbs, struct policy **ret)
{
    struct wtinylfu *w = calloc(1, sizeof(*w));

    if (!w) {
        return -ENOMEM;
    }
    policy_init(&w->base, ops, config);
    w->link = array_create((size_t)config->nr_ids + NR_LISTS, sizeof(*w->link));
    w->where = array_create(config->nr_ids, sizeof(*w->where));
    if (!w->link || !w->where || sketch_init(&w->sketch, config->capacity + !config->capacity)) {
        wtinylfu_destroy(&w->base);
        return -ENOMEM;
    }
    for (int list = 0; list < NR_LISTS; list++) {
        id_list_init(w->link, head_of(w, (enum wtinylfu_list)list));
    }
    uint32_t window = percent_of(config->capacity, WINDOW_PERCENT);

    set_window(w, window ? window : config->capacity > 0);
    if (climbs) {
        w->period = config->capacity * CLIMB_EVERY;
        w->step = percent_of(config->capacity, CLIMB_PERCENT);
        w->step += w->step == 0;
    }
    *ret = &w->base;
    return 0;
}

/* ---- lists ---- */

static inline void take(struct wtinylfu *w, uint32_t id)
{
    id_list_del(w->link, id);
    w->len[w->where[id]]--;
    w->where[id] = NOWHERE;
}

static inline void put(struct wtinylfu *w, uint32_t id, enum wtinylfu_list list)
{
    id_list_add(w->link, head_of(w, list), id);
    w->where[id] = (uint8_t)list;
    w->len[list]++;
}

static inline uint32_t oldest(const struct wtinylfu *w, enum wtinylfu_list list)
{
    return id_list_tail(w->link, head_of(w, list));
}

static inline void move_oldest(struct wtinylfu *w, enum wtinylfu_list from, enum wtinylfu_list to)
{
    uint32_t id = oldest(w, from);

    take(w, id);
    put(w, id, to);
}

static inline void evict(struct wtinylfu *w, uint32_t id)
{
    take(w, id);
    w->base.nr_resident--;
    w->base.evictions++;
}

/* ---- requests ---- */

/* The window's oldest, where the window is too long: into the main part, or a duel. */
static inline void wtinylfu_drain_window(struct wtinylfu *w)
{
    uint32_t candidate = oldest(w, WINDOW);

    if (w->len[PROBATION] + w->len[PROTECTED] < w->main_room) {
        move_oldest(w, WINDOW, PROBATION);
        return;
    }
    if (w->main_room > 0) {
        uint32_t victim = oldest(w, w->len[PROBATION] ? PROBATION : PROTECTED);

        if (sketch_estimate(&w->sketch, candidate) > sketch_estimate(&w->sketch, victim)) {
            evict(w, victim);
            move_oldest(w, WINDOW, PROBATION);
            return;
        }
    }
    evict(w, candidate);
}

static inline void wtinylfu_hit(struct wtinylfu *w, uint32_t id)
{
    enum wtinylfu_list list = (enum wtinylfu_list)w->where[id];

    take(w, id);
    put(w, id, list == WINDOW ? WINDOW : PROTECTED);
    if (w->len[PROTECTED] > w->protected_room) {
        move_oldest(w, PROTECTED, PROBATION);
    }
}

static inline void wtinylfu_miss(struct wtinylfu *w, uint32_t id)
{
    put(w, id, WINDOW);
    w->base.nr_resident++;
    if (w->len[WINDOW] > w->window_room) {
        wtinylfu_drain_window(w);
    }
}

/* ---- hill climbing ---- */

/* Entries change sides with the room, the oldest of each side first. */
static void wtinylfu_resize_window(struct wtinylfu *w)
{
    uint32_t room = w->window_room;

    if (w->shrinks) {
        room = room > w->step ? room - w->step : 1;
    } else {
        room = w->base.capacity - room > w->step ? room + w->step : (uint32_t)w->base.capacity;
    }
    set_window(w, room);
    while (w->len[WINDOW] > w->window_room) {
        move_oldest(w, WINDOW, PROBATION);
    }
    while (w->len[PROTECTED] > w->protected_room) {
        move_oldest(w, PROTECTED, PROBATION);
    }
    while (w->len[PROBATION] + w->len[PROTECTED] > w->main_room) {
        move_oldest(w, PROBATION, WINDOW);
    }
}

static void wtinylfu_climb(struct wtinylfu *w)
{
    if (w->hits < w->last_hits) {
        w->shrinks = !w->shrinks;
    }
    w->last_hits = w->hits;
    w->hits = 0;
    w->requests = 0;
    wtinylfu_resize_window(w);
}

REPLAY_INLINE bool wtinylfu_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct wtinylfu *w = (struct wtinylfu *)p;
    bool hit = w->where[id] != NOWHERE;

    if (hit && channel == POLICY_PREFETCH) {
        return true;
    }
    sketch_add(&w->sketch, id);
    if (hit) {
        wtinylfu_hit(w, id);
    } else {
        wtinylfu_miss(w, id);
    }
    w->hits += hit;
    if (++w->requests == w->period) {
        wtinylfu_climb(w);
    }
    return hit;
}

REPLAY_INLINE void wtinylfu_prefetch(const struct policy *p, uint32_t id)
{
    const struct wtinylfu *w = (const struct wtinylfu *)p;

    __builtin_prefetch(&w->where[id], 1);
    __builtin_prefetch(&w->link[id], 1);
    sketch_prefetch(&w->sketch, id);
}

REPLAY_DEFINE(wtinylfu)

static bool wtinylfu_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct wtinylfu *)p)->where[id] != NOWHERE;
}

/* Youngest first, behind the id the sketch's estimate. */
static void wtinylfu_dump(const struct policy *p, FILE *out)
{
    static const char *const name[NR_LISTS] = {"", "w", "probation", "protected"};
    const struct wtinylfu *w = (const struct wtinylfu *)p;

    for (int list = WINDOW; list < NR_LISTS; list++) {
        uint32_t head = head_of(w, (enum wtinylfu_list)list);

        fprintf(out, "%s:", name[list]);
        for (uint32_t id = w->link[head].next; id != head; id = w->link[id].next) {
            fprintf(out, " %u.%u", (unsigned)id, sketch_estimate(&w->sketch, id));
        }
        fputs(" | ", out);
    }
    fprintf(out, "window %u", (unsigned)w->window_room);
}

static int wtinylfu_create(const struct policy_config *config, struct policy **ret)
{
    return create(config, &policy_wtinylfu, false, ret);
}

static int wtinylfu_adaptive_create(const struct policy_config *config, struct policy **ret)
{
    return create(config, &policy_wtinylfu_adaptive, true, ret);
}

const struct policy_ops policy_wtinylfu = {
    .name = "wtinylfu",
    .what = "W-TinyLFU: LRU window of 1 %, then admission to a segmented LRU by frequency sketch",
    .source = "Einziger, Friedman, Manes: TinyLFU: A highly efficient cache admission policy, "
              "ACM Transactions on Storage 13(4), 2017",
    .create = wtinylfu_create,
    .destroy = wtinylfu_destroy,
    .access = wtinylfu_access_one,
    .replay = wtinylfu_replay,
    .is_resident = wtinylfu_is_resident,
    .dump = wtinylfu_dump,
};

const struct policy_ops policy_wtinylfu_adaptive = {
    .name = "wtinylfu-adaptive",
    .what = "W-TinyLFU with a window that climbs towards the better hit ratio",
    .source = "Einziger, Eytan, Friedman, Manes: Adaptive software cache management, "
              "Middleware 2018",
    .create = wtinylfu_adaptive_create,
    .destroy = wtinylfu_destroy,
    .access = wtinylfu_access_one,
    .replay = wtinylfu_replay,
    .is_resident = wtinylfu_is_resident,
    .dump = wtinylfu_dump,
};
