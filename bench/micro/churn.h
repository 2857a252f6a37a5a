/* SPDX-License-Identifier: MIT */
/* churn.h - an evicted object comes back as another one */
#ifndef GENLRU_BENCH_MICRO_CHURN_H
#define GENLRU_BENCH_MICRO_CHURN_H

#include "micro/objects.h"

/* New keys, never seen before: what was evicted does not return, so no policy has reason to remember it. */
static inline void churn_rename(struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        objects[ids[i]].key += OBJECTS_MAX;
    }
}

#endif
