/* SPDX-License-Identifier: MIT */
/*
 * lfu.c - least frequently used, with counts that age (lfu) and without (lfu-plain)
 *
 *      hit ─▶ count + 1          miss ─▶ out with the lowest count, of equals the longest not used
 *
 * Counts live as long as their entry is cached. Without aging what was once popular never leaves.
 * With it, whenever the mean count goes beyond MEAN_MAX, every count c becomes ceil(c / 2).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/idheap.h"
#include "policy/replay.h"

#define MEAN_MAX 10

struct lfu {
    struct policy base;
    struct id_heap heap; /* by count, then by time of the last use */
    uint64_t now;
    uint64_t sum; /* of all counts */
    bool ages;
};

static void lfu_destroy(struct policy *p)
{
    struct lfu *l = (struct lfu *)p;

    id_heap_fini(&l->heap);
    free(l);
}

static int create(const struct policy_config *config, const struct policy_ops *ops, bool ages, struct policy **ret)
{
    struct lfu *l = calloc(1, sizeof(*l));
    uint64_t room = config->capacity < config->nr_ids ? config->capacity : config->nr_ids;

    if (!l) {
        return -ENOMEM;
    }
    policy_init(&l->base, ops, config);
    l->ages = ages;
    if (id_heap_init(&l->heap, config->nr_ids, (uint32_t)room)) {
        lfu_destroy(&l->base);
        return -ENOMEM;
    }
    *ret = &l->base;
    return 0;
}

static void halve(struct lfu *l)
{
    l->sum = 0;
    for (uint32_t i = 0; i < l->heap.nr; i++) {
        l->heap.node[i].key = ceil(l->heap.node[i].key / 2);
        l->sum += (uint64_t)l->heap.node[i].key;
    }
    id_heap_reorder(&l->heap);
}

REPLAY_INLINE void count(struct lfu *l)
{
    l->sum++;
    if (l->ages && l->sum > (uint64_t)MEAN_MAX * l->heap.nr) {
        halve(l);
    }
}

REPLAY_INLINE bool lfu_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct lfu *l = (struct lfu *)p;

    l->now++;
    if (id_heap_has(&l->heap, id)) {
        if (channel != POLICY_PREFETCH) {
            id_heap_raise(&l->heap, id, id_heap_of(&l->heap, id)->key + 1, l->now);
            count(l);
        }
        return true;
    }
    if (p->nr_resident == p->capacity) {
        l->sum -= (uint64_t)id_heap_pop(&l->heap).key;
        p->nr_resident--;
        p->evictions++;
    }
    id_heap_add(&l->heap, (struct id_heap_node){1, l->now, id});
    p->nr_resident++;
    count(l);
    return false;
}

REPLAY_INLINE void lfu_prefetch(const struct policy *p, uint32_t id)
{
    __builtin_prefetch(&((const struct lfu *)p)->heap.at[id], 1);
}

REPLAY_DEFINE(lfu)

static bool lfu_is_resident(const struct policy *p, uint32_t id)
{
    return id_heap_has(&((const struct lfu *)p)->heap, id);
}

/* By id, behind it its count; then the next victim. */
static void lfu_dump(const struct policy *p, FILE *out)
{
    const struct lfu *l = (const struct lfu *)p;

    fputs("lfu:", out);
    for (uint32_t id = 0; id < p->nr_ids; id++) {
        if (id_heap_has(&l->heap, id)) {
            fprintf(out, " %u.%.0f", (unsigned)id, id_heap_of(&l->heap, id)->key);
        }
    }
    if (l->heap.nr > 0) {
        fprintf(out, " | next %u", (unsigned)l->heap.node[0].id);
    }
}

static int lfu_create(const struct policy_config *config, struct policy **ret)
{
    return create(config, &policy_lfu, true, ret);
}

static int lfu_plain_create(const struct policy_config *config, struct policy **ret)
{
    return create(config, &policy_lfu_plain, false, ret);
}

const struct policy_ops policy_lfu = {
    .name = "lfu",
    .what = "least frequently used; counts are halved when their mean goes beyond 10",
    .source = "Robinson, Devarakonda: Data cache management using frequency-based replacement, "
              "SIGMETRICS 1990",
    .create = lfu_create,
    .destroy = lfu_destroy,
    .access = lfu_access_one,
    .replay = lfu_replay,
    .is_resident = lfu_is_resident,
    .dump = lfu_dump,
};

const struct policy_ops policy_lfu_plain = {
    .name = "lfu-plain",
    .what = "least frequently used; counts never age",
    .source = "Coffman, Denning: Operating systems theory, Prentice-Hall, 1973",
    .create = lfu_plain_create,
    .destroy = lfu_destroy,
    .access = lfu_access_one,
    .replay = lfu_replay,
    .is_resident = lfu_is_resident,
    .dump = lfu_dump,
};
