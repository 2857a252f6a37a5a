/* SPDX-License-Identifier: MIT */
/*
 * format: what a line says, what it may not say, and which format a file is taken for.
 */
#include "trace/format.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct line line_of(const char *text)
{
    return (struct line){.text = text, .len = strlen(text), .number = 1};
}

static void expect(enum trace_format format, const char *text, const char *key, uint64_t size)
{
    struct line line = line_of(text);
    struct request r = {0};
    const char *reason = "";

    cr_assert_eq(format_parse(format, &line, &r, &reason), 0, "%s: %s", text, reason);
    cr_assert_eq(r.key_len, strlen(key), "%s", text);
    cr_assert_eq(memcmp(r.key, key, r.key_len), 0, "%s", text);
    cr_assert_eq(r.size, size, "%s", text);
}

static void refuse(enum trace_format format, const char *text, const char *why)
{
    struct line line = line_of(text);
    struct request r = {.size = 4711};
    const char *reason = "";

    cr_assert_eq(format_parse(format, &line, &r, &reason), -EINVAL, "%s", text);
    cr_assert_not_null(strstr(reason, why), "%s: %s", text, reason);
    cr_assert_eq(r.size, 4711, "output untouched on failure");
}

Test(format, text)
{
    expect(TRACE_FORMAT_TEXT, "1", "1", 0);
    expect(TRACE_FORMAT_TEXT, "/index.html?a=b,c", "/index.html?a=b,c", 0);
    expect(TRACE_FORMAT_TEXT, " ", " ", 0);
    refuse(TRACE_FORMAT_TEXT, "", "empty");
}

Test(format, csv)
{
    expect(TRACE_FORMAT_CSV, "1,512", "1", 512);
    expect(TRACE_FORMAT_CSV, "a b,0", "a b", 0);
    expect(TRACE_FORMAT_CSV, "k,007", "k", 7);
    expect(TRACE_FORMAT_CSV, "k,18446744073709551615", "k", UINT64_MAX);
}

Test(format, csv_refused)
{
    refuse(TRACE_FORMAT_CSV, "", "the line is empty");
    refuse(TRACE_FORMAT_CSV, "17", "no comma");
    refuse(TRACE_FORMAT_CSV, ",512", "key is empty");
    refuse(TRACE_FORMAT_CSV, "1,512,3", "more than one comma");
    refuse(TRACE_FORMAT_CSV, "1,,3", "more than one comma");
    refuse(TRACE_FORMAT_CSV, "1,", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1,-5", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1,+5", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1, 5", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1,5 ", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1,0x10", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1,1e3", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "key,size", "not a decimal number");
    refuse(TRACE_FORMAT_CSV, "1,18446744073709551616", "2^64 or more");
    refuse(TRACE_FORMAT_CSV, "1,99999999999999999999999999", "2^64 or more");
    /* Too big and not a number: the latter is said. */
    refuse(TRACE_FORMAT_CSV, "1,99999999999999999999999999x", "not a decimal number");
}

static enum trace_format detect(const char *path, const char *first)
{
    struct line line = line_of(first);

    return format_detect(path, &line);
}

Test(format, detect)
{
    /* The name decides, */
    cr_assert_eq(detect("a/b.csv", "1"), TRACE_FORMAT_CSV);
    cr_assert_eq(detect("a/b.csv.zst", "key,size"), TRACE_FORMAT_CSV);
    cr_assert_eq(detect("a/b.txt", "1,512"), TRACE_FORMAT_TEXT);
    cr_assert_eq(detect("a/b.txt.zst", "1,512"), TRACE_FORMAT_TEXT);
    /* else the first line. */
    cr_assert_eq(detect("a/b", "1,512"), TRACE_FORMAT_CSV);
    cr_assert_eq(detect("a.csv/b", "1"), TRACE_FORMAT_TEXT);
    cr_assert_eq(detect("b.zst", "1,5,2"), TRACE_FORMAT_TEXT);
    cr_assert_eq(detect("b", "1,x"), TRACE_FORMAT_TEXT);
    cr_assert_eq(detect("b", ""), TRACE_FORMAT_TEXT);
    cr_assert_eq(detect(".csv", "1"), TRACE_FORMAT_TEXT);
}
