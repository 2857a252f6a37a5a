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
#define TOO_LONG "line of more than 65536 bytes"
_Static_assert(LINES_MAX_BYTES == 65536, "TOO_LONG says so");

struct lines {
    struct input *in;
    const char *path; /* the caller's, outlives us */
    uint64_t number;  /* of the last line delivered */
    bool at_end;      /* the input has no more */
    size_t start;
    size_t end;
    char buf[BUF_BYTES];
};

int lines_open(const char *path, struct lines **ret, struct trace_error *error)
{
    struct lines *l = malloc(sizeof(*l));
    const char *reason = NULL;

    if (!l) {
        return trace_fail(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
    }
    int rc = input_open(path, &l->in, &reason);

    if (rc) {
        free(l);
        return trace_fail(error, rc, "%s: %s", path, reason);
    }
    l->path = path;
    l->number = 0;
    l->at_end = false;
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

uint64_t lines_position(const struct lines *l)
{
    return input_position(l->in);
}

uint64_t lines_size(const struct lines *l)
{
    return input_size(l->in);
}
