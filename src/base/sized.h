/* SPDX-License-Identifier: MIT */
/*
 * One rule for every struct that begins with its size, so that a program and a library of different versions understand
 * each other. Fields are appended only; a field that is zero means what its absence meant.
 *
 *   in    smaller than ours: the missing fields are the defaults that the caller of genlru__sized_in has put there
 *         larger: taken if all that we do not know is zero, else refused, as it asks for something that we cannot do
 *   out   smaller: only so much is filled in; larger: what we do not know is zeroed
 *
 * A size that is below the first field or above SIZED_MAX, or that ends in the middle of a word, is nobody's: refused, so
 * that a forgotten size reads and writes no foreign memory.
 */
#ifndef GENLRU_BASE_SIZED_H
#define GENLRU_BASE_SIZED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { GENLRU__SIZED_MAX = 4096 };

static inline bool genlru__is_size(size_t size, size_t least)
{
    return size >= least && size <= GENLRU__SIZED_MAX && size % sizeof(size_t) == 0;
}

/* Copies a caller's struct over `to`; 0, or -EINVAL with `to` unchanged. `to` keeps its own size in front. */
static inline int genlru__sized_in(void *to, size_t to_size, const void *from, size_t least)
{
    size_t size, i;

    memcpy(&size, from, sizeof(size));
    if (!genlru__is_size(size, least))
        return -EINVAL;
    for (i = to_size; i < size; i++)
        if (((const unsigned char *)from)[i])
            return -EINVAL;
    memcpy(to, from, size < to_size ? size : to_size);
    memcpy(to, &to_size, sizeof(to_size));
    return 0;
}

/* Whether a caller's struct can be filled in at all. */
static inline bool genlru__can_fill(const void *to)
{
    size_t size;

    memcpy(&size, to, sizeof(size));
    return genlru__is_size(size, sizeof(size_t));
}

/* Fills in a caller's struct that can be filled; its size stays. */
static inline void genlru__sized_out(void *to, const void *from, size_t from_size)
{
    size_t size;

    memcpy(&size, to, sizeof(size));
    if (size > from_size)
        memset((char *)to + from_size, 0, size - from_size);
    memcpy((char *)to + sizeof(size), (const char *)from + sizeof(size),
           (size < from_size ? size : from_size) - sizeof(size));
}

#endif
