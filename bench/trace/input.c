/* SPDX-License-Identifier: MIT */
/*
 * input.c - plain, zstd and gzip input behind one read
 *
 *      file ──read──▶ raw[start … end) ──▶ copied, or decompressed ──▶ caller's buffer
 *                                                             └──▶ head: bytes looked at in advance
 *
 * The file is never wholly in memory, and neither is what it unpacks to: a trace of 100 M requests
 * is some 1 GB of text.
 */
#define _POSIX_C_SOURCE 200809L
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define RAW_BYTES ((size_t)256 << 10)

enum packing { PLAIN, ZSTD, GZIP };

struct input {
    int file; /* descriptor, -1 = none */
    enum packing packing;
    uint64_t size;
    uint64_t position;
    ZSTD_DStream *zstd;
    z_stream gzip;
    bool has_gzip;  /* gzip is initialized */
    bool in_frame;  /* a frame (member) was begun and is not complete */
    bool had_frame; /* at least one was completed */
    size_t start;   /* raw bytes not yet used: raw[start … end) */
    size_t end;

    size_t head_start; /* bytes looked at and not yet read: head[head_start … head_end) */
    size_t head_end;
    int head_error; /* what reading ended with behind them, 0 = nothing */
    const char *head_reason;
    unsigned char head[INPUT_PEEK];
    unsigned char raw[RAW_BYTES];
};

void input_close(struct input *in)
{
    if (!in) {
        return;
    }
    if (in->file >= 0) {
        close(in->file);
    }
    ZSTD_freeDStream(in->zstd);
    if (in->has_gzip) {
        inflateEnd(&in->gzip);
    }
    free(in);
}

/* Refills raw, which must be used up. Bytes read, 0 at the end of the file, negative errno. */
static ssize_t fill_raw(struct input *in, const char **ret_reason)
{
    ssize_t got;

    do {
        got = read(in->file, in->raw, RAW_BYTES);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        int code = errno;
        *ret_reason = strerror(code);
        return -code;
    }
    in->start = 0;
    in->end = (size_t)got;
    in->position += (uint64_t)got;
    return got;
}

/* A zstd frame (28 b5 2f fd) or a skippable one (50…5f 2a 4d 18), little endian. */
static bool is_zstd(const unsigned char *raw, size_t n)
{
    static const unsigned char frame[4] = {0x28, 0xb5, 0x2f, 0xfd};
    static const unsigned char skippable[3] = {0x2a, 0x4d, 0x18};

    return n >= 4 && (memcmp(raw, frame, 4) == 0 || ((raw[0] & 0xf0) == 0x50 && memcmp(raw + 1, skippable, 3) == 0));
}

/* A gzip member with the only compression method there is (RFC 1952). */
static bool is_gzip(const unsigned char *raw, size_t n)
{
    return n >= 3 && raw[0] == 0x1f && raw[1] == 0x8b && raw[2] == 8;
}

static bool is_named(const char *path, const char *extension)
{
    size_t n = strlen(path);
    size_t m = strlen(extension);

    return n >= m && strcmp(path + n - m, extension) == 0;
}

static int no_memory(const char **ret_reason)
{
    *ret_reason = strerror(ENOMEM);
    return -ENOMEM;
}

static int choose_packing(struct input *in, const char *path, const char **ret_reason)
{
    if (is_zstd(in->raw, in->end)) {
        in->packing = ZSTD;
        in->zstd = ZSTD_createDStream();
        return in->zstd ? 0 : no_memory(ret_reason);
    }
    if (is_gzip(in->raw, in->end)) {
        in->packing = GZIP;
        in->has_gzip = inflateInit2(&in->gzip, 15 + 16) == Z_OK; /* 16: gzip's header, no other */
        return in->has_gzip ? 0 : no_memory(ret_reason);
    }
    if (in->end > 0 && is_named(path, ".zst")) {
        *ret_reason = "is named .zst but is not zstd-compressed";
        return -EINVAL;
    }
    if (in->end > 0 && is_named(path, ".gz")) {
        *ret_reason = "is named .gz but is not gzip-compressed";
        return -EINVAL;
    }
    return 0;
}

