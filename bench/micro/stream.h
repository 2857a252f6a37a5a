/* SPDX-License-Identifier: MIT */
/*
 * stream.h - which objects are hit, in which order, made before the clock starts
 */
#ifndef GENLRU_BENCH_MICRO_STREAM_H
#define GENLRU_BENCH_MICRO_STREAM_H

#include <stddef.h>
#include <stdint.h>

#define STREAM_CHUNK ((size_t)1024) /* a stream's length is a multiple of it */

struct stream {
    uint32_t *ids;
    size_t nr;
};

enum { STREAM_ONE = -2, STREAM_UNIFORM = -1 };

/* Nothing made yet: whatever the filter leaves out needs none. */
#define STREAM_NONE \
    {               \
        NULL, 0     \
    }

/*
 * Objects 0 … nr-1: one of them always, all alike, or by zipf's law with a skew of theta/100, the popular ones
 * scattered over the memory. Does nothing if it is made already. 0 or -ENOMEM.
 */
int stream_need(struct stream *stream, size_t nr, int theta);
/* The same, of so many requests: where one that comes round again, in the same order, would be another load. */
int stream_need_long(struct stream *stream, size_t nr, int theta, size_t length);
/* Each object once, in a random order; the rest that is no whole chunk left out. */
int stream_need_order(struct stream *stream, size_t nr);
void stream_fini(struct stream *stream);

/* Where thread `thread` of `threads` begins: a multiple of STREAM_CHUNK. */
size_t stream_start(const struct stream *stream, unsigned thread, unsigned threads);

/* The next chunk; round and round. */
static inline const uint32_t *stream_next(const struct stream *stream, size_t *position)
{
    const uint32_t *ids = stream->ids + *position;

    *position = *position + STREAM_CHUNK < stream->nr ? *position + STREAM_CHUNK : 0;
    return ids;
}

#endif
