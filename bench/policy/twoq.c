/* SPDX-License-Identifier: MIT */
/*
 * twoq.c - 2Q, full version (Johnson and Shasha, VLDB 1994)
 *
 *      miss ─▶ A1in (FIFO, 25 %) ─▶ A1out (ghosts, 50 %) ─▶ forgotten
 *                hit: nothing            │ miss of a ghost
 *                                        ▼
 *                                   Am (LRU, the rest) ─▶ out, no ghost
 *
 * Only what is asked for again after it left A1in is worth keeping: a second use soon after the
 * first says nothing. Room comes out of A1in once that is longer than its share, else out of Am.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/idlist.h"
#include "policy/replay.h"

#define IN_PERCENT 25
#define OUT_PERCENT 50

enum twoq_list { NOWHERE, AM, A1IN, A1OUT, NR_LISTS };

struct twoq {
    struct policy base;
    struct id_link *link; /* ids, then a head for each list */
    uint8_t *where;
    uint32_t len[NR_LISTS];
    uint32_t in_room;  /* Kin */
    uint32_t out_room; /* Kout */
};

static uint32_t twoq_head(const struct twoq *q, enum twoq_list list)
{
    return q->base.nr_ids + (uint32_t)list;
}

static void twoq_destroy(struct policy *p)
{
    struct twoq *q = (struct twoq *)p;

    array_destroy(q->link);
    array_destroy(q->where);
    free(q);
}

static int twoq_create(const struct policy_config *config, struct policy **ret)
{
    struct twoq *q = calloc(1, sizeof(*q));

    if (!q) {
        return -ENOMEM;
    }
    policy_init(&q->base, &policy_2q, config);
    q->link = array_create((size_t)config->nr_ids + NR_LISTS, sizeof(*q->link));
    q->where = array_create(config->nr_ids, sizeof(*q->where));
    if (!q->link || !q->where) {
        twoq_destroy(&q->base);
        return -ENOMEM;
    }
    for (int list = 0; list < NR_LISTS; list++) {
        id_list_init(q->link, twoq_head(q, (enum twoq_list)list));
    }
    q->in_room = (uint32_t)(config->capacity * IN_PERCENT / 100);
    q->out_room = (uint32_t)(config->capacity * OUT_PERCENT / 100);
    *ret = &q->base;
    return 0;
}

static inline void twoq_take(struct twoq *q, uint32_t id)
{
    id_list_del(q->link, id);
    q->len[q->where[id]]--;
    q->where[id] = NOWHERE;
}

static inline void twoq_put(struct twoq *q, uint32_t id, enum twoq_list list)
{
    id_list_add(q->link, twoq_head(q, list), id);
    q->where[id] = (uint8_t)list;
    q->len[list]++;
}

/* The paper's reclaimfor, of a full cache. */
static inline void twoq_evict_one(struct twoq *q)
{
    bool from_in = q->len[A1IN] > q->in_room || q->len[AM] == 0;
    uint32_t id = id_list_tail(q->link, twoq_head(q, from_in ? A1IN : AM));

    twoq_take(q, id);
    q->base.nr_resident--;
    q->base.evictions++;
    if (!from_in) {
        return;
    }
    twoq_put(q, id, A1OUT);
    if (q->len[A1OUT] > q->out_room) {
        twoq_take(q, id_list_tail(q->link, twoq_head(q, A1OUT)));
    }
}

REPLAY_INLINE bool twoq_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct twoq *q = (struct twoq *)p;
    uint8_t where = q->where[id];

    if (where == AM && channel != POLICY_PREFETCH) {
        id_list_del(q->link, id);
        id_list_add(q->link, twoq_head(q, AM), id);
    }
    if (where == AM || where == A1IN) {
        return true;
    }
    /* What was a ghost when it was asked for goes to Am, even if making room forgets it. */
    if (p->nr_resident == p->capacity) {
        twoq_evict_one(q);
    }
    if (q->where[id] == A1OUT) {
        twoq_take(q, id);
    }
    twoq_put(q, id, where == A1OUT ? AM : A1IN);
    p->nr_resident++;
    return false;
}

REPLAY_INLINE void twoq_prefetch(const struct policy *p, uint32_t id)
{
    const struct twoq *q = (const struct twoq *)p;

    __builtin_prefetch(&q->where[id], 1);
    __builtin_prefetch(&q->link[id], 1);
}

REPLAY_DEFINE(twoq)

static bool twoq_is_resident(const struct policy *p, uint32_t id)
{
    uint8_t where = ((const struct twoq *)p)->where[id];

    return where == AM || where == A1IN;
}

/* Youngest first. */
static void twoq_dump(const struct policy *p, FILE *out)
{
    static const char *const name[NR_LISTS] = {"", "am", "in", "out"};
    const struct twoq *q = (const struct twoq *)p;

    for (int list = AM; list < NR_LISTS; list++) {
        uint32_t head = twoq_head(q, (enum twoq_list)list);

        fprintf(out, "%s%s:", list == AM ? "" : " | ", name[list]);
        for (uint32_t id = q->link[head].next; id != head; id = q->link[id].next) {
            fprintf(out, " %u", (unsigned)id);
        }
    }
}

const struct policy_ops policy_2q = {
    .name = "2q",
    .what = "2Q: FIFO of new entries, ghosts of them, LRU of those that came back",
    .source = "Johnson, Shasha: 2Q: A low overhead high performance buffer management replacement "
              "algorithm, VLDB 1994",
    .create = twoq_create,
    .destroy = twoq_destroy,
    .access = twoq_access_one,
    .replay = twoq_replay,
    .is_resident = twoq_is_resident,
    .dump = twoq_dump,
};
