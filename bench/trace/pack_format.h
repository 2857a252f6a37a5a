/* SPDX-License-Identifier: MIT */
/*
 * pack_format.h - the constants of the packed form, for its two halves; the form is in pack.h
 */
#ifndef GENLRU_BENCH_TRACE_PACK_FORMAT_H
#define GENLRU_BENCH_TRACE_PACK_FORMAT_H

/* A byte above 127 and both kinds of line end: what a transfer as text breaks is not recognized. */
#define PACK_MAGIC                                  \
    {                                               \
        0x89, 'G', 'L', 'T', '\r', '\n', 0x1a, '\n' \
    }
#define PACK_HEAD 56
#define PACK_CHUNK_HEAD 8
#define PACK_CHUNK_BYTES ((size_t)1 << 20)

enum { PACK_HAS_CHANNELS = 1 << 0, PACK_HAS_SIZES = 1 << 1 };

#endif
