/* SPDX-License-Identifier: MIT */
/*
 * lirs.c - low inter-reference recency set (Jiang and Zhang, SIGMETRICS 2002)
 *
 *      S  top [ LIR, HIR resident, HIR gone … LIR ] bottom: always an LIR
 *      Q  end [ HIR resident … ] front ─▶ out (stays in S as gone, if it is there)
 *
 *      LIR   99 % of the cache: asked for twice within the stretch that S covers
 *      HIR   the others; 1 % of the cache holds those of them that are resident
 *
 * An HIR that is asked for while it is in S has a shorter reuse distance than the LIR at the
 * bottom, so the two change places. Then S is pruned: HIRs at the bottom are forgotten until an LIR
 * is there.
 *
 * Between two uses of an LIR any number of ids may pass, and S would keep them all. The paper
 * leaves a bound on S to the implementer: here 2 entries for each of the cache; beyond it the HIR
 * that is gone longest is forgotten. (It matters: see docs/baselines.md.)
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/idlist.h"
#include "policy/replay.h"

#define HIR_PERCENT 1
#define STACK_TIMES 2 /* bound of S, in capacities */

/* Resident: LIR or IN_QUEUE. GONE: in S, not resident, on the list of those. */
enum { IN_STACK = 1 << 0, IN_QUEUE = 1 << 1, LIR = 1 << 2, GONE = 1 << 3 };

struct lirs {
    struct policy base;
    struct id_link *stack;
    struct id_link *queue; /* also links the gone, who are not in Q */
    uint8_t *state;
    uint32_t head; /* of S and of Q */
    uint32_t gone; /* head of the gone, youngest first */
    uint32_t nr_lir;
    uint32_t lir_room;
    uint32_t nr_stack;
    uint64_t stack_room;
};

static void lirs_destroy(struct policy *p)
{
    struct lirs *l = (struct lirs *)p;

    array_destroy(l->stack);
    array_destroy(l->queue);
    array_destroy(l->state);
    free(l);
}

static int lirs_create(const struct policy_config *config, struct policy **ret)
{
    struct lirs *l = calloc(1, sizeof(*l));

    if (!l) {
        return -ENOMEM;
    }
    policy_init(&l->base, &policy_lirs, config);
    l->stack = array_create((size_t)config->nr_ids + 1, sizeof(*l->stack));
    l->queue = array_create((size_t)config->nr_ids + 2, sizeof(*l->queue));
    l->state = array_create(config->nr_ids, sizeof(*l->state));
    if (!l->stack || !l->queue || !l->state) {
        lirs_destroy(&l->base);
        return -ENOMEM;
    }
    l->head = config->nr_ids;
    id_list_init(l->stack, l->head);
    id_list_init(l->queue, l->head);
    l->gone = l->head + 1;
    id_list_init(l->queue, l->gone);
    l->stack_room = config->capacity * STACK_TIMES;
    uint32_t hir_room = (uint32_t)(config->capacity * HIR_PERCENT / 100);

    hir_room += hir_room == 0;
    l->lir_room = (uint32_t)config->capacity - (config->capacity ? hir_room : 0);
    *ret = &l->base;
    return 0;
}

/* No longer gone: it comes back or is forgotten. */
static inline void lirs_ungone(struct lirs *l, uint32_t id)
{
    if (l->state[id] & GONE) {
        id_list_del(l->queue, id);
        l->state[id] &= (uint8_t)~GONE;
    }
}

static inline void lirs_to_top(struct lirs *l, uint32_t id)
{
    lirs_ungone(l, id);
    if (l->state[id] & IN_STACK) {
        id_list_del(l->stack, id);
    } else {
        l->nr_stack++;
    }
    l->state[id] |= IN_STACK;
    id_list_add(l->stack, l->head, id);
}

static inline void lirs_off_stack(struct lirs *l, uint32_t id)
{
    lirs_ungone(l, id);
    id_list_del(l->stack, id);
    l->state[id] &= (uint8_t)~IN_STACK;
    l->nr_stack--;
}

static inline void lirs_to_end(struct lirs *l, uint32_t id)
{
    if (l->state[id] & IN_QUEUE) {
        id_list_del(l->queue, id);
    }
    l->state[id] |= IN_QUEUE;
    id_list_add(l->queue, l->head, id);
}

static inline void lirs_prune(struct lirs *l)
{
    for (;;) {
        uint32_t id = id_list_tail(l->stack, l->head);

        if (id == l->head || (l->state[id] & LIR)) {
            return;
        }
        lirs_off_stack(l, id);
    }
}

