/* SPDX-License-Identifier: MIT */
/*
 * gdsf.c - GreedyDual-Size with frequency (Cherkasova, HP Labs TR 98-69R1, 1998)
 *
 *      priority = L + uses · cost / size          L = priority of the last one evicted
 *
 * The lowest priority goes. L inflates as entries leave, so a use now is worth more than one long
 * ago: that is the aging. The cost of every miss is 1 here, which aims at the request miss ratio;
 * without sizes what is left is LFU with dynamic aging (Arlitt et al., 2000).
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/charge.h"
#include "policy/idheap.h"
#include "policy/replay.h"

struct gdsf {
    struct policy base;
    struct id_heap heap; /* by priority, then by time of the last use */
    uint32_t *uses;
    double inflation; /* L */
    uint64_t now;
};

static void gdsf_destroy(struct policy *p)
{
    struct gdsf *g = (struct gdsf *)p;

    id_heap_fini(&g->heap);
    array_destroy(g->uses);
    free(g);
}

static int gdsf_create(const struct policy_config *config, struct policy **ret)
{
    struct gdsf *g = calloc(1, sizeof(*g));

    if (!g) {
        return -ENOMEM;
    }
    policy_init(&g->base, &policy_gdsf, config);
    g->uses = array_create(config->nr_ids, sizeof(*g->uses));
    if (!g->uses || id_heap_init(&g->heap, config->nr_ids, policy_entries_max(config))) {
        gdsf_destroy(&g->base);
        return -ENOMEM;
    }
    *ret = &g->base;
    return 0;
}

/* An empty object counts as one byte: it is as good as any, not infinitely good. */
REPLAY_INLINE double priority(const struct gdsf *g, uint32_t id, bool sized)
{
    uint64_t size = policy_charge(&g->base, id, sized);

    return g->inflation + (double)g->uses[id] / (size ? (double)size : 1);
}

REPLAY_INLINE void evict_one(struct gdsf *g, bool sized)
{
    struct id_heap_node out = id_heap_pop(&g->heap);

    g->inflation = out.key;
    policy_count_eviction(&g->base, out.id, sized);
}

REPLAY_INLINE bool gdsf_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct gdsf *g = (struct gdsf *)p;

    g->now++;
    if (id_heap_has(&g->heap, id)) {
        if (channel != POLICY_PREFETCH) {
            g->uses[id]++;
            id_heap_raise(&g->heap, id, priority(g, id, sized), g->now);
        }
        return true;
    }
    if (policy_refuses(p, id, sized)) {
        return false;
    }
    while (policy_is_full(p, id, sized)) {
        evict_one(g, sized);
    }
    g->uses[id] = 1;
    id_heap_add(&g->heap, (struct id_heap_node){priority(g, id, sized), g->now, id});
    policy_count_fill(p, id, sized);
    return false;
}

REPLAY_INLINE void gdsf_prefetch(const struct policy *p, uint32_t id)
{
    const struct gdsf *g = (const struct gdsf *)p;

    __builtin_prefetch(&g->heap.at[id], 1);
    __builtin_prefetch(&g->uses[id], 1);
}

REPLAY_DEFINE_SIZED(gdsf)

static bool gdsf_is_resident(const struct policy *p, uint32_t id)
{
    return id_heap_has(&((const struct gdsf *)p)->heap, id);
}

/* By id, behind it its uses and its priority; then the inflation and the next victim. */
static void gdsf_dump(const struct policy *p, FILE *out)
{
    const struct gdsf *g = (const struct gdsf *)p;

    fputs("gdsf:", out);
    for (uint32_t id = 0; id < p->nr_ids; id++) {
        if (id_heap_has(&g->heap, id)) {
            fprintf(out, " %u.%u=%g", (unsigned)id, (unsigned)g->uses[id], id_heap_of(&g->heap, id)->key);
        }
    }
    fprintf(out, " | L %g", g->inflation);
    if (g->heap.nr > 0) {
        fprintf(out, " next %u", (unsigned)g->heap.node[0].id);
    }
}

const struct policy_ops policy_gdsf = {
    .name = "gdsf",
    .what = "GreedyDual-Size with frequency: uses per byte, aged by what was evicted",
    .source = "Cherkasova: Improving WWW proxies performance with Greedy-Dual-Size-Frequency "
              "caching policy, HP Labs TR 98-69R1, 1998",
    .has_sizes = true,
    .create = gdsf_create,
    .destroy = gdsf_destroy,
    .access = gdsf_access_one,
    .replay = gdsf_replay,
    .is_resident = gdsf_is_resident,
    .dump = gdsf_dump,
};
