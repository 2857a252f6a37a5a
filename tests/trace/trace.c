/* SPDX-License-Identifier: MIT */
/*
 * trace: whole files, plain and compressed, text and csv, into ids; and every way a file can be
 * wrong.
 */
#include "trace/trace.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

TestSuite(trace, .init = files_make, .fini = files_remove);

static struct trace *load(const char *path)
{
    struct trace *t = NULL;
    struct trace_error error = {""};

    cr_assert_eq(trace_load(path, NULL, &t, &error), 0, "%s", error.text);
    return t;
}

static void expect_ids(const struct trace *t, const uint32_t *ids, uint64_t n, uint32_t nr_ids)
{
    cr_assert_eq(t->nr_requests, n);
    cr_assert_eq(t->nr_ids, nr_ids);
    for (uint64_t i = 0; i < n; i++) {
        cr_assert_eq(t->ids[i], ids[i], "request %zu", (size_t)i);
    }
}

/* `text` is refused with "PATH:" + message, plain and compressed. */
static void refuse(const char *name, const char *text, const char *message)
{
    char zst[64];

    snprintf(zst, sizeof(zst), "%s.zst", name);
    for (int packed = 0; packed < 2; packed++) {
        const char *path = packed ? files_zstd(zst, text, strlen(text), 0, "") : files_text(name, text);
        struct trace *t = NULL;
        struct trace_error error = {""};

        cr_assert_eq(trace_load(path, NULL, &t, &error), -EINVAL, "%s", text);
        cr_assert_null(t);
        cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
        cr_assert_str_eq(error.text + strlen(path), message);
    }
}

Test(trace, text)
{
    static const uint32_t ids[] = {0, 1, 0, 2, 3, 1};
    static const char text[] = "900\nx y\n900\n0\n18446744073709551616\nx y\n";

    for (int packed = 0; packed < 2; packed++) {
        struct trace *t =
            load(packed ? files_zstd("t.txt.zst", text, sizeof(text) - 1, 0, "") : files_text("t.txt", text));

        expect_ids(t, ids, 6, 4);
        cr_assert_null(t->sizes);
        cr_assert_str_eq(t->name, "t");
        trace_destroy(t);
    }
}

Test(trace, csv)
{
    static const uint32_t ids[] = {0, 1, 0, 0, 2};
    static const char text[] = "a,10\n5,18446744073709551614\na,11\na,10\nb,0";

    for (int packed = 0; packed < 2; packed++) {
        struct trace *t =
            load(packed ? files_zstd("t.csv.zst", text, sizeof(text) - 1, 0, "") : files_text("t.csv", text));

        expect_ids(t, ids, 5, 3);
        cr_assert_not_null(t->sizes);
        cr_assert_eq(t->sizes[0], 10);
        cr_assert_eq(t->sizes[1], UINT64_MAX - 1);
        cr_assert_eq(t->sizes[2], 0);
        cr_assert_eq(t->nr_resized, 1);
        trace_destroy(t);
    }
}

Test(trace, detection_and_force)
{
    struct trace_options force = {.format = TRACE_FORMAT_TEXT};
    struct trace_error error;
    struct trace *t = load(files_text("detected", "a,1\nb,2\n"));

    cr_assert_not_null(t->sizes);
    trace_destroy(t);
    t = NULL;
    cr_assert_eq(trace_load(files_text("forced.csv", "a,1\nb,x\n"), &force, &t, &error), 0);
    cr_assert_null(t->sizes);
    cr_assert_eq(t->nr_ids, 2);
    trace_destroy(t);
    t = NULL;
    force.format = TRACE_FORMAT_CSV;
    cr_assert_eq(trace_load(files_text("forced.txt", "a\n"), &force, &t, &error), -EINVAL);
    cr_assert_null(t);
}

Test(trace, format_names)
{
    enum trace_format f = TRACE_FORMAT_TEXT;

    for (int i = 0; i < TRACE_NR_FORMATS; i++) {
        cr_assert_eq(trace_format_find(trace_format_name((enum trace_format)i), &f), 0);
        cr_assert_eq((int)f, i);
        cr_assert_not_null(trace_format_what((enum trace_format)i));
    }
    cr_assert_null(trace_format_name(TRACE_NR_FORMATS));
    cr_assert_eq(trace_format_find("CSV", &f), -EINVAL);
    cr_assert_eq(trace_format_find("", &f), -EINVAL);
}

