/* SPDX-License-Identifier: MIT */
/*
 * table_cells.c - see table_cells.h
 *
 *      fio's law ──▶ blocks, a batch at a time ──▶ policy from a cold start
 *                    first reads counted apart     refaults = misses - first reads
 *
 * Sixteen alike jobs share the cache, so one job of 655,360 blocks with a sixteenth of the cache and
 * of the reads stands for all: IOPS x 645 s / 16 reads, of which those of the first 45 s warm the
 * cache and are not counted. 16 GiB are 4,194,304 pages, a sixteenth 262,144, less 0.6 % for the page
 * cache's own index: 260,500. Nothing is stored; theta 1.2 is 200 M reads.
 */
#include "sim/table_cells.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/fio.h"
#include "sim/pool.h"

#define BLOCKS 655360
#define CACHE 260500
#define JOBS 16
#define SECONDS_ALL 645
#define SECONDS_WARM 45
#define BATCH 65536

struct cell {
    const struct published_table *table;
    double theta;
    const struct policy_spec *spec;
    double iops;
    double published; /* 0 = there is none */
    uint32_t blocks;
    uint32_t cache;
    uint32_t seed;
    uint64_t reads;
    uint64_t warm;
    uint64_t refaults; /* of the reads after the warm ones */
    double seconds;
};

struct tables {
    struct pool pool;
    struct cell *cell;
};

/* ---- one cell ---- */

static uint64_t replay(struct policy *p, enum policy_channel channel, const uint32_t *ids, size_t n)
{
    uint64_t misses = 0;

    if (channel == POLICY_READ) {
        return policy_replay(p, ids, n);
    }
    for (size_t i = 0; i < n; i++) {
        misses += !policy_access(p, ids[i], channel);
    }
    return misses;
}

static uint64_t count_first(uint8_t *seen, const uint32_t *ids, size_t n)
{
    uint64_t first = 0;

    for (size_t i = 0; i < n; i++) {
        first += !seen[ids[i]];
        seen[ids[i]] = 1;
    }
    return first;
}

static void run_cell(struct cell *c, struct policy *p, uint8_t *seen, uint32_t *ids, struct pool *pool)
{
    struct fio_law law;
    struct fio_job job;

    fio_law_init(&law, c->theta, c->blocks);
    if (c->seed) {
        fio_job_seed(&job, c->seed);
    } else {
        fio_job_init(&job, "realdk.0.img", 1);
    }
    for (uint64_t at = 0; at < c->reads;) {
        uint64_t end = at < c->warm ? c->warm : c->reads;
        size_t n = end - at < BATCH ? (size_t)(end - at) : BATCH;

        fio_job_fill(&job, &law, ids, n);
        uint64_t first = count_first(seen, ids, n);
        uint64_t misses = replay(p, c->table->channel, ids, n);

        c->refaults += at < c->warm ? 0 : misses - first;
        at += n;
        atomic_fetch_add(&pool->finished, n);
    }
}

static int work(void *ctx, size_t task)
{
    struct tables *all = ctx;
    struct cell *c = &all->cell[task];
    struct policy_config config = {
        .capacity = c->cache,
        .nr_ids = c->blocks,
        .variant = c->spec->variant,
    };
    struct policy *p = NULL;
    uint8_t *seen = calloc(c->blocks, 1);
    uint32_t *ids = malloc(BATCH * sizeof(*ids));
    uint64_t began = sim_now_ns();
    int rc = seen && ids ? policy_create(c->spec->ops, &config, &p) : -ENOMEM;

    if (!rc) {
        run_cell(c, p, seen, ids, &all->pool);
        policy_destroy(p);
        c->seconds = (double)(sim_now_ns() - began) / 1e9;
    }
    free(seen);
    free(ids);
    return rc;
}

static void print_cell(void *ctx, size_t task)
{
    const struct cell *c = &((struct tables *)ctx)->cell[task];
    double ratio = (double)c->refaults / (double)(c->reads - c->warm);

    printf("%s\t%g\t%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%.5f", c->table->name, c->theta,
           c->spec->name, c->blocks, c->cache, c->reads, c->warm, ratio);
    if (c->published > 0) {
        printf("\t%.5f\t%+.2f%%", c->published, 100 * (ratio / c->published - 1));
    } else {
        fputs("\t-\t-", stdout);
    }
    printf("\t%.1f\n", c->seconds);
    fflush(stdout);
}

/* ---- all cells ---- */

/* What was published for the policy (also of a variant of it) at theta; else FG's speed, and no figure to compare with. */
static void look_up(struct cell *c)
{
    const struct published_table *t = c->table;
    const struct published_policy *fg = &t->policies[2];
    double nearest = 1e9;

    for (size_t i = 0; i < PUBLISHED_THETAS; i++) {
        double distance = c->theta > published_theta[i] ? c->theta - published_theta[i] : published_theta[i] - c->theta;

        for (size_t k = 0; k < t->nr_policies; k++) {
            if (strcmp(t->policies[k].name, c->spec->ops->name) == 0 && distance < 1e-9) {
                c->iops = t->policies[k].iops[i];
                c->published = t->policies[k].refaults[i];
                return;
            }
        }
        if (distance < nearest) {
            nearest = distance;
            c->iops = fg->iops[i];
        }
    }
}

static void list_cells(const struct table_options *o, struct tables *all)
{
    for (size_t i = 0; i < o->nr_thetas; i++) {
        for (size_t k = 0; k < o->nr_policies; k++) {
            struct cell *c = &all->cell[all->pool.nr_tasks++];

            *c = (struct cell){
                .table = o->table,
                .theta = o->theta[i],
                .spec = &o->policies[k],
                .blocks = BLOCKS / o->scale,
                .cache = CACHE / o->scale,
                .seed = o->seed,
            };
            look_up(c);
            c->reads = (uint64_t)(c->iops * SECONDS_ALL / JOBS / o->scale);
            c->warm = c->reads * SECONDS_WARM / SECONDS_ALL;
            c->published = o->scale == 1 ? c->published : 0; /* a smaller law is another law */
            all->pool.total += c->reads;
        }
    }
}

int table_run(const struct table_options *o)
{
    struct progress progress;
    struct tables all = {
        .pool = {.jobs = o->jobs, .work = work, .done = print_cell, .progress = &progress},
        .cell = calloc(o->nr_thetas * o->nr_policies, sizeof(*all.cell)),
    };
    size_t failed = 0;

    if (!all.cell) {
        fprintf(stderr, "genlru-sim: %s\n", strerror(ENOMEM));
        return -ENOMEM;
    }
    all.pool.ctx = &all;
    list_cells(o, &all);
    puts("table\ttheta\tpolicy\tblocks\tcache\treads\twarm_up\trefaults_per_read\tpublished\t"
         "difference\tseconds");
    fflush(stdout);
    progress_init(&progress);
    progress_begin(&progress, "reads", "%s", o->table->name);
    int rc = pool_run(&all.pool, &failed);

    if (rc) {
        fprintf(stderr, "genlru-sim: %s: %s\n", o->table->name, strerror(-rc));
    }
    free(all.cell);
    return rc;
}
