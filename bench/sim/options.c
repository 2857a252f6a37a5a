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
#include "sim/sample.h"
#include "sim/size_range.h"

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
    char error[POLICY_SPEC_ERROR];
    struct policy_spec spec;
    int rc = policy_spec_parse(text, len, &spec, error);

    if (rc == -EINVAL) {
        fprintf(stderr, "genlru-sim: %s\n", error);
    }
    if (rc) {
        return rc;
    }
    rc = grow(&o->policies, o->nr_policies, sizeof(*o->policies));
    if (rc) {
        policy_spec_fini(&spec);
        return rc;
    }
    o->policies[o->nr_policies++] = spec;
    return 0;
}

static int add_size_list(struct sim_options *o, const char *list)
{
    int rc = grow(&o->size_lists, o->nr_size_lists, sizeof(*o->size_lists));

    if (!rc) {
        o->size_lists[o->nr_size_lists++] = list;
    }
    return rc;
}

static int push_size(struct sim_options *o, const struct sim_size *size)
{
    int rc = grow(&o->sizes, o->nr_sizes, sizeof(*o->sizes));

    if (!rc) {
        o->sizes[o->nr_sizes++] = *size;
    }
    return rc;
}

/* Of neighbours that are the same only one is added. */
static int add_range(struct sim_options *o, const struct sim_size_range *range)
{
    struct sim_size size;
    char last[SIM_SIZE_TEXT] = "";
    int rc = 0;

    for (unsigned i = 0; i < range->nr && !rc; i++) {
        sim_size_range_at(range, i, &size);
        if (strcmp(size.text, last) != 0) {
            memcpy(last, size.text, sizeof(last));
            rc = push_size(o, &size);
        }
    }
    return rc;
}

