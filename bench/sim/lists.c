/* SPDX-License-Identifier: MIT */
/*
 * lists.c - genlru-sim generators and formats: what there is, and what it takes
 */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"
#include "sim/commands.h"

/* 0 = go on; else the exit code plus one. */
static int take_no_options(int argc, char **argv, const char *help)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return 1 + sim_exit_output(0);
    }
    if (argc > 1) {
        fprintf(stderr, "genlru-sim: unexpected argument '%s'\n", argv[1]);
        return 1 + SIM_USAGE;
    }
    return 0;
}

int sim_generators(int argc, char **argv)
{
    int code =
        take_no_options(argc, argv,
                        "Usage: genlru-sim generators\n"
                        "\n"
                        "Lists the generators and their parameters with defaults, for --gen NAME:PARAMETER=VALUE,…\n"
                        "Numbers may end in k, M or G (10^3, 10^6, 10^9).\n");
    const struct gen_ops *ops;

    if (code) {
        return code - 1;
    }
    for (size_t i = 0; (ops = gen_at(i)); i++) {
        printf("%s\t%s%s\n", ops->name, ops->what, ops->has_channels ? " [channels]" : "");
        for (const struct spec_param *p = ops->params; p->name; p++) {
            printf("\t%s=%s\t%s\n", p->name, p->fallback ? p->fallback : "", p->what);
        }
    }
    puts("trace:FILE\ta trace, for chains");
    puts("chain:(SPEC)(SPEC)…\tone after the other; the same key is the same object in all of them");
    return sim_exit_output(0);
}

int sim_formats(int argc, char **argv)
{
    int code = take_no_options(argc, argv,
                               "Usage: genlru-sim formats\n"
                               "\n"
                               "Lists the trace formats for --format, one a line: name, what it "
                               "is; separated by a tab.\n");

    if (code) {
        return code - 1;
    }
    for (int i = 0; trace_format_name((enum trace_format)i); i++) {
        printf("%s\t%s\n", trace_format_name((enum trace_format)i), trace_format_what((enum trace_format)i));
    }
    puts("vscsi and msr take :block=BYTES (4096; 0 = a record is one request of its own size), "
         "libcachesim-csv :key=COLUMN,size=COLUMN");
    return sim_exit_output(0);
}
