/* SPDX-License-Identifier: MIT */
/* The C library's memory and clock behind the config's interfaces. */
#define _POSIX_C_SOURCE 200809L

#include "base/memory.h"

#include <stdlib.h>
#include <time.h>

static void *libc_alloc(void *ctx, size_t size, size_t align)
{
    void *memory;

    (void)ctx;
    return posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) == 0 ? memory : NULL;
}

static void libc_free(void *ctx, void *memory, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    free(memory);
}

bool genlru__allocator_is_sound(const struct genlru_allocator *allocator)
{
    return !allocator || !allocator->alloc == !allocator->free;
}

struct genlru_allocator genlru__allocator_or_default(const struct genlru_allocator *allocator)
{
    struct genlru_allocator libc = {libc_alloc, libc_free, NULL};

    return allocator && allocator->alloc && allocator->free ? *allocator : libc;
}

uint64_t genlru__monotonic_ns(void *unused)
{
    struct timespec now;

    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
