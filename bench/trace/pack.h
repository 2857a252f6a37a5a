/* SPDX-License-Identifier: MIT */
/*
 * pack.h - genlru's own binary form of a trace, for fast replay
 *
 *      header  magic (8 bytes), u32 version, u32 flags, u64 requests, u64 ids, u64 resized,
 *              u64 skipped, u8 bytes an id, 3 bytes zero, u32 crc of all before it   (56 bytes)
 *      chunks  u32 payload bytes, u32 crc of the payload, payload
 *              first the ids of all requests (little endian, as few bytes as the largest needs),
 *              then, if there are some, a byte a request for the channel, then 8 bytes an id for the
 *              sizes; a chunk holds whole elements of one kind, at most 1 MiB
 *      end     a chunk header with payload bytes 0 and crc of nothing: nothing may follow
 *
 * All numbers are little endian. crc is CRC-32 (RFC 1952). Ids are dense and in order of first
 * appearance, which the reader checks, so that a damaged or forged file cannot break a policy. The
 * keys themselves are gone. The whole may be zstd- or gzip-compressed like any trace.
 */
#ifndef GENLRU_BENCH_TRACE_PACK_H
#define GENLRU_BENCH_TRACE_PACK_H

#include "trace/input.h"
#include "trace/trace.h"

#define PACK_VERSION 1
#define PACK_EXTENSION ".gtrace"

/*
 * Writes the trace to a file, which must not exist unless `replace`; zstd-compressed if the name ends
 * in .zst. 0 or a negative errno with *error set; what was written of it is removed then.
 */
int pack_write(const struct trace *trace, const char *path, bool replace, struct trace_error *error);

/* Whether a file begins so. */
bool pack_claims(const unsigned char *bytes, size_t n);

/* Reads the whole input. 0, or a negative errno with *error set and *ret untouched. */
int pack_read(struct input *in, const char *path, const struct trace_options *options, struct trace **ret,
              struct trace_error *error);

#endif
