/* SPDX-License-Identifier: MIT */
/*
 * spec.h - the text that names a generator or a format, with parameters
 *
 *      zipf:theta=0.9,keys=1000000,requests=10M          msr:block=512
 *      ^^^^ ^^^^^^^^^
 *      name parameter = value; which there are says a list, with ranges and defaults
 *
 * Numbers may carry k, M or G (powers of 1000): 10M is 10000000.
 */
#ifndef GENLRU_BENCH_TRACE_SPEC_H
#define GENLRU_BENCH_TRACE_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "trace/error.h"

enum spec_kind {
    SPEC_COUNT, /* a whole number */
    SPEC_REAL,  /* a decimal number */
    SPEC_TEXT,  /* anything without a comma; only its default is text */
};

/* One parameter that the named thing takes. */
struct spec_param {
    const char *name; /* NULL ends a list */
    enum spec_kind kind;
    const char *fallback; /* the default, as one would write it; NULL = must be given */
    double least;         /* of numbers, inclusive */
    double most;
    const char *what; /* one line for people */
};

struct spec_value {
    uint64_t count;
    double real;
    char text[256];
};

/*
 * Reads "a=1,b=2" into values[], one for each of params, those not mentioned by their defaults. 0,
 * or -EINVAL with *error set ("OWNER: reason"); values are then undefined.
 */
int spec_parse(const char *owner, const char *text, const struct spec_param *params, struct spec_value *values,
               struct trace_error *error);

#endif
