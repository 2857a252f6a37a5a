/* SPDX-License-Identifier: MIT */
/*
 * input: what comes out is what went in, whatever the size of the reads; broken compression is told
 * apart from a proper end.
 */
#include "trace/input.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

TestSuite(input, .init = files_make, .fini = files_remove);

/* Reads to the end in steps of n. 0 or the error; *ret and *ret_len are what came. */
static int read_all(const char *path, size_t n, char **ret, size_t *ret_len, const char **reason)
{
    struct input *in = NULL;
    size_t room = 4 << 20;
    ssize_t got = input_open(path, &in, reason);

    *ret = NULL;
    *ret_len = 0;
    if (got) {
        return (int)got;
    }
    *ret = malloc(room);
    cr_assert_not_null(*ret);
    while ((got = input_read(in, *ret + *ret_len, n, reason)) > 0) {
        *ret_len += (size_t)got;
        cr_assert_leq((size_t)got, n);
        cr_assert_lt(*ret_len + n, room);
    }
    if (got == 0) {
        cr_assert_eq(input_position(in), input_size(in));
        cr_assert_eq(input_read(in, *ret, n, reason), 0, "the end stays the end");
    }
    input_close(in);
    return (int)got;
}

static void expect(const char *path, const char *want, size_t want_len)
{
    static const size_t steps[] = {1, 7, 1000, 1 << 17, 1 << 20};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char *got;
        size_t len;
        const char *reason = NULL;

        cr_assert_eq(read_all(path, steps[i], &got, &len, &reason), 0, "%s", reason);
        cr_assert_eq(len, want_len);
        cr_assert_eq(memcmp(got, want, len), 0);
        free(got);
    }
}

static void expect_error(const char *path, int code, const char *text)
{
    char *got;
    size_t len;
    const char *reason = NULL;

    cr_assert_eq(read_all(path, 4096, &got, &len, &reason), code, "%s", reason);
    cr_assert_not_null(strstr(reason, text), "%s", reason);
    free(got);
}

/* 1 MB that neither compresses away nor stays incompressible. */
static char *sample(size_t *ret_len)
{
    size_t len = 1000003;
    char *data = malloc(len);
    uint32_t x = 1;

    cr_assert_not_null(data);
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        data[i] = (char)(i % 3 ? 'a' + (x >> 28) : (x >> 24));
    }
    *ret_len = len;
    return data;
}

Test(input, plain)
{
    size_t len;
    char *data = sample(&len);

    expect(files_write("plain", data, len), data, len);
    free(data);
}

Test(input, zstd)
{
    size_t len;
    char *data = sample(&len);

    expect(files_zstd("packed", data, len, 0, ""), data, len);
    expect(files_zstd("packed.zst", data, 10, 0, ""), data, 10);
    expect(files_zstd("nothing.zst", data, 0, 0, ""), data, 0);
    free(data);
}

/* Highly compressed: one raw buffer unpacks to many reads, the last ones after the file's end. */
Test(input, zstd_of_zeros)
{
    size_t len = 3000000;
    char *data = calloc(len, 1);

    cr_assert_not_null(data);
    expect(files_zstd("zeros.zst", data, len, 0, ""), data, len);
    free(data);
}

static size_t slurp(const char *path, char *buf, size_t room)
{
    FILE *f = fopen(path, "rb");

    cr_assert_not_null(f);
    size_t n = fread(buf, 1, room, f);

    fclose(f);
    return n;
}

/* Two frames and a skippable one between and before them. */
Test(input, several_frames)
{
    static const char skippable[] = "\x5a\x2a\x4d\x18\x03\0\0\0xyz";
    char buf[4096];
    size_t n = 0;

    memcpy(buf, skippable, 11);
    n = 11 + slurp(files_zstd("one", "hello ", 6, 0, ""), buf + 11, 1000);
    memcpy(buf + n, skippable, 11);
    n += 11;
    n += slurp(files_zstd("two", "world", 5, 0, ""), buf + n, 1000);
    expect(files_write("both", buf, n), "hello world", 11);
}

Test(input, empty_file)
{
    expect(files_write("empty", "", 0), "", 0);
    expect(files_write("empty.zst", "", 0), "", 0);
}

Test(input, truncated)
{
    size_t len;
    char *data = sample(&len);

    for (size_t cut = 1; cut < 3000; cut = cut * 2 + 1) {
        expect_error(files_zstd("cut.zst", data, len, cut, ""), -EINVAL, "ends early");
    }
    /* Within the four bytes of the checksum and within the header of a small frame. */
    expect_error(files_zstd("cut.zst", data, 100, 2, ""), -EINVAL, "ends early");
    expect_error(files_write("head.zst", "\x28\xb5\x2f\xfd", 4), -EINVAL, "ends early");
    free(data);
}

