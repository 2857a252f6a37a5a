/* SPDX-License-Identifier: MIT */
/*
 * golden.h - runs a hand-made trace through a policy and compares the whole state after each
 * request
 *
 * The expected states are worked out on paper from the policy's definition, never copied from its
 * output.
 */
#ifndef GENLRU_TESTS_POLICY_GOLDEN_H
#define GENLRU_TESTS_POLICY_GOLDEN_H

#include <stdint.h>

#include "policy/policy.h"

struct golden_step {
    enum policy_channel channel;
    uint32_t id;
    bool hit;
    const char *state; /* as ops->dump prints it */
};

/* Every step through policy_access; nr_resident and evictions are checked along. */
void golden_run(const struct policy_ops *ops, const struct policy_config *config, const struct golden_step *steps,
                size_t n);

/*
 * The steps' ids through policy_replay in one go: misses and final state must be those of
 * policy_access. Only for traces of nothing but POLICY_READ.
 */
void golden_replay(const struct policy_ops *ops, const struct policy_config *config, const struct golden_step *steps,
                   size_t n);

/* The state as a string of malloc. */
char *golden_state(const struct policy *p);

#endif
