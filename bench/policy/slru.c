/* SPDX-License-Identifier: MIT */
/*
 * slru.c - segmented LRU: two segments (slru) or four equal ones (s4lru)
 *
 *               hit: one segment up, as youngest there
 *      miss ─▶ [segment 0] ─▶ [segment 1] ─▶ … [top]       a hit in the top one stays there
 *      out ◀── [segment 0] ◀─ [segment 1] ◀─ … [top]
 *               a segment beyond its share: its oldest goes one down, as youngest there
 *
 * Segment 0 has no bound of its own: it holds what the others leave, and the oldest of the lowest
 * segment that is not empty makes room.
 *
 * s4lru-filled is not in any paper: a miss goes into the lowest segment that has room, so an empty
 * cache puts its first keys where only hits should lead. Public results for SLRU exist that are
 * this one's (docs/baselines.md); it is here to tell the two apart.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/idlist.h"
#include "policy/replay.h"

#define SEGMENTS_MAX 4
#define PROTECTED_PERCENT 80 /* of the capacity, for slru's upper segment */

enum { NOWHERE, LOWEST }; /* where[id] = LOWEST + segment */

struct slru {
    struct policy base;
    struct id_link *link; /* ids, then a head for each segment */
    uint8_t *where;
    uint32_t len[SEGMENTS_MAX];
    uint32_t room[SEGMENTS_MAX];
    uint32_t nr_segments;
    bool fills_up; /* misses go into the lowest segment that has room */
};

static void slru_destroy(struct policy *p)
{
    struct slru *s = (struct slru *)p;

    array_destroy(s->link);
    array_destroy(s->where);
    free(s);
}

static int create(const struct policy_config *config, const struct policy_ops *ops, uint32_t nr_segments,
                  uint32_t percent, struct policy **ret)
{
    struct slru *s = calloc(1, sizeof(*s));

    if (!s) {
        return -ENOMEM;
    }
    policy_init(&s->base, ops, config);
    s->link = array_create((size_t)config->nr_ids + nr_segments, sizeof(*s->link));
    s->where = array_create(config->nr_ids, sizeof(*s->where));
    if (!s->link || !s->where) {
        slru_destroy(&s->base);
        return -ENOMEM;
    }
    s->nr_segments = nr_segments;
    for (uint32_t i = 0; i < nr_segments; i++) {
        id_list_init(s->link, config->nr_ids + i);
        s->room[i] = (uint32_t)(config->capacity * percent / 100);
    }
    *ret = &s->base;
    return 0;
}

static inline void put(struct slru *s, uint32_t id, uint32_t segment)
{
    id_list_add(s->link, s->base.nr_ids + segment, id);
    s->where[id] = (uint8_t)(LOWEST + segment);
    s->len[segment]++;
}

static inline void take(struct slru *s, uint32_t id, uint32_t segment)
{
    id_list_del(s->link, id);
    s->len[segment]--;
}

static inline void hit(struct slru *s, uint32_t id, uint32_t segment)
{
    uint32_t up = segment + 1 < s->nr_segments ? segment + 1 : segment;

    take(s, id, segment);
    put(s, id, up);
    for (; up > 0 && s->len[up] > s->room[up]; up--) {
        uint32_t oldest = id_list_tail(s->link, s->base.nr_ids + up);

        take(s, oldest, up);
        put(s, oldest, up - 1);
    }
}

static inline uint32_t segment_of_miss(const struct slru *s)
{
    for (uint32_t i = 0; s->fills_up && i < s->nr_segments; i++) {
        if (s->len[i] < s->room[i]) {
            return i;
        }
    }
    return 0;
}

static inline void evict_one(struct slru *s)
{
    uint32_t segment = 0;

    while (s->len[segment] == 0) {
        segment++;
    }
    uint32_t id = id_list_tail(s->link, s->base.nr_ids + segment);

    take(s, id, segment);
    s->where[id] = NOWHERE;
    s->base.nr_resident--;
    s->base.evictions++;
}

REPLAY_INLINE bool slru_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct slru *s = (struct slru *)p;

    if (s->where[id] != NOWHERE) {
        if (channel != POLICY_PREFETCH) {
            hit(s, id, s->where[id] - (uint32_t)LOWEST);
        }
        return true;
    }
    if (p->nr_resident == p->capacity) {
        evict_one(s);
    }
    put(s, id, segment_of_miss(s));
    p->nr_resident++;
    return false;
}

REPLAY_INLINE void slru_prefetch(const struct policy *p, uint32_t id)
{
    const struct slru *s = (const struct slru *)p;

    __builtin_prefetch(&s->where[id], 1);
    __builtin_prefetch(&s->link[id], 1);
}

REPLAY_DEFINE(slru)

static bool slru_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct slru *)p)->where[id] != NOWHERE;
}

/* Segments from the lowest, each youngest first. */
static void slru_dump(const struct policy *p, FILE *out)
{
    const struct slru *s = (const struct slru *)p;

    for (uint32_t i = 0; i < s->nr_segments; i++) {
        uint32_t head = p->nr_ids + i;

        fprintf(out, "%s%u:", i ? " | " : "", (unsigned)i);
        for (uint32_t id = s->link[head].next; id != head; id = s->link[id].next) {
            fprintf(out, " %u", (unsigned)id);
        }
    }
}

static int slru_create(const struct policy_config *config, struct policy **ret)
{
    return create(config, &policy_slru, 2, PROTECTED_PERCENT, ret);
}

static int s4lru_create(const struct policy_config *config, struct policy **ret)
{
    return create(config, &policy_s4lru, 4, 25, ret);
}

static int s4lru_filled_create(const struct policy_config *config, struct policy **ret)
{
    int rc = create(config, &policy_s4lru_filled, 4, 25, ret);

    if (!rc) {
        ((struct slru *)*ret)->fills_up = true;
    }
    return rc;
}

const struct policy_ops policy_slru = {
    .name = "slru",
    .what = "segmented LRU: a hit takes an entry from probation to the protected 80 %",
    .source = "Karedla, Love, Wherry: Caching strategies to improve disk system performance, "
              "IEEE Computer 27(3), 1994",
    .create = slru_create,
    .destroy = slru_destroy,
    .access = slru_access_one,
    .replay = slru_replay,
    .is_resident = slru_is_resident,
    .dump = slru_dump,
};

const struct policy_ops policy_s4lru = {
    .name = "s4lru",
    .what = "segmented LRU with four equal segments, one up at each hit",
    .source = "Huang et al.: An analysis of Facebook photo caching, SOSP 2013",
    .create = s4lru_create,
    .destroy = slru_destroy,
    .access = slru_access_one,
    .replay = slru_replay,
    .is_resident = slru_is_resident,
    .dump = slru_dump,
};

const struct policy_ops policy_s4lru_filled = {
    .name = "s4lru-filled",
    .what = "s4lru whose first misses fill the upper segments; a deviation, to explain results",
    .source = "none: a variant of Huang et al., SOSP 2013",
    .create = s4lru_filled_create,
    .destroy = slru_destroy,
    .access = slru_access_one,
    .replay = slru_replay,
    .is_resident = slru_is_resident,
    .dump = slru_dump,
};
