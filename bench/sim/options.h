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

#define SIM_JOBS_MAX 1024

/* A workload as the command line has it: a file, or a generator's spec. */
struct sim_source {
    const char *text; /* of argv */
    bool is_generator;
};

enum sim_unit { SIM_ENTRIES, SIM_BYTES };

enum sim_purpose { SIM_FOR_RUN, SIM_FOR_COST, SIM_FOR_CURVE };

struct sim_options {
    struct sim_source *sources;
    size_t nr_sources;
    struct policy_spec *policies;
    size_t nr_policies;
    const char **size_lists; /* of argv: what they mean depends on the unit, given before or after */
    size_t nr_size_lists;
    enum sim_unit unit;
    struct sim_size *sizes;
    size_t nr_sizes;
    struct trace_options how; /* of loading */
    unsigned repeat;          /* cost only */
    unsigned jobs;            /* 0 = as many as there are cores */
    double rate;              /* curve only: 0 = to be fitted */
    enum sim_purpose purpose;
    bool comment;   /* begin with the command */
    bool from_keys; /* each request is looked up by its key first */
    bool help;
};

/* Adds to o->sources. 0, -ENOMEM. */
int sim_options_add_source(struct sim_options *o, const char *text, bool is_generator);
/* "msr" or "msr:block=0" into o->how. 0, or -EINVAL after saying why. */
int sim_options_set_format(struct sim_options *o, const char *text);
/* A number within least … most, for the named option. 0, or -EINVAL after saying why. */
int sim_options_number(const char *option, const char *text, unsigned long least, unsigned long most, unsigned *ret);

/*
 * argv[0] is the subcommand. SIM_FOR_COST allows --repeat, and refuses --jobs, --unit, --comment, --keys and
 * policies that need to know the future; SIM_FOR_CURVE allows --rate. 0; -EINVAL after saying on stderr what
 * is wrong (the caller exits with 2); -ENOMEM. *ret is to be given to sim_options_fini in every
 * case.
 */
int sim_options_parse(int argc, char **argv, enum sim_purpose purpose, struct sim_options *ret);
void sim_options_fini(struct sim_options *options);

#endif
