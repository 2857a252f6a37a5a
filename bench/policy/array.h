/* SPDX-License-Identifier: MIT */
/*
 * array.h - the big arrays of a policy
 */
#ifndef GENLRU_BENCH_POLICY_ARRAY_H
#define GENLRU_BENCH_POLICY_ARRAY_H

#include <stddef.h>

/*
 * n elements of the given size, zeroed, aligned to a cache line at least. Every page is faulted in,
 * so that no measurement of a policy pays for it, and large arrays ask for huge pages. NULL when
 * there is no memory or n * size overflows. Never NULL for n = 0.
 */
void *array_create(size_t n, size_t size);
void array_destroy(void *array);

#endif
