/* SPDX-License-Identifier: MIT */
/*
 * workload.c - see workload.h
 */
#include "sim/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

static void tell(void *ctx, uint64_t done, uint64_t total)
{
    progress_tell(ctx, done, total);
}

int workload_load(const struct sim_source *source, const struct trace_options *options, struct progress *progress,
                  struct trace **ret, struct trace_error *error)
{
    struct trace_options how = *options;

    how.progress = tell;
    how.progress_ctx = progress;
    progress_begin(progress, source->is_generator ? "requests" : NULL, "%s %s",
                   source->is_generator ? "generating" : "loading", source->text);
    int rc =
        source->is_generator ? gen_load(source->text, &how, ret, error) : trace_load(source->text, &how, ret, error);

    progress_end(progress);
    return rc;
}

int workloads_load(const struct sim_options *options, struct progress *progress, struct workloads *ret)
{
    struct workloads w = {.traces = calloc(options->nr_sources, sizeof(*w.traces))};
    struct trace_error error;
    int rc = 0;

    if (!w.traces) {
        fprintf(stderr, "genlru-sim: %s\n", strerror(ENOMEM));
        return -ENOMEM;
    }
    while (w.nr < options->nr_sources && !rc) {
        rc = workload_load(&options->sources[w.nr], &options->how, progress, &w.traces[w.nr], &error);
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
