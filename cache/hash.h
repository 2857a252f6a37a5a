/* SPDX-License-Identifier: MIT */
/*
 * The library's hash of keys: 64 bits, all of them good, seeded. Multiply and shift; the numbers are odd and random.
 * It is no keyed cryptographic function: owners who must fear chosen keys set config.hash.
 */
#ifndef GENLRU_CACHE_HASH_H
#define GENLRU_CACHE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t genlru__mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xb5ad4eceda1ce2a9);
    x ^= x >> 29;
    x *= UINT64_C(0xd1342543de82ef95);
    return x ^ x >> 32;
}

static inline uint64_t genlru__hash_u64(uint64_t key, uint64_t seed)
{
    return genlru__mix(key + seed);
}

static inline uint64_t genlru__hash_bytes(const void *key, size_t bytes, uint64_t seed)
{
    const unsigned char *p = key;
    uint64_t h = seed ^ (uint64_t)bytes * UINT64_C(0x9e6c63d0876a9a47), word;

    for (; bytes >= 8; bytes -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0xb5ad4eceda1ce2a9);
        h ^= h >> 31;
    }
    if (bytes) {
        word = 0;
        memcpy(&word, p, bytes);
        h = (h ^ word) * UINT64_C(0xb5ad4eceda1ce2a9);
        h ^= h >> 31;
    }
    return genlru__mix(h);
}

#endif
