/* SPDX-License-Identifier: MIT */
/*
 * options.h - the command line of the subcommands that replay traces
 */
#ifndef GENLRU_BENCH_SIM_OPTIONS_H
#define GENLRU_BENCH_SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/spec.h"
#include "sim/size.h"
#include "trace/trace.h"

enum sim_unit { SIM_ENTRIES, SIM_BYTES };

struct sim_options {
    const char **paths; /* of argv */
    size_t nr_paths;
    struct policy_spec *policies;
    size_t nr_policies;
    const char **size_lists; /* of argv: what they mean depends on the unit, given before or after */
    size_t nr_size_lists;
    enum sim_unit unit;
    struct sim_size *sizes;
    size_t nr_sizes;
    enum trace_format format;
    unsigned repeat; /* cost only */
    bool for_cost;
    bool help;
};

/*
 * argv[0] is the subcommand. `for_cost` allows --repeat, and refuses --unit and policies that need
 * to know the future. 0; -EINVAL after saying on stderr what
 * is wrong (the caller exits with 2); -ENOMEM. *ret is to be given to sim_options_fini in every
 * case.
 */
int sim_options_parse(int argc, char **argv, bool for_cost, struct sim_options *ret);
void sim_options_fini(struct sim_options *options);

#endif
