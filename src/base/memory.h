/* SPDX-License-Identifier: MIT */
/* The default allocator and clock, used where a config gives none. */
#ifndef GENLRU_BASE_MEMORY_H
#define GENLRU_BASE_MEMORY_H

#include <stdbool.h>

#include "genlru/config.h"

/* Both functions or none. NULL is sound. */
bool genlru__allocator_is_sound(const struct genlru_allocator *allocator);

/* A copy of *allocator, or the C library's when it is NULL or has no functions. */
struct genlru_allocator genlru__allocator_or_default(const struct genlru_allocator *allocator);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t genlru__monotonic_ns(void *unused);

#endif
