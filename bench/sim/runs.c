/* SPDX-License-Identifier: MIT */
/*
 * runs.c - see runs.h
 */
#include "sim/runs.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pool.h"
#include "sim/replay.h"

/* Requests between two looks at the clock: some milliseconds. */
#define BATCH ((uint64_t)1 << 18)

struct run {
    const struct trace *trace;
    const struct sample *sample; /* NULL = the trace itself is replayed */
    const struct policy_spec *spec;
    const struct sim_size *size;
    enum sim_unit unit;
    bool from_keys;
    uint64_t capacity;
    uint64_t refaults;     /* misses that are not the first touch of their key */
    uint64_t missed_bytes; /* unit bytes only, as the next */
    uint64_t nr_refused;
    uint64_t ns; /* within the policy, without creating it */
};

static int replay(struct run *r, struct pool *pool)
{
    const struct trace *t = r->sample ? r->sample->trace : r->trace;
    struct policy_config config = {
        .capacity = r->sample ? sample_capacity(r->sample, r->capacity) : r->capacity,
        .nr_ids = t->nr_ids,
        .sizes = r->unit == SIM_BYTES ? t->sizes : NULL,
        .variant = r->spec->variant,
    };
    struct policy *p = NULL;
    struct sim_keys *keys = r->from_keys ? sim_keys_create(t) : NULL;
    uint64_t n = t->nr_requests;
    uint64_t misses = 0;
    int rc = r->from_keys && !keys ? -ENOMEM : policy_create(r->spec->ops, &config, &p);

    if (!rc) {
        rc = policy_prepare(p, t->ids, n);
    }
    for (uint64_t at = 0; at < n && !rc; at += BATCH) {
        size_t batch = (size_t)(n - at < BATCH ? n - at : BATCH);
        uint64_t began = sim_now_ns();

        if (keys) {
            rc = sim_replay_keys(p, keys, batch, &misses);
        } else {
            misses += sim_replay(p, t, at, batch);
        }
        r->ns += sim_now_ns() - began;
        atomic_fetch_add(&pool->finished, batch);
    }
    sim_keys_destroy(keys);
    if (rc) {
        policy_destroy(p);
        return rc;
    }
    assert(misses >= t->nr_first_touch);
    r->refaults = misses - t->nr_first_touch;
    r->missed_bytes = p->missed_bytes;
    r->nr_refused = p->nr_refused;
    policy_destroy(p);
    return 0;
}

static void print_header(enum sim_unit unit, bool sampled)
{
    fputs("workload\tpolicy\tsize\tcapacity\trequests\tmisses\tmiss_ratio\tfirst_touch\trefaults\t"
          "refault_ratio\tseconds\trequests_per_s",
          stdout);
    fputs(unit == SIM_BYTES ? "\trequest_bytes\tmissed_bytes\tbyte_miss_ratio\trefused" : "", stdout);
    puts(sampled ? "\trate\tsampled_requests\tsampled_capacity" : "");
}

/* What was counted in a sample, for the whole; `most` cannot be exceeded. */
static uint64_t scale_up(const struct run *r, uint64_t counted, uint64_t most)
{
    double estimate = r->sample ? (double)counted / r->sample->rate : 0;

    if (!r->sample) {
        return counted;
    }
    return estimate < (double)most ? (uint64_t)(estimate + 0.5) : most;
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
    uint64_t missed = scale_up(r, r->missed_bytes, bytes);

    printf("\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%" PRIu64, bytes, missed, bytes ? (double)missed / (double)bytes : 0,
           scale_up(r, r->nr_refused, UINT64_MAX));
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

    uint64_t refaults = scale_up(r, r->refaults, requests - first_touch);
    uint64_t misses = first_touch + refaults;

    printf("%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%" PRIu64 "\t%" PRIu64 "\t%.6f\t%.6f\t%.0f",
           r->trace->name, r->spec->name, r->size->text, r->capacity, requests, misses, ratio(misses, requests),
           first_touch, refaults, ratio(refaults, requests), seconds, seconds > 0 ? (double)requests / seconds : 0);
    if (r->unit == SIM_BYTES) {
        print_bytes(r);
    }
    if (r->sample) {
        const struct trace *t = r->sample->trace;

        printf("\t%.6g\t%" PRIu64 "\t%" PRIu64, r->sample->rate, t->nr_requests - t->nr_prefetches,
               sample_capacity(r->sample, r->capacity));
    }
    putchar('\n');
    fflush(stdout);
}

uint64_t runs_whole(const struct trace *t, enum sim_unit unit)
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
static void list_runs(const struct sim_options *o, const struct workloads *w, const struct sample *samples,
                      struct runs *all)
{
    for (size_t t = 0; t < w->nr; t++) {
        uint64_t whole = runs_whole(w->traces[t], o->unit);

        for (size_t s = 0; s < o->nr_sizes; s++) {
            for (size_t k = 0; k < o->nr_policies; k++) {
                all->run[all->pool.nr_tasks++] = (struct run){
                    .trace = w->traces[t],
                    .sample = samples ? &samples[t] : NULL,
                    .spec = &o->policies[k],
                    .size = &o->sizes[s],
                    .unit = o->unit,
                    .from_keys = o->from_keys,
                    .capacity = sim_size_capacity(&o->sizes[s], whole),
                };
                all->pool.total += (samples ? samples[t].trace : w->traces[t])->nr_requests;
            }
        }
    }
}

int runs_all(const struct sim_options *o, const struct workloads *w, const struct sample *samples,
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
    list_runs(o, w, samples, &all);
    print_header(o->unit, samples != NULL);
    progress_begin(progress, "requests", "%zu runs", all.pool.nr_tasks);
    int rc = pool_run(&all.pool, &failed);

    if (rc && failed < all.pool.nr_tasks) {
        const struct run *r = &all.run[failed];

        fprintf(stderr, "genlru-sim: %s of %" PRIu64 " %s on %s: %s\n", r->spec->name, r->capacity,
                r->unit == SIM_BYTES ? "bytes" : "entries", r->trace->name, strerror(-rc));
    } else if (rc) {
        fprintf(stderr, "genlru-sim: no worker could be started: %s\n", strerror(-rc));
    }
    free(all.run);
    return rc;
}

int runs_check_sizes(const struct sim_options *o, const struct workloads *w)
{
    for (size_t t = 0; o->unit == SIM_BYTES && t < w->nr; t++) {
        if (!w->traces[t]->sizes) {
            fprintf(stderr, "genlru-sim: %s: the trace has no sizes, which --unit bytes needs\n", o->sources[t].text);
            return -EINVAL;
        }
    }
    return 0;
}
