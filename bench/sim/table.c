/* SPDX-License-Identifier: MIT */
/*
 * table.c - genlru-sim table: a published table replayed, ours beside theirs
 *
 *      fio's law ──▶ blocks, a batch at a time ──▶ policy from a cold start
 *                    first reads counted apart     refaults = misses - first reads
 *
 * Sixteen alike jobs share the cache, so one job of 655,360 blocks with a sixteenth of the cache and
 * of the reads stands for all: IOPS x 645 s / 16 reads, of which those of the first 45 s warm the
 * cache and are not counted. 16 GiB are 4,194,304 pages, a sixteenth 262,144, less 0.6 % for the page
 * cache's own index: 260,500. Nothing is stored; theta 1.2 is 200 M reads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/fio.h"
#include "sim/commands.h"
#include "sim/options.h"
#include "sim/pool.h"
#include "sim/published.h"

#define BLOCKS 655360
#define CACHE 260500
#define JOBS 16
#define SECONDS_ALL 645
#define SECONDS_WARM 45
#define BATCH 65536
#define SCALE_MAX 1024

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

struct table_options {
    const struct published_table *table;
    double theta[16];
    size_t nr_thetas;
    struct policy_spec policies[32];
    size_t nr_policies;
    unsigned jobs;
    unsigned scale;
    unsigned seed;
    bool help;
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

static int run_table(const struct table_options *o)
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

/* ---- command line ---- */

static int add_theta(struct table_options *o, const char *text, size_t len)
{
    char copy[32] = "";
    char *end = copy;
    double theta = 0;

    if (len > 0 && len < sizeof(copy)) {
        memcpy(copy, text, len);
        theta = strtod(copy, &end);
    }
    if (end == copy || *end || !(theta >= 0.01 && theta <= 10) || theta == 1) {
        fprintf(stderr, "genlru-sim: --theta takes numbers from 0.01 to 10 but 1, not '%.*s'\n", (int)len, text);
        return -EINVAL;
    }
    if (o->nr_thetas == sizeof(o->theta) / sizeof(o->theta[0])) {
        fputs("genlru-sim: more than 16 of --theta\n", stderr);
        return -EINVAL;
    }
    o->theta[o->nr_thetas++] = theta;
    return 0;
}

static int add_policy(struct table_options *o, const char *text, size_t len)
{
    char error[POLICY_SPEC_ERROR];
    struct policy_spec *spec = &o->policies[o->nr_policies];

    if (o->nr_policies == sizeof(o->policies) / sizeof(o->policies[0])) {
        fputs("genlru-sim: more than 32 of --policy\n", stderr);
        return -EINVAL;
    }
    int rc = policy_spec_parse(text, len, spec, error);

    if (rc == -EINVAL) {
        fprintf(stderr, "genlru-sim: %s\n", error);
    }
    if (rc) {
        return rc;
    }
    o->nr_policies++;
    if (spec->ops->prepare) {
        fprintf(stderr, "genlru-sim: %s knows the future, which a table computes as it goes\n", spec->name);
        return -EINVAL;
    }
    return 0;
}

static int add_list(struct table_options *o, const char *list,
                    int (*add)(struct table_options *o, const char *text, size_t len))
{
    for (;;) {
        size_t len = strcspn(list, ",");
        int rc = add(o, list, len);

        if (rc || list[len] == '\0') {
            return rc;
        }
        list += len + 1;
    }
}

static int set_option(struct table_options *o, int option, const char *value)
{
    switch (option) {
    case 't':
        return add_list(o, value, add_theta);
    case 'p':
        return add_list(o, value, add_policy);
    case 'j':
        return sim_options_number("--jobs", value, 1, SIM_JOBS_MAX, &o->jobs);
    case 's':
        return sim_options_number("--scale", value, 1, SCALE_MAX, &o->scale);
    case 'S':
        return sim_options_number("--seed", value, 0, UINT32_MAX, &o->seed);
    case 'h':
        o->help = true;
        return 0;
    default:
        return -EINVAL; /* getopt_long has said why */
    }
}

static int find_table(struct table_options *o, int argc, char **argv)
{
    if (optind + 1 == argc) {
        for (size_t i = 0; published_at(i); i++) {
            if (strcmp(published_at(i)->name, argv[optind]) == 0) {
                o->table = published_at(i);
                return 0;
            }
        }
        fprintf(stderr, "genlru-sim: no table '%s'; there are", argv[optind]);
    } else {
        fputs("genlru-sim: expected the name of one table; there are", stderr);
    }
    for (size_t i = 0; published_at(i); i++) {
        fprintf(stderr, "%s %s", i ? "," : "", published_at(i)->name);
    }
    fputc('\n', stderr);
    return -EINVAL;
}

static int parse(int argc, char **argv, struct table_options *o)
{
    static const struct option all[] = {
        {"theta", required_argument, NULL, 't'},
        {"policy", required_argument, NULL, 'p'},
        {"jobs", required_argument, NULL, 'j'},
        {"scale", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'S'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    static char program[] = "genlru-sim";
    int option;

    argv[0] = program;
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", all, NULL)) != -1) {
        int rc = set_option(o, option, optarg);

        if (rc) {
            return rc;
        }
    }
    return o->help ? 0 : find_table(o, argc, argv);
}

/* What was not said. */
static int set_defaults(struct table_options *o)
{
    int rc = 0;

    if (o->nr_thetas == 0) {
        memcpy(o->theta, published_theta, sizeof(published_theta));
        o->nr_thetas = PUBLISHED_THETAS;
    }
    if (o->nr_policies == 0) {
        for (size_t k = 0; k < o->table->nr_policies && !rc; k++) {
            const char *name = o->table->policies[k].name;

            rc = add_policy(o, name, strlen(name));
        }
    }
    return rc;
}

static void options_fini(struct table_options *o)
{
    for (size_t k = 0; k < o->nr_policies; k++) {
        policy_spec_fini(&o->policies[k]);
    }
}

static void print_help(void)
{
    fputs("Usage: genlru-sim table NAME [--theta T,…] [--policy NAME,…] [--jobs N] [--seed N]\n"
          "                        [--scale N]\n"
          "\n"
          "Replays a published table from a cold start, and prints ours beside it. Tables:\n",
          stdout);
    for (size_t i = 0; published_at(i); i++) {
        printf("  %-10s %s\n", published_at(i)->name, published_at(i)->what);
    }
    fputs("\n"
          "  --theta T,…      default: all that were published, 0.8,0.9,1.1,1.2\n"
          "  --policy NAMES   default: clru,mglru,mglru-fg,genlru; others, also changed ones, run at\n"
          "                   mglru-fg's speed\n"
          "  --jobs N         cells at a time; default: one for each core\n"
          "  --seed N         another sequence of reads; default 0: fio's own\n"
          "  --scale N        blocks, cache and reads divided by N, for a quick look; such figures\n"
          "                   are not compared with the published ones\n"
          "\n"
          "refaults_per_read counts misses for blocks that had been cached before, after the\n"
          "warm-up; difference is (ours / published - 1). See docs/tables.md.\n",
          stdout);
}

int sim_table(int argc, char **argv)
{
    struct table_options o = {.scale = 1};
    int rc = parse(argc, argv, &o);
    bool is_run = !rc && !o.help;

    if (is_run) {
        rc = set_defaults(&o);
    }
    if (rc) {
        rc = sim_exit_parse(rc, "table");
    } else if (is_run) {
        rc = sim_exit_output(run_table(&o));
    } else {
        print_help();
        rc = sim_exit_output(0);
    }
    options_fini(&o);
    return rc;
}
