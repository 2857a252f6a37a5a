/* SPDX-License-Identifier: MIT */
/*
 * run.c - genlru-sim run: every trace × size × policy, one TSV row each
 *
 * Each run starts with an empty cache, so the first request of each distinct key must miss:
 * first_touch. What a policy can do something about is the rest: refaults = misses − first_touch.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/workload.h"

/* Requests between two looks at the clock: some milliseconds. */
#define BATCH ((uint64_t)1 << 18)

struct run {
    const struct trace *trace;
    const struct policy_ops *ops;
    const struct sim_size *size;
    uint32_t capacity;
    uint64_t misses;
    uint64_t ns; /* within the policy, without creating it */
};

static int replay(struct run *r, struct progress *progress)
{
    struct policy_config config = {.capacity = r->capacity, .nr_ids = r->trace->nr_ids};
    struct policy *p = NULL;
    uint64_t n = r->trace->nr_requests;
    int rc = policy_create(r->ops, &config, &p);

    if (!rc) {
        rc = policy_prepare(p, r->trace->ids, n);
    }
    if (rc) {
        policy_destroy(p);
        return rc;
    }
    progress_begin(progress, "requests", "%s %s %s", r->trace->name, r->ops->name, r->size->text);
    for (uint64_t at = 0; at < n; at += BATCH) {
        size_t batch = (size_t)(n - at < BATCH ? n - at : BATCH);
        uint64_t began = sim_now_ns();

        r->misses += policy_replay(p, r->trace->ids + at, batch);
        r->ns += sim_now_ns() - began;
        progress_tell(progress, at + batch, n);
    }
    progress_end(progress);
    policy_destroy(p);
    return 0;
}

static void print_header(void)
{
    puts("workload\tpolicy\tsize\tcapacity\trequests\tmisses\tmiss_ratio\tfirst_touch\trefaults\t"
         "refault_ratio\tseconds\trequests_per_s");
}

static void print_row(const struct run *r)
{
    uint64_t requests = r->trace->nr_requests;
    uint64_t first_touch = r->trace->nr_ids;
    double seconds = (double)r->ns / 1e9;

    assert(r->misses >= first_touch && r->misses <= requests);
    uint64_t refaults = r->misses - first_touch;

    printf("%s\t%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%" PRIu64 "\t%" PRIu64
           "\t%.6f\t%.6f\t%.0f\n",
           r->trace->name, r->ops->name, r->size->text, r->capacity, requests, r->misses,
           (double)r->misses / (double)requests, first_touch, refaults,
           (double)refaults / (double)requests, seconds,
           seconds > 0 ? (double)requests / seconds : 0);
    fflush(stdout);
}

static int run_all(const struct sim_options *o, const struct workloads *w,
                   struct progress *progress)
{
    print_header();
    for (size_t t = 0; t < w->nr; t++) {
        for (size_t s = 0; s < o->nr_sizes; s++) {
            uint32_t capacity = sim_size_capacity(&o->sizes[s], w->traces[t]->nr_ids);

            for (size_t k = 0; k < o->nr_policies; k++) {
                struct run r = {
                    .trace = w->traces[t],
                    .ops = o->policies[k],
                    .size = &o->sizes[s],
                    .capacity = capacity,
                };
                int rc = replay(&r, progress);

                if (rc) {
                    fprintf(stderr, "genlru-sim: %s of %" PRIu32 " entries on %s: %s\n",
                            r.ops->name, capacity, r.trace->name, strerror(-rc));
                    return rc;
                }
                print_row(&r);
            }
        }
    }
    return 0;
}

static const char help[] =
    "Usage: genlru-sim run --trace FILE … --policy NAME,… --size SIZE,…\n"
    "\n"
    "Replays each trace from an empty cache through each policy at each size, and prints\n"
    "one TSV row for each after a header line.\n"
    "\n"
    "  --trace FILE     text (one key a line) or csv (key,size), plain or zstd; repeatable\n"
    "  --policy NAMES   comma-separated; `genlru-sim policies` lists them\n"
    "  --size SIZES     comma-separated: entries (1000) or a share of the distinct keys (0.1%)\n"
    "  --format NAME    auto (default), text, csv\n"
    "\n"
    "Columns\n"
    "  miss_ratio       misses / requests, every object counting as one entry\n"
    "  first_touch      misses no cache can avoid: the distinct keys\n"
    "  refaults         the other misses; refault_ratio = refaults / requests\n"
    "  seconds          in the policy alone: without loading and without creating it\n"
    "\n"
    "All traces are loaded first; if one is malformed, the reason is printed with file and line\n"
    "number, no row is, and the exit code is 1.\n";

int sim_run(int argc, char **argv)
{
    struct sim_options options;
    struct workloads w;
    struct progress progress;
    int rc = sim_options_parse(argc, argv, false, &options);

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
        rc = run_all(&options, &w, &progress);
        workloads_destroy(&w);
    }
    sim_options_fini(&options);
    return sim_exit_output(rc);
}
