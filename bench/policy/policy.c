/* SPDX-License-Identifier: MIT */
/*
 * policy.c - the registry, and what is the same for all policies
 *
 * A cache of capacity 0 is answered here, once, so that no policy pays a branch for it or has to
 * think about evicting from nothing.
 */
#include "policy/policy.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "policy/all.h"

static const struct policy_ops *const all[] = {
    &policy_fifo,         &policy_lru,          &policy_clock,    &policy_slru,
    &policy_s4lru,        &policy_s4lru_filled, &policy_lfu,      &policy_lfu_plain,
    &policy_2q,           &policy_arc,          &policy_lirs,     &policy_s3fifo,
    &policy_clock2q_plus, &policy_sieve,        &policy_wtinylfu, &policy_wtinylfu_adaptive,
    &policy_gdsf,         &policy_belady,       &policy_clru,     &policy_mglru_old,
    &policy_mglru,        &policy_mglru_fg,     &policy_tuned_fg, &policy_genlru,
};

#define NR_ALL (sizeof(all) / sizeof(all[0]))

const struct policy_ops *policy_at(size_t i)
{
    return i < NR_ALL ? all[i] : NULL;
}

const struct policy_ops *policy_find(const char *name)
{
    for (size_t i = 0; i < NR_ALL; i++) {
        if (strcmp(all[i]->name, name) == 0) {
            return all[i];
        }
    }
    return NULL;
}

int policy_create(const struct policy_ops *ops, const struct policy_config *config, struct policy **ret)
{
    if (config->sizes && !ops->has_sizes) {
        return -EOPNOTSUPP;
    }
    if (config->nr_ids > POLICY_IDS_MAX || (!config->sizes && config->capacity > UINT32_MAX)) {
        return -EINVAL;
    }
    return ops->create(config, ret);
}

int policy_prepare(struct policy *p, const uint32_t *ids, size_t n)
{
    return p->ops->prepare && p->capacity ? p->ops->prepare(p, ids, n) : 0;
}

void policy_destroy(struct policy *p)
{
    if (p) {
        p->ops->destroy(p);
    }
}

/* Nothing fits: with sizes every request is for an object that is too large, also an empty one. */
static void refuse(struct policy *p, uint32_t id)
{
    if (p->sizes) {
        p->missed_bytes += p->sizes[id];
        p->nr_refused++;
    }
}

bool policy_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    assert(id < p->nr_ids);
    if (p->capacity == 0) {
        if (channel != POLICY_PREFETCH) {
            refuse(p, id);
        }
        return false;
    }
    if (channel != POLICY_PREFETCH) {
        return p->ops->access(p, id, channel);
    }
    /* Nobody waits for it, so its miss is not among those that are told. */
    uint64_t missed_bytes = p->missed_bytes;
    uint64_t nr_refused = p->nr_refused;
    bool hit = p->ops->access(p, id, channel);

    p->missed_bytes = missed_bytes;
    p->nr_refused = nr_refused;
    return hit;
}

uint64_t policy_replay(struct policy *p, const uint32_t *ids, size_t n)
{
    if (p->capacity > 0) {
        return p->ops->replay(p, ids, n);
    }
    for (size_t i = 0; p->sizes && i < n; i++) {
        refuse(p, ids[i]);
    }
    return n;
}

bool policy_is_resident(const struct policy *p, uint32_t id)
{
    assert(id < p->nr_ids);
    return p->ops->is_resident(p, id);
}
