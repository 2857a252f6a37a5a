/* SPDX-License-Identifier: MIT */
/*
 * Memory of a cache, counted; and arrays of pointers that grow while others read them.
 */
#ifndef GENLRU_CACHE_MEMORY_H
#define GENLRU_CACHE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "genlru/config.h"

/* Of memory of this size and more, huge pages are asked for: most of a look-up at random is finding the page. */
#define GENLRU__HUGE ((size_t)1 << 21)

struct genlru__memory {
    struct genlru_allocator allocator;
    uint64_t bytes; /* got and not put back; relaxed */
};

/* The owner's allocator; NULL = the C library's, with huge pages for what is large. */
const struct genlru_allocator *genlru__allocator(const struct genlru_allocator *allocator);
void genlru__memory_init(struct genlru__memory *memory, const struct genlru_allocator *allocator);
/* Not zeroed. NULL: no memory. Calls the owner's allocator: no lock may be held. */
void *genlru__memory_get(struct genlru__memory *memory, size_t size, size_t align);
void *genlru__memory_get_zeroed(struct genlru__memory *memory, size_t size, size_t align);
void genlru__memory_put(struct genlru__memory *memory, void *address, size_t size, size_t align);

/*
 * at[0 .. size-1]: readers load `at` (acquire) after whatever told them that their index exists. It is replaced by one of
 * twice the size at least; the old ones, together no more than the new one, are kept until the end, since writers read the array
 * in no read section, too. Entries are set before the index is told to anyone.
 */
struct genlru__table {
    void **at;
    uint32_t size; /* under the writer's lock */
};

/* A first array. -ENOMEM. */
int genlru__table_init(struct genlru__table *table, struct genlru__memory *memory, uint32_t size);
void genlru__table_fini(struct genlru__table *table);
/* In two steps, since memory is got without the writer's lock: NULL = no memory. */
void **genlru__table_prepare(struct genlru__memory *memory, uint32_t size);
/* An array that came to no use. NULL is allowed. */
void genlru__table_discard(void **prepared);
/* With the lock; `size` as prepared for. If the table has grown meanwhile, the prepared array is given back later. */
void genlru__table_replace(struct genlru__table *table, void **prepared, uint32_t size);

#endif
