/* SPDX-License-Identifier: MIT */
/*
 * Atomics of the cache layer beyond genlru/impl/atomic.h: 32 and 8 bits, and a spin lock. The order is part of the name;
 * docs/cache.md pairs every acquire with its release.
 */
#ifndef GENLRU_CACHE_ATOMIC_H
#define GENLRU_CACHE_ATOMIC_H

#include "genlru/export.h"
#include "genlru/impl/atomic.h"

static inline uint32_t genlru__u32_load_relaxed(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint32_t genlru__u32_load_acquire(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void genlru__u32_store_relaxed(uint32_t *p, uint32_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}

static inline void genlru__u32_store_release(uint32_t *p, uint32_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

/* Weak: stands in a loop. */
static inline bool genlru__u32_cas_acq_rel(uint32_t *p, uint32_t *expected, uint32_t desired)
{
    return __atomic_compare_exchange_n(p, expected, desired, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static inline bool genlru__u32_cas_acquire(uint32_t *p, uint32_t *expected, uint32_t desired)
{
    return __atomic_compare_exchange_n(p, expected, desired, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void genlru__u8_store_release(uint8_t *p, uint8_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static inline uint8_t genlru__u8_load_relaxed(const uint8_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void genlru__u64_store_release(uint64_t *p, uint64_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

/* Statistics: one writer or many, no order. */
static inline void genlru__count(uint64_t *p, uint64_t by)
{
    __atomic_fetch_add(p, by, __ATOMIC_RELAXED);
}

/* Bit 0 of a word that has other uses: true if it was taken. */
static inline bool genlru__bit_trylock(uint32_t *word)
{
    uint32_t value = genlru__u32_load_relaxed(word);

    return !(value & 1u) && genlru__u32_cas_acquire(word, &value, value | 1u);
}

/* lane.c; apart, so that who need not wait saves no registers for it */
void genlru__bit_wait(uint32_t *word) __attribute__((cold, visibility("hidden")));

static inline void genlru__bit_lock(uint32_t *word)
{
    if (GENLRU_UNLIKELY(!genlru__bit_trylock(word)))
        genlru__bit_wait(word);
}

static inline void genlru__bit_unlock(uint32_t *word)
{
    genlru__u32_store_release(word, genlru__u32_load_relaxed(word) & ~1u);
}

#endif
