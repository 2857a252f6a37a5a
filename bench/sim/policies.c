/* SPDX-License-Identifier: MIT */
/*
 * policies.c - genlru-sim policies: what there is to compare, and where it comes from
 */
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "sim/commands.h"

static const char help[] =
    "Usage: genlru-sim policies\n"
    "\n"
    "Lists the policies, one a line: name, what it is, source; separated by tabs.\n";

int sim_policies(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return sim_exit_output(0);
    }
    if (argc > 1) {
        fprintf(stderr, "genlru-sim: unexpected argument '%s'\n", argv[1]);
        return SIM_USAGE;
    }
    const struct policy_ops *ops;

    for (size_t i = 0; (ops = policy_at(i)); i++) {
        printf("%s\t%s\t%s\n", ops->name, ops->what, ops->source);
    }
    return sim_exit_output(0);
}