Test(trace, names)
{
    static const char *const names[][2] = {
        {"orm-night-2.0M.txt.zst", "orm-night-2.0M"},
        {"a.csv.zst", "a"},
        {"a.csv", "a"},
        {"a.txt.txt", "a.txt"},
        {"a.log", "a.log"},
        {".txt", ".txt"},
        {"a\tb\n.txt", "a?b?"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        static const char text[] = "1,1\n";
        struct trace *t =
            load(strstr(names[i][0], ".zst") ? files_zstd(names[i][0], text, 4, 0, "") : files_text(names[i][0], text));

        cr_assert_str_eq(t->name, names[i][1]);
        trace_destroy(t);
    }
}

Test(trace, malformed_lines)
{
    refuse("a.txt", "1\n\n2\n", ":2: the line is empty");
    refuse("a.txt", "1\n2\n\n", ":3: the line is empty");
    refuse("a.csv", "1,5\n2\n", ":2: no comma; expected key,size");
    refuse("a.csv", "1,5\n,5\n", ":2: the key is empty");
    refuse("a.csv", "1,5\n\n", ":2: the line is empty");
    refuse("a.csv", "wer,was\n1,5\n", ":1: the size is not a decimal number; expected key,size");
    refuse("a.csv", "1,18446744073709551615\n", ":1: the size is 2^64 - 1");
    refuse("a.csv", "1,5\n2,5x\n", ":2: the size is not a decimal number; expected key,size");
    refuse("a.csv", "1,5\n2,18446744073709551616\n", ":2: the size is 2^64 or more");
    refuse("a.csv", "1,5,x\n", ":1: more than one comma; expected key,size");
    refuse("a.csv", "1,5\n1,5,7\n", ":2: more than one comma; expected key,size");
    refuse("a", "1,5\n2\n", ":2: no comma; expected key,size");
}

Test(trace, empty)
{
    refuse("a.txt", "", ": the file is empty");
    refuse("a.csv", "", ": the file is empty");
    refuse("a.txt", "\n", ":1: the line is empty");
}

static void refuse_path(const char *path, int code, const char *message)
{
    struct trace *t = NULL;
    struct trace_error error = {""};
    char want[600];

    snprintf(want, sizeof(want), "%s%s", path, message);
    cr_assert_eq(trace_load(path, NULL, &t, &error), code);
    cr_assert_null(t);
    cr_assert_str_eq(error.text, want);
}

Test(trace, broken_files)
{
    refuse_path(files_path("missing.txt"), -ENOENT, ": No such file or directory");
    refuse_path(files_write("nul.txt", "1\n\0\n", 4), -EINVAL, ":2: NUL byte in a text line");
    refuse_path(files_zstd("cut.txt.zst", "1\n2\n", 4, 3, ""), -EINVAL, ":3: the compressed data ends early");
    refuse_path(files_zstd("tail.txt.zst", "1\n2\n", 4, 0, "3\n4\n5\n"), -EINVAL,
                ":3: garbage after the compressed data");
    refuse_path(files_text("plain.txt.zst", "1\n2\n"), -EINVAL, ": is named .zst but is not zstd-compressed");
    refuse_path("/", -EISDIR, ": Is a directory");
}

struct seen {
    uint64_t calls;
    uint64_t done;
    uint64_t total;
};

static void note_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct seen *seen = ctx;

    cr_assert_geq(done, seen->done);
    cr_assert_leq(done, total);
    seen->calls++;
    seen->done = done;
    seen->total = total;
}

/*
 * 300 000 requests over 100 000 keys: the array and the map grow, progress goes from nothing to
 * all.
 */
Test(trace, long_one)
{
    const uint32_t n = 300000;
    char *text = malloc(n * 16);
    size_t len = 0;
    struct seen seen = {0};
    struct trace_options options = {.progress = note_progress, .progress_ctx = &seen};
    struct trace_error error;

    cr_assert_not_null(text);
    for (uint32_t i = 0; i < n; i++) {
        len += (size_t)sprintf(text + len, "%u,%u\n", (unsigned)(i % 100000 * 7), (unsigned)(i % 100000));
    }
    for (int packed = 0; packed < 2; packed++) {
        const char *path = packed ? files_zstd("long.csv.zst", text, len, 0, "") : files_write("long.csv", text, len);
        struct trace *t = NULL;

        seen = (struct seen){0};
        cr_assert_eq(trace_load(path, &options, &t, &error), 0, "%s", error.text);
        cr_assert_eq(t->nr_requests, n);
        cr_assert_eq(t->nr_ids, 100000);
        cr_assert_eq(t->nr_resized, 0);
        for (uint32_t i = 0; i < n; i++) {
            cr_assert_eq(t->ids[i], i % 100000);
        }
        for (uint32_t id = 0; id < 100000; id++) {
            cr_assert_eq(t->sizes[id], id);
        }
        cr_assert_gt(seen.calls, 3);
        cr_assert_eq(seen.done, seen.total);
        trace_destroy(t);
    }
    free(text);
}
