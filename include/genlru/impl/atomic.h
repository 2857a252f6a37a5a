/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations on nodes, slots, counters and the window. The order is part of each name, so that a reader of a call
 * sees it; docs/memory-model.md pairs every acquire with its release.
 *
 * Plain integers with the compiler's __atomic builtins, not _Atomic: these headers are also C++ and C99.
 */
#ifndef GENLRU_IMPL_ATOMIC_H
#define GENLRU_IMPL_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t genlru_impl_load_relaxed(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint32_t genlru_impl_load32_relaxed(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void genlru_impl_store32_relaxed(uint32_t *p, uint32_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}

static inline uint64_t genlru_impl_load_acquire(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void genlru_impl_store_relaxed(uint64_t *p, uint64_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}

/* Weak: may fail for no reason, so it stands in a loop. On failure *expected is what was read. */
static inline bool genlru_impl_cas_relaxed(uint64_t *p, uint64_t *expected, uint64_t desired)
{
    return __atomic_compare_exchange_n(p, expected, desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline bool genlru_impl_cas_acq_rel(uint64_t *p, uint64_t *expected, uint64_t desired)
{
    return __atomic_compare_exchange_n(p, expected, desired, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static inline uint64_t genlru_impl_fetch_add_relaxed(uint64_t *p, uint64_t value)
{
    return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
}

static inline uint64_t genlru_impl_fetch_add_release(uint64_t *p, uint64_t value)
{
    return __atomic_fetch_add(p, value, __ATOMIC_RELEASE);
}

static inline void *genlru_impl_ptr_load_relaxed(void *const *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void *genlru_impl_ptr_load_acquire(void *const *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void genlru_impl_ptr_store_relaxed(void **p, void *value)
{
    __atomic_store_n(p, value, __ATOMIC_RELAXED);
}

static inline void genlru_impl_ptr_store_release(void **p, void *value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static inline void *genlru_impl_ptr_exchange_acquire(void **p, void *value)
{
    return __atomic_exchange_n(p, value, __ATOMIC_ACQUIRE);
}

/* Strong: a failure means that someone else holds what was expected. */
static inline bool genlru_impl_ptr_cas_acq_rel(void **p, void *expected, void *desired)
{
    return __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

#endif
