/* SPDX-License-Identifier: MIT */
/*
 * load: generators and chains as traces: keys that are the same are one object, channels survive,
 * and a wrong spec is told before anything is produced.
 */
#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/gen.h"

static struct trace *load(const char *spec)
{
    struct trace_error error = {""};
    struct trace *t = NULL;

    cr_assert_eq(gen_check(spec, &error), 0, "%s", error.text);
    cr_assert_eq(gen_load(spec, NULL, &t, &error), 0, "%s", error.text);
    cr_assert_str_eq(t->name, spec);
    return t;
}

static void expect_ids(const struct trace *t, const char *want)
{
    char got[512] = "";
    size_t n = 0;

    for (uint64_t i = 0; i < t->nr_requests; i++) {
        n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u", i ? " " : "", t->ids[i]);
    }
    cr_assert_str_eq(got, want);
}

Test(load, generator)
{
    struct trace *t = load("loop:keys=3,requests=7");

    expect_ids(t, "0 1 2 0 1 2 0");
    cr_assert_eq(t->nr_ids, 3);
    cr_assert_null(t->channels);
    cr_assert(t->is_plain);
    cr_assert_eq(t->nr_first_touch, 3);
    trace_destroy(t);
}

Test(load, chain)
{
    struct trace *t = load("chain:(loop:keys=2,requests=3)(loop:keys=3,requests=3)"
                           "(chain:(loop:keys=1,requests=1,offset=9)(loop:keys=2,requests=2))");

    expect_ids(t, "0 1 0 0 1 2 3 0 1");
    trace_destroy(t);
}

Test(load, chain_with_traces)
{
    char path[] = "/tmp/genlru-load-XXXXXX";
    int file = mkstemp(path);
    char spec[256];

    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, "1,50\nx,60\n", 10), 10);
    close(file);
    snprintf(spec, sizeof(spec), "chain:(loop:keys=2,requests=2)(trace:%s)(loop:keys=3,requests=3)", path);
    struct trace *t = load(spec);

    expect_ids(t, "0 1 1 2 0 1 3");
    /* Sizes of those that the file has, and 0 of the others, before and after it. */
    cr_assert_not_null(t->sizes);
    cr_assert_eq(t->sizes[0], 0);
    cr_assert_eq(t->sizes[1], 50);
    cr_assert_eq(t->sizes[2], 60);
    cr_assert_eq(t->sizes[3], 0);
    trace_destroy(t);
    unlink(path);
    struct trace_error error = {""};

    t = NULL;
    cr_assert_eq(gen_load(spec, NULL, &t, &error), -ENOENT);
    cr_assert_null(t);
    cr_assert(strstr(error.text, "No such file"), "%s", error.text);
}

/* A prefetched key's first demand need not miss. */
Test(load, channels)
{
    struct trace *t = load("sqlite-grep:hot=4,ahead=2,lookups=1,files=3,per_dir=2,after=1,"
                           "requests=22");
    uint64_t prefetches = 0;

    cr_assert_not_null(t->channels);
    cr_assert_not(t->is_plain);
    for (uint64_t i = 0; i < t->nr_requests; i++) {
        prefetches += t->channels[i] == POLICY_PREFETCH;
    }
    cr_assert_eq(prefetches, 4);
    cr_assert_eq(t->nr_prefetches, 4);
    cr_assert_eq(t->nr_first_touch, t->nr_ids - 4);
    trace_destroy(t);
}

static void refuse(const char *spec, const char *message)
{
    struct trace_error error = {""};

    cr_assert_eq(gen_check(spec, &error), -EINVAL, "%s", spec);
    cr_assert_str_eq(error.text, message);
}

Test(load, refused)
{
    refuse("chain", "chain: expected chain:(SPEC)(SPEC)…");
    refuse("chain:", "chain: expected chain:(SPEC)(SPEC)…");
    refuse("chain:loop", "chain: expected (SPEC) at 'loop'");
    refuse("chain:(loop", "chain: expected (SPEC) at '(loop'");
    refuse("chain:(loop)x", "chain: expected (SPEC) at 'x'");
    refuse("chain:(nosuch)", "no generator 'nosuch' (see genlru-sim generators)");
    refuse("chain:(chain:(chain:(chain:(chain:(chain:(chain:(chain:(chain:(loop)))))))))",
           "chain: more than 8 of them in each other");
}
