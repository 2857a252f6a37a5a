/* SPDX-License-Identifier: MIT */
/*
 * simple_options.h - the command line of what takes workloads and perhaps an output, no policies
 */
#ifndef GENLRU_BENCH_SIM_SIMPLE_OPTIONS_H
#define GENLRU_BENCH_SIM_SIMPLE_OPTIONS_H

#include "sim/options.h"

enum simple_kind {
    SIMPLE_MANY,    /* stat: any number of traces and generators */
    SIMPLE_CONVERT, /* one of them, and an output */
    SIMPLE_GENERATE /* one generator, and an output */
};

struct simple_options {
    struct sim_options sim; /* sources and how only */
    const char *output;     /* NULL = none given */
    bool force;             /* replace what is there */
};

/*
 * 0; 1 after printing the help; -EINVAL after saying why; -ENOMEM. To be given to
 * simple_options_fini in every case.
 */
int simple_options_parse(int argc, char **argv, enum simple_kind kind, const char *help, struct simple_options *ret);
void simple_options_fini(struct simple_options *options);

#endif
