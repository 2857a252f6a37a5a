/* SPDX-License-Identifier: MIT */
/*
 * main.c - genlru-sim: replays traces through cache policies
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/commands.h"

static const struct {
    const char *name;
    int (*command)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"run", sim_run, "replay traces, print miss ratios"},
    {"curve", sim_curve, "estimate miss-ratio curves from a sample of the keys"},
    {"report", sim_report, "write one page with curves and comparisons from such rows"},
    {"cost", sim_cost, "measure nanoseconds a hit and an eviction take"},
    {"stat", sim_stat, "describe traces"},
    {"table", sim_table, "replay a published table, print ours beside it"},
    {"convert", sim_convert, "write a trace in the compact form for fast replay"},
    {"generate", sim_generate, "write a computed workload to a file"},
    {"policies", sim_policies, "list the policies"},
    {"generators", sim_generators, "list the generators and their parameters"},
    {"formats", sim_formats, "list the trace formats"},
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
    fputs("Usage: genlru-sim COMMAND [--help | option …]\n\n", out);
    for (size_t i = 0; i < NR_COMMANDS; i++) {
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].what);
    }
    fputs("\nExit codes: 0 done, 1 failed (a malformed trace, no memory …), 2 wrong usage.\n", out);
}

int sim_exit_parse(int rc, const char *command)
{
    if (rc == -ENOMEM) {
        fprintf(stderr, "genlru-sim: %s\n", strerror(ENOMEM));
        return SIM_FAILED;
    }
    fprintf(stderr, "Try `genlru-sim %s --help`.\n", command);
    return SIM_USAGE;
}

int sim_exit_output(int rc)
{
    if (rc) {
        return SIM_FAILED;
    }
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "genlru-sim: cannot write the output: %s\n", strerror(errno ? errno : EIO));
        return SIM_FAILED;
    }
    return SIM_OK;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return SIM_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return sim_exit_output(0);
    }
    for (size_t i = 0; i < NR_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].command(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "genlru-sim: no command '%s'\n", argv[1]);
    print_usage(stderr);
    return SIM_USAGE;
}
