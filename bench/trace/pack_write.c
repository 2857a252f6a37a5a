/* SPDX-License-Identifier: MIT */
/*
 * pack_write.c - the writing half of pack.h
 *
 *      ids ──▶ chunk ──▶ crc ──▶ (zstd) ──▶ file
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/pack.h"
#include "trace/pack_format.h"

struct writer {
    FILE *file;
    ZSTD_CStream *zstd; /* NULL = plain */
    unsigned char *chunk;
    unsigned char out[1 << 16];
};

static int put_plain(struct writer *w, const void *bytes, size_t n)
{
    errno = 0;
    if (fwrite(bytes, 1, n, w->file) != n) {
        return errno ? -errno : -EIO;
    }
    return 0;
}

static int put_zstd(struct writer *w, const void *bytes, size_t n, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {bytes, n, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {w->out, sizeof(w->out), 0};

        left = ZSTD_compressStream2(w->zstd, &out, &in, end);
        if (ZSTD_isError(left)) {
            return -ENOMEM;
        }
        int rc = put_plain(w, w->out, out.pos);

        if (rc) {
            return rc;
        }
    } while (in.pos < n || (end == ZSTD_e_end && left));
    return 0;
}

static int put(struct writer *w, const void *bytes, size_t n)
{
    return w->zstd ? put_zstd(w, bytes, n, ZSTD_e_continue) : put_plain(w, bytes, n);
}

static void store_le(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static int put_chunk(struct writer *w, size_t n)
{
    unsigned char head[PACK_CHUNK_HEAD];

    store_le(head, n, 4);
    store_le(head + 4, (uint32_t)crc32(0, w->chunk, (uInt)n), 4);
    int rc = put(w, head, sizeof(head));

    return rc ? rc : put(w, w->chunk, n);
}

/* n elements of the given width; get() tells each. */
static int put_section(struct writer *w, const struct trace *t, uint64_t n, unsigned width,
                       uint64_t (*get)(const struct trace *t, uint64_t i))
{
    size_t per_chunk = PACK_CHUNK_BYTES / width;
    int rc = 0;

    for (uint64_t at = 0; at < n && !rc;) {
        size_t piece = n - at < per_chunk ? (size_t)(n - at) : per_chunk;

        for (size_t i = 0; i < piece; i++) {
            store_le(w->chunk + i * width, get(t, at + i), width);
        }
        rc = put_chunk(w, piece * width);
        at += piece;
    }
    return rc;
}

static uint64_t get_id(const struct trace *t, uint64_t i)
{
    return t->ids[i];
}

static uint64_t get_channel(const struct trace *t, uint64_t i)
{
    return t->channels[i];
}

static uint64_t get_size(const struct trace *t, uint64_t i)
{
    return t->sizes[i];
}

static unsigned id_bytes(uint32_t nr_ids)
{
    unsigned bytes = 1;

    while (bytes < 4 && (nr_ids - 1) >> 8 * bytes) {
        bytes++;
    }
    return bytes;
}

static int put_header(struct writer *w, const struct trace *t)
{
    unsigned char head[PACK_HEAD] = PACK_MAGIC;

    store_le(head + 8, PACK_VERSION, 4);
    store_le(head + 12, (t->channels ? PACK_HAS_CHANNELS : 0u) | (t->sizes ? PACK_HAS_SIZES : 0u), 4);
    store_le(head + 16, t->nr_requests, 8);
    store_le(head + 24, t->nr_ids, 8);
    store_le(head + 32, t->nr_resized, 8);
    store_le(head + 40, t->nr_skipped, 8);
    head[48] = (unsigned char)id_bytes(t->nr_ids);
    store_le(head + 52, (uint32_t)crc32(0, head, 52), 4);
    return put(w, head, sizeof(head));
}

static int put_all(struct writer *w, const struct trace *t)
{
    int rc = put_header(w, t);

    if (!rc) {
        rc = put_section(w, t, t->nr_requests, id_bytes(t->nr_ids), get_id);
    }
    if (!rc && t->channels) {
        rc = put_section(w, t, t->nr_requests, 1, get_channel);
    }
    if (!rc && t->sizes) {
        rc = put_section(w, t, t->nr_ids, 8, get_size);
    }
    if (!rc) {
        rc = put_chunk(w, 0);
    }
    return !rc && w->zstd ? put_zstd(w, "", 0, ZSTD_e_end) : rc;
}

static bool is_zst(const char *path)
{
    size_t n = strlen(path);

    return n >= 4 && strcmp(path + n - 4, ".zst") == 0;
}

static int writer_init(struct writer *w, const char *path, int file)
{
    w->file = fdopen(file, "wb");
    w->chunk = malloc(PACK_CHUNK_BYTES);
    if (!w->file || !w->chunk) {
        return -ENOMEM;
    }
    if (is_zst(path)) {
        w->zstd = ZSTD_createCStream();
        if (!w->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1))) {
            return -ENOMEM;
        }
    }
    return 0;
}

int pack_write(const struct trace *t, const char *path, bool replace, struct trace_error *error)
{
    struct writer w = {0};
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0666);

    if (file < 0) {
        int code = errno;
        return trace_fail(error, -code, "%s: %s", path, strerror(code));
    }
    int rc = writer_init(&w, path, file);

    if (!rc) {
        rc = put_all(&w, t);
    }
    if (!w.file) {
        close(file);
    } else if (fclose(w.file) && !rc) {
        rc = errno ? -errno : -EIO;
    }
    ZSTD_freeCStream(w.zstd);
    free(w.chunk);
    if (rc) {
        unlink(path);
        return trace_fail(error, rc, "%s: %s", path, strerror(-rc));
    }
    return 0;
}
