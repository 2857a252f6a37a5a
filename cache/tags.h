/* SPDX-License-Identifier: MIT */
/*
 * The tags of a bucket, all compared with one at once.
 *
 *   byte:   0 .. 10     11        bit i of the answer: tag i is the one that was sought; exact
 *          | 11 tags  | 0  |
 *
 * With SSE2 one comparison; else eight tags and three in words. Either way a tag is read whole, and what was stored before it
 * is seen with it (acquire S): a 16-byte load is at least two atomic ones of eight bytes on every x86. ThreadSanitizer does not see through it, so
 * there the words are used, too.
 */
#ifndef GENLRU_CACHE_TAGS_H
#define GENLRU_CACHE_TAGS_H

#include <stdint.h>

enum { GENLRU__NR_TAGS = 11, GENLRU__ALL_TAGS = (1 << GENLRU__NR_TAGS) - 1 };

/* Bit i: byte i of x, in the order of memory, is 0. */
static inline uint32_t genlru__zero_bytes(uint64_t x)
{
    const uint64_t sevens = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t tops;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    tops = ~(((x & sevens) + sevens) | x | sevens) >> 7;
    return (uint32_t)(tops * UINT64_C(0x0102040810204080) >> 56);
}

/* The same answer everywhere; tests compare it with the other one. */
static inline uint32_t genlru__tags_match_words(const uint8_t *tags, uint8_t tag)
{
    uint64_t pattern = UINT64_C(0x0101010101010101) * tag;
    uint64_t first = __atomic_load_n((const uint64_t *)(const void *)tags, __ATOMIC_ACQUIRE);
    uint64_t rest = __atomic_load_n((const uint32_t *)(const void *)(tags + 8), __ATOMIC_ACQUIRE);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    rest <<= 32;
#endif
    return genlru__zero_bytes(first ^ pattern) | (genlru__zero_bytes(rest ^ pattern) << 8 & GENLRU__ALL_TAGS);
}

#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
#include <emmintrin.h>

/* `tags` is aligned to 16, and 16 bytes may be read there. */
static inline uint32_t genlru__tags_match(const uint8_t *tags, uint8_t tag)
{
    __m128i all = _mm_load_si128((const __m128i *)(const void *)tags);

    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* no instruction here: it keeps the compiler from reading on before */
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)tag))) & GENLRU__ALL_TAGS;
}
#else
static inline uint32_t genlru__tags_match(const uint8_t *tags, uint8_t tag)
{
    return genlru__tags_match_words(tags, tag);
}
#endif

#endif
