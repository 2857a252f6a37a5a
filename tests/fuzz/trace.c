/* SPDX-License-Identifier: MIT */
/*
 * Bytes as a trace file. Compiled once for each format (FUZZ_FORMAT, a value of enum trace_format; auto lets the content
 * decide). A load must come back with a sound trace, or with an error that names the file.
 *
 * The last byte, which stays part of the file, chooses the parameters of the format. The packed form's checksums would keep
 * a fuzzer out, so that byte also says whether they are put right first.
 */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"
#include "trace/pack_format.h"
#include "trace/reader.h"
#include "trace/trace.h"

enum { MAX_BYTES = 4096 };

static uint32_t crc_of(const uint8_t *bytes, size_t nr)
{
    return (uint32_t)crc32(0, bytes, (uInt)nr);
}

static void put_le32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Makes the checksums of the header and of whatever looks like chunks right. */
static void repair_pack(uint8_t *bytes, size_t nr)
{
    size_t at = PACK_HEAD;

    if (nr < PACK_HEAD)
        return;
    put_le32(bytes + PACK_HEAD - 4, crc_of(bytes, PACK_HEAD - 4));
    while (nr - at >= PACK_CHUNK_HEAD) {
        uint32_t payload = load_le32(bytes + at);

        if (payload > nr - at - PACK_CHUNK_HEAD)
            return;
        put_le32(bytes + at + 4, crc_of(bytes + at + PACK_CHUNK_HEAD, payload));
        at += PACK_CHUNK_HEAD + payload;
    }
}

/* Extents in blocks of 4 KiB may be a million requests each: a small block only for short inputs. */
static const char *params_of(enum trace_format format, unsigned choice, size_t size)
{
    static const char *const blocks[] = {"block=0", "block=1048576", "block=1073741824", NULL};
    static const char *const columns[] = {NULL, "key=1", "key=2,size=1", "key=3,size=9", "key=64"};
    const struct reader *reader = reader_of(format);

    if (reader && reader->takes_block)
        return blocks[choice % (size < 100 ? 4 : 3)];
    return reader && reader->takes_columns ? columns[choice % 5] : NULL;
}

static void check_sound(const struct trace *t)
{
    uint64_t i, nr_prefetches = 0;
    uint32_t seen = 0;

    FUZZ_CHECK(t->nr_requests > 0 && t->name, "a trace without requests");
    for (i = 0; i < t->nr_requests; i++) {
        FUZZ_CHECK(t->ids[i] <= seen, "id %u at %llu is not the next", t->ids[i], (unsigned long long)i);
        seen += t->ids[i] == seen;
        nr_prefetches += t->channels && t->channels[i] == POLICY_PREFETCH;
    }
    FUZZ_CHECK(seen == t->nr_ids, "%u ids, said to be %u", seen, t->nr_ids);
    FUZZ_CHECK(nr_prefetches == t->nr_prefetches && t->nr_first_touch <= t->nr_ids, "prefetches");
    for (i = 0; t->sizes && i < t->nr_ids; i++)
        (void)*(volatile uint64_t *)&t->sizes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum trace_format format = FUZZ_FORMAT;
    struct trace_options options = {.format = format};
    struct trace_error error = {""};
    struct trace *trace = NULL;
    static uint8_t copy[MAX_BYTES];
    char path[64];
    int file;

    if (size == 0 || size > MAX_BYTES)
        return 0;
    memcpy(copy, data, size);
    if (format == TRACE_FORMAT_GENLRU && data[size - 1] % 2)
        repair_pack(copy, size);
    options.format_params = params_of(format, data[size - 1], size);
    file = memfd_create("trace", 0);
    FUZZ_CHECK(file >= 0 && write(file, copy, size) == (ssize_t)size, "memfd");
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    if (trace_load(path, &options, &trace, &error) == 0) {
        check_sound(trace);
        trace_destroy(trace);
    } else {
        FUZZ_CHECK(!trace && strncmp(error.text, path, strlen(path)) == 0 && error.text[strlen(path)] == ':',
                   "error '%s'", error.text);
    }
    close(file);
    return 0;
}
