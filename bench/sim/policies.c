/* SPDX-License-Identifier: MIT */
/*
 * policies.c - genlru-sim policies: what there is to compare, and where it comes from
 */
#include <stdio.h>
#include <string.h>

#include "policy/spec.h"
#include "sim/commands.h"

static const char help[] = "Usage: genlru-sim policies\n"
                           "\n"
                           "Lists the policies, one a line: name, what it is, source; separated by tabs.\n"
                           "\n"
                           "Those of this library are tables of constants, and can be changed where they are named:\n"
                           "  mglru-fg+age_percent=25+hit.defer_gens=3\n"
                           "include/genlru/policy.h says what a field means; nr_gens is the width of the window (3 to\n"
                           "64) and chunk how many entries are evicted at a time (1 to 32). What can be changed:\n";

static void print_help(void)
{
    fputs(help, stdout);
    for (size_t i = 0; policy_spec_field(i); i++) {
        printf("  %s\n", policy_spec_field(i));
    }
}

int sim_policies(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
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
