/* SPDX-License-Identifier: MIT */
/*
 * reader.h - what every format has to say for itself; the list of formats is readers.c
 */
#ifndef GENLRU_BENCH_TRACE_READER_H
#define GENLRU_BENCH_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/input.h"
#include "trace/lines.h"
#include "trace/sink.h"
#include "trace/spec.h"

/* Parameters of a format, in this order; those a format does not take are at their defaults. */
struct reader_how {
    uint64_t block;      /* bytes of a block; 0 = a record is one request */
    uint64_t key_column; /* from 1; 0 = found by itself */
    uint64_t size_column;
};

/* A file being read. */
struct reading {
    const char *path;
    struct reader_how how;
    struct input *in; /* NULL once the lines have it */
    struct lines *lines;
    struct sink *sink;
    struct trace_error *error;
    void (*progress)(struct reading *r); /* to be called every now and then */
    const struct trace_options *options;
    /* Of single formats. */
    uint64_t columns;    /* libcachesim-csv: 0 = the first line is still to come */
    struct disks *disks; /* msr */
};

/* What is known of a file when its format is looked for. */
struct head {
    const unsigned char *bytes; /* the first ones, unpacked */
    size_t nr;
    bool is_all;       /* there are no more */
    struct line first; /* the first line (cut where the head ends) without CR and byte-order mark */
};

struct reader {
    const char *name;
    const char *what;       /* one line for people */
    const char *extensions; /* " .lis .foo " or NULL: a name that ends so is of this format */
    bool has_sizes;
    bool takes_block;
    bool takes_columns;
    bool (*claims)(const struct head *head); /* NULL = never by content */
    /* Formats of lines: one line into the sink. 0; -EINVAL with *ret_reason; what the sink says. */
    int (*line)(struct reading *r, const struct line *line, const char **ret_reason);
    /* Others: the whole file. 0, or negative errno with r->error set. */
    int (*read)(struct reading *r);
};

extern const struct reader reader_text;
extern const struct reader reader_csv;
extern const struct reader reader_arc;
extern const struct reader reader_oracle_general;
extern const struct reader reader_libcachesim_csv;
extern const struct reader reader_vscsi;
extern const struct reader reader_twitter;
extern const struct reader reader_msr;
extern const struct reader reader_redis;
extern const struct reader reader_memcached;
extern const struct reader reader_genlru;

/* NULL for AUTO and past the end. */
const struct reader *reader_of(enum trace_format format);
/* By name, then by content; text if nothing else fits. */
enum trace_format reader_detect(const char *path, const struct head *head);
/* Looks at the input without taking anything. */
void reader_head(struct input *in, struct head *ret);

/* ---- for the readers ---- */

/* A piece of a line. */
struct field {
    const char *text;
    size_t len;
};

/* Decimal digits only. 0, -EINVAL (something else), -ERANGE (2^64 or more). */
int field_number(struct field f, uint64_t *ret);
bool field_is_number(struct field f);
bool field_is(struct field f, const char *text); /* whatever the case */
/* Cuts at the delimiter. Returns how many fields there are; only max of them are written. */
size_t field_split(const struct line *line, char delimiter, struct field *fields, size_t max);

/* Blocks one record may touch: 4 GiB in blocks of 4 KiB. More is no sane record. */
#define READER_BLOCKS_MAX (UINT64_C(1) << 20)

/*
 * The blocks of a record that touches bytes [offset, offset + bytes) of the disk of that number.
 * 0, -EINVAL with *ret_reason, what the sink says.
 */
int reader_extent(struct reading *r, uint64_t disk, uint64_t offset, uint64_t bytes, enum policy_channel channel,
                  const char **ret_reason);

/* Fails with "PATH: at byte N: reason". */
int reader_fail_at(struct reading *r, uint64_t at, int rc, const char *reason);

/*
 * Records of a fixed size, read in large pieces; record() is called with each and its position. A
 * rest shorter than a record is an error.
 */
int reader_records(struct reading *r, size_t bytes,
                   int (*record)(struct reading *r, const unsigned char *record, const char **ret_reason));

static inline uint16_t load_le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load_le64(const unsigned char *p)
{
    return load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

#endif
