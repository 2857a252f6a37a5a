/* SPDX-License-Identifier: MIT */
/*
 * sieve.c - SIEVE (Zhang, Yang, Yue, Vigfusson, Rashmi, NSDI 2024, algorithm 1)
 *
 *      miss ─▶ head … (hand ◀── moves towards the head) … tail
 *                       │ visited: the mark is taken, the entry stays where it is
 *                       └ not visited: out, and the hand stays before the hole
 *
 * Unlike CLOCK nothing ever moves: new entries come in at the head, far from the hand, which is
 * what sieves them out soon.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/idlist.h"
#include "policy/replay.h"

enum { RESIDENT = 1 << 0, VISITED = 1 << 1 };

struct sieve {
    struct policy base;
    struct id_link *link;
    uint8_t *state;
    uint32_t head;
    uint32_t hand; /* next to be looked at; head = from the tail again */
};

static void sieve_destroy(struct policy *p)
{
    struct sieve *s = (struct sieve *)p;

    array_destroy(s->link);
    array_destroy(s->state);
    free(s);
}

static int sieve_create(const struct policy_config *config, struct policy **ret)
{
    struct sieve *s = calloc(1, sizeof(*s));

    if (!s) {
        return -ENOMEM;
    }
    policy_init(&s->base, &policy_sieve, config);
    s->link = array_create((size_t)config->nr_ids + 1, sizeof(*s->link));
    s->state = array_create(config->nr_ids, sizeof(*s->state));
    if (!s->link || !s->state) {
        sieve_destroy(&s->base);
        return -ENOMEM;
    }
    s->head = config->nr_ids;
    s->hand = s->head;
    id_list_init(s->link, s->head);
    *ret = &s->base;
    return 0;
}

REPLAY_INLINE void sieve_evict_one(struct sieve *s, bool sized)
{
    uint32_t id = s->hand == s->head ? id_list_tail(s->link, s->head) : s->hand;

    while (s->state[id] & VISITED) {
        s->state[id] = RESIDENT;
        id = s->link[id].prev;
        if (id == s->head) {
            id = id_list_tail(s->link, s->head);
        }
    }
    s->hand = s->link[id].prev;
    id_list_del(s->link, id);
    s->state[id] = 0;
    policy_count_eviction(&s->base, id, sized);
}

REPLAY_INLINE bool sieve_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct sieve *s = (struct sieve *)p;

    if (s->state[id]) {
        if (channel != POLICY_PREFETCH) {
            s->state[id] = RESIDENT | VISITED;
        }
        return true;
    }
    if (policy_refuses(p, id, sized)) {
        return false;
    }
    while (policy_is_full(p, id, sized)) {
        sieve_evict_one(s, sized);
    }
    s->state[id] = RESIDENT;
    id_list_add(s->link, s->head, id);
    policy_count_fill(p, id, sized);
    return false;
}

REPLAY_INLINE void sieve_prefetch(const struct policy *p, uint32_t id)
{
    __builtin_prefetch(&((const struct sieve *)p)->state[id], 1);
}

REPLAY_DEFINE_SIZED(sieve)

static bool sieve_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct sieve *)p)->state[id];
}

/* Youngest first; v = visited, < = the hand is here. */
static void sieve_dump(const struct policy *p, FILE *out)
{
    const struct sieve *s = (const struct sieve *)p;

    fputs("sieve:", out);
    for (uint32_t id = s->link[s->head].next; id != s->head; id = s->link[id].next) {
        fprintf(out, " %u%s%s", (unsigned)id, s->state[id] & VISITED ? "v" : "", id == s->hand ? "<" : "");
    }
}

const struct policy_ops policy_sieve = {
    .name = "sieve",
    .what = "SIEVE: a hand that sweeps towards the young, no entry ever moves",
    .source = "Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE is simpler than LRU, NSDI 2024",
    .has_sizes = true,
    .create = sieve_create,
    .destroy = sieve_destroy,
    .access = sieve_access_one,
    .replay = sieve_replay,
    .is_resident = sieve_is_resident,
    .dump = sieve_dump,
};
