/* SPDX-License-Identifier: MIT */
/*
 * lines.c - cuts the input into lines
 *
 *      buf │ used lines │ next line … \n … │ read, no newline yet │ free │
 *                       start                                     end
 *
 * When no newline is left, the rest moves to the front and the buffer is filled up behind it. It
 * holds four of the longest lines, so little is moved.
 */
#include "trace/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/input.h"

#define BUF_BYTES ((size_t)4 * LINES_MAX_BYTES)
#define UNKNOWN SIZE_MAX
#define TOO_LONG "line of more than 65536 bytes"
_Static_assert(LINES_MAX_BYTES == 65536, "TOO_LONG says so");

struct lines {
    struct input *in;
    const char *path;    /* the caller's, outlives us */
    uint64_t number;     /* of the last line delivered */
    bool at_end;         /* the input has no more */
    size_t last_newline; /* of those in the buffer, so that the fast lane needs no bounds */
    size_t start;
    size_t end;
    char buf[BUF_BYTES];
};

int lines_open(const char *path, struct lines **ret, struct trace_error *error)
{
    struct input *in = NULL;
    const char *reason = NULL;
    int rc = input_open(path, &in, &reason);

    if (rc) {
        return trace_fail(error, rc, "%s: %s", path, reason);
    }
    return lines_wrap(in, path, ret, error);
}

int lines_wrap(struct input *in, const char *path, struct lines **ret, struct trace_error *error)
{
    struct lines *l = malloc(sizeof(*l));

    if (!l) {
        input_close(in);
        return trace_fail(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
    }
    l->in = in;
    l->path = path;
    l->number = 0;
    l->at_end = false;
    l->last_newline = UNKNOWN;
    l->start = 0;
    l->end = 0;
    *ret = l;
    return 0;
}

void lines_close(struct lines *l)
{
    if (l) {
        input_close(l->in);
        free(l);
    }
}

static int fail_at(const struct lines *l, int code, const char *reason, struct trace_error *error)
{
    return trace_fail(error, code, "%s:%" PRIu64 ": %s", l->path, l->number + 1, reason);
}

/* Reads behind what is there. 0, or a negative errno. */
static int fill(struct lines *l, struct trace_error *error)
{
    const char *reason = NULL;

    memmove(l->buf, l->buf + l->start, l->end - l->start);
    l->end -= l->start;
    l->start = 0;
    l->last_newline = UNKNOWN;

    ssize_t got = input_read(l->in, l->buf + l->end, BUF_BYTES - l->end, &reason);

    if (got < 0) {
        return fail_at(l, (int)got, reason, error);
    }
    l->at_end = got == 0;
    l->end += (size_t)got;
    return 0;
}

/* Checks the line found and hands it out. */
static int deliver(struct lines *l, size_t len, struct line *ret, struct trace_error *error)
{
    const char *text = l->buf + l->start;

    if (len > 0 && text[len - 1] == '\r') {
        len--;
    }
    if (l->number == 0 && len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    if (len > LINES_MAX_BYTES) {
        return fail_at(l, -EINVAL, TOO_LONG, error);
    }
    if (memchr(text, '\0', len)) {
        return fail_at(l, -EINVAL, "NUL byte in a text line", error);
    }
    ret->text = text;
    ret->len = len;
    ret->number = ++l->number;
    return 1;
}

int lines_next(struct lines *l, struct line *ret, struct trace_error *error)
{
    size_t searched = 0; /* bytes from start on without a newline */

    for (;;) {
        const char *text = l->buf + l->start;
        const char *newline = memchr(text + searched, '\n', l->end - l->start - searched);

        if (newline) {
            size_t len = (size_t)(newline - text);
            int rc = deliver(l, len, ret, error);

            l->start += len + 1;
            return rc;
        }
        searched = l->end - l->start;
        /* A byte-order mark and a CR may come on top. */
        if (searched > LINES_MAX_BYTES + 4) {
            return fail_at(l, -EINVAL, TOO_LONG, error);
        }
        if (l->at_end) {
            if (searched == 0) {
                return 0;
            }
            int rc = deliver(l, searched, ret, error);

            l->start = l->end;
            return rc;
        }
        int rc = fill(l, error);

        if (rc) {
            return rc;
        }
    }
}

/*
 * Reads a decimal from *at on: digits, no leading zero, at most 19. NULL if there is none; else the
 * byte behind it. A newline is known to stand before the buffer's end, so the loop ends.
 */
static const char *read_decimal(const char *at, uint64_t *ret)
{
    const char *start = at;
    uint64_t value = 0;
    unsigned digit;

    while ((digit = (unsigned)(unsigned char)*at - '0') <= 9) {
        value = value * 10 + digit; /* too many digits are told below, wrapped or not */
        at++;
    }
    if (at == start || at - start > 19 || (*start == '0' && at - start > 1)) {
        return NULL;
    }
    *ret = value;
    return at;
}

size_t lines_numbers(struct lines *l, uint64_t *keys, uint64_t *sizes, size_t max)
{
    const char *at = l->buf + l->start;
    size_t n = 0;

    /* The first line may carry a byte-order mark, and detection wants to see it. */
    if (l->number == 0) {
        return 0;
    }
    if (l->last_newline == UNKNOWN) {
        size_t i = l->end;

        while (i > l->start && l->buf[i - 1] != '\n') {
            i--;
        }
        if (i == l->start) {
            return 0;
        }
        l->last_newline = i - 1;
    }
    if (l->last_newline < l->start) {
        return 0;
    }
    const char *stop = l->buf + l->last_newline;

    while (n < max && at <= stop) {
        const char *behind = read_decimal(at, &keys[n]);

        if (behind && sizes) {
            behind = *behind == ',' ? read_decimal(behind + 1, &sizes[n]) : NULL;
        }
        if (!behind || *behind != '\n') {
            break;
        }
        at = behind + 1;
        n++;
    }
    l->start = (size_t)(at - l->buf);
    l->number += n;
    return n;
}

uint64_t lines_number(const struct lines *l)
{
    return l->number;
}

uint64_t lines_position(const struct lines *l)
{
    return input_position(l->in);
}

uint64_t lines_size(const struct lines *l)
{
    return input_size(l->in);
}
