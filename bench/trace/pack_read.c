/* SPDX-License-Identifier: MIT */
/*
 * pack_read.c - the reading half of pack.h: nothing the file says is believed before it is checked
 *
 * Arrays grow with what was read, not with what the header promises.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/pack.h"
#include "trace/pack_format.h"
#include "trace/reader.h"

struct unpacking {
    struct input *in;
    const char *path;
    const struct trace_options *options;
    struct trace_error *error;
    uint64_t at; /* bytes of the unpacked file used */
    struct trace *trace;
    uint64_t nr_requests; /* as the header has them */
    uint64_t nr_ids;
    unsigned flags;
    unsigned id_bytes;
    uint32_t seen; /* distinct ids so far */
    unsigned char *chunk;
};

bool pack_claims(const unsigned char *bytes, size_t n)
{
    static const unsigned char magic[8] = PACK_MAGIC;

    return n >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

static int fail(struct unpacking *u, int rc, const char *reason)
{
    return trace_fail(u->error, rc, "%s: at byte %llu: %s", u->path, (unsigned long long)u->at, reason);
}

/* Exactly n bytes. */
static int take(struct unpacking *u, unsigned char *buf, size_t n)
{
    size_t have = 0;

    while (have < n) {
        const char *reason = NULL;
        ssize_t got = input_read(u->in, buf + have, n - have, &reason);

        if (got < 0) {
            return fail(u, (int)got, reason);
        }
        if (got == 0) {
            return fail(u, -EINVAL, "the file ends early");
        }
        have += (size_t)got;
    }
    return 0;
}

static int take_header(struct unpacking *u)
{
    unsigned char head[PACK_HEAD];
    int rc = take(u, head, sizeof(head));

    if (rc) {
        return rc;
    }
    if (!pack_claims(head, sizeof(head))) {
        return fail(u, -EINVAL, "it does not begin as a converted trace");
    }
    if (load_le32(head + 8) != PACK_VERSION) {
        return fail(u, -EINVAL, "the form's version is not 1, the one this program knows");
    }
    if (load_le32(head + 52) != (uint32_t)crc32(0, head, 52)) {
        return fail(u, -EINVAL, "the header is damaged");
    }
    u->flags = load_le32(head + 12);
    u->nr_requests = load_le64(head + 16);
    u->nr_ids = load_le64(head + 24);
    u->trace->nr_resized = load_le64(head + 32);
    u->trace->nr_skipped = load_le64(head + 40);
    u->id_bytes = head[48];
    if (u->flags & ~(unsigned)(PACK_HAS_CHANNELS | PACK_HAS_SIZES) || u->nr_requests == 0 || u->nr_ids == 0 ||
        u->nr_ids > TRACE_IDS_MAX || u->nr_ids > u->nr_requests || u->id_bytes < 1 || u->id_bytes > 4) {
        return fail(u, -EINVAL, "the header makes no sense");
    }
    u->at += sizeof(head);
    return 0;
}

/* The next chunk's payload; *ret is its length. */
static int take_chunk(struct unpacking *u, size_t *ret)
{
    unsigned char head[PACK_CHUNK_HEAD];
    int rc = take(u, head, sizeof(head));

    if (rc) {
        return rc;
    }
    size_t n = load_le32(head);

    if (n > PACK_CHUNK_BYTES) {
        return fail(u, -EINVAL, "the chunk is damaged");
    }
    rc = take(u, u->chunk, n);
    if (rc) {
        return rc;
    }
    if (load_le32(head + 4) != (uint32_t)crc32(0, u->chunk, (uInt)n)) {
        return fail(u, -EINVAL, "the chunk is damaged");
    }
    *ret = n;
    return 0;
}

/* The first `nr` of the trace's ids are known; these come behind. False if one is out of order. */
static bool add_ids(struct unpacking *u, const unsigned char *p, size_t n, uint64_t nr)
{
    uint32_t *ids = u->trace->ids + nr;
    uint32_t seen = u->seen;

    for (size_t i = 0; i < n; i++, p += u->id_bytes) {
        uint32_t id = p[0];

        switch (u->id_bytes) {
        case 4:
            id |= (uint32_t)p[3] << 24;
            /* fallthrough */
        case 3:
            id |= (uint32_t)p[2] << 16;
            /* fallthrough */
        case 2:
            id |= (uint32_t)p[1] << 8;
            break;
        default:
            break;
        }
        if (id > seen || id >= u->nr_ids) {
            return false;
        }
        seen += id == seen;
        ids[i] = id;
    }
    u->seen = seen;
    return true;
}

static bool add_channels(struct unpacking *u, const unsigned char *p, size_t n, uint64_t nr)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] > POLICY_PREFETCH) {
            return false;
        }
        u->trace->nr_prefetches += p[i] == POLICY_PREFETCH;
        u->trace->is_plain &= p[i] <= POLICY_WRITE;
    }
    memcpy(u->trace->channels + nr, p, n);
    return true;
}

static bool add_sizes(struct unpacking *u, const unsigned char *p, size_t n, uint64_t nr)
{
    for (size_t i = 0; i < n; i++) {
        u->trace->sizes[nr + i] = load_le64(p + 8 * i);
    }
    return true;
}