static int add_size(struct sim_options *o, const char *text, size_t len)
{
    struct sim_size_range range;
    struct sim_size size;
    bool bytes = o->unit == SIM_BYTES;

    if (sim_size_is_range(text, len)) {
        if (sim_size_range_parse(text, len, bytes, &range)) {
            fprintf(stderr,
                    "genlru-sim: '%.*s' is no range of sizes; expected FIRST..LAST:N, two sizes of "
                    "one kind with 0 < FIRST < LAST, N from 2 to %d (0.1%%..40%%:12)\n",
                    (int)len, text, SIM_SIZE_RANGE_MAX);
            return -EINVAL;
        }
        return add_range(o, &range);
    }
    if (bytes ? sim_size_parse_bytes(text, len, &size) : sim_size_parse(text, len, &size)) {
        fprintf(stderr, "genlru-sim: '%.*s' is no size; expected %s (0.1%%)\n", (int)len, text,
                bytes ? "bytes (4096, 64MiB) or a share of the distinct bytes"
                      : "entries (1000) or a share of the distinct keys");
        return -EINVAL;
    }
    return push_size(o, &size);
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

int sim_options_number(const char *option, const char *text, unsigned long least, unsigned long most, unsigned *ret)
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

static int set_unit(struct sim_options *o, const char *name)
{
    if (strcmp(name, "entries") && strcmp(name, "bytes")) {
        fprintf(stderr, "genlru-sim: no unit '%s'; there are entries, bytes\n", name);
        return -EINVAL;
    }
    o->unit = strcmp(name, "bytes") == 0 ? SIM_BYTES : SIM_ENTRIES;
    return 0;
}

static int set_rate(struct sim_options *o, const char *text)
{
    char *end;
    double rate = strtod(text, &end);

    /* Not nan either. Below the least, a sample's hash cannot tell rates apart. */
    if (end == text || *end || !(rate >= SAMPLE_RATE_MIN && rate <= 1)) {
        fprintf(stderr, "genlru-sim: --rate takes %g to 1, not '%s'\n", SAMPLE_RATE_MIN, text);
        return -EINVAL;
    }
    o->rate = rate;
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
        return add_size_list(o, value);
    case 'f':
        return sim_options_set_format(o, value);
    case 'u':
        return set_unit(o, value);
    case 'r':
        return sim_options_number("--repeat", value, 1, REPEAT_MAX, &o->repeat);
    case 'R':
        return set_rate(o, value);
    case 'c':
        o->comment = true;
        return 0;
    case 'k':
        o->from_keys = true;
        return 0;
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
    const char *missing = !o->nr_sources      ? "--trace FILE"
                          : !o->nr_policies   ? "--policy NAME,…"
                          : !o->nr_size_lists ? "--size SIZE,…"
                                              : NULL;

    if (missing) {
        fprintf(stderr, "genlru-sim: %s is missing\n", missing);
        return -EINVAL;
    }
    return 0;
}

/* The sizes in the unit of the end of the command line. */
static int parse_sizes(struct sim_options *o)
{
    int rc = 0;

    for (size_t i = 0; i < o->nr_size_lists && !rc; i++) {
        rc = add_list(o, o->size_lists[i], add_size);
    }
    return rc;
}

static int check_policies(const struct sim_options *o)
{
    for (size_t i = 0; i < o->nr_policies; i++) {
        const struct policy_ops *ops = o->policies[i].ops;

        if (o->purpose == SIM_FOR_COST && ops->prepare) {
            fprintf(stderr, "genlru-sim: %s knows the future, so it has no cost to measure\n", ops->name);
            return -EINVAL;
        }
        if (o->unit == SIM_BYTES && !ops->has_sizes) {
            fprintf(stderr, "genlru-sim: %s counts entries only; with --unit bytes there are", ops->name);
            for (size_t k = 0; policy_at(k); k++) {
                if (policy_at(k)->has_sizes) {
                    fprintf(stderr, " %s", policy_at(k)->name);
                }
            }
            fputc('\n', stderr);
            return -EINVAL;
        }
    }
    return 0;
}

/* Which subcommands take an option: timing wants the machine for itself, and all entries are alike there. */
enum { RUN = 1 << SIM_FOR_RUN, COST = 1 << SIM_FOR_COST, CURVE = 1 << SIM_FOR_CURVE, ALL = RUN | COST | CURVE };

static const struct {
    struct option option;
    int purposes;
} known[] = {
    {{"trace", required_argument, NULL, 't'}, ALL},        {{"gen", required_argument, NULL, 'g'}, ALL},
    {{"policy", required_argument, NULL, 'p'}, ALL},       {{"size", required_argument, NULL, 's'}, ALL},
    {{"format", required_argument, NULL, 'f'}, ALL},       {{"help", no_argument, NULL, 'h'}, ALL},
    {{"jobs", required_argument, NULL, 'j'}, RUN | CURVE}, {{"unit", required_argument, NULL, 'u'}, RUN | CURVE},
    {{"comment", no_argument, NULL, 'c'}, RUN | CURVE},    {{"keys", no_argument, NULL, 'k'}, RUN},
    {{"repeat", required_argument, NULL, 'r'}, COST},      {{"rate", required_argument, NULL, 'R'}, CURVE},
};

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

int sim_options_parse(int argc, char **argv, enum sim_purpose purpose, struct sim_options *ret)
{
    struct option allowed[NR_KNOWN + 1];
    static char program[] = "genlru-sim";
    size_t nr = 0;
    int option;

    for (size_t i = 0; i < NR_KNOWN; i++) {
        if (known[i].purposes & 1 << purpose) {
            allowed[nr++] = known[i].option;
        }
    }
    allowed[nr] = (struct option){NULL, 0, NULL, 0};
    *ret = (struct sim_options){.repeat = REPEAT_DEFAULT, .purpose = purpose};
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
    int rc = check_complete(ret);

    if (!rc) {
        rc = parse_sizes(ret);
    }
    return rc ? rc : check_policies(ret);
}

void sim_options_fini(struct sim_options *o)
{
    for (size_t i = 0; i < o->nr_policies; i++) {
        policy_spec_fini(&o->policies[i]);
    }
    free(o->sources);
    free(o->policies);
    free(o->size_lists);
    free(o->sizes);
    *o = (struct sim_options){0};
}
