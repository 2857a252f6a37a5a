/* SPDX-License-Identifier: MIT */
/*
 * files.c - see files.h
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char folder[] = "/tmp/genlru-trace-XXXXXX";
static char path[512];

void files_make(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

const char *files_path(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

void files_remove(void)
{
    DIR *dir = opendir(folder);

    cr_assert_not_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            remove(files_path(e->d_name));
        }
    }
    closedir(dir);
    rmdir(folder);
}

static const char *write_parts(const char *name, const void *data, size_t len, const char *tail)
{
    FILE *f = fopen(files_path(name), "wb");

    cr_assert_not_null(f);
    cr_assert_eq(fwrite(data, 1, len, f), len);
    fputs(tail, f);
    cr_assert_eq(fclose(f), 0);
    return path;
}

const char *files_write(const char *name, const void *data, size_t len)
{
    return write_parts(name, data, len, "");
}

const char *files_text(const char *name, const char *text)
{
    return write_parts(name, text, strlen(text), "");
}

const char *files_zstd(const char *name, const void *data, size_t len, size_t cut, const char *tail)
{
    size_t room = ZSTD_compressBound(len);
    char *packed = malloc(room);
    ZSTD_CCtx *ctx = ZSTD_createCCtx();

    cr_assert(packed && ctx);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(ctx, packed, room, data, len);

    cr_assert_not(ZSTD_isError(n));
    cr_assert_gt(n, cut);
    write_parts(name, packed, n - cut, tail);
    ZSTD_freeCCtx(ctx);
    free(packed);
    return path;
}

const char *files_gzip(const char *name, const void *data, size_t len, size_t cut, const char *tail)
{
    size_t room = compressBound((uLong)len) + 64;
    unsigned char *packed = malloc(room);
    unsigned char *copy = malloc(len ? len : 1);
    z_stream z = {0};

    cr_assert(packed && copy);
    memcpy(copy, data, len);
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = copy;
    z.avail_in = (uInt)len;
    z.next_out = packed;
    z.avail_out = (uInt)room;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t n = room - z.avail_out;

    deflateEnd(&z);
    cr_assert_gt(n, cut);
    write_parts(name, packed, n - cut, tail);
    free(packed);
    free(copy);
    return path;
}

unsigned char *files_read(const char *file, size_t *ret_len)
{
    FILE *f = fopen(file, "rb");
    unsigned char *bytes = malloc((size_t)1 << 24);

    cr_assert(f && bytes);
    *ret_len = fread(bytes, 1, (size_t)1 << 24, f);
    fclose(f);
    return bytes;
}
