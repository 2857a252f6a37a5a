/* SPDX-License-Identifier: MIT */
/*
 * table.c - genlru-sim table: a published table replayed (table_cells.h), ours beside theirs
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/table_cells.h"

#define SCALE_MAX 1024

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
        rc = sim_exit_output(table_run(&o));
    } else {
        print_help();
        rc = sim_exit_output(0);
    }
    options_fini(&o);
    return rc;
}
