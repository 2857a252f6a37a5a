/* SPDX-License-Identifier: MIT */
/*
 * format.h - what one line of a trace says
 */
#ifndef GENLRU_BENCH_TRACE_FORMAT_H
#define GENLRU_BENCH_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/lines.h"
#include "trace/trace.h"

struct request {
    const char *key; /* into the line */
    size_t key_len;  /* > 0 */
    uint64_t size;   /* csv only */
};

/* TEXT or CSV, from the name or the first line. */
enum trace_format format_detect(const char *path, const struct line *first);

/* 0, or -EINVAL with *ret_reason saying what is wrong with the line. Pure. */
int format_parse(enum trace_format format, const struct line *line, struct request *ret,
                 const char **ret_reason);

#endif
