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
    &policy_lru,
    &policy_clru,
    &policy_arc,
    &policy_mglru_old,
    &policy_mglru,
    &policy_mglru_fg,
    &policy_genlru,
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

int policy_create(const struct policy_ops *ops, const struct policy_config *config,
                  struct policy **ret)
{
    if (config->nr_ids > POLICY_IDS_MAX) {
        return -EINVAL;
    }
    return ops->create(config, ret);
}

void policy_destroy(struct policy *p)
{
    if (p) {
        p->ops->destroy(p);
    }
}

bool policy_access(struct policy *p, uint32_t id, enum policy_channel channel)
{
    assert(id < p->nr_ids);
    if (p->capacity == 0) {
        return false;
    }
    return p->ops->access(p, id, channel);
}

uint64_t policy_replay(struct policy *p, const uint32_t *ids, size_t n)
{
    if (p->capacity == 0) {
        return n;
    }
    return p->ops->replay(p, ids, n);
}

bool policy_is_resident(const struct policy *p, uint32_t id)
{
    assert(id < p->nr_ids);
    return p->ops->is_resident(p, id);
}
