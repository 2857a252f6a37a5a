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

#include "gen/gen.h"

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

int sim_options_add_source(struct sim_options *o, const char *text, bool is_generator)
{
    int rc = grow(&o->sources, o->nr_sources, sizeof(*o->sources));

    if (!rc) {
        o->sources[o->nr_sources++] = (struct sim_source){text, is_generator};
    }
    return rc;
}

static int add_generator(struct sim_options *o, const char *spec)
{
    struct trace_error error;

    if (gen_check(spec, &error)) {
        fprintf(stderr, "genlru-sim: %s\n", error.text);
        return -EINVAL;
    }
    return sim_options_add_source(o, spec, true);
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

int sim_options_set_format(struct sim_options *o, const char *text)
{
    size_t len = strcspn(text, ":");
    char name[32] = "";
    struct trace_error error;

    if (len < sizeof(name)) {
        memcpy(name, text, len);
    }
    if (len >= sizeof(name) || trace_format_find(name, &o->how.format)) {
        fprintf(stderr, "genlru-sim: no format '%.*s'; there are", (int)len, text);
        for (int i = 0; i < TRACE_NR_FORMATS; i++) {
            fprintf(stderr, "%s %s", i ? "," : "", trace_format_name((enum trace_format)i));
        }
        fputc('\n', stderr);
        return -EINVAL;
    }
    o->how.format_params = text[len] ? text + len + 1 : NULL;
    if (trace_format_check(o->how.format, o->how.format_params, &error)) {
        fprintf(stderr, "genlru-sim: %s\n", error.text);
        return -EINVAL;
    }
    return 0;
}

int sim_options_number(const char *option, const char *text, unsigned long least,
                       unsigned long most, unsigned *ret)
{
    char *end;
    unsigned long n;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || n < least || n > most) {
        fprintf(stderr, "genlru-sim: %s takes %lu to %lu, not '%s'\n", option, least, most, text);
        return -EINVAL;
    }
    *ret = (unsigned)n;
    return 0;
}

static int set_option(struct sim_options *o, int option, const char *value)
{
    switch (option) {
    case 't':
        return sim_options_add_source(o, value, false);
    case 'g':
        return add_generator(o, value);
    case 'p':
        return add_list(o, value, add_policy);
    case 's':
        return add_list(o, value, add_size);
    case 'f':
        return sim_options_set_format(o, value);
    case 'r':
        return sim_options_number("--repeat", value, 1, REPEAT_MAX, &o->repeat);
    case 'j':
        return sim_options_number("--jobs", value, 1, SIM_JOBS_MAX, &o->jobs);
    case 'h':
        o->help = true;
        return 0;
    default:
        return -EINVAL; /* getopt_long has said why */
    }
}

static int check_complete(const struct sim_options *o)
{
    const char *missing = !o->nr_sources    ? "--trace FILE"
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
        {"gen", required_argument, NULL, 'g'},
        {"jobs", required_argument, NULL, 'j'},
        {NULL, 0, NULL, 0},
    };
    struct option allowed[sizeof(all) / sizeof(all[0])];
    static char program[] = "genlru-sim";
    int option;

    memcpy(allowed, all, sizeof(all));
    if (with_repeat) { /* timing wants the machine for itself */
        allowed[6] = (struct option){"repeat", required_argument, NULL, 'r'};
    }
    *ret = (struct sim_options){.repeat = REPEAT_DEFAULT};
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
    free(o->sources);
    free(o->policies);
    free(o->sizes);
    *o = (struct sim_options){0};
}
