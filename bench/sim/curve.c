/* SPDX-License-Identifier: MIT */
/*
 * curve.c - genlru-sim curve: miss-ratio curves by miniature simulation (sample.h)
 *
 * One sample a workload serves all its sizes and policies. Where the rate is to be fitted, the
 * smallest cache that holds anything decides: its miniature must not become a toy.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/comment.h"
#include "sim/runs.h"

/* Of the smallest cache of the command line, in entries; 0 = none holds anything. */
static double smallest_entries(const struct sim_options *o, const struct trace *t)
{
    uint64_t whole = runs_whole(t, o->unit);
    uint64_t smallest = 0;

    for (size_t i = 0; i < o->nr_sizes; i++) {
        uint64_t capacity = sim_size_capacity(&o->sizes[i], whole);

        if (capacity > 0 && (smallest == 0 || capacity < smallest)) {
            smallest = capacity;
        }
    }
    return whole ? (double)smallest / ((double)whole / t->nr_ids) : 0;
}

static void destroy_samples(struct sample *samples, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        sample_destroy(&samples[i]);
    }
    free(samples);
}

/* 0, or a negative errno after the reason was printed. */
static int make_samples(const struct sim_options *o, const struct workloads *w, struct sample **ret)
{
    struct sample *samples = calloc(w->nr, sizeof(*samples));
    int rc = samples ? 0 : -ENOMEM;
    size_t nr = 0;

    if (rc) {
        fprintf(stderr, "genlru-sim: %s\n", strerror(ENOMEM));
        return rc;
    }
    while (nr < w->nr && !rc) {
        const struct trace *t = w->traces[nr];
        double rate = o->rate > 0 ? o->rate : sample_fit(smallest_entries(o, t), t->nr_ids);

        rc = sample_create(t, rate, &samples[nr]);
        if (rc) {
            fprintf(stderr, "genlru-sim: %s: %s\n", t->name,
                    rc == -ENOENT ? "no key is sampled at this rate; take a larger --rate" : strerror(-rc));
        }
        nr += !rc;
    }
    if (rc) {
        destroy_samples(samples, nr);
        return rc;
    }
    *ret = samples;
    return 0;
}

static const char help[] =
    "Usage: genlru-sim curve --trace FILE … --gen SPEC … --policy NAME,… --size SIZE,…\n"
    "\n"
    "Estimates what `genlru-sim run` with the same options prints, by replaying only the requests\n"
    "of keys that a hash picks through caches scaled down alike (SHARDS, Waldspurger et al., FAST\n"
    "2015; miniature simulation, Waldspurger et al., ATC 2017). docs/curves.md has its errors.\n"
    "\n"
    "  --size SIZES     as for run; a curve is a range: 0.1%..40%:12, 12 sizes in geometric steps\n"
    "  --rate R         share of the keys to pick, 0.000001 to 1. Default: the least at which the\n"
    "                   smallest cache's miniature keeps 256 entries and 8192 keys are picked;\n"
    "                   1, which is exact, where that would save less than half\n"
    "  --trace, --gen, --policy, --unit, --format, --jobs, --comment: as for run\n"
    "\n"
    "Columns: those of run, estimated, and\n"
    "  first_touch      exact: it is known from the trace; misses = first_touch + refaults\n"
    "  seconds          in the policy, for the sample; requests_per_s = requests / seconds\n"
    "  rate             as picked; sampled_requests of it; sampled_capacity of the miniature\n";

int sim_curve(int argc, char **argv)
{
    struct sim_options options;
    struct workloads w;
    struct progress progress;
    struct sample *samples;
    int rc = sim_options_parse(argc, argv, SIM_FOR_CURVE, &options);

    if (rc || options.help) {
        fputs(rc ? "" : help, stdout);
        sim_options_fini(&options);
        return rc ? sim_exit_parse(rc, "curve") : sim_exit_output(0);
    }
    progress_init(&progress);
    rc = workloads_load(&options, &progress, &w);
    if (!rc) {
        rc = runs_check_sizes(&options, &w);
        rc = rc ? rc : make_samples(&options, &w, &samples);
        if (!rc) {
            if (options.comment) {
                comment_print("curve", argc, argv);
            }
            rc = runs_all(&options, &w, samples, &progress);
            destroy_samples(samples, w.nr);
        }
        workloads_destroy(&w);
    }
    sim_options_fini(&options);
    return sim_exit_output(rc);
}
