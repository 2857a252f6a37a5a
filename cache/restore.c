/* SPDX-License-Identifier: MIT */
/*
 * Warm restart from a file (file.h): looked at twice, since nothing is inserted before all of it is known to be sound.
 */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "file.h"
#include "internal.h"

struct reading {
    const unsigned char *bytes;
    size_t size;
    const char *reason;
};

static int refuse(struct reading *r, int error, const char *reason)
{
    r->reason = reason;
    return error;
}

static uint32_t crc_of(const unsigned char *bytes, size_t nr)
{
    uLong crc = crc32(0, NULL, 0);

    while (nr) {
        uInt step = nr > (1u << 30) ? 1u << 30 : (uInt)nr;

        crc = crc32(crc, bytes, step);
        bytes += step;
        nr -= step;
    }
    return (uint32_t)crc;
}

/* Records that fit the file and their own lengths, as many as the end says. */
static int check_records(struct reading *r, bool has_numbers)
{
    size_t at = GENLRU__FILE_HEADER, end = r->size - GENLRU__FILE_END;
    uint64_t nr = 0;

    while (at < end) {
        uint32_t length, key_bytes;

        if (end - at < GENLRU__RECORD_HEADER)
            return refuse(r, -EILSEQ, "a record is cut off");
        length = genlru__get_u32(r->bytes + at);
        key_bytes = genlru__get_u32(r->bytes + at + 4);
        if (length < GENLRU__RECORD_HEADER - 4 || length > end - at - 4)
            return refuse(r, -EILSEQ, "a record is longer than the file");
        if (key_bytes > length - (GENLRU__RECORD_HEADER - 4) || (has_numbers && key_bytes != 8))
            return refuse(r, -EILSEQ, "a key is longer than its record");
        at += 4 + (size_t)length;
        nr++;
    }
    if (genlru__get_u32(r->bytes + end) != GENLRU__FILE_LAST || genlru__get_u64(r->bytes + end + 4) != nr)
        return refuse(r, -EILSEQ, "the number of records is another");
    return 0;
}

static int check(struct reading *r, struct genlru__kind kind)
{
    uint32_t wanted = (uint32_t)kind.has_number | (uint32_t)kind.is_inline << 1;

    if (r->size < 8 || memcmp(r->bytes, GENLRU__FILE_MAGIC, 8) != 0)
        return refuse(r, -EILSEQ, "no file of genlru-cache");
    if (r->size < GENLRU__FILE_HEADER + GENLRU__FILE_END)
        return refuse(r, -EILSEQ, "the file is cut off");
    if (genlru__get_u32(r->bytes + 16) != crc_of(r->bytes, 16))
        return refuse(r, -EILSEQ, "the header is damaged");
    if (genlru__get_u32(r->bytes + 8) != GENLRU__FILE_VERSION)
        return refuse(r, -EPROTO, "a file of another version");
    if (genlru__get_u32(r->bytes + 12) != wanted)
        return refuse(r, -EPROTO, "keys or values of another kind");
    if (genlru__get_u32(r->bytes + r->size - 4) != crc_of(r->bytes, r->size - 4))
        return refuse(r, -EILSEQ, "the file is damaged or cut off");
    return check_records(r, kind.has_number);
}

/* What io->load made, and the cache does not take. */
static void give_back(struct genlru_cache *cache, const void *key, size_t key_bytes,
                      const struct genlru_cache_insert *how)
{
    struct genlru_cache_info info = {key, key_bytes, (void *)(uintptr_t)how->value, 0, how->charge, 0};

    if (!cache->kind.is_inline)
        genlru__call_release(cache, &info, GENLRU_CACHE_UNCACHED);
}

/* One record; 1 = inserted, 0 = not (it is there, there is no room, the owner skips it), < 0 = give up. */
static int restore_one(struct genlru_cache *cache, const struct genlru_cache_value_io *io, const unsigned char *record)
{
    uint32_t length = genlru__get_u32(record), key_bytes = genlru__get_u32(record + 4);
    const unsigned char *key = record + GENLRU__RECORD_HEADER, *value = key + key_bytes;
    size_t value_bytes = length + 4 - GENLRU__RECORD_HEADER - key_bytes;
    uint64_t number = cache->kind.has_number ? genlru__get_u64(key) : 0, ttl = genlru__get_u64(record + 12);
    struct genlru_cache_reservation reservation = {0};
    struct genlru_cache_insert how;
    int error;

    memset(&how, 0, sizeof(how));
    how.mode = GENLRU_CACHE_UPSERT; /* a key that was saved twice: the later one is the younger */
    how.charge = genlru__get_u32(record + 8);
    /* HOT: to one place, whatever the policy does with new entries, so that the file's order is the order of going */
    how.flags = GENLRU_CACHE_INSERT_HOT | (how.charge ? 0 : (unsigned)GENLRU_CACHE_INSERT_WEIGHTLESS);
    how.ttl_ns = ttl ? ttl : GENLRU_NO_LIMIT;
    how.value = value;
    how.value_bytes = value_bytes;
    if (cache->kind.has_number)
        key = (const unsigned char *)&number;
    if (io && io->load(io->io_ctx, key, key_bytes, value, value_bytes, &how) < 0)
        return 0;
    if (cache->flags & GENLRU_CACHE_CHARGE_METADATA)
        how.charge = genlru__charge_without_metadata(cache, key_bytes, &how);
    if (cache->limit == GENLRU_CACHE_RESERVE_FIRST) {
        error = genlru_cache_reserve(cache, genlru__get_u32(record + 8), &reservation);
        if (error && io)
            give_back(cache, key, key_bytes, &how);
        if (error)
            return error == -EFBIG ? 0 : error;
        how.reservation = &reservation;
    }
    error = genlru_cache_insert(cache, key, key_bytes, &how, NULL);
    genlru_cache_unreserve(cache, &reservation);
    if (error < 0 && io)
        give_back(cache, key, key_bytes, &how);
    return error >= 0 ? 1 : error == -EFBIG || error == -ERANGE ? 0 : error;
}

static int64_t restore_all(struct genlru_cache *cache, const struct genlru_cache_value_io *io, const struct reading *r)
{
    size_t at = GENLRU__FILE_HEADER, end = r->size - GENLRU__FILE_END;
    int64_t nr = 0;
    int result;

    for (; at < end; at += 4 + (size_t)genlru__get_u32(r->bytes + at)) {
        result = restore_one(cache, io, r->bytes + at);
        if (result < 0)
            break; /* no room or no memory: what is in is in */
        nr += result;
    }
    return nr;
}

static int open_file(struct reading *r, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *bytes;

    if (fd < 0)
        return refuse(r, -errno, errno == ENOENT ? "there is no file" : "the file cannot be opened");
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
        close(fd);
        return refuse(r, -EILSEQ, "no file of genlru-cache");
    }
    bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return refuse(r, -errno, "the file cannot be read");
    r->bytes = bytes;
    r->size = (size_t)about.st_size;
    return 0;
}

int64_t genlru_cache_restore(struct genlru_cache *cache, const char *path, const struct genlru_cache_value_io *io,
                             const char **ret_reason)
{
    struct reading r = {NULL, 0, NULL};
    int64_t result;

    if (!cache || !path || (io ? !io->load : !cache->kind.is_inline))
        return -EINVAL;
    result = open_file(&r, path);
    if (!result)
        result = check(&r, cache->kind);
    if (!result)
        result = restore_all(cache, io, &r);
    if (r.bytes)
        (void)munmap((void *)(uintptr_t)r.bytes, r.size);
    if (ret_reason)
        *ret_reason = r.reason;
    return result;
}
