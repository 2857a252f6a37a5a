/* SPDX-License-Identifier: MIT */
/*
 * read_lists.c - text (one key a line), csv (key,size) and ARC's lists of blocks (start count …)
 */
#include <errno.h>
#include <string.h>

#include "trace/reader.h"

/* ---- text ---- */

static int text_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    if (line->len == 0) {
        *ret_reason = "the line is empty";
        return -EINVAL;
    }
    return sink_text(r->sink, line->text, line->len, SINK_NO_SIZE, POLICY_READ);
}

const struct reader reader_text = {
    .name = "text",
    .what = "one key a line: any bytes but LF and NUL",
    .extensions = " .txt ",
    .line = text_line,
};

/* ---- csv ---- */

static int parse_csv(const struct line *line, struct field *ret_key, uint64_t *ret_size, const char **ret_reason)
{
    struct field field[2];
    size_t n = field_split(line, ',', field, 2);

    if (line->len == 0) {
        *ret_reason = "the line is empty";
    } else if (n == 1) {
        *ret_reason = "no comma; expected key,size";
    } else if (n > 2) {
        *ret_reason = "more than one comma; expected key,size";
    } else if (field[0].len == 0) {
        *ret_reason = "the key is empty";
    } else {
        int rc = field_number(field[1], ret_size);

        *ret_key = field[0];
        if (!rc && *ret_size != SINK_NO_SIZE) {
            return 0;
        }
        *ret_reason = rc == 0         ? "the size is 2^64 - 1"
                      : rc == -ERANGE ? "the size is 2^64 or more"
                                      : "the size is not a decimal number; expected key,size";
    }
    return -EINVAL;
}

static int csv_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    struct field key;
    uint64_t size = 0;
    int rc = parse_csv(line, &key, &size, ret_reason);

    return rc ? rc : sink_text(r->sink, key.text, key.len, size, POLICY_READ);
}

static bool csv_claims(const struct head *head)
{
    struct field key;
    uint64_t size;
    const char *ignored;

    return parse_csv(&head->first, &key, &size, &ignored) == 0;
}

const struct reader reader_csv = {
    .name = "csv",
    .what = "key,size a line; no header",
    .has_sizes = true,
    .claims = csv_claims,
    .line = csv_line,
};

/* ---- ARC ---- */

#define ARC_FIELDS 8

/* Numbers between blanks. Returns how many, 0 if anything else is there. */
static size_t arc_numbers(const struct line *line, uint64_t *numbers)
{
    size_t n = 0;
    size_t at = 0;

    while (at < line->len) {
        struct field f = {line->text + at, 0};

        while (at + f.len < line->len && f.text[f.len] != ' ' && f.text[f.len] != '\t') {
            f.len++;
        }
        if (f.len && (n == ARC_FIELDS || field_number(f, &numbers[n]))) {
            return 0;
        }
        n += f.len > 0;
        at += f.len + 1;
    }
    return n;
}

static int arc_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    uint64_t numbers[ARC_FIELDS];
    int rc = 0;

    if (arc_numbers(line, numbers) < 2) {
        *ret_reason = "expected numbers: start count …";
        return -EINVAL;
    }
    if (numbers[1] > READER_BLOCKS_MAX) {
        *ret_reason = "the count is more than 1048576";
        return -EINVAL;
    }
    if (numbers[1] && numbers[0] > UINT64_MAX - (numbers[1] - 1)) {
        *ret_reason = "the last block is 2^64 or more";
        return -EINVAL;
    }
    if (numbers[1] == 0) {
        sink_skip(r->sink);
    }
    for (uint64_t i = 0; i < numbers[1] && !rc; i++) {
        rc = sink_number(r->sink, numbers[0] + i, SINK_NO_SIZE, POLICY_READ);
    }
    return rc;
}

/* Four numbers, as all published lists have. Two may be a text key, so they need the extension. */
static bool arc_claims(const struct head *head)
{
    uint64_t numbers[ARC_FIELDS];

    return arc_numbers(&head->first, numbers) == 4;
}

const struct reader reader_arc = {
    .name = "arc",
    .what = "lists of the ARC paper: start count [ignored …] a line, one request for each block",
    .extensions = " .lis ",
    .claims = arc_claims,
    .line = arc_line,
};
