/* SPDX-License-Identifier: MIT */
/*
 * run.c - genlru-sim run: full replays (runs.h)
 */
#include <stdio.h>

#include "sim/commands.h"
#include "sim/comment.h"
#include "sim/runs.h"

static const char help[] =
    "Usage: genlru-sim run --trace FILE … --gen SPEC … --policy NAME,… --size SIZE,…\n"
    "\n"
    "Replays each trace from an empty cache through each policy at each size, and prints\n"
    "one TSV row for each after a header line.\n"
    "\n"
    "  --trace FILE     text (one key a line), csv (key,size) or one of the published formats,\n"
    "                   plain, zstd or gzip; repeatable\n"
    "  --gen SPEC       a computed workload, as zipf:theta=0.9,keys=1M; repeatable;\n"
    "                   `genlru-sim generators` lists them\n"
    "  --policy NAMES   comma-separated; `genlru-sim policies` lists them, and with --help what\n"
    "                   can be changed of them: mglru-fg+age_percent=25\n"
    "  --size SIZES     comma-separated: entries (1000) or a share of the distinct keys (0.1%);\n"
    "                   with --unit bytes: bytes (4096, 64MiB) or a share of the distinct bytes;\n"
    "                   0.1%..40%:12 means 12 of them in geometric steps\n"
    "  --unit UNIT      entries (default): each counts 1; bytes: as large as the trace says\n"
    "  --format NAME    of the traces; `genlru-sim formats` lists them; default auto\n"
    "  --jobs N         runs at a time; default: one for each core. For speeds take 1\n"
    "  --keys           begin at 64-bit keys, as a cache does: each request is looked up in a\n"
    "                   hash table first, which then is part of the seconds\n"
    "  --comment        a line `# command: …` first, for `genlru-sim report`; of absolute paths\n"
    "                   only the last part\n"
    "\n"
    "Columns\n"
    "  requests         without prefetches, for which nobody waits\n"
    "  miss_ratio       misses / requests\n"
    "  first_touch      misses no cache can avoid: the distinct keys (not prefetched first)\n"
    "  refaults         the other misses; refault_ratio = refaults / requests\n"
    "  seconds          in the policy alone: without loading and without creating it\n"
    "and with --unit bytes\n"
    "  request_bytes    of all requests; missed_bytes of the misses; byte_miss_ratio of the two\n"
    "  refused          misses for objects larger than the cache, which are not let in\n"
    "\n"
    "All traces are loaded first; if one is malformed, the reason is printed with file and line\n"
    "number, no row is, and the exit code is 1.\n";

int sim_run(int argc, char **argv)
{
    struct sim_options options;
    struct workloads w;
    struct progress progress;
    int rc = sim_options_parse(argc, argv, SIM_FOR_RUN, &options);

    if (rc) {
        sim_options_fini(&options);
        return sim_exit_parse(rc, "run");
    }
    if (options.help) {
        fputs(help, stdout);
        sim_options_fini(&options);
        return sim_exit_output(0);
    }
    progress_init(&progress);
    rc = workloads_load(&options, &progress, &w);
    if (!rc) {
        rc = runs_check_sizes(&options, &w);
        if (!rc && options.comment) {
            comment_print("run", argc, argv);
        }
        rc = rc ? rc : runs_all(&options, &w, NULL, &progress);
        workloads_destroy(&w);
    }
    sim_options_fini(&options);
    return sim_exit_output(rc);
}
