/* SPDX-License-Identifier: MIT */
/* Small arithmetic. */
#ifndef GENLRU_BASE_BITS_H
#define GENLRU_BASE_BITS_H

#include <stdint.h>

static inline uint64_t genlru__min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t genlru__max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* a - b, or 0 when that would be negative. */
static inline uint64_t genlru__sub_clamped(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Smallest power of two >= value, for 1 <= value <= 2^63. */
static inline uint64_t genlru__round_up_pow2(uint64_t value)
{
    return value <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(value - 1));
}

/* percent of value, or UINT64_MAX where that is more. */
static inline uint64_t genlru__percent_of(uint64_t value, unsigned percent)
{
    uint64_t whole, sum;

    if (__builtin_mul_overflow(value / 100, percent, &whole) ||
        __builtin_add_overflow(whole, value % 100 * percent / 100, &sum))
        return UINT64_MAX;
    return sum;
}

/* A bijective mix of 64 bits (two rounds of xor-shift and multiply by odd constants). */
static inline uint64_t genlru__mix(uint64_t value)
{
    value = (value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xd1342543de82ef95);
    return value ^ value >> 32;
}

#endif
