/* SPDX-License-Identifier: MIT */
/*
 * lines: numbers, line ends, the longest line, and what is refused, each with file and line number.
 */
#include "trace/lines.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

TestSuite(lines, .init = files_make, .fini = files_remove);

static struct lines *open_lines(const char *path)
{
    struct lines *l = NULL;
    struct trace_error error;

    cr_assert_eq(lines_open(path, &l, &error), 0, "%s", error.text);
    return l;
}

/* All lines joined by '|', then the error's text in angle brackets if there was one. */
static char *join(const char *path)
{
    struct lines *l = open_lines(path);
    struct trace_error error;
    struct line line;
    static char out[4096];
    size_t n = 0;
    uint64_t number = 0;
    int rc;

    while ((rc = lines_next(l, &line, &error)) > 0) {
        cr_assert_eq(line.number, ++number);
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%.*s|", (int)line.len, line.text);
    }
    out[n] = '\0';
    if (rc < 0) {
        cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
        snprintf(out + n, sizeof(out) - n, "<%s>", error.text + strlen(path));
    }
    lines_close(l);
    return out;
}

Test(lines, ends)
{
    cr_assert_str_eq(join(files_text("a", "1\n2\n3\n")), "1|2|3|");
    cr_assert_str_eq(join(files_text("a", "1\n2\n3")), "1|2|3|");
    cr_assert_str_eq(join(files_text("a", "1\r\n2\r\n3\r")), "1|2|3|");
    cr_assert_str_eq(join(files_text("a", "\n\nx\n\n")), "||x||");
    cr_assert_str_eq(join(files_text("a", "a\rb\n")), "a\rb|");
    cr_assert_str_eq(join(files_text("a", "")), "");
}

Test(lines, byte_order_mark)
{
    cr_assert_str_eq(join(files_text("a", "\xef\xbb\xbf"
                                          "1\n\xef\xbb\xbf"
                                          "2\n")),
                     "1|\xef\xbb\xbf"
                     "2|");
}

Test(lines, nul)
{
    cr_assert_str_eq(join(files_write("a", "1\n2\0002\n3\n", 8)), "1|<:2: NUL byte in a text line>");
    cr_assert_str_eq(join(files_write("a", "1\n2\n\0", 5)), "1|2|<:3: NUL byte in a text line>");
}

/* n bytes of 'x' as line 2 of 3. */
static const char *long_line(size_t n, const char *end)
{
    char *text = malloc(n + 20);

    cr_assert_not_null(text);
    memcpy(text, "1\n", 2);
    memset(text + 2, 'x', n);
    strcpy(text + 2 + n, end);
    const char *path = files_text("long", text);

    free(text);
    return path;
}

static void expect_long(const char *path, size_t len)
{
    struct lines *l = open_lines(path);
    struct trace_error error;
    struct line line;

    cr_assert_eq(lines_next(l, &line, &error), 1);
    cr_assert_eq(lines_next(l, &line, &error), 1, "%s", error.text);
    cr_assert_eq(line.len, len);
    cr_assert_eq(lines_next(l, &line, &error), 1);
    cr_assert_eq(line.len, 1);
    cr_assert_eq(*line.text, '3');
    cr_assert_eq(lines_next(l, &line, &error), 0);
    lines_close(l);
}

Test(lines, longest)
{
    expect_long(long_line(LINES_MAX_BYTES, "\n3\n"), LINES_MAX_BYTES);
    expect_long(long_line(LINES_MAX_BYTES, "\r\n3"), LINES_MAX_BYTES);
    expect_long(long_line(LINES_MAX_BYTES - 1, "\n3\n"), LINES_MAX_BYTES - 1);
}

Test(lines, too_long)
{
    static const char *const ends[] = {"\n3\n", "\r\n3\n", "", "\n"};
    static const size_t extra[] = {1, 2, 4, 5, 100, 300000, 3000000};

    for (size_t e = 0; e < 4; e++) {
        for (size_t x = 0; x < sizeof(extra) / sizeof(extra[0]); x++) {
            cr_assert_str_eq(join(long_line(LINES_MAX_BYTES + extra[x], ends[e])),
                             "1|<:2: line of more than 65536 bytes>");
        }
    }
}

/*
 * Lines of all lengths, so that every position of the buffer's edge is met, plain and compressed.
 */
static void expect_all_lengths(const char *path, size_t n)
{
    struct lines *l = open_lines(path);
    struct trace_error error;
    struct line line;

    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(lines_next(l, &line, &error), 1, "%s", error.text);
        cr_assert_eq(line.len, i % 997);
        cr_assert_eq(line.number, i + 1);
        for (size_t k = 0; k < line.len; k++) {
            cr_assert_eq(line.text[k], (char)('a' + i % 26));
        }
    }
    cr_assert_eq(lines_next(l, &line, &error), 0);
    cr_assert_eq(lines_position(l), lines_size(l));
    lines_close(l);
}

Test(lines, buffer_edges)
{
    size_t n = 5000;
    size_t len = 0;
    char *text = malloc(n * 1000);

    cr_assert_not_null(text);
    for (size_t i = 0; i < n; i++) {
        memset(text + len, (int)('a' + i % 26), i % 997);
        len += i % 997;
        text[len++] = '\n';
    }
    expect_all_lengths(files_write("plain", text, len), n);
    expect_all_lengths(files_zstd("packed", text, len, 0, ""), n);
    free(text);
}

Test(lines, broken_compression_has_a_line)
{
    cr_assert_str_eq(join(files_zstd("a.zst", "1\n2\n3\n", 6, 0, "rubbish")),
                     "1|2|3|<:4: garbage after the compressed data>");
    /* Without the checksum, and without the checksum's 4 bytes and "3\n" before it. */
    cr_assert_str_eq(join(files_zstd("a.zst", "1\n2\n3\n", 6, 3, "")), "1|2|3|<:4: the compressed data ends early>");
    cr_assert_str_eq(join(files_zstd("a.zst", "1\n2\n3\n", 6, 6, "")), "1|2|<:3: the compressed data ends early>");
}

Test(lines, missing_file)
{
    struct lines *l = NULL;
    struct trace_error error;

    cr_assert_eq(lines_open("/no/such/file", &l, &error), -ENOENT);
    cr_assert_null(l);
    cr_assert_str_eq(error.text, "/no/such/file: No such file or directory");
}
