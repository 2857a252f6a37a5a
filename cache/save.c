/* SPDX-License-Identifier: MIT */
/*
 * Saving for a warm restart. Two passes over the index for each generation, oldest first: one for entries that were not used
 * again, one for those that were, since under most rules a hit only counts and moves nothing before a scan comes by. An entry is
 * written in the pass that it belongs to when that comes. Generations only get younger (but for advice), and counts fall only when
 * that happens, so an entry may be written twice while others work, and the later, younger record counts; none that stays is missed.
 */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "file.h"
#include "internal.h"

/* Refs that tell of more than the access that added the entry. */
enum { USED = 2 };

struct writing {
    struct genlru_cache *cache;
    const struct genlru_cache_value_io *io;
    FILE *file;
    uLong crc;
    int error;
    uint64_t nr;
    uint64_t max_seq; /* youngest generation at the start */
    bool is_of_used;  /* this pass: entries that were used again since their count began, or the others */
    uint64_t from;    /* ... of generations with a seq in [from, to] */
    uint64_t to;
    unsigned char *buffer; /* of one record's value */
    size_t size;
};

static void put(struct writing *w, const void *bytes, size_t nr)
{
    const unsigned char *p = bytes;

    if (w->error || !nr)
        return;
    if (fwrite(p, 1, nr, w->file) != nr)
        w->error = errno ? -errno : -EIO;
    for (; nr; p += nr > INT_MAX ? INT_MAX : nr, nr -= nr > INT_MAX ? INT_MAX : nr)
        w->crc = crc32(w->crc, p, (uInt)(nr > INT_MAX ? INT_MAX : nr));
}

static void put_header(struct writing *w)
{
    unsigned char header[GENLRU__FILE_HEADER];

    memcpy(header, GENLRU__FILE_MAGIC, 8);
    genlru__put_u32(header + 8, GENLRU__FILE_VERSION);
    genlru__put_u32(header + 12, (uint32_t)w->cache->kind.has_number | (uint32_t)w->cache->kind.is_inline << 1);
    genlru__put_u32(header + 16, (uint32_t)crc32(0, header, 16));
    put(w, header, sizeof(header));
}

static void put_end(struct writing *w)
{
    unsigned char end[GENLRU__FILE_END];

    genlru__put_u32(end, GENLRU__FILE_LAST);
    genlru__put_u64(end + 4, w->nr);
    put(w, end, 12);
    genlru__put_u32(end + 12, (uint32_t)w->crc);
    put(w, end + 12, 4);
}

/* The value of an entry in *ret_bytes; its length, or < 0: skip it (or w->error is set). */
static int64_t get_value(struct writing *w, const struct genlru_cache_info *info, const void **ret_bytes)
{
    int64_t length;

    if (!w->io) {
        *ret_bytes = info->value;
        return (int64_t)info->value_bytes;
    }
    length = w->io->save(w->io->io_ctx, info, w->buffer, w->size);
    if (length > (int64_t)w->size && length <= (int64_t)GENLRU__MAX_BYTES) {
        unsigned char *larger = realloc(w->buffer, (size_t)length);

        if (!larger) {
            w->error = -ENOMEM;
            return -1;
        }
        w->buffer = larger;
        w->size = (size_t)length;
        length = w->io->save(w->io->io_ctx, info, w->buffer, w->size);
    }
    *ret_bytes = w->buffer;
    return length > (int64_t)w->size ? -1 : length;
}

/* Number of the generation of a node; the window holds the low 16 bits of the youngest's. */
static uint64_t seq_of(const struct writing *w, const struct genlru_node *node)
{
    const struct genlru_view *view = (const struct genlru_view *)(const void *)w->cache->lru;
    uint64_t window = genlru_impl_load_relaxed(&view->window), max_seq;
    uint32_t word = genlru_impl_word(genlru_impl_load_relaxed(&node->state.do_not_touch));
    unsigned gen = genlru_impl_gen(word);

    max_seq = w->max_seq + (uint16_t)(genlru_impl_window_seq16(window) - (uint16_t)w->max_seq);
    /* of a parked node nothing is known but that it is in use */
    return gen ? max_seq - genlru_impl_age(window, genlru_impl_type(word), gen) : max_seq;
}

