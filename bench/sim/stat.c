/* SPDX-License-Identifier: MIT */
/*
 * stat.c - genlru-sim stat: what a trace is like, one TSV row each
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/reuse.h"
#include "sim/simple_options.h"
#include "sim/workload.h"

static const unsigned permilles[] = {100, 250, 500, 750, 900, 990, 1000};

#define NR_QUANTILES (sizeof(permilles) / sizeof(permilles[0]))

struct described {
    uint32_t one_hit;   /* keys asked for once */
    uint64_t key_bytes; /* of all keys, each once */
    uint64_t bytes;     /* of all requests */
    uint64_t writes;
    uint64_t mapped;
    uint64_t reuses; /* requests with a distance */
    uint64_t quantile[NR_QUANTILES];
};

struct told {
    struct progress *progress;
    uint64_t total;
};

static void tell(void *ctx, uint64_t done)
{
    struct told *told = ctx;

    progress_tell(told->progress, done, told->total);
}

static int count_one_hits(const struct trace *t, struct described *d)
{
    uint8_t *often = calloc(t->nr_ids, 1); /* 0, 1, 2 = more */

    if (!often) {
        return -ENOMEM;
    }
    for (uint64_t i = 0; i < t->nr_requests; i++) {
        uint32_t id = t->ids[i];

        d->one_hit += often[id] == 0;
        d->one_hit -= often[id] == 1;
        often[id] += often[id] < 2;
    }
    free(often);
    return 0;
}

static void count_bytes(const struct trace *t, struct described *d)
{
    for (uint32_t id = 0; t->sizes && id < t->nr_ids; id++) {
        d->key_bytes += t->sizes[id];
    }
    for (uint64_t i = 0; i < t->nr_requests; i++) {
        bool prefetch = t->channels && t->channels[i] == POLICY_PREFETCH;

        if (t->sizes && !prefetch) {
            d->bytes += t->sizes[t->ids[i]];
        }
        if (t->channels) {
            d->writes += t->channels[i] == POLICY_WRITE;
            d->mapped += t->channels[i] == POLICY_MAPPED || t->channels[i] == POLICY_EXEC;
        }
    }
}

static int measure_reuse(const struct trace *t, struct described *d, struct progress *progress)
{
    uint64_t *counts = calloc(t->nr_ids, sizeof(*counts));
    struct told told = {progress, t->nr_requests};

    if (!counts) {
        return -ENOMEM;
    }
    progress_begin(progress, "requests", "%s reuse distances", t->name);
    int rc = reuse_count(t, counts, tell, &told);

    progress_end(progress);
    d->reuses = t->nr_requests - t->nr_ids;
    for (size_t i = 0; i < NR_QUANTILES && !rc && d->reuses; i++) {
        d->quantile[i] = reuse_quantile(counts, t->nr_ids, d->reuses, permilles[i]);
    }
    free(counts);
    return rc;
}

static void print_header(void)
{
    fputs("workload\trequests\tdistinct\tone_hit\tone_hit_share\tprefetches\twrites\tmapped\t"
          "skipped\tdistinct_bytes\trequest_bytes\tresized\treuses",
          stdout);
    for (size_t i = 0; i < NR_QUANTILES; i++) {
        printf("\treuse_p%g", permilles[i] / 10.0);
    }
    putchar('\n');
}

static void print_row(const struct trace *t, const struct described *d)
{
    printf("%s\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%.6f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, t->name,
           t->nr_requests - t->nr_prefetches, t->nr_ids, d->one_hit, (double)d->one_hit / (double)t->nr_ids,
           t->nr_prefetches, d->writes, d->mapped, t->nr_skipped);
    if (t->sizes) {
        printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, d->key_bytes, d->bytes, t->nr_resized);
    } else {
        fputs("\t-\t-\t-", stdout);
    }
    printf("\t%" PRIu64, d->reuses);
    for (size_t i = 0; i < NR_QUANTILES; i++) {
        if (d->reuses) {
            printf("\t%" PRIu64, d->quantile[i]);
        } else {
            fputs("\t-", stdout);
        }
    }
    putchar('\n');
    fflush(stdout);
}

static int stat_all(const struct workloads *w, struct progress *progress)
{
    print_header();
    for (size_t i = 0; i < w->nr; i++) {
        struct described d = {0};
        int rc = count_one_hits(w->traces[i], &d);

        count_bytes(w->traces[i], &d);
        rc = rc ? rc : measure_reuse(w->traces[i], &d, progress);
        if (rc) {
            fprintf(stderr, "genlru-sim: %s: %s\n", w->traces[i]->name, strerror(-rc));
            return rc;
        }
        print_row(w->traces[i], &d);
    }
    return 0;
}

static const char help[] =
    "Usage: genlru-sim stat --trace FILE … --gen SPEC … [--format NAME]\n"
    "\n"
    "Describes each workload, one TSV row after a header line.\n"
    "\n"
    "  requests         without prefetches; distinct: keys\n"
    "  one_hit          keys asked for once; one_hit_share of the distinct\n"
    "  writes, mapped   requests of these channels; skipped: records that are no request\n"
    "  distinct_bytes   of all keys, request_bytes of all requests; - where sizes are unknown\n"
    "  resized          requests that gave another size than the key's first, which was kept\n"
    "  reuses           requests that are not their key's first, prefetches included\n"
    "  reuse_p50 …      their reuse distance: so many other keys came between, or fewer, in 50 %\n"
    "                   of them. LRU of c entries hits what has a distance below c.\n";

int sim_stat(int argc, char **argv)
{
    struct simple_options o;
    struct workloads w;
    struct progress progress;
    int rc = simple_options_parse(argc, argv, SIMPLE_MANY, help, &o);

    if (rc) {
        simple_options_fini(&o);
        return rc > 0 ? sim_exit_output(0) : sim_exit_parse(rc, "stat");
    }
    progress_init(&progress);
    rc = workloads_load(&o.sim, &progress, &w);
    if (!rc) {
        rc = stat_all(&w, &progress);
        workloads_destroy(&w);
    }
    simple_options_fini(&o);
    return sim_exit_output(rc);
}
