/* SPDX-License-Identifier: MIT */
/*
 * format.c - text and csv lines
 */
#include "trace/format.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Whether path, which may have `.zst` behind it, ends in the given extension. */
static bool has_extension(const char *path, const char *extension)
{
    size_t n = strlen(path);
    size_t m = strlen(extension);

    if (n >= 4 && strcmp(path + n - 4, ".zst") == 0) {
        n -= 4;
    }
    return n > m && strncmp(path + n - m, extension, m) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Decimal digits only. 0, -EINVAL (something else), -ERANGE (2^64 or more). */
static int parse_size(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;
    bool too_big = false;

    if (len == 0) {
        return -EINVAL;
    }
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(text[i])) {
            return -EINVAL;
        }
        unsigned digit = (unsigned)(text[i] - '0');

        too_big |= value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (too_big) {
        return -ERANGE;
    }
    *ret = value;
    return 0;
}

enum trace_format format_detect(const char *path, const struct line *first)
{
    struct request ignored;
    const char *reason;

    if (has_extension(path, ".csv")) {
        return TRACE_FORMAT_CSV;
    }
    if (has_extension(path, ".txt")) {
        return TRACE_FORMAT_TEXT;
    }
    if (format_parse(TRACE_FORMAT_CSV, first, &ignored, &reason) == 0) {
        return TRACE_FORMAT_CSV;
    }
    return TRACE_FORMAT_TEXT;
}

static int parse_csv(const struct line *line, struct request *ret, const char **ret_reason)
{
    const char *comma = memchr(line->text, ',', line->len);

    if (!comma) {
        *ret_reason = "no comma; expected key,size";
        return -EINVAL;
    }
    size_t key_len = (size_t)(comma - line->text);
    size_t size_len = line->len - key_len - 1;

    if (memchr(comma + 1, ',', size_len)) {
        *ret_reason = "more than one comma; expected key,size";
        return -EINVAL;
    }
    if (key_len == 0) {
        *ret_reason = "the key is empty";
        return -EINVAL;
    }
    uint64_t size = 0;
    int rc = parse_size(comma + 1, size_len, &size);

    if (rc) {
        *ret_reason = rc == -ERANGE ? "the size is 2^64 or more"
                                    : "the size is not a decimal number; expected key,size";
        return -EINVAL;
    }
    *ret = (struct request){.key = line->text, .key_len = key_len, .size = size};
    return 0;
}

int format_parse(enum trace_format format, const struct line *line, struct request *ret,
                 const char **ret_reason)
{
    if (line->len == 0) {
        *ret_reason = "the line is empty";
        return -EINVAL;
    }
    if (format == TRACE_FORMAT_CSV) {
        return parse_csv(line, ret, ret_reason);
    }
    *ret = (struct request){.key = line->text, .key_len = line->len};
    return 0;
}
