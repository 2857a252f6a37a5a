/* SPDX-License-Identifier: MIT */
/*
 * The file of a warm restart. All numbers little-endian.
 *
 *   header   "GENLRUC\n" | version u32 | kind u32 | crc32 of these
 *   record   length of what follows u32 | key bytes u32 | charge u32 | ttl u64 (ns, 0 = never) | key | value
 *            (value = the rest)
 *   end      0xffffffff | records u64 | crc32 of everything before
 *
 * The checksum is zlib's crc32 over the whole file, so a file that was cut off, mixed up or changed is told before anything of
 * it is used.
 */
#ifndef GENLRU_CACHE_FILE_H
#define GENLRU_CACHE_FILE_H

#include <stddef.h>
#include <stdint.h>

#define GENLRU__FILE_MAGIC "GENLRUC\n"
enum { GENLRU__FILE_VERSION = 1, GENLRU__FILE_HEADER = 20, GENLRU__RECORD_HEADER = 20, GENLRU__FILE_END = 16 };
#define GENLRU__FILE_LAST UINT32_C(0xffffffff)

static inline void genlru__put_u32(unsigned char *at, uint32_t value)
{
    unsigned i;

    for (i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static inline void genlru__put_u64(unsigned char *at, uint64_t value)
{
    genlru__put_u32(at, (uint32_t)value);
    genlru__put_u32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t genlru__get_u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t genlru__get_u64(const unsigned char *at)
{
    return genlru__get_u32(at) | (uint64_t)genlru__get_u32(at + 4) << 32;
}

#endif
