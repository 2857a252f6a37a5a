/* SPDX-License-Identifier: MIT */
/*
 * lines.h - the lines of a trace file, with their numbers
 *
 * A line ends with LF or CR LF, the last one also with the end of the file. A byte-order mark in
 * front of the first line is dropped. A NUL byte, a line of more than LINES_MAX_BYTES, and whatever
 * input.h refuses is an error with file and line number.
 */
#ifndef GENLRU_BENCH_TRACE_LINES_H
#define GENLRU_BENCH_TRACE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/error.h"

/* Longest key anyone uses (URLs of 8 KiB) with much to spare, yet a bound for binary files. */
#define LINES_MAX_BYTES 65536

struct lines;

struct line {
    const char *text; /* len bytes, not terminated; valid until the next call */
    size_t len;
    uint64_t number; /* from 1 */
};

struct input;

int lines_open(const char *path, struct lines **ret, struct trace_error *error);
/* Of an input that is open already; it is closed with the lines, and at once on failure. */
int lines_wrap(struct input *in, const char *path, struct lines **ret, struct trace_error *error);
void lines_close(struct lines *lines);

/* 1 = *ret is the next line, 0 = no more, negative errno with *error set. */
int lines_next(struct lines *lines, struct line *ret, struct trace_error *error);

/*
 * A fast lane beside lines_next: takes the lines that are one plain decimal number each (as keymap.h
 * has it, at most 19 digits), or with sizes not NULL two with a comma between, up to max of them,
 * as far as they are in the buffer. Returns how many; 0 says nothing, lines_next goes on.
 */
size_t lines_numbers(struct lines *lines, uint64_t *keys, uint64_t *sizes, size_t max);

/* The number of the last line delivered. */
uint64_t lines_number(const struct lines *lines);

/* As input_position and input_size: for a progress bar. */
uint64_t lines_position(const struct lines *lines);
uint64_t lines_size(const struct lines *lines);

#endif
