/* SPDX-License-Identifier: MIT */
/*
 * error.h - what went wrong with a trace, as one sentence with file and line
 */
#ifndef GENLRU_BENCH_TRACE_ERROR_H
#define GENLRU_BENCH_TRACE_ERROR_H

/* "FILE: reason" or "FILE:LINE: reason"; long file names are cut. */
struct trace_error {
    char text[1024];
};

/* Writes the text and returns `code`, so that a failing function can `return trace_fail(…)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int trace_fail(struct trace_error *error, int code, const char *format, ...);

#endif
