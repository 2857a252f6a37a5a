/* SPDX-License-Identifier: MIT */
/*
 * genlru.h - the library's presets as policies that can be varied
 */
#ifndef GENLRU_BENCH_POLICY_GENLRU_H
#define GENLRU_BENCH_POLICY_GENLRU_H

#include "genlru/genlru.h"
#include "policy/policy.h"

/* What policy_config.variant points to for these policies. */
struct genlru_variant {
    struct genlru_policy policy;
    uint32_t nr_gens; /* as genlru_config.nr_gens; 0 = its default */
    uint32_t sample_seed;
    uint32_t rule;  /* the policy was made that of genlru_policy_rule(), then changed */
    uint32_t chunk; /* entries evicted at a time, 1 … POLICY_CHUNK_MAX; 0 = as chunk.h says */
};

/* NULL if ops is none of the library's presets. */
const struct genlru_policy *policy_genlru_preset(const struct policy_ops *ops);

#endif
