/* SPDX-License-Identifier: MIT */
/*
 * load.h - loading into a sink that others fill as well (`chain`), and what formats take
 */
#ifndef GENLRU_BENCH_TRACE_LOAD_H
#define GENLRU_BENCH_TRACE_LOAD_H

#include "trace/reader.h"

/* Adds a file's requests. options not NULL. 0, or a negative errno with *error set. */
int load_into(struct sink *sink, const char *path, const struct trace_options *options, struct trace_error *error);

/* Parameters of a format ("block=512"; NULL = none given). -EINVAL with *error set. */
int load_how(enum trace_format format, const char *text, struct reader_how *ret, struct trace_error *error);

#endif