static int write_entry(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    struct writing *w = ctx;
    uint64_t seq = seq_of(w, &e->node);
    unsigned char header[GENLRU__RECORD_HEADER];
    const void *value;
    int64_t length;

    if (seq < w->from || seq > w->to || (genlru_node_refs(&e->node) >= USED) != w->is_of_used)
        return 0;
    length = get_value(w, info, &value);
    if (length < 0 || w->error)
        return w->error;
    if ((uint64_t)length + info->key_bytes + GENLRU__RECORD_HEADER >= GENLRU__FILE_LAST)
        return 0; /* more than a record can say; it is not kept */
    genlru__put_u32(header, (uint32_t)((size_t)length + info->key_bytes + GENLRU__RECORD_HEADER - 4));
    genlru__put_u32(header + 4, (uint32_t)info->key_bytes);
    genlru__put_u32(header + 8, (uint32_t)info->charge);
    genlru__put_u64(header + 12, info->ttl_ns);
    put(w, header, sizeof(header));
    if (w->cache->kind.has_number) {
        unsigned char number[8];

        genlru__put_u64(number, e->key);
        put(w, number, 8);
    } else {
        put(w, info->key, info->key_bytes);
    }
    put(w, value, (size_t)length);
    w->nr += w->error == 0;
    return w->error;
}

static void write_pass(struct writing *w, bool is_of_used)
{
    int error;

    if (w->error)
        return;
    w->is_of_used = is_of_used;
    error = genlru_cache_iterate(w->cache, write_entry, w);
    if (error && !w->error)
        w->error = error;
}

static void write_all(struct writing *w)
{
    struct genlru_stat stat;
    uint64_t seq;

    stat.size = sizeof(stat);
    genlru_stat(w->cache->lru, &stat);
    w->max_seq = stat.max_seq;
    put_header(w);
    for (seq = stat.min_seq[0]; seq <= stat.max_seq && !w->error; seq++) {
        w->from = seq == stat.min_seq[0] ? 0 : seq;
        w->to = seq == stat.max_seq ? UINT64_MAX : seq;
        write_pass(w, false);
        write_pass(w, true);
    }
    put_end(w);
}

/* The directory, so that the new name is on the disk, too. */
static int sync_directory(const char *path)
{
    char *copy = strdup(path);
    int fd, error = 0;

    if (!copy)
        return -ENOMEM;
    fd = open(dirname(copy), O_RDONLY | O_DIRECTORY);
    free(copy);
    if (fd < 0)
        return -errno;
    if (fsync(fd) != 0 && errno != EINVAL) /* EINVAL: a file system that cannot */
        error = -errno;
    close(fd);
    return error;
}

static int finish(struct writing *w, const char *temporary, const char *path)
{
    if (!w->error && (fflush(w->file) != 0 || fsync(fileno(w->file)) != 0))
        w->error = -errno;
    if (fclose(w->file) != 0 && !w->error)
        w->error = -errno;
    if (!w->error && rename(temporary, path) != 0)
        w->error = -errno;
    if (w->error)
        (void)unlink(temporary);
    return w->error ? w->error : sync_directory(path);
}

int64_t genlru_cache_save(struct genlru_cache *cache, const char *path, const struct genlru_cache_value_io *io)
{
    struct writing w;
    char *temporary;
    int fd, error;

    if (!cache || !path || (io ? !io->save : !cache->kind.is_inline))
        return -EINVAL;
    temporary = malloc(strlen(path) + 8);
    if (!temporary)
        return -ENOMEM;
    sprintf(temporary, "%s.XXXXXX", path);
    fd = mkstemp(temporary);
    if (fd < 0) {
        error = -errno;
        free(temporary);
        return error;
    }
    memset(&w, 0, sizeof(w));
    w.cache = cache;
    w.io = io;
    w.crc = crc32(0, NULL, 0);
    w.file = fdopen(fd, "wb");
    if (!w.file) {
        error = -errno;
        close(fd);
        (void)unlink(temporary);
    } else {
        write_all(&w);
        error = finish(&w, temporary, path);
    }
    free(w.buffer);
    free(temporary);
    return error ? error : (int64_t)w.nr;
}
