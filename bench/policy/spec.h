/* SPDX-License-Identifier: MIT */
/*
 * spec.h - a policy as it is named on a command line, with changes to it
 *
 *      lru
 *      mglru-fg+age_percent=25+hit.defer_gens=3        fields of struct genlru_policy changed
 *      genlru+nr_gens=8+chunk=1                        the window; entries evicted at a time
 *
 * Only genlru's presets can be changed, since only they are tables of constants; of these, every
 * field can, tiers.tier_of_refs by index (tiers.tier_of_refs.2=1).
 */
#ifndef GENLRU_BENCH_POLICY_SPEC_H
#define GENLRU_BENCH_POLICY_SPEC_H

#include "policy/policy.h"

struct policy_spec {
    const struct policy_ops *ops;
    char *name;    /* as given */
    void *variant; /* for policy_config.variant; NULL = as published */
};

#define POLICY_SPEC_ERROR 256

/*
 * `len` bytes of text. 0; -EINVAL with the reason in `error` (no newline); -ENOMEM. *ret is
 * untouched on failure; else it is to be given to policy_spec_fini, after the policies made of it.
 */
int policy_spec_parse(const char *text, size_t len, struct policy_spec *ret, char error[POLICY_SPEC_ERROR]);
void policy_spec_fini(struct policy_spec *spec);

/* Name of the i-th thing that can be changed; NULL past the end. */
const char *policy_spec_field(size_t i);

#endif
