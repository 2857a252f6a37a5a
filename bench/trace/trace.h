/* SPDX-License-Identifier: MIT */
/*
 * trace.h - a trace in memory: the requests as dense ids
 *
 *      file ─▶ input (zstd, gzip) ─▶ reader of a format ─▶ sink (keymap) ─▶ ids[0 … nr_requests)
 *                                           generator ─────┘
 *
 * docs/traces.md describes the formats, and how the format of a file is found.
 *
 * A trace is all or nothing: any malformed line or record fails the load.
 */
#ifndef GENLRU_BENCH_TRACE_TRACE_H
#define GENLRU_BENCH_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"
#include "trace/error.h"

/*
 * Distinct keys of one trace. Ids stay clear of the top values, which policies use for list heads.
 */
#define TRACE_IDS_MAX (UINT32_MAX - 64)

struct trace {
    char *name;           /* file name without folder and known extensions */
    uint32_t *ids;        /* nr_requests of them, 4 bytes each */
    uint64_t nr_requests; /* > 0, prefetches included */
    uint32_t nr_ids;      /* distinct keys; ids are 0 … nr_ids-1 in order of first appearance */
    uint64_t *sizes;      /* bytes of each id as first seen; NULL = the format has none */
    uint64_t nr_resized;  /* requests that gave another size than the key's first, which was kept */

    uint8_t *channels;       /* enum policy_channel of each request; NULL = POLICY_READ, all of them */
    uint64_t nr_prefetches;  /* requests that are POLICY_PREFETCH: nobody waits for them */
    uint32_t nr_first_touch; /* ids that are not prefetched first, so the first demand must miss */
    bool is_plain;           /* no channel but POLICY_READ and POLICY_WRITE */
    uint64_t nr_skipped;     /* records that ask for no object (deletions, PING …) */
};

/* The formats; AUTO finds out. The order is that of trace_format_name. */
enum trace_format {
    TRACE_FORMAT_AUTO,
    TRACE_FORMAT_TEXT,
    TRACE_FORMAT_CSV,
    TRACE_FORMAT_ARC,
    TRACE_FORMAT_ORACLE_GENERAL,
    TRACE_FORMAT_LIBCACHESIM_CSV,
    TRACE_FORMAT_VSCSI,
    TRACE_FORMAT_TWITTER,
    TRACE_FORMAT_MSR,
    TRACE_FORMAT_REDIS,
    TRACE_FORMAT_MEMCACHED,
    TRACE_FORMAT_GENLRU,
    TRACE_NR_FORMATS
};

struct trace_options {
    enum trace_format format;
    const char *format_params; /* "block=512": parameters of the format; NULL = defaults */
    /*
     * Called now and then while loading: file bytes read and the file's size (0 = unknown). NULL =
     * not.
     */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
};

/* 0 if there is a format of that name ("auto", "text" …), else -EINVAL. */
int trace_format_find(const char *name, enum trace_format *ret);
/* The name and one line about it; NULL past the end. */
const char *trace_format_name(enum trace_format format);
const char *trace_format_what(enum trace_format format);
/* Whether the format takes these parameters; -EINVAL with *error set. */
int trace_format_check(enum trace_format format, const char *params, struct trace_error *error);

/*
 * Loads a file. options NULL = defaults. 0, or a negative errno with *error set and *ret untouched:
 * -ENOENT and what else opening and reading may say, -ENOMEM, -EINVAL (malformed, empty, broken
 * compression), -ENOSPC (too many distinct keys). Memory: 4 bytes a request (5 with channels), and
 * while loading 16 … 51 bytes a distinct number.
 */
int trace_load(const char *path, const struct trace_options *options, struct trace **ret, struct trace_error *error);
/* NULL is allowed. */
void trace_destroy(struct trace *trace);

#endif
