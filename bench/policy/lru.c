/* SPDX-License-Identifier: MIT */
/*
 * lru.c - exact least recently used
 *
 *      hit: unlink, put first          miss: drop the last if full, put the new one first
 *
 *      head ⇄ youngest ⇄ … ⇄ oldest ⇄ head          link[id].next = none: not resident
 *
 * One list and no other state: a request touches the pair of its id and those of two neighbours.
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/idlist.h"
#include "policy/replay.h"

struct lru {
    struct policy base;
    struct id_link *link;
    uint32_t head;
};

static void lru_destroy(struct policy *p)
{
    struct lru *l = (struct lru *)p;

    array_destroy(l->link);
    free(l);
}

static int lru_create(const struct policy_config *config, struct policy **ret)
{
    struct lru *l = calloc(1, sizeof(*l));

    if (!l) {
        return -ENOMEM;
    }
    l->link = array_create((size_t)config->nr_ids + 1, sizeof(*l->link));
    if (!l->link) {
        lru_destroy(&l->base);
        return -ENOMEM;
    }
    policy_init(&l->base, &policy_lru, config);
    for (uint32_t id = 0; id < config->nr_ids; id++) {
        id_list_mark_off(l->link, id);
    }
    l->head = config->nr_ids;
    id_list_init(l->link, l->head);
    *ret = &l->base;
    return 0;
}

REPLAY_INLINE void lru_evict_one(struct lru *l, bool sized)
{
    uint32_t victim = id_list_tail(l->link, l->head);

    id_list_del(l->link, victim);
    id_list_mark_off(l->link, victim);
    policy_count_eviction(&l->base, victim, sized);
}

REPLAY_INLINE bool lru_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct lru *l = (struct lru *)p;
    bool hit = !id_list_is_off(l->link, id);

    if (hit) {
        if (channel == POLICY_PREFETCH) {
            return true;
        }
        id_list_del(l->link, id);
    } else {
        if (policy_refuses(p, id, sized)) {
            return false;
        }
        while (policy_is_full(p, id, sized)) {
            lru_evict_one(l, sized);
        }
        policy_count_fill(p, id, sized);
    }
    id_list_add(l->link, l->head, id);
    return hit;
}

REPLAY_INLINE void lru_prefetch(const struct policy *p, uint32_t id)
{
    __builtin_prefetch(&((const struct lru *)p)->link[id], 1);
}

REPLAY_DEFINE_SIZED(lru)

static bool lru_is_resident(const struct policy *p, uint32_t id)
{
    return !id_list_is_off(((const struct lru *)p)->link, id);
}

static void lru_dump(const struct policy *p, FILE *out)
{
    const struct lru *l = (const struct lru *)p;

    fputs("lru:", out);
    for (uint32_t id = l->link[l->head].next; id != l->head; id = l->link[id].next) {
        fprintf(out, " %u", (unsigned)id);
    }
}

const struct policy_ops policy_lru = {
    .name = "lru",
    .what = "least recently used, exact",
    .source = "Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage hierarchies, "
              "IBM Systems Journal 9(2), 1970",
    .has_sizes = true,
    .create = lru_create,
    .destroy = lru_destroy,
    .access = lru_access_one,
    .replay = lru_replay,
    .is_resident = lru_is_resident,
    .dump = lru_dump,
};
