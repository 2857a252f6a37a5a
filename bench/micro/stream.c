/* SPDX-License-Identifier: MIT */
/* Streams of ids: see stream.h. */
#include "micro/stream.h"

#include <errno.h>
#include <stdlib.h>

#include "gen/random.h"
#include "gen/zipf.h"
#include "micro/objects.h"

#define LENGTH_MAX ((size_t)4 << 20)

static int fill_zipf(struct stream *stream, size_t nr, double theta)
{
    uint32_t *scatter = objects_order(nr, 3);
    struct random random = {4};
    struct zipf zipf;

    if (!scatter) {
        return -ENOMEM;
    }
    zipf_init(&zipf, theta, nr);
    for (size_t i = 0; i < stream->nr; i++) {
        stream->ids[i] = scatter[zipf_next(&zipf, &random)];
    }
    free(scatter);
    return 0;
}

int stream_need(struct stream *stream, size_t nr, int theta)
{
    return stream_need_long(stream, nr, theta, theta == STREAM_ONE ? STREAM_CHUNK : nr < LENGTH_MAX ? nr : LENGTH_MAX);
}

int stream_need_long(struct stream *stream, size_t nr, int theta, size_t length)
{
    struct random random = {2};
    int error = 0;

    if (stream->ids) {
        return 0;
    }
    stream->nr = (length + STREAM_CHUNK - 1) / STREAM_CHUNK * STREAM_CHUNK;
    stream->ids = calloc(stream->nr, sizeof(*stream->ids));
    if (!stream->ids) {
        return -ENOMEM;
    }
    if (theta >= 0) {
        error = fill_zipf(stream, nr, theta / 100.0);
    } else if (theta == STREAM_UNIFORM) {
        for (size_t i = 0; i < stream->nr; i++) {
            stream->ids[i] = (uint32_t)random_below(&random, nr);
        }
    }
    if (error) {
        stream_fini(stream);
    }
    return error;
}

int stream_need_order(struct stream *stream, size_t nr)
{
    if (!stream->ids) {
        stream->ids = objects_order(nr, 5);
        stream->nr = nr / STREAM_CHUNK * STREAM_CHUNK;
    }
    return stream->ids ? 0 : -ENOMEM;
}

void stream_fini(struct stream *stream)
{
    free(stream->ids);
    stream->ids = NULL;
}

size_t stream_start(const struct stream *stream, unsigned thread, unsigned threads)
{
    return stream->nr / STREAM_CHUNK * thread / threads * STREAM_CHUNK;
}