Test(input, garbage_behind)
{
    static const char *const tails[] = {
        "x", "xy\n", "1\n2\n3\n", "\x28\xb5\x2f", "\x28\xb5\x2f\xfd",
    };

    for (int i = 0; i < 3; i++) {
        expect_error(files_zstd("tail.zst", "1\n2\n", 4, 0, tails[i]), -EINVAL, "garbage after");
    }
    /* The beginning of another frame is not garbage but a frame cut off. */
    for (int i = 3; i < 5; i++) {
        expect_error(files_zstd("tail.zst", "1\n2\n", 4, 0, tails[i]), -EINVAL, "ends early");
    }
}

Test(input, flipped_bit)
{
    static char buf[2 << 20];
    size_t len;
    char *data = sample(&len);
    size_t n = slurp(files_zstd("good.zst", data, len, 0, ""), buf, sizeof(buf));

    for (size_t at = 5; at < n; at += n / 20) {
        char *got;
        size_t got_len;
        const char *reason = NULL;

        buf[at] ^= 0x10;
        int rc = read_all(files_write("bad.zst", buf, n), 65536, &got, &got_len, &reason);

        cr_assert_eq(rc, -EINVAL, "bit flipped at %zu was not noticed", at);
        cr_assert_not_null(reason);
        buf[at] ^= 0x10;
        free(got);
    }
    free(data);
}

Test(input, not_openable)
{
    expect_error(files_path("missing"), -ENOENT, "No such file");
    expect_error("/", -EISDIR, "directory");
    expect_error(files_text("text.zst", "1\n2\n"), -EINVAL, "not zstd-compressed");
}

/* ---- gzip and peeking ---- */

static size_t read_into(const char *path, char *buf, size_t room, int *ret_rc, const char **reason)
{
    struct input *in = NULL;
    size_t n = 0;
    ssize_t got;

    cr_assert_eq(input_open(path, &in, reason), 0, "%s", *reason);
    while ((got = input_read(in, buf + n, room - n, reason)) > 0) {
        n += (size_t)got;
    }
    *ret_rc = (int)got;
    input_close(in);
    return n;
}

/* Two members one after the other; a cut one; one with something behind it; a damaged sum. */
Test(input, gzip)
{
    char buf[256];
    char member[128];
    size_t len;
    const char *reason = NULL;
    int rc;
    unsigned char *bytes = files_read(files_gzip("one.gz", "second", 6, 0, ""), &len);

    cr_assert_lt(len, sizeof(member));
    memcpy(member, bytes, len);
    memcpy(buf, bytes, len);
    memcpy(buf + len, bytes, len);
    cr_assert_eq(read_into(files_write("two.gz", buf, 2 * len), buf, sizeof(buf), &rc, &reason), 12);
    cr_assert_eq(rc, 0);
    cr_assert_eq(memcmp(buf, "secondsecond", 12), 0);
    read_into(files_gzip("cut.gz", "second", 6, 5, ""), buf, sizeof(buf), &rc, &reason);
    cr_assert_eq(rc, -EINVAL);
    cr_assert_str_eq(reason, "the compressed data ends early");
    read_into(files_gzip("tail.gz", "second", 6, 0, "tail"), buf, sizeof(buf), &rc, &reason);
    cr_assert_eq(rc, -EINVAL);
    cr_assert_str_eq(reason, "garbage after the compressed data");
    member[len - 6] ^= 1;
    read_into(files_write("sum.gz", member, len), buf, sizeof(buf), &rc, &reason);
    cr_assert_eq(rc, -EINVAL);
    cr_assert_str_eq(reason, "incorrect data check");
    free(bytes);
}

Test(input, named_gz_but_plain)
{
    struct input *in = NULL;
    const char *reason = NULL;

    cr_assert_eq(input_open(files_text("p.gz", "1\n"), &in, &reason), -EINVAL);
    cr_assert_str_eq(reason, "is named .gz but is not gzip-compressed");
}

/* What was looked at is read again, and an error behind it comes in its turn. */
Test(input, peek)
{
    const unsigned char *head;
    char buf[64];
    const char *reason = NULL;
    struct input *in = NULL;

    cr_assert_eq(input_open(files_zstd("p.zst", "hello", 5, 2, ""), &in, &reason), 0);
    cr_assert_eq(input_peek(in, &head), 5);
    cr_assert_eq(memcmp(head, "hello", 5), 0);
    cr_assert_eq(input_peek(in, &head), 5);
    cr_assert_eq(input_read(in, buf, 2, &reason), 2);
    cr_assert_eq(input_read(in, buf + 2, sizeof(buf) - 2, &reason), 3);
    cr_assert_eq(memcmp(buf, "hello", 5), 0);
    cr_assert_eq(input_read(in, buf, sizeof(buf), &reason), -EINVAL);
    cr_assert_str_eq(reason, "the compressed data ends early");
    input_close(in);
}
