/* SPDX-License-Identifier: MIT */
/*
 * fifo.c - first in, first out: the baseline of baselines
 *
 *      miss ─▶ [youngest … oldest] ─▶ out          hits change nothing
 */
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/idring.h"
#include "policy/replay.h"

struct fifo {
    struct policy base;
    struct id_ring queue;
    uint8_t *resident; /* of each id: 0 or 1 */
};

static void fifo_destroy(struct policy *p)
{
    struct fifo *f = (struct fifo *)p;

    id_ring_fini(&f->queue);
    array_destroy(f->resident);
    free(f);
}

static int fifo_create(const struct policy_config *config, struct policy **ret)
{
    struct fifo *f = calloc(1, sizeof(*f));

    if (!f) {
        return -ENOMEM;
    }
    policy_init(&f->base, &policy_fifo, config);
    f->resident = array_create(config->nr_ids, sizeof(*f->resident));
    if (!f->resident || id_ring_init(&f->queue, policy_entries_max(config))) {
        fifo_destroy(&f->base);
        return -ENOMEM;
    }
    *ret = &f->base;
    return 0;
}

REPLAY_INLINE bool fifo_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct fifo *f = (struct fifo *)p;

    (void)channel;
    if (f->resident[id]) {
        return true;
    }
    if (policy_refuses(p, id, sized)) {
        return false;
    }
    while (policy_is_full(p, id, sized)) {
        uint32_t victim = id_ring_pop(&f->queue);

        f->resident[victim] = 0;
        policy_count_eviction(p, victim, sized);
    }
    f->resident[id] = 1;
    id_ring_push(&f->queue, id);
    policy_count_fill(p, id, sized);
    return false;
}

REPLAY_INLINE void fifo_prefetch(const struct policy *p, uint32_t id)
{
    __builtin_prefetch(&((const struct fifo *)p)->resident[id], 1);
}

REPLAY_DEFINE_SIZED(fifo)

static bool fifo_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct fifo *)p)->resident[id];
}

static void fifo_dump(const struct policy *p, FILE *out)
{
    const struct fifo *f = (const struct fifo *)p;

    fputs("fifo:", out);
    for (uint32_t i = f->queue.nr; i > 0; i--) {
        fprintf(out, " %u", (unsigned)id_ring_at(&f->queue, i - 1));
    }
}

const struct policy_ops policy_fifo = {
    .name = "fifo",
    .what = "first in, first out",
    .source = "Belady: A study of replacement algorithms for a virtual-storage computer, "
              "IBM Systems Journal 5(2), 1966",
    .has_sizes = true,
    .create = fifo_create,
    .destroy = fifo_destroy,
    .access = fifo_access_one,
    .replay = fifo_replay,
    .is_resident = fifo_is_resident,
    .dump = fifo_dump,
};
