/* SPDX-License-Identifier: MIT */
/*
 * input.c - plain and zstd input behind one read
 *
 *      file ──fread──▶ raw[start … end) ──▶ copied, or ZSTD_decompressStream ──▶ caller's buffer
 *
 * The file is never wholly in memory, and neither is what it unpacks to: a trace of 100 M requests
 * is some 1 GB of text.
 */
#define _POSIX_C_SOURCE 200809L
#include "trace/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#define RAW_BYTES ((size_t)128 << 10)

struct input {
    FILE *file;
    uint64_t size;
    uint64_t position;
    ZSTD_DStream *zstd; /* NULL = plain */
    bool in_frame;      /* a frame was begun and is not complete */
    bool had_frame;     /* at least one was completed */
    size_t start;       /* raw bytes not yet used: raw[start … end) */
    size_t end;
    unsigned char raw[RAW_BYTES];
};

void input_close(struct input *in)
{
    if (!in) {
        return;
    }
    if (in->file) {
        fclose(in->file);
    }
    ZSTD_freeDStream(in->zstd);
    free(in);
}

/* Refills raw, which must be used up. Bytes read, 0 at the end of the file, negative errno. */
static ssize_t fill_raw(struct input *in, const char **ret_reason)
{
    errno = 0;
    size_t got = fread(in->raw, 1, RAW_BYTES, in->file);

    if (got == 0 && ferror(in->file)) {
        int code = errno ? errno : EIO;
        *ret_reason = strerror(code);
        return -code;
    }
    in->start = 0;
    in->end = got;
    in->position += got;
    return (ssize_t)got;
}

/* A zstd frame (28 b5 2f fd) or a skippable one (50…5f 2a 4d 18), little endian. */
static bool is_zstd(const unsigned char *raw, size_t n)
{
    static const unsigned char frame[4] = {0x28, 0xb5, 0x2f, 0xfd};
    static const unsigned char skippable[3] = {0x2a, 0x4d, 0x18};

    return n >= 4 && (memcmp(raw, frame, 4) == 0 ||
                      ((raw[0] & 0xf0) == 0x50 && memcmp(raw + 1, skippable, 3) == 0));
}

static bool is_named_zst(const char *path)
{
    size_t n = strlen(path);

    return n >= 4 && strcmp(path + n - 4, ".zst") == 0;
}

static int open_file(struct input *in, const char *path, const char **ret_reason)
{
    struct stat st;

    in->file = fopen(path, "rb");
    if (!in->file) {
        int code = errno;
        *ret_reason = strerror(code);
        return -code;
    }
    if (fstat(fileno(in->file), &st) == 0 && S_ISREG(st.st_mode)) {
        in->size = (uint64_t)st.st_size;
    }
    ssize_t got = fill_raw(in, ret_reason);

    if (got < 0) {
        return (int)got;
    }
    if (is_zstd(in->raw, in->end)) {
        in->zstd = ZSTD_createDStream();
        if (!in->zstd) {
            *ret_reason = strerror(ENOMEM);
            return -ENOMEM;
        }
    } else if (got > 0 && is_named_zst(path)) {
        *ret_reason = "is named .zst but is not zstd-compressed";
        return -EINVAL;
    }
    return 0;
}

int input_open(const char *path, struct input **ret, const char **ret_reason)
{
    struct input *in = calloc(1, sizeof(*in));

    if (!in) {
        *ret_reason = strerror(ENOMEM);
        return -ENOMEM;
    }
    int rc = open_file(in, path, ret_reason);

    if (rc) {
        input_close(in);
        return rc;
    }
    *ret = in;
    return 0;
}

static ssize_t read_plain(struct input *in, void *buf, size_t n, const char **ret_reason)
{
    if (in->start == in->end) {
        ssize_t got = fill_raw(in, ret_reason);

        if (got <= 0) {
            return got;
        }
    }
    size_t have = in->end - in->start;

    n = n < have ? n : have;
    memcpy(buf, in->raw + in->start, n);
    in->start += n;
    return (ssize_t)n;
}

static int zstd_broken(const struct input *in, size_t code, const char **ret_reason)
{
    bool at_start = in->had_frame && !in->in_frame;

    *ret_reason = at_start ? "garbage after the compressed data" : ZSTD_getErrorName(code);
    return -EINVAL;
}

static ssize_t read_zstd(struct input *in, void *buf, size_t n, const char **ret_reason)
{
    ZSTD_outBuffer out = {buf, n, 0};

    while (out.pos == 0) {
        if (in->start == in->end) {
            ssize_t got = fill_raw(in, ret_reason);

            if (got < 0) {
                return got;
            }
            /* A frame may still hold output back for which there was no room last time. */
            if (got == 0 && !in->in_frame) {
                return 0;
            }
        }
        ZSTD_inBuffer raw = {in->raw, in->end, in->start};
        size_t left = ZSTD_decompressStream(in->zstd, &out, &raw);

        if (ZSTD_isError(left)) {
            return zstd_broken(in, left, ret_reason);
        }
        bool stuck = in->start == in->end && out.pos == 0;

        in->start = raw.pos;
        in->in_frame = left != 0;
        in->had_frame |= left == 0;
        if (stuck && in->in_frame) {
            *ret_reason = "the compressed data ends early";
            return -EINVAL;
        }
    }
    return (ssize_t)out.pos;
}

ssize_t input_read(struct input *in, void *buf, size_t n, const char **ret_reason)
{
    return in->zstd ? read_zstd(in, buf, n, ret_reason) : read_plain(in, buf, n, ret_reason);
}

uint64_t input_position(const struct input *in)
{
    return in->position;
}

uint64_t input_size(const struct input *in)
{
    return in->size;
}
