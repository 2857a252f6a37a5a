/* SPDX-License-Identifier: MIT */
/*
 * readers.c - the formats there are, and which one a file has
 *
 *      extension (before .zst, .gz)  ──▶ that format
 *      content, strictest first      ──▶ that format
 *      neither                       ──▶ text
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "trace/reader.h"

static const struct reader *const readers[TRACE_NR_FORMATS] = {
    [TRACE_FORMAT_TEXT] = &reader_text,
    [TRACE_FORMAT_CSV] = &reader_csv,
    [TRACE_FORMAT_ARC] = &reader_arc,
    [TRACE_FORMAT_ORACLE_GENERAL] = &reader_oracle_general,
    [TRACE_FORMAT_LIBCACHESIM_CSV] = &reader_libcachesim_csv,
    [TRACE_FORMAT_VSCSI] = &reader_vscsi,
    [TRACE_FORMAT_TWITTER] = &reader_twitter,
    [TRACE_FORMAT_MSR] = &reader_msr,
    [TRACE_FORMAT_REDIS] = &reader_redis,
    [TRACE_FORMAT_MEMCACHED] = &reader_memcached,
    [TRACE_FORMAT_GENLRU] = &reader_genlru,
};

/* Order of the claims: what cannot be mistaken first, what takes nearly anything last. */
static const enum trace_format by_content[] = {
    TRACE_FORMAT_GENLRU,          TRACE_FORMAT_VSCSI,          TRACE_FORMAT_REDIS, TRACE_FORMAT_MSR,
    TRACE_FORMAT_TWITTER,         TRACE_FORMAT_MEMCACHED,      TRACE_FORMAT_ARC,   TRACE_FORMAT_CSV,
    TRACE_FORMAT_LIBCACHESIM_CSV, TRACE_FORMAT_ORACLE_GENERAL,
};

const struct reader *reader_of(enum trace_format format)
{
    return format > TRACE_FORMAT_AUTO && format < TRACE_NR_FORMATS ? readers[format] : NULL;
}

const char *trace_format_name(enum trace_format format)
{
    const struct reader *reader = reader_of(format);

    return format == TRACE_FORMAT_AUTO ? "auto" : reader ? reader->name : NULL;
}

const char *trace_format_what(enum trace_format format)
{
    const struct reader *reader = reader_of(format);

    return format == TRACE_FORMAT_AUTO ? "by the file's name and first bytes" : reader ? reader->what : NULL;
}

int trace_format_find(const char *name, enum trace_format *ret)
{
    for (int i = 0; i < TRACE_NR_FORMATS; i++) {
        if (strcmp(name, trace_format_name((enum trace_format)i)) == 0) {
            *ret = (enum trace_format)i;
            return 0;
        }
    }
    return -EINVAL;
}

/* Length of the path without what compression added to it. */
static size_t unpacked_length(const char *path)
{
    size_t n = strlen(path);

    if (n >= 4 && strcmp(path + n - 4, ".zst") == 0) {
        return n - 4;
    }
    return n >= 3 && strcmp(path + n - 3, ".gz") == 0 ? n - 3 : n;
}

/* Whether the path ends with one of a list " .a .b ". */
static bool has_extension(const char *path, const char *list)
{
    size_t n = unpacked_length(path);

    while (*list) {
        size_t blanks = strspn(list, " ");
        size_t m = strcspn(list + blanks, " ");

        if (m && n > m && strncmp(path + n - m, list + blanks, m) == 0) {
            return true;
        }
        list += blanks + m;
    }
    return false;
}

enum trace_format reader_detect(const char *path, const struct head *head)
{
    for (int i = 1; i < TRACE_NR_FORMATS; i++) {
        if (readers[i]->extensions && has_extension(path, readers[i]->extensions)) {
            return (enum trace_format)i;
        }
    }
    for (size_t i = 0; i < sizeof(by_content) / sizeof(by_content[0]); i++) {
        if (readers[by_content[i]]->claims(head)) {
            return by_content[i];
        }
    }
    /* A malformed first line of what is named .csv should be told as such. */
    return has_extension(path, ".csv") ? TRACE_FORMAT_CSV : TRACE_FORMAT_TEXT;
}

