/* SPDX-License-Identifier: MIT */
/*
 * array.c - zeroed, faulted-in memory for per-id state
 *
 * A policy's arrays are indexed by id in trace order, which is random order: with 4 KiB pages most
 * accesses to a large array would also miss the TLB. Hence 2 MiB alignment and the huge-page advice
 * above that size. The advice may be refused; nothing depends on it.
 */
#define _DEFAULT_SOURCE
#include "policy/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_BYTES ((size_t)2 << 20)
#define LINE_BYTES ((size_t)64)

void *array_create(size_t n, size_t size)
{
    if (size && n > (SIZE_MAX - HUGE_BYTES) / size) {
        return NULL;
    }
    size_t bytes = n * size;
    size_t align = bytes >= HUGE_BYTES ? HUGE_BYTES : LINE_BYTES;
    /* aligned_alloc wants a multiple of the alignment; one unit at least makes n = 0 not NULL. */
    size_t rounded = bytes ? (bytes + align - 1) / align * align : align;
    void *array = aligned_alloc(align, rounded);

    if (!array) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (align == HUGE_BYTES) {
        (void)madvise(array, rounded, MADV_HUGEPAGE);
    }
#endif
    memset(array, 0, rounded);
    return array;
}

void array_destroy(void *array)
{
    free(array);
}
