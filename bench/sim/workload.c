/* SPDX-License-Identifier: MIT */
/*
 * workload.c - see workload.h
 */
#include "sim/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(void *ctx, uint64_t done, uint64_t total)
{
    progress_tell(ctx, done, total);
}

int workloads_load(const struct sim_options *options, struct progress *progress,
                   struct workloads *ret)
{
    struct trace_options how = {
        .format = options->format,
        .progress = tell,
        .progress_ctx = progress,
    };
    struct workloads w = {.traces = calloc(options->nr_paths, sizeof(*w.traces))};
    struct trace_error error;
    int rc = 0;

    if (!w.traces) {
        fprintf(stderr, "genlru-sim: %s\n", strerror(ENOMEM));
        return -ENOMEM;
    }
    while (w.nr < options->nr_paths && !rc) {
        const char *path = options->paths[w.nr];

        progress_begin(progress, NULL, "loading %s", path);
        rc = trace_load(path, &how, &w.traces[w.nr], &error);
        progress_end(progress);
        w.nr += !rc;
    }
    if (rc) {
        fprintf(stderr, "genlru-sim: %s\n", error.text);
        workloads_destroy(&w);
        return rc;
    }
    *ret = w;
    return 0;
}

void workloads_destroy(struct workloads *w)
{
    for (size_t i = 0; i < w->nr; i++) {
        trace_destroy(w->traces[i]);
    }
    free(w->traces);
    *w = (struct workloads){0};
}
