/* SPDX-License-Identifier: MIT */
/*
 * options.c - see options.h
 */
#define _GNU_SOURCE
#include "sim/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEAT_DEFAULT 7
#define REPEAT_MAX 101

/* Room for one more element; the arrays are a few entries long, so one by one will do. */
static int grow(void *array, size_t n, size_t size)
{
    void **at = array;
    void *bigger = realloc(*at, (n + 1) * size);

    if (!bigger) {
        return -ENOMEM;
    }
    *at = bigger;
    return 0;
}

static int add_path(struct sim_options *o, const char *path)
{
    int rc = grow(&o->paths, o->nr_paths, sizeof(*o->paths));

    if (!rc) {
        o->paths[o->nr_paths++] = path;
    }
    return rc;
}

static int add_policy(struct sim_options *o, const char *text, size_t len)
{
    char name[64];
    const struct policy_ops *ops = NULL;

    if (len < sizeof(name)) {
        memcpy(name, text, len);
        name[len] = '\0';
        ops = policy_find(name);
    }
    if (!ops) {
        fprintf(stderr, "genlru-sim: no policy '%.*s' (see genlru-sim policies)\n", (int)len, text);
        return -EINVAL;
    }
    int rc = grow(&o->policies, o->nr_policies, sizeof(*o->policies));

    if (!rc) {
        o->policies[o->nr_policies++] = ops;
    }
    return rc;
}

static int add_size(struct sim_options *o, const char *text, size_t len)
{
    struct sim_size size;

    if (sim_size_parse(text, len, &size)) {
        fprintf(stderr,
                "genlru-sim: '%.*s' is no size; expected entries (1000) or a share of the "
                "distinct keys (0.1%%)\n",
                (int)len, text);
        return -EINVAL;
    }
    int rc = grow(&o->sizes, o->nr_sizes, sizeof(*o->sizes));

    if (!rc) {
        o->sizes[o->nr_sizes++] = size;
    }
    return rc;
}

/* Calls add for each part of a comma-separated list; an empty part is a part. */
static int add_list(struct sim_options *o, const char *list,
                    int (*add)(struct sim_options *o, const char *text, size_t len))
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

static int set_format(struct sim_options *o, const char *name)
{
    if (trace_format_find(name, &o->format)) {
        fprintf(stderr, "genlru-sim: no format '%s'; there are auto, text, csv\n", name);
        return -EINVAL;
    }
    return 0;
}

static int set_repeat(struct sim_options *o, const char *text)
{
    char *end;
    unsigned long n;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || n < 1 || n > REPEAT_MAX) {
        fprintf(stderr, "genlru-sim: --repeat takes 1 to %d, not '%s'\n", REPEAT_MAX, text);
        return -EINVAL;
    }
    o->repeat = (unsigned)n;
    return 0;
}

static int set_option(struct sim_options *o, int option, const char *value)
{
    switch (option) {
    case 't':
        return add_path(o, value);
    case 'p':
        return add_list(o, value, add_policy);
    case 's':
        return add_list(o, value, add_size);
    case 'f':
        return set_format(o, value);
    case 'r':
        return set_repeat(o, value);
    case 'h':
        o->help = true;
        return 0;
    default:
        return -EINVAL; /* getopt_long has said why */
    }
}

static int check_complete(const struct sim_options *o)
{
    const char *missing = !o->nr_paths      ? "--trace FILE"
                          : !o->nr_policies ? "--policy NAME,…"
                          : !o->nr_sizes    ? "--size SIZE,…"
                                            : NULL;

    if (missing) {
        fprintf(stderr, "genlru-sim: %s is missing\n", missing);
        return -EINVAL;
    }
    return 0;
}

int sim_options_parse(int argc, char **argv, bool with_repeat, struct sim_options *ret)
{
    static const struct option all[] = {
        {"trace", required_argument, NULL, 't'},
        {"policy", required_argument, NULL, 'p'},
        {"size", required_argument, NULL, 's'},
        {"format", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {"repeat", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0},
    };
    struct option allowed[sizeof(all) / sizeof(all[0])];
    static char program[] = "genlru-sim";
    int option;

    memcpy(allowed, all, sizeof(all));
    if (!with_repeat) {
        allowed[5] = all[6];
    }
    *ret = (struct sim_options){.format = TRACE_FORMAT_AUTO, .repeat = REPEAT_DEFAULT};
    argv[0] = program; /* what getopt_long's messages begin with */
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", allowed, NULL)) != -1) {
        int rc = set_option(ret, option, optarg);

        if (rc) {
            return rc;
        }
    }
    if (ret->help) {
        return 0;
    }
    if (optind < argc) {
        fprintf(stderr, "genlru-sim: unexpected argument '%s'\n", argv[optind]);
        return -EINVAL;
    }
    return check_complete(ret);
}

void sim_options_fini(struct sim_options *o)
{
    free(o->paths);
    free(o->policies);
    free(o->sizes);
    *o = (struct sim_options){0};
}
