/* SPDX-License-Identifier: MIT */
/*
 * simple_options.c - see simple_options.h
 */
#define _GNU_SOURCE
#include "sim/simple_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"

static const struct option with_trace[] = {
    {"gen", required_argument, NULL, 'g'},
    {"help", no_argument, NULL, 'h'},
    {"trace", required_argument, NULL, 't'},
    {"format", required_argument, NULL, 'f'},
    {NULL, 0, NULL, 0},
};
static const struct option with_both[] = {
    {"gen", required_argument, NULL, 'g'},
    {"help", no_argument, NULL, 'h'},
    {"trace", required_argument, NULL, 't'},
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'F'},
    {NULL, 0, NULL, 0},
};
static const struct option with_output[] = {
    {"gen", required_argument, NULL, 'g'},
    {"help", no_argument, NULL, 'h'},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'F'},
    {NULL, 0, NULL, 0},
};

static int set_option(struct simple_options *o, int option, const char *value, bool *help)
{
    struct trace_error error;

    switch (option) {
    case 't':
        return sim_options_add_source(&o->sim, value, false);
    case 'g':
        if (gen_check(value, &error)) {
            fprintf(stderr, "genlru-sim: %s\n", error.text);
            return -EINVAL;
        }
        return sim_options_add_source(&o->sim, value, true);
    case 'f':
        return sim_options_set_format(&o->sim, value);
    case 'o':
        o->output = value;
        return 0;
    case 'F':
        o->force = true;
        return 0;
    case 'h':
        *help = true;
        return 0;
    default:
        return -EINVAL; /* getopt_long has said why */
    }
}

static int check_complete(const struct simple_options *o, enum simple_kind kind)
{
    const char *source = kind == SIMPLE_GENERATE ? "--gen SPEC" : "--trace FILE or --gen SPEC";

    if (o->sim.nr_sources == 0) {
        fprintf(stderr, "genlru-sim: %s is missing\n", source);
        return -EINVAL;
    }
    if (kind != SIMPLE_MANY && o->sim.nr_sources > 1) {
        fprintf(stderr, "genlru-sim: only one %s; `--gen 'chain:(…)(…)'` joins several\n", source);
        return -EINVAL;
    }
    if (kind != SIMPLE_MANY && !o->output) {
        fputs("genlru-sim: --output FILE is missing\n", stderr);
        return -EINVAL;
    }
    return 0;
}

int simple_options_parse(int argc, char **argv, enum simple_kind kind, const char *help, struct simple_options *ret)
{
    const struct option *allowed = kind == SIMPLE_MANY ? with_trace : kind == SIMPLE_CONVERT ? with_both : with_output;
    static char program[] = "genlru-sim";
    bool wants_help = false;
    int option;

    *ret = (struct simple_options){0};
    argv[0] = program; /* what getopt_long's messages begin with */
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", allowed, NULL)) != -1) {
        int rc = set_option(ret, option, optarg, &wants_help);

        if (rc) {
            return rc;
        }
    }
    if (wants_help) {
        fputs(help, stdout);
        return 1;
    }
    if (optind < argc) {
        fprintf(stderr, "genlru-sim: unexpected argument '%s'\n", argv[optind]);
        return -EINVAL;
    }
    return check_complete(ret, kind);
}

void simple_options_fini(struct simple_options *o)
{
    sim_options_fini(&o->sim);
}
