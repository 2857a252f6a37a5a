/* SPDX-License-Identifier: MIT */
/*
 * convert.c - genlru-sim convert: any workload in the compact form that loads fastest (pack.h)
 */
#include <inttypes.h>
#include <stdio.h>

#include "sim/commands.h"
#include "sim/simple_options.h"
#include "sim/workload.h"
#include "trace/pack.h"

static const char help[] = "Usage: genlru-sim convert --trace FILE | --gen SPEC --output FILE.gtrace [--force]\n"
                           "\n"
                           "Writes the workload in a compact binary form, checksummed, which every command reads and\n"
                           "which loads fastest. Keys become dense numbers in order of first appearance; sizes and\n"
                           "channels are kept. A name that ends in .zst is compressed.\n"
                           "\n"
                           "  --format NAME    of the trace; `genlru-sim formats` lists them\n"
                           "  --force          replace a file that is there\n";

int sim_convert(int argc, char **argv)
{
    struct simple_options o;
    struct workloads w;
    struct progress progress;
    struct trace_error error;
    int rc = simple_options_parse(argc, argv, SIMPLE_CONVERT, help, &o);

    if (rc) {
        simple_options_fini(&o);
        return rc > 0 ? sim_exit_output(0) : sim_exit_parse(rc, "convert");
    }
    progress_init(&progress);
    rc = workloads_load(&o.sim, &progress, &w);
    if (!rc) {
        rc = pack_write(w.traces[0], o.output, o.force, &error);
        if (rc) {
            fprintf(stderr, "genlru-sim: %s\n", error.text);
        }
        workloads_destroy(&w);
    }
    simple_options_fini(&o);
    return sim_exit_output(rc);
}
