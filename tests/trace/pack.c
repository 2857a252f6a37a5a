/* SPDX-License-Identifier: MIT */
/*
 * pack: what is written comes back the same, plain and compressed, whatever a trace has; and every
 * single byte that is changed, cut off or added is noticed.
 */
#include "trace/pack.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "trace/sink.h"

TestSuite(pack, .init = files_make, .fini = files_remove);

/* n requests over about `keys` keys, with sizes and channels if wanted. */
static struct trace *make(uint64_t n, uint64_t keys, bool sizes, bool channels)
{
    struct sink *sink = sink_create();
    struct trace *t = NULL;

    cr_assert_not_null(sink);
    if (sizes) {
        sink_has_sizes(sink);
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t key = i * i * 2654435761u % keys;

        cr_assert_eq(sink_number(sink, key, sizes ? key * 1000003 : SINK_NO_SIZE,
                                 channels ? (enum policy_channel)(i % 5) : POLICY_READ),
                     0);
    }
    cr_assert_eq(sink_finish(sink, "made", &t), 0);
    sink_destroy(sink);
    return t;
}

static void expect_same(const struct trace *a, const struct trace *b)
{
    cr_assert_eq(a->nr_requests, b->nr_requests);
    cr_assert_eq(a->nr_ids, b->nr_ids);
    cr_assert_eq(memcmp(a->ids, b->ids, a->nr_requests * sizeof(*a->ids)), 0);
    cr_assert_eq(!a->sizes, !b->sizes);
    cr_assert_eq(!a->channels, !b->channels);
    cr_assert(!a->sizes || memcmp(a->sizes, b->sizes, a->nr_ids * sizeof(*a->sizes)) == 0);
    cr_assert(!a->channels || memcmp(a->channels, b->channels, a->nr_requests) == 0);
    cr_assert_eq(a->nr_resized, b->nr_resized);
    cr_assert_eq(a->nr_prefetches, b->nr_prefetches);
    cr_assert_eq(a->nr_first_touch, b->nr_first_touch);
    cr_assert_eq(a->nr_skipped, b->nr_skipped);
    cr_assert_eq(a->is_plain, b->is_plain);
}

/* From one byte an id to three, less than a chunk and several. */
Test(pack, round_trip)
{
    static const struct {
        uint64_t n;
        uint64_t keys;
    } shapes[] = {{1, 1}, {1000, 256}, {1000, 257}, {300000, 70000}, {2000000, 100}};

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) * 8; i++) {
        const char *name = i & 4 ? "p.gtrace.zst" : "p.gtrace";
        struct trace *t = make(shapes[i / 8].n, shapes[i / 8].keys, i & 1, i & 2);
        struct trace *back = NULL;
        struct trace_error error = {""};

        cr_assert_eq(pack_write(t, files_path(name), true, &error), 0, "%s", error.text);
        cr_assert_eq(trace_load(files_path(name), NULL, &back, &error), 0, "%s", error.text);
        cr_assert_str_eq(back->name, "p");
        expect_same(t, back);
        trace_destroy(t);
        trace_destroy(back);
    }
}

/* The form's first bytes, so that no later version reads or writes it differently by accident. */
Test(pack, golden)
{
    static const unsigned char want[] = {
        0x89, 'G', 'L', 'T', '\r', '\n', 0x1a, '\n', 1, 0, 0, 0, 0, 0, 0, 0, /* no flags */
        3,    0,   0,   0,   0,    0,    0,    0,    2, 0, 0, 0, 0, 0, 0, 0, /* 3 requests, 2 ids */
    };
    struct sink *sink = sink_create();
    struct trace *t = NULL;
    struct trace_error error;
    size_t len;

    sink_number(sink, 5, SINK_NO_SIZE, POLICY_READ);
    sink_number(sink, 9, SINK_NO_SIZE, POLICY_READ);
    sink_number(sink, 5, SINK_NO_SIZE, POLICY_READ);
    cr_assert_eq(sink_finish(sink, "g", &t), 0);
    cr_assert_eq(pack_write(t, files_path("g.gtrace"), false, &error), 0);
    unsigned char *bytes = files_read(files_path("g.gtrace"), &len);

    cr_assert_eq(len, 56 + 8 + 3 + 8);
    cr_assert_eq(memcmp(bytes, want, sizeof(want)), 0);
    cr_assert_eq(memcmp(bytes + 64, "\0\1\0", 3), 0);
    cr_assert_eq(pack_write(t, files_path("g.gtrace"), false, &error), -EEXIST);
    cr_assert_eq(pack_write(t, files_path("no/g.gtrace"), false, &error), -ENOENT);
    free(bytes);
    trace_destroy(t);
    sink_destroy(sink);
}

static int load_bytes(const unsigned char *bytes, size_t len, struct trace_error *error)
{
    struct trace_options options = {.format = TRACE_FORMAT_GENLRU};
    struct trace *t = NULL;
    int rc = trace_load(files_write("d.gtrace", bytes, len), &options, &t, error);

    trace_destroy(t);
    return rc;
}

Test(pack, damage)
{
    struct trace *t = make(150, 20, true, true);
    struct trace_error error;
    size_t len;

    cr_assert_eq(pack_write(t, files_path("o.gtrace"), true, &error), 0);
    unsigned char *bytes = files_read(files_path("o.gtrace"), &len);

    cr_assert_eq(load_bytes(bytes, len, &error), 0);
    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= (unsigned char)(1 + i % 255);
        cr_assert_eq(load_bytes(bytes, len, &error), -EINVAL, "byte %zu of %zu changed", i, len);
        cr_assert(strstr(error.text, "d.gtrace: at byte "), "%s", error.text);
        bytes[i] ^= (unsigned char)(1 + i % 255);
        cr_assert_eq(load_bytes(bytes, i, &error), -EINVAL, "cut to %zu of %zu", i, len);
    }
    bytes[len] = 0;
    cr_assert_eq(load_bytes(bytes, len + 1, &error), -EINVAL);
    cr_assert(strstr(error.text, "something follows the end"), "%s", error.text);
    free(bytes);
    trace_destroy(t);
}
