/* SPDX-License-Identifier: MIT */
/* Memory of a cache and its growing tables: see memory.h. */
#define _DEFAULT_SOURCE

#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "atomic.h"
#include "rcu.h"

static void *libc_alloc(void *ctx, size_t size, size_t align)
{
    void *address;

    (void)ctx;
    align = size >= GENLRU__HUGE ? GENLRU__HUGE : align < sizeof(void *) ? sizeof(void *) : align;
    if (posix_memalign(&address, align, size) != 0)
        return NULL;
    if (size >= GENLRU__HUGE) /* advice: nothing is lost where it is not taken */
        (void)madvise(address, size & ~(GENLRU__HUGE - 1), MADV_HUGEPAGE);
    return address;
}

static void libc_free(void *ctx, void *address, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    free(address);
}

static const struct genlru_allocator libc = {libc_alloc, libc_free, NULL};

const struct genlru_allocator *genlru__allocator(const struct genlru_allocator *allocator)
{
    return allocator ? allocator : &libc;
}

void genlru__memory_init(struct genlru__memory *memory, const struct genlru_allocator *allocator)
{
    memory->allocator = *genlru__allocator(allocator);
    memory->bytes = 0;
}

void *genlru__memory_get(struct genlru__memory *memory, size_t size, size_t align)
{
    void *address = memory->allocator.alloc(memory->allocator.ctx, size, align);

    if (address)
        genlru__count(&memory->bytes, size);
    return address;
}

void *genlru__memory_get_zeroed(struct genlru__memory *memory, size_t size, size_t align)
{
    void *address = genlru__memory_get(memory, size, align);

    return address ? memset(address, 0, size) : NULL;
}

void genlru__memory_put(struct genlru__memory *memory, void *address, size_t size, size_t align)
{
    if (!address)
        return;
    genlru__count(&memory->bytes, 0 - (uint64_t)size);
    memory->allocator.free(memory->allocator.ctx, address, size, align);
}

/* What stands before a table's array. */
struct header {
    genlru__rcu_head head;  /* of one that was never in use, and is freed later */
    struct header *smaller; /* the one before it, which somebody may be reading still */
    struct genlru__memory *memory;
    size_t bytes;
    void *at[];
};

static struct header *header_of(void **at)
{
    return (struct header *)(void *)((char *)at - offsetof(struct header, at));
}

static void free_array(struct header *header)
{
    genlru__memory_put(header->memory, header, header->bytes, sizeof(void *));
}

static void free_after_grace(genlru__rcu_head *head)
{
    genlru__rcu_done(head);
    free_array((struct header *)(void *)head);
    genlru__rcu_ended();
}

void **genlru__table_prepare(struct genlru__memory *memory, uint32_t size)
{
    size_t bytes = sizeof(struct header) + size * sizeof(void *);
    struct header *header = genlru__memory_get_zeroed(memory, bytes, sizeof(void *));

    if (!header)
        return NULL;
    header->memory = memory;
    header->bytes = bytes;
    return header->at;
}

void genlru__table_discard(void **prepared)
{
    if (prepared)
        free_array(header_of(prepared));
}

int genlru__table_init(struct genlru__table *table, struct genlru__memory *memory, uint32_t size)
{
    table->at = genlru__table_prepare(memory, size);
    table->size = table->at ? size : 0;
    return table->at ? 0 : -ENOMEM;
}

void genlru__table_fini(struct genlru__table *table)
{
    struct header *header = table->at ? header_of(table->at) : NULL, *smaller;

    for (; header; header = smaller) {
        smaller = header->smaller;
        free_array(header);
    }
    table->at = NULL;
}

void genlru__table_replace(struct genlru__table *table, void **prepared, uint32_t size)
{
    void **old = table->at;

    if (size <= table->size) { /* not freed here, since the caller has a lock */
        genlru__rcu_call(&header_of(prepared)->head, free_after_grace);
        return;
    }
    memcpy(prepared, old, table->size * sizeof(*old));
    header_of(prepared)->smaller = header_of(old);
    /* release T: who reads the new array finds what it was filled with */
    __atomic_store_n(&table->at, prepared, __ATOMIC_RELEASE);
    __atomic_store_n(&table->size, size, __ATOMIC_RELAXED);
}
