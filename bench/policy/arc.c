/* SPDX-License-Identifier: MIT */
/*
 * arc.c - adaptive replacement cache, as Megiddo and Modha give it (FAST 2003, figure 4)
 *
 *      ghosts (keys only)      cached          cached      ghosts
 *      B1 ◀──────────────────── T1   ──hit──▶   T2 ────────────▶ B2
 *      seen once, lately                        seen twice at least, lately
 *
 *      |T1|+|T2| ≤ c      |T1|+|B1| ≤ c      |T1|+|T2|+|B1|+|B2| ≤ 2c       p: the target for |T1|
 *
 * A ghost hit says which side is too small: in B1 p grows, in B2 it shrinks, by 1 or by the ratio
 * of the ghost lists' lengths, whichever is more. p is a real number in the paper and is one here.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/idlist.h"
#include "policy/replay.h"

enum arc_list { ARC_NONE, ARC_T1, ARC_T2, ARC_B1, ARC_B2, ARC_NR };

struct arc {
    struct policy base;
    struct id_link *link; /* ids, then one head for each list; ARC_NONE's is unused */
    uint8_t *where;       /* enum arc_list of each id */
    uint32_t len[ARC_NR]; /* of each list */
    double p;             /* target length of T1, 0 … capacity */
};

static uint32_t arc_head(const struct arc *a, enum arc_list list)
{
    return a->base.nr_ids + (uint32_t)list;
}

static void arc_destroy(struct policy *p)
{
    struct arc *a = (struct arc *)p;

    array_destroy(a->link);
    array_destroy(a->where);
    free(a);
}

static int arc_create(const struct policy_config *config, struct policy **ret)
{
    struct arc *a = calloc(1, sizeof(*a));

    if (!a) {
        return -ENOMEM;
    }
    a->link = array_create((size_t)config->nr_ids + ARC_NR, sizeof(*a->link));
    a->where = array_create(config->nr_ids, sizeof(*a->where));
    if (!a->link || !a->where) {
        arc_destroy(&a->base);
        return -ENOMEM;
    }
    policy_init(&a->base, &policy_arc, config);
    for (int list = 0; list < ARC_NR; list++) {
        id_list_init(a->link, arc_head(a, (enum arc_list)list));
    }
    *ret = &a->base;
    return 0;
}

static inline void arc_take(struct arc *a, uint32_t id)
{
    id_list_del(a->link, id);
    a->len[a->where[id]]--;
}

static inline void arc_put(struct arc *a, uint32_t id, enum arc_list list)
{
    id_list_add(a->link, arc_head(a, list), id);
    a->where[id] = (uint8_t)list;
    a->len[list]++;
}

/* Forget the oldest of a list altogether. */
static void arc_forget_oldest(struct arc *a, enum arc_list list)
{
    uint32_t id = id_list_tail(a->link, arc_head(a, list));

    arc_take(a, id);
    a->where[id] = ARC_NONE;
}

/* The paper's REPLACE: one cached entry becomes a ghost. */
static void arc_replace(struct arc *a, bool in_b2)
{
    double t1 = a->len[ARC_T1];
    bool from_t1 = a->len[ARC_T1] > 0 && (t1 > a->p || (in_b2 && t1 == a->p));
    enum arc_list from = from_t1 ? ARC_T1 : ARC_T2;

    /*
     * T2 cannot be empty otherwise: T1 would be the whole cache, and then p < |T1|, or the caller
     * is case IV A with |T1| = c, which does not come here.
     */
    assert(a->len[from] > 0);
    uint32_t id = id_list_tail(a->link, arc_head(a, from));

    arc_take(a, id);
    arc_put(a, id, from_t1 ? ARC_B1 : ARC_B2);
    a->base.nr_resident--;
    a->base.evictions++;
}

/* Cases II and III: a ghost is asked for. */
static void arc_ghost_hit(struct arc *a, uint32_t id, bool in_b2)
{
    double b1 = a->len[ARC_B1];
    double b2 = a->len[ARC_B2];
    double c = (double)a->base.capacity;

    if (in_b2) {
        double step = b2 >= b1 ? 1 : b1 / b2;
        a->p = a->p > step ? a->p - step : 0;
    } else {
        double step = b1 >= b2 ? 1 : b2 / b1;
        a->p = a->p + step < c ? a->p + step : c;
    }
    arc_replace(a, in_b2);
    arc_take(a, id);
    arc_put(a, id, ARC_T2);
    a->base.nr_resident++;
}

/* Case IV: a key of which nothing is known. */
static void arc_cold_miss(struct arc *a, uint32_t id)
{
    uint64_t c = a->base.capacity;
    uint64_t l1 = (uint64_t)a->len[ARC_T1] + a->len[ARC_B1];
    uint64_t total = l1 + a->len[ARC_T2] + a->len[ARC_B2];

    if (l1 == c) {
        if (a->len[ARC_T1] < c) {
            arc_forget_oldest(a, ARC_B1);
            arc_replace(a, false);
        } else {
            arc_forget_oldest(a, ARC_T1);
            a->base.nr_resident--;
            a->base.evictions++;
        }
    } else if (total >= c) {
        if (total == 2 * c) {
            arc_forget_oldest(a, ARC_B2);
        }
        arc_replace(a, false);
    }
    arc_put(a, id, ARC_T1);
    a->base.nr_resident++;
}

REPLAY_INLINE bool arc_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct arc *a = (struct arc *)p;

    switch (a->where[id]) {
    case ARC_T1:
    case ARC_T2:
        if (channel != POLICY_PREFETCH) {
            arc_take(a, id);
            arc_put(a, id, ARC_T2);
        }
        return true;
    case ARC_B1:
        arc_ghost_hit(a, id, false);
        return false;
    case ARC_B2:
        arc_ghost_hit(a, id, true);
        return false;
    default:
        arc_cold_miss(a, id);
        return false;
    }
}

REPLAY_INLINE void arc_prefetch(const struct policy *p, uint32_t id)
{
    const struct arc *a = (const struct arc *)p;

    __builtin_prefetch(&a->link[id], 1);
    __builtin_prefetch(&a->where[id], 1);
}

REPLAY_DEFINE(arc)

static bool arc_is_resident(const struct policy *p, uint32_t id)
{
    const struct arc *a = (const struct arc *)p;

    return a->where[id] == ARC_T1 || a->where[id] == ARC_T2;
}

static void arc_dump(const struct policy *p, FILE *out)
{
    static const char *const name[ARC_NR] = {"", "t1", "t2", "b1", "b2"};
    const struct arc *a = (const struct arc *)p;

    for (int list = ARC_T1; list < ARC_NR; list++) {
        uint32_t head = arc_head(a, (enum arc_list)list);

        fprintf(out, "%s:", name[list]);
        for (uint32_t id = a->link[head].next; id != head; id = a->link[id].next) {
            fprintf(out, " %u", (unsigned)id);
        }
        fputs(" | ", out);
    }
    fprintf(out, "p %g", a->p);
}

const struct policy_ops policy_arc = {
    .name = "arc",
    .what = "adaptive replacement cache: recency and frequency lists, balanced by ghost hits",
    .source = "Megiddo, Modha: ARC: A self-tuning, low overhead replacement cache, FAST 2003",
    .create = arc_create,
    .destroy = arc_destroy,
    .access = arc_access_one,
    .replay = arc_replay,
    .is_resident = arc_is_resident,
    .dump = arc_dump,
};
