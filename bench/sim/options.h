/* SPDX-License-Identifier: MIT */
/*
 * options.h - the command line of the subcommands that replay traces
 */
#ifndef GENLRU_BENCH_SIM_OPTIONS_H
#define GENLRU_BENCH_SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"
#include "sim/size.h"
#include "trace/trace.h"

struct sim_options {
    const char **paths; /* of argv */
    size_t nr_paths;
    const struct policy_ops **policies;
    size_t nr_policies;
    struct sim_size *sizes;
    size_t nr_sizes;
    enum trace_format format;
    unsigned repeat; /* cost only */
    bool help;
};

/*
 * argv[0] is the subcommand. `with_repeat` allows --repeat. 0; -EINVAL after saying on stderr what
 * is wrong (the caller exits with 2); -ENOMEM. *ret is to be given to sim_options_fini in every
 * case.
 */
int sim_options_parse(int argc, char **argv, bool with_repeat, struct sim_options *ret);
void sim_options_fini(struct sim_options *options);

#endif