static int open_file(struct input *in, const char *path, const char **ret_reason)
{
    struct stat st;

    in->file = open(path, O_RDONLY | O_CLOEXEC);
    if (in->file < 0) {
        int code = errno;
        *ret_reason = strerror(code);
        return -code;
    }
    if (fstat(in->file, &st) == 0 && S_ISREG(st.st_mode)) {
        in->size = (uint64_t)st.st_size;
    }
    ssize_t got = fill_raw(in, ret_reason);

    return got < 0 ? (int)got : choose_packing(in, path, ret_reason);
}

int input_open(const char *path, struct input **ret, const char **ret_reason)
{
    struct input *in = calloc(1, sizeof(*in));

    if (!in) {
        return no_memory(ret_reason);
    }
    in->file = -1;
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

static int broken(const struct input *in, const char *what, const char **ret_reason)
{
    bool at_start = in->had_frame && !in->in_frame;

    *ret_reason = at_start ? "garbage after the compressed data" : what;
    return -EINVAL;
}

/*
 * One step of a decoder: from raw[start … end) into buf. Bytes written, or negative errno; says in
 * *ret_done that the frame is complete.
 */
static ssize_t step_zstd(struct input *in, void *buf, size_t n, bool *ret_done, const char **ret_reason)
{
    ZSTD_outBuffer out = {buf, n, 0};
    ZSTD_inBuffer raw = {in->raw, in->end, in->start};
    size_t left = ZSTD_decompressStream(in->zstd, &out, &raw);

    if (ZSTD_isError(left)) {
        return broken(in, ZSTD_getErrorName(left), ret_reason);
    }
    in->start = raw.pos;
    *ret_done = left == 0;
    return (ssize_t)out.pos;
}

static ssize_t step_gzip(struct input *in, void *buf, size_t n, bool *ret_done, const char **ret_reason)
{
    uInt room = n < UINT32_MAX ? (uInt)n : UINT32_MAX;

    if (!in->in_frame && in->had_frame && inflateReset(&in->gzip) != Z_OK) {
        return no_memory(ret_reason);
    }
    in->gzip.next_in = in->raw + in->start;
    in->gzip.avail_in = (uInt)(in->end - in->start);
    in->gzip.next_out = buf;
    in->gzip.avail_out = room;
    int rc = inflate(&in->gzip, Z_NO_FLUSH);

    if (rc == Z_MEM_ERROR) {
        return no_memory(ret_reason);
    }
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        return broken(in, in->gzip.msg ? in->gzip.msg : "the compressed data is broken", ret_reason);
    }
    in->start = in->end - in->gzip.avail_in;
    *ret_done = rc == Z_STREAM_END;
    return (ssize_t)(room - in->gzip.avail_out);
}

static ssize_t read_packed(struct input *in, void *buf, size_t n, const char **ret_reason)
{
    for (;;) {
        bool done = false;

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
        bool had_raw = in->start != in->end;
        ssize_t got =
            in->packing == ZSTD ? step_zstd(in, buf, n, &done, ret_reason) : step_gzip(in, buf, n, &done, ret_reason);

        if (got < 0) {
            return got;
        }
        in->in_frame = !done;
        in->had_frame |= done;
        if (got > 0) {
            return got;
        }
        if (!had_raw && !done) {
            *ret_reason = "the compressed data ends early";
            return -EINVAL;
        }
    }
}

static ssize_t read_on(struct input *in, void *buf, size_t n, const char **ret_reason)
{
    return in->packing == PLAIN ? read_plain(in, buf, n, ret_reason) : read_packed(in, buf, n, ret_reason);
}

size_t input_peek(struct input *in, const unsigned char **ret)
{
    while (in->head_end < INPUT_PEEK && !in->head_error) {
        ssize_t got = read_on(in, in->head + in->head_end, INPUT_PEEK - in->head_end, &in->head_reason);

        if (got == 0) {
            break;
        }
        if (got < 0) {
            in->head_error = (int)got;
        } else {
            in->head_end += (size_t)got;
        }
    }
    *ret = in->head;
    return in->head_end;
}

ssize_t input_read(struct input *in, void *buf, size_t n, const char **ret_reason)
{
    size_t have = in->head_end - in->head_start;

    if (have) {
        n = n < have ? n : have;
        memcpy(buf, in->head + in->head_start, n);
        in->head_start += n;
        return (ssize_t)n;
    }
    if (in->head_error) {
        *ret_reason = in->head_reason;
        return in->head_error;
    }
    return read_on(in, buf, n, ret_reason);
}

uint64_t input_position(const struct input *in)
{
    return in->position;
}

uint64_t input_size(const struct input *in)
{
    return in->size;
}
