/* SPDX-License-Identifier: MIT */
/*
 * run.c - genlru-sim run: every trace × size × policy, one TSV row each, in this order; several at a
 * time on the cores there are
 *
 * Each run starts with an empty cache, so the first request of each distinct key must miss:
 * first_touch. What a policy can do something about is the rest: refaults = misses − first_touch.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/pool.h"
#include "sim/replay.h"
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

static int replay(struct run *r, struct pool *pool)
{
    struct policy_config config = {.capacity = r->capacity, .nr_ids = r->trace->nr_ids};
    struct policy *p = NULL;
    uint64_t n = r->trace->nr_requests;
    int rc = policy_create(r->ops, &config, &p);

    if (rc) {
        return rc;
    }
    for (uint64_t at = 0; at < n; at += BATCH) {
        size_t batch = (size_t)(n - at < BATCH ? n - at : BATCH);
        uint64_t began = sim_now_ns();

        r->misses += sim_replay(p, r->trace, at, batch);
        r->ns += sim_now_ns() - began;
        atomic_fetch_add(&pool->finished, batch);
    }
    policy_destroy(p);
    return 0;
}

static void print_header(void)
{
    puts("workload\tpolicy\tsize\tcapacity\trequests\tmisses\tmiss_ratio\tfirst_touch\trefaults\t"
         "refault_ratio\tseconds\trequests_per_s");
}

/* A workload may consist of prefetches alone. */
static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void print_row(const struct run *r)
{
    uint64_t requests = r->trace->nr_requests - r->trace->nr_prefetches;
    uint64_t first_touch = r->trace->nr_first_touch;
    double seconds = (double)r->ns / 1e9;

    assert(r->misses >= first_touch && r->misses <= requests);
    uint64_t refaults = r->misses - first_touch;

    printf("%s\t%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%" PRIu64 "\t%" PRIu64
           "\t%.6f\t%.6f\t%.0f\n",
           r->trace->name, r->ops->name, r->size->text, r->capacity, requests, r->misses,
           ratio(r->misses, requests), first_touch, refaults, ratio(refaults, requests), seconds,
           seconds > 0 ? (double)requests / seconds : 0);
    fflush(stdout);
}

struct runs {
    struct pool pool;
    struct run *run;
};

static int work(void *ctx, size_t task)
{
    struct runs *all = ctx;

    return replay(&all->run[task], &all->pool);
}

static void done(void *ctx, size_t task)
{
    struct runs *all = ctx;

    print_row(&all->run[task]);
}

/* The runs in the order of the rows. */
static void list_runs(const struct sim_options *o, const struct workloads *w, struct runs *all)
{
    for (size_t t = 0; t < w->nr; t++) {
        for (size_t s = 0; s < o->nr_sizes; s++) {
            for (size_t k = 0; k < o->nr_policies; k++) {
                all->run[all->pool.nr_tasks++] = (struct run){
                    .trace = w->traces[t],
                    .ops = o->policies[k],
                    .size = &o->sizes[s],
                    .capacity = sim_size_capacity(&o->sizes[s], w->traces[t]->nr_ids),
                };
                all->pool.total += w->traces[t]->nr_requests;
            }
        }
    }
}

static int run_all(const struct sim_options *o, const struct workloads *w,
                   struct progress *progress)
{
    struct runs all = {
        .pool = {.jobs = o->jobs, .work = work, .done = done, .progress = progress},
        .run = calloc(w->nr * o->nr_sizes * o->nr_policies, sizeof(*all.run)),
    };
    size_t failed = 0;

    if (!all.run) {
        fprintf(stderr, "genlru-sim: %s\n", strerror(ENOMEM));
        return -ENOMEM;
    }
    all.pool.ctx = &all;
    list_runs(o, w, &all);
    print_header();
    progress_begin(progress, "requests", "%zu runs", all.pool.nr_tasks);
    int rc = pool_run(&all.pool, &failed);

    if (rc && failed < all.pool.nr_tasks) {
        const struct run *r = &all.run[failed];

        fprintf(stderr, "genlru-sim: %s of %" PRIu32 " entries on %s: %s\n", r->ops->name,
                r->capacity, r->trace->name, strerror(-rc));
    } else if (rc) {
        fprintf(stderr, "genlru-sim: no worker could be started: %s\n", strerror(-rc));
    }
    free(all.run);
    return rc;
}

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
    "  --policy NAMES   comma-separated; `genlru-sim policies` lists them\n"
    "  --size SIZES     comma-separated: entries (1000) or a share of the distinct keys (0.1%)\n"
    "  --format NAME    of the traces; `genlru-sim formats` lists them; default auto\n"
    "  --jobs N         runs at a time; default: one for each core. For speeds take 1\n"
    "\n"
    "Columns\n"
    "  requests         without prefetches, for which nobody waits\n"
    "  miss_ratio       misses / requests, every object counting as one entry\n"
    "  first_touch      misses no cache can avoid: the distinct keys (not prefetched first)\n"
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