/* An HIR in S becomes LIR, and if there are too many then, the bottom one HIR. */
static inline void lirs_promote(struct lirs *l, uint32_t id)
{
    lirs_to_top(l, id);
    if (l->state[id] & IN_QUEUE) {
        id_list_del(l->queue, id);
    }
    l->state[id] = IN_STACK | LIR;
    l->nr_lir++;
    if (l->nr_lir > l->lir_room) {
        uint32_t bottom = id_list_tail(l->stack, l->head);

        assert(l->state[bottom] & LIR);
        lirs_off_stack(l, bottom);
        l->state[bottom] = 0;
        l->nr_lir--;
        lirs_to_end(l, bottom);
        lirs_prune(l);
    }
}

static inline void lirs_evict_one(struct lirs *l)
{
    uint32_t id = id_list_tail(l->queue, l->head);

    assert(id != l->head);
    id_list_del(l->queue, id);
    l->state[id] &= (uint8_t)~IN_QUEUE;
    if (l->state[id] & IN_STACK) {
        l->state[id] |= GONE;
        id_list_add(l->queue, l->gone, id);
    }
    l->base.nr_resident--;
    l->base.evictions++;
}

static inline void lirs_hit(struct lirs *l, uint32_t id)
{
    if (l->state[id] & LIR) {
        lirs_to_top(l, id);
        lirs_prune(l);
    } else if ((l->state[id] & IN_STACK) && l->lir_room > 0) {
        lirs_promote(l, id);
    } else {
        lirs_to_top(l, id);
        lirs_to_end(l, id);
    }
}

static inline void lirs_bound_stack(struct lirs *l)
{
    while (l->nr_stack > l->stack_room && !id_list_is_empty(l->queue, l->gone)) {
        lirs_off_stack(l, id_list_tail(l->queue, l->gone));
    }
}

static inline void lirs_miss(struct lirs *l, uint32_t id)
{
    if (l->base.nr_resident == l->base.capacity) {
        lirs_evict_one(l);
    }
    l->base.nr_resident++;
    if (l->nr_lir < l->lir_room || ((l->state[id] & IN_STACK) && l->lir_room > 0)) {
        lirs_promote(l, id);
    } else {
        lirs_to_top(l, id);
        lirs_to_end(l, id);
    }
    lirs_bound_stack(l);
}

REPLAY_INLINE bool lirs_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    struct lirs *l = (struct lirs *)p;

    if (l->state[id] & (LIR | IN_QUEUE)) {
        if (channel != POLICY_PREFETCH) {
            lirs_hit(l, id);
        }
        return true;
    }
    lirs_miss(l, id);
    return false;
}

REPLAY_INLINE void lirs_prefetch(const struct policy *p, uint32_t id)
{
    const struct lirs *l = (const struct lirs *)p;

    __builtin_prefetch(&l->state[id], 1);
    __builtin_prefetch(&l->stack[id], 1);
    __builtin_prefetch(&l->queue[id], 1);
}

REPLAY_DEFINE(lirs)

static bool lirs_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct lirs *)p)->state[id] & (LIR | IN_QUEUE);
}

/* S from the top: l = LIR, h = HIR resident, n = HIR gone; Q from its end. */
static void lirs_dump(const struct policy *p, FILE *out)
{
    const struct lirs *l = (const struct lirs *)p;

    fputs("s:", out);
    for (uint32_t id = l->stack[l->head].next; id != l->head; id = l->stack[id].next) {
        uint8_t state = l->state[id];

        fprintf(out, " %u%s", (unsigned)id, state & LIR ? "l" : state & IN_QUEUE ? "h" : "n");
    }
    fputs(" | q:", out);
    for (uint32_t id = l->queue[l->head].next; id != l->head; id = l->queue[id].next) {
        fprintf(out, " %u", (unsigned)id);
    }
}

const struct policy_ops policy_lirs = {
    .name = "lirs",
    .what = "low inter-reference recency set: ranks by reuse distance, not by recency",
    .source = "Jiang, Zhang: LIRS: An efficient low inter-reference recency set replacement "
              "policy, SIGMETRICS 2002",
    .create = lirs_create,
    .destroy = lirs_destroy,
    .access = lirs_access_one,
    .replay = lirs_replay,
    .is_resident = lirs_is_resident,
    .dump = lirs_dump,
};