void reader_head(struct input *in, struct head *ret)
{
    size_t n = input_peek(in, &ret->bytes);
    const char *text = (const char *)ret->bytes;
    size_t skip = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *newline = n ? memchr(text, '\n', n) : NULL;
    size_t len = newline ? (size_t)(newline - text) : n;

    len -= len > skip && text[len - 1] == '\r';
    ret->nr = n;
    ret->is_all = n < INPUT_PEEK;
    ret->first = (struct line){.text = text + skip, .len = len - skip, .number = 1};
}

/* ---- fields ---- */

int field_number(struct field f, uint64_t *ret)
{
    uint64_t value = 0;
    bool too_big = false;

    if (f.len == 0) {
        return -EINVAL;
    }
    for (size_t i = 0; i < f.len; i++) {
        unsigned digit = (unsigned)(unsigned char)f.text[i] - '0';

        if (digit > 9) {
            return -EINVAL;
        }
        too_big |= value > (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    if (too_big) {
        return -ERANGE;
    }
    *ret = value;
    return 0;
}

bool field_is_number(struct field f)
{
    uint64_t ignored;

    return field_number(f, &ignored) == 0;
}

bool field_is(struct field f, const char *text)
{
    return strlen(text) == f.len && strncasecmp(f.text, text, f.len) == 0;
}

size_t field_split(const struct line *line, char delimiter, struct field *fields, size_t max)
{
    const char *at = line->text;
    const char *end = line->text + line->len;
    size_t n = 0;

    for (;;) {
        const char *cut = at < end ? memchr(at, delimiter, (size_t)(end - at)) : NULL;

        if (n < max) {
            fields[n] = (struct field){at, (size_t)((cut ? cut : end) - at)};
        }
        n++;
        if (!cut) {
            return n;
        }
        at = cut + 1;
    }
}

/* ---- records ---- */

int reader_extent(struct reading *r, uint64_t disk, uint64_t offset, uint64_t bytes, enum policy_channel channel,
                  const char **ret_reason)
{
    uint64_t block = r->how.block;
    int rc = 0;

    if (bytes == 0) {
        sink_skip(r->sink);
        return 0;
    }
    if (bytes > UINT64_MAX - offset) {
        *ret_reason = "the record ends beyond 2^64 bytes";
        return -EINVAL;
    }
    uint64_t first = block ? offset / block : offset;
    uint64_t last = block ? (offset + bytes - 1) / block : offset;

    if (last - first >= READER_BLOCKS_MAX) {
        *ret_reason = "the record touches more than 1048576 blocks";
        return -EINVAL;
    }
    if (last >> 48) {
        *ret_reason = block ? "the block number is 2^48 or more" : "the offset is 2^48 or more";
        return -EINVAL;
    }
    for (uint64_t at = first; at <= last && !rc; at++) {
        rc = sink_number(r->sink, disk << 48 | at, block ? block : bytes, channel);
    }
    return rc;
}

int reader_fail_at(struct reading *r, uint64_t at, int rc, const char *reason)
{
    return trace_fail(r->error, rc, "%s: at byte %llu: %s", r->path, (unsigned long long)at, reason);
}

int reader_records(struct reading *r, size_t bytes,
                   int (*record)(struct reading *r, const unsigned char *record, const char **ret_reason))
{
    unsigned char buf[1 << 16];
    const char *reason = NULL;
    uint64_t at = 0; /* of buf[0] in the unpacked file */
    size_t have = 0;

    for (unsigned piece = 0;; piece++) {
        ssize_t got = input_read(r->in, buf + have, sizeof(buf) - have, &reason);
        size_t used = 0;

        if (got < 0) {
            return reader_fail_at(r, at + have, (int)got, reason);
        }
        if (got == 0) {
            return have ? reader_fail_at(r, at, -EINVAL, "the record is cut off") : 0;
        }
        have += (size_t)got;
        for (; have - used >= bytes; used += bytes) {
            int rc = record(r, buf + used, &reason);

            if (rc) {
                return reader_fail_at(r, at + used, rc, rc == -EINVAL ? reason : sink_reason(rc));
            }
        }
        memmove(buf, buf + used, have - used);
        have -= used;
        at += used;
        if (piece % 8 == 0) {
            r->progress(r);
        }
    }
}
