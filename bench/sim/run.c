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
    const struct policy_spec *spec;
    const struct sim_size *size;
    enum sim_unit unit;
    uint64_t capacity;
    uint64_t misses;
    uint64_t missed_bytes; /* unit bytes only, as the next */
    uint64_t nr_refused;
    uint64_t ns; /* within the policy, without creating it */
};

static int replay(struct run *r, struct pool *pool)
{
    struct policy_config config = {
        .capacity = r->capacity,
        .nr_ids = r->trace->nr_ids,
        .sizes = r->unit == SIM_BYTES ? r->trace->sizes : NULL,
        .variant = r->spec->variant,
    };
    struct policy *p = NULL;
    uint64_t n = r->trace->nr_requests;
    int rc = policy_create(r->spec->ops, &config, &p);

    if (!rc) {
        rc = policy_prepare(p, r->trace->ids, n);
    }
    if (rc) {
        policy_destroy(p);
        return rc;
    }
    for (uint64_t at = 0; at < n; at += BATCH) {
        size_t batch = (size_t)(n - at < BATCH ? n - at : BATCH);
        uint64_t began = sim_now_ns();

        r->misses += sim_replay(p, r->trace, at, batch);
        r->ns += sim_now_ns() - began;
        atomic_fetch_add(&pool->finished, batch);
    }
    r->missed_bytes = p->missed_bytes;
    r->nr_refused = p->nr_refused;
    policy_destroy(p);
    return 0;
}

static void print_header(enum sim_unit unit)
{
    fputs("workload\tpolicy\tsize\tcapacity\trequests\tmisses\tmiss_ratio\tfirst_touch\trefaults\t"
          "refault_ratio\tseconds\trequests_per_s",
          stdout);
    puts(unit == SIM_BYTES ? "\trequest_bytes\tmissed_bytes\tbyte_miss_ratio\trefused" : "");
}

static void print_bytes(const struct run *r)
{
    const struct trace *t = r->trace;
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < t->nr_requests; i++) {
        if (!t->channels || t->channels[i] != POLICY_PREFETCH) {
            bytes += t->sizes[t->ids[i]];
        }
    }
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%" PRIu64, bytes, r->missed_bytes,
           bytes ? (double)r->missed_bytes / (double)bytes : 0, r->nr_refused);
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

    printf("%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%" PRIu64 "\t%" PRIu64
           "\t%.6f\t%.6f\t%.0f",
           r->trace->name, r->spec->name, r->size->text, r->capacity, requests, r->misses,
           ratio(r->misses, requests), first_touch, refaults, ratio(refaults, requests), seconds,
           seconds > 0 ? (double)requests / seconds : 0);
    if (r->unit == SIM_BYTES) {
        print_bytes(r);
    }
    putchar('\n');
    fflush(stdout);
}

/* The distinct keys, or their bytes. */
static uint64_t whole_of(const struct trace *t, enum sim_unit unit)
{
    uint64_t bytes = 0;

    if (unit == SIM_ENTRIES) {
        return t->nr_ids;
    }
    for (uint32_t id = 0; id < t->nr_ids; id++) {
        bytes += t->sizes[id];
    }
    return bytes;
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
        uint64_t whole = whole_of(w->traces[t], o->unit);

        for (size_t s = 0; s < o->nr_sizes; s++) {
            for (size_t k = 0; k < o->nr_policies; k++) {
                all->run[all->pool.nr_tasks++] = (struct run){
                    .trace = w->traces[t],
                    .spec = &o->policies[k],
                    .size = &o->sizes[s],
                    .unit = o->unit,
                    .capacity = sim_size_capacity(&o->sizes[s], whole),
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
    print_header(o->unit);
    progress_begin(progress, "requests", "%zu runs", all.pool.nr_tasks);
    int rc = pool_run(&all.pool, &failed);

    if (rc && failed < all.pool.nr_tasks) {
        const struct run *r = &all.run[failed];

        fprintf(stderr, "genlru-sim: %s of %" PRIu64 " %s on %s: %s\n", r->spec->name,
                r->capacity, r->unit == SIM_BYTES ? "bytes" : "entries", r->trace->name,
                strerror(-rc));
    } else if (rc) {
        fprintf(stderr, "genlru-sim: no worker could be started: %s\n", strerror(-rc));
    }
    free(all.run);
    return rc;
}

static int check_sizes(const struct sim_options *o, const struct workloads *w)
{
    for (size_t t = 0; o->unit == SIM_BYTES && t < w->nr; t++) {
        if (!w->traces[t]->sizes) {
            fprintf(stderr, "genlru-sim: %s: the trace has no sizes, which --unit bytes needs\n",
                    o->sources[t].text);
            return -EINVAL;
        }
    }
    return 0;
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
    "  --policy NAMES   comma-separated; `genlru-sim policies` lists them, and with --help what\n"
    "                   can be changed of them: mglru-fg+age_percent=25\n"
    "  --size SIZES     comma-separated: entries (1000) or a share of the distinct keys (0.1%);\n"
    "                   with --unit bytes: bytes (4096, 64MiB) or a share of the distinct bytes;\n"
    "                   0.1%..40%:12 means 12 of them in geometric steps\n"
    "  --unit UNIT      entries (default): each counts 1; bytes: as large as the trace says\n"
    "  --format NAME    of the traces; `genlru-sim formats` lists them; default auto\n"
    "  --jobs N         runs at a time; default: one for each core. For speeds take 1\n"
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
        rc = check_sizes(&options, &w);
        rc = rc ? rc : run_all(&options, &w, &progress);
        workloads_destroy(&w);
    }
    sim_options_fini(&options);
    return sim_exit_output(rc);
}