/*
 * A section of n elements: `width` bytes each in the file, `size` in the array at *array. Progress
 * is told with every chunk.
 */
static int take_section(struct unpacking *u, uint64_t n, size_t width, void *array, size_t size,
                        bool (*add)(struct unpacking *u, const unsigned char *p, size_t n, uint64_t nr))
{
    uint64_t room = 0;

    for (uint64_t nr = 0; nr < n;) {
        size_t bytes = 0;
        int rc = take_chunk(u, &bytes);

        if (rc) {
            return rc;
        }
        size_t more = bytes / width;

        if (bytes == 0 || bytes % width || more > n - nr) {
            return fail(u, -EINVAL, "the chunk is not as long as its section wants");
        }
        if (nr + more > room) {
            void *old;
            void *bigger;

            room = room ? 2 * room : PACK_CHUNK_BYTES;
            room = room < nr + more ? nr + more : room > n ? n : room;
            memcpy(&old, array, sizeof(old));
            bigger = room <= SIZE_MAX / size ? realloc(old, (size_t)room * size) : NULL;
            if (!bigger) {
                return fail(u, -ENOMEM, strerror(ENOMEM));
            }
            memcpy(array, &bigger, sizeof(bigger));
        }
        if (!add(u, u->chunk, more, nr)) {
            return fail(u, -EINVAL, "the chunk holds what cannot be");
        }
        nr += more;
        u->at += PACK_CHUNK_HEAD + bytes;
        if (u->options->progress) {
            u->options->progress(u->options->progress_ctx, input_position(u->in), input_size(u->in));
        }
    }
    return 0;
}

static int take_end(struct unpacking *u)
{
    const char *reason = NULL;
    size_t bytes = 0;
    unsigned char more;
    int rc = take_chunk(u, &bytes);

    if (rc) {
        return rc;
    }
    if (bytes) {
        return fail(u, -EINVAL, "there is one chunk too many");
    }
    u->at += PACK_CHUNK_HEAD;
    ssize_t got = input_read(u->in, &more, 1, &reason);

    if (got < 0) {
        return fail(u, (int)got, reason);
    }
    return got ? fail(u, -EINVAL, "something follows the end") : 0;
}

/* Ids whose first request is not a prefetch. */
static uint32_t count_first_touch(const struct trace *t)
{
    uint32_t seen = 0;
    uint32_t n = 0;

    for (uint64_t i = 0; i < t->nr_requests; i++) {
        if (t->ids[i] == seen) {
            n += t->channels[i] != POLICY_PREFETCH;
            seen++;
        }
    }
    return n;
}

static int take_all(struct unpacking *u)
{
    struct trace *t = u->trace;
    int rc = take_header(u);

    if (!rc) {
        rc = take_section(u, u->nr_requests, u->id_bytes, &t->ids, sizeof(*t->ids), add_ids);
    }
    if (!rc && u->seen != u->nr_ids) {
        rc = fail(u, -EINVAL, "there are fewer distinct ids than the header says");
    }
    if (!rc && (u->flags & PACK_HAS_CHANNELS)) {
        rc = take_section(u, u->nr_requests, 1, &t->channels, 1, add_channels);
    }
    if (!rc && (u->flags & PACK_HAS_SIZES)) {
        rc = take_section(u, u->nr_ids, 8, &t->sizes, sizeof(*t->sizes), add_sizes);
    }
    if (!rc) {
        rc = take_end(u);
    }
    t->nr_requests = u->nr_requests;
    t->nr_ids = (uint32_t)u->nr_ids;
    if (!rc) {
        t->nr_first_touch = t->channels ? count_first_touch(t) : t->nr_ids;
    }
    return rc;
}

int pack_read(struct input *in, const char *path, const struct trace_options *options, struct trace **ret,
              struct trace_error *error)
{
    struct unpacking u = {.in = in, .path = path, .options = options, .error = error};
    int rc;

    u.trace = calloc(1, sizeof(*u.trace));
    u.chunk = malloc(PACK_CHUNK_BYTES);
    if (u.trace && u.chunk) {
        u.trace->is_plain = true;
        rc = take_all(&u);
    } else {
        rc = trace_fail(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
    }
    free(u.chunk);
    if (rc) {
        trace_destroy(u.trace);
        return rc;
    }
    *ret = u.trace;
    return 0;
}

static bool genlru_claims(const struct head *head)
{
    return pack_claims(head->bytes, head->nr);
}

/* Only where the trace is a part of something larger; alone it is moved as it is. */
static int genlru_read(struct reading *r)
{
    struct trace *t = NULL;
    int rc = pack_read(r->in, r->path, r->options, &t, r->error);

    if (!rc) {
        rc = sink_trace(r->sink, t);
        if (rc) {
            trace_fail(r->error, rc, "%s: %s", r->path, sink_reason(rc));
        }
        trace_destroy(t);
    }
    return rc;
}

const struct reader reader_genlru = {
    .name = "genlru",
    .what = "what genlru-sim convert writes",
    .extensions = " " PACK_EXTENSION " ",
    .claims = genlru_claims,
    .read = genlru_read,
};
