/* SPDX-License-Identifier: MIT */
/*
 * trace.h - a trace in memory: the requests as dense ids
 *
 *      file ─▶ input (zstd) ─▶ lines ─▶ format (key, size) ─▶ keymap ─▶ ids[0 … nr_requests)
 *
 * Formats
 *   text  one key a line; a key is any bytes but LF and NUL
 *   csv   `key,size` a line; size is the object's bytes, a decimal number below 2^64
 *
 * Detection: a name that ends in .csv or .txt (before .zst) says it; else the first line does:
 * `anything,digits` with one comma is csv. There is no header line and no comment.
 *
 * A trace is all or nothing: any malformed line fails the load.
 */
#ifndef GENLRU_BENCH_TRACE_TRACE_H
#define GENLRU_BENCH_TRACE_TRACE_H

#include <stdint.h>

#include "trace/error.h"

/*
 * Distinct keys of one trace. Ids stay clear of the top values, which policies use for list heads.
 */
#define TRACE_IDS_MAX (UINT32_MAX - 64)

struct trace {
    char *name;           /* file name without folder, .zst, .txt, .csv */
    uint32_t *ids;        /* nr_requests of them, 4 bytes each */
    uint64_t nr_requests; /* > 0 */
    uint32_t nr_ids;      /* distinct keys; ids are 0 … nr_ids-1 in order of first appearance */
    uint64_t *sizes;      /* bytes of each id as first seen; NULL = the format has none */
    uint64_t nr_resized;  /* requests that gave another size than the key's first, which was kept */
};

enum trace_format { TRACE_FORMAT_AUTO, TRACE_FORMAT_TEXT, TRACE_FORMAT_CSV };

struct trace_options {
    enum trace_format format;
    /*
     * Called now and then while loading: file bytes read and the file's size (0 = unknown). NULL =
     * not.
     */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
};

/* 0 if there is a format of that name ("auto", "text", "csv"), else -EINVAL. */
int trace_format_find(const char *name, enum trace_format *ret);

/*
 * Loads a file. options NULL = defaults. 0, or a negative errno with *error set and *ret untouched:
 * -ENOENT and what else opening and reading may say, -ENOMEM, -EINVAL (malformed, empty, broken
 * compression), -ENOSPC (too many distinct keys). Memory: 4 bytes a request, and while loading 16 …
 * 51 bytes a distinct number.
 */
int trace_load(const char *path, const struct trace_options *options, struct trace **ret,
               struct trace_error *error);
/* NULL is allowed. */
void trace_destroy(struct trace *trace);

#endif
