/* SPDX-License-Identifier: MIT */
/*
 * published.h - the tables that were published of the kernel's policies under fio, as numbers
 */
#ifndef GENLRU_BENCH_SIM_PUBLISHED_H
#define GENLRU_BENCH_SIM_PUBLISHED_H

#include <stddef.h>

#include "policy/policy.h"

#define PUBLISHED_THETAS 4

struct published_policy {
    const char *name; /* ours that it is compared with */
    double iops[PUBLISHED_THETAS];
    double refaults[PUBLISHED_THETAS]; /* per read */
};

struct published_table {
    const char *name;
    const char *what;
    enum policy_channel channel;
    struct published_policy policies[4];
    size_t nr_policies;
};

extern const double published_theta[PUBLISHED_THETAS];

/* NULL past the end. */
const struct published_table *published_at(size_t i);

#endif
