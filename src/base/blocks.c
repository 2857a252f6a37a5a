/* SPDX-License-Identifier: MIT */
/* The pool of slot blocks: see blocks.h. */
#define _DEFAULT_SOURCE

#include "base/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/sized.h"

enum { HUGE_PAGE_BYTES = 2 << 20, GROWTH_SHARE = 8 };

struct slab {
    char *memory; /* nr_blocks blocks */
    uint32_t nr_blocks;
    uint32_t nr_free; /* scratch of trim */
    bool is_mapped;   /* by mmap: may be trimmed */
    bool is_trimmed;  /* its blocks are in no free list, its pages are gone */
};

struct genlru_pool {
    struct genlru__mutex lock;
    struct genlru__block *free; /* through next */
    uint64_t nr_free;
    uint64_t nr_blocks;
    struct slab *slabs; /* sorted by address */
    size_t nr_slabs;
    size_t max_slabs;
    uint64_t nr_trimmed; /* slabs that are trimmed */
    uint64_t nr_users;
    bool is_libc; /* slabs may come from mmap */
    struct genlru_allocator allocator;
};

int genlru_pool_create(const struct genlru_allocator *allocator, struct genlru_pool **ret_pool)
{
    struct genlru_allocator a = genlru__allocator_or_default(allocator);
    struct genlru_pool *pool;
    int error;

    if (!ret_pool || !genlru__allocator_is_sound(allocator))
        return -EINVAL;
    pool = a.alloc(a.ctx, sizeof(*pool), _Alignof(struct genlru_pool));
    if (!pool)
        return -ENOMEM;
    memset(pool, 0, sizeof(*pool));
    pool->allocator = a;
    pool->is_libc = !(allocator && allocator->alloc && allocator->free);
    error = genlru__mutex_init(&pool->lock, GENLRU__RANK_POOL);
    if (error) {
        a.free(a.ctx, pool, sizeof(*pool), _Alignof(struct genlru_pool));
        return error;
    }
    *ret_pool = pool;
    return 0;
}

static void slab_free(struct genlru_pool *pool, const struct slab *slab)
{
    size_t bytes = (size_t)slab->nr_blocks * GENLRU__BLOCK_BYTES;

    if (slab->is_mapped)
        munmap(slab->memory, bytes);
    else
        pool->allocator.free(pool->allocator.ctx, slab->memory, bytes, GENLRU__BLOCK_BYTES);
}

int genlru_pool_destroy(struct genlru_pool *pool)
{
    struct genlru_allocator a;
    size_t i;

    if (!pool)
        return 0;
    genlru__mutex_lock(&pool->lock);
    if (pool->nr_users) {
        genlru__mutex_unlock(&pool->lock);
        return -EBUSY;
    }
    genlru__mutex_unlock(&pool->lock);
    a = pool->allocator;
    for (i = 0; i < pool->nr_slabs; i++)
        slab_free(pool, &pool->slabs[i]);
    if (pool->slabs)
        a.free(a.ctx, pool->slabs, pool->max_slabs * sizeof(*pool->slabs), _Alignof(struct slab));
    genlru__mutex_fini(&pool->lock);
    a.free(a.ctx, pool, sizeof(*pool), _Alignof(struct genlru_pool));
    return 0;
}

/* Position of the first slab whose memory is not below `address`. */
static size_t slab_lower_bound(const struct genlru_pool *pool, const char *address)
{
    size_t low = 0, high = pool->nr_slabs;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((uintptr_t)pool->slabs[middle].memory < (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct slab *slab_of(struct genlru_pool *pool, const struct genlru__block *block)
{
    return &pool->slabs[slab_lower_bound(pool, (const char *)block + 1) - 1];
}

static void push_free(struct genlru_pool *pool, struct genlru__block *block)
{
    block->next = pool->free;
    pool->free = block;
    pool->nr_free++;
}

/* Lower addresses first, so that the low blocks fill up and high slabs can become wholly free. */
static void push_all(struct genlru_pool *pool, const struct slab *slab)
{
    uint32_t i;

    for (i = slab->nr_blocks; i-- > 0;)
        push_free(pool, (struct genlru__block *)(void *)(slab->memory + (size_t)i * GENLRU__BLOCK_BYTES));
}

/* Big slabs of the default allocator are mapped, aligned for huge pages: trim may give their pages back. */
static char *map_slab(size_t bytes)
{
    char *raw = mmap(NULL, bytes + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *memory;
    size_t before;

    if (raw == MAP_FAILED)
        return NULL;
    before = -(uintptr_t)raw & (HUGE_PAGE_BYTES - 1);
    memory = raw + before;
    if (before)
        munmap(raw, before);
    munmap(memory + bytes, HUGE_PAGE_BYTES - before);
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static bool slab_alloc(struct genlru_pool *pool, uint64_t nr_existing, struct slab *ret_slab)
{
    enum { PER_HUGE_PAGE = HUGE_PAGE_BYTES / GENLRU__BLOCK_BYTES };
    uint64_t nr = genlru__max(1, genlru__min(nr_existing / GROWTH_SHARE, PER_HUGE_PAGE));
    size_t bytes = (size_t)nr * GENLRU__BLOCK_BYTES;
    bool is_mapped = pool->is_libc && nr == PER_HUGE_PAGE;
    char *memory = is_mapped ? map_slab(bytes) : pool->allocator.alloc(pool->allocator.ctx, bytes, GENLRU__BLOCK_BYTES);

    if (!memory)
        return false;
    if (!is_mapped)
        memset(memory, 0, bytes);
    *ret_slab = (struct slab){memory, (uint32_t)nr, 0, is_mapped, false};
    return true;
}

/* Makes room for one more slab in the table; drops and takes the lock to allocate. */
static bool reserve_slab(struct genlru_pool *pool)
{
    struct genlru_allocator a = pool->allocator;

    while (pool->nr_slabs == pool->max_slabs) {
        size_t old_max = pool->max_slabs;
        size_t max = old_max ? 2 * old_max : 16;
        struct slab *table, *old;

        genlru__mutex_unlock(&pool->lock);
        table = a.alloc(a.ctx, max * sizeof(*table), _Alignof(struct slab));
        genlru__mutex_lock(&pool->lock);
        if (!table)
            return false;
        if (pool->max_slabs != old_max) { /* someone else grew it meanwhile */
            genlru__mutex_unlock(&pool->lock);
            a.free(a.ctx, table, max * sizeof(*table), _Alignof(struct slab));
            genlru__mutex_lock(&pool->lock);
            continue;
        }
        old = pool->slabs;
        if (old)
            memcpy(table, old, pool->nr_slabs * sizeof(*table));
        pool->slabs = table;
        pool->max_slabs = max;
        if (old) {
            genlru__mutex_unlock(&pool->lock);
            a.free(a.ctx, old, old_max * sizeof(*old), _Alignof(struct slab));
            genlru__mutex_lock(&pool->lock);
        }
    }
    return true;
}

/* Puts a trimmed slab back to use; its pages read as zeros. */
static bool untrim(struct genlru_pool *pool)
{
    size_t i;

    for (i = 0; pool->nr_trimmed && i < pool->nr_slabs; i++) {
        if (pool->slabs[i].is_trimmed) {
            pool->slabs[i].is_trimmed = false;
            pool->nr_trimmed--;
            push_all(pool, &pool->slabs[i]);
            return true;
        }
    }
    return false;
}

/* With the lock held; drops it while it allocates. */
static bool grow(struct genlru_pool *pool)
{
    uint64_t nr_existing = pool->nr_blocks;
    struct slab slab;
    bool is_allocated;
    size_t at;

    genlru__mutex_unlock(&pool->lock);
    is_allocated = slab_alloc(pool, nr_existing, &slab);
    genlru__mutex_lock(&pool->lock);
    if (!is_allocated)
        return false;
    if (!reserve_slab(pool)) {
        genlru__mutex_unlock(&pool->lock);
        slab_free(pool, &slab);
        genlru__mutex_lock(&pool->lock);
        return false;
    }
    at = slab_lower_bound(pool, slab.memory);
    memmove(&pool->slabs[at + 1], &pool->slabs[at], (pool->nr_slabs - at) * sizeof(slab));
    pool->slabs[at] = slab;
    pool->nr_slabs++;
    pool->nr_blocks += slab.nr_blocks;
    push_all(pool, &slab);
    return true;
}

struct genlru__block *genlru__pool_get(struct genlru_pool *pool, bool may_grow)
{
    struct genlru__block *block;

    genlru__mutex_lock(&pool->lock);
    while (!pool->free && (untrim(pool) || (may_grow && grow(pool))))
        ;
    block = pool->free;
    if (block) {
        pool->free = block->next;
        pool->nr_free--;
    }
    genlru__mutex_unlock(&pool->lock);
    if (block) {
        block->next = block->prev = NULL;
        block->fill = block->scan = 0;
    }
    return block;
}

void genlru__pool_put(struct genlru_pool *pool, struct genlru__block *block)
{
    genlru__mutex_lock(&pool->lock);
    push_free(pool, block);
    genlru__mutex_unlock(&pool->lock);
}

void genlru__pool_attach(struct genlru_pool *pool)
{
    genlru__mutex_lock(&pool->lock);
    pool->nr_users++;
    genlru__mutex_unlock(&pool->lock);
}

void genlru__pool_detach(struct genlru_pool *pool)
{
    genlru__mutex_lock(&pool->lock);
    genlru__assert(pool->nr_users > 0);
    pool->nr_users--;
    genlru__mutex_unlock(&pool->lock);
}

/* Unlinks the free blocks of slabs about to be trimmed. */
static void drop_free_blocks_of_free_slabs(struct genlru_pool *pool)
{
    struct genlru__block **link = &pool->free;

    while (*link) {
        const struct slab *slab = slab_of(pool, *link);

        if (slab->is_mapped && slab->nr_free == slab->nr_blocks) {
            *link = (*link)->next;
            pool->nr_free--;
        } else {
            link = &(*link)->next;
        }
    }
}

uint64_t genlru_pool_trim(struct genlru_pool *pool)
{
    uint64_t bytes = 0;
    struct genlru__block *block;
    size_t i;

    if (!pool || !pool->is_libc)
        return 0;
    genlru__mutex_lock(&pool->lock);
    for (i = 0; i < pool->nr_slabs; i++)
        pool->slabs[i].nr_free = 0;
    for (block = pool->free; block; block = block->next)
        slab_of(pool, block)->nr_free++;
    drop_free_blocks_of_free_slabs(pool);
    for (i = 0; i < pool->nr_slabs; i++) {
        struct slab *slab = &pool->slabs[i];
        size_t slab_bytes = (size_t)slab->nr_blocks * GENLRU__BLOCK_BYTES;

        if (!slab->is_mapped || slab->nr_free != slab->nr_blocks)
            continue;
        /* Addresses stay: a stale slot pointer compares against zeros, and fails as it should. */
        madvise(slab->memory, slab_bytes, MADV_DONTNEED);
        slab->is_trimmed = true;
        pool->nr_trimmed++;
        bytes += slab_bytes;
    }
    genlru__mutex_unlock(&pool->lock);
    return bytes;
}

int genlru_pool_stat(const struct genlru_pool *pool, struct genlru_pool_stat *ret_stat)
{
    struct genlru_pool *p = (struct genlru_pool *)pool; /* the lock is not part of the state one reads */
    struct genlru_pool_stat stat;
    size_t i;

    if (!pool || !ret_stat || !genlru__can_fill(ret_stat))
        return -EINVAL;
    memset(&stat, 0, sizeof(stat));
    genlru__mutex_lock(&p->lock);
    stat.blocks = p->nr_blocks;
    stat.block_bytes = GENLRU__BLOCK_BYTES;
    stat.slabs = p->nr_slabs;
    stat.free_blocks = p->nr_free;
    for (i = 0; i < p->nr_slabs; i++) {
        if (p->slabs[i].is_trimmed) {
            stat.trimmed_bytes += (uint64_t)p->slabs[i].nr_blocks * GENLRU__BLOCK_BYTES;
            stat.free_blocks += p->slabs[i].nr_blocks;
        }
    }
    genlru__mutex_unlock(&p->lock);
    genlru__sized_out(ret_stat, &stat, sizeof(stat));
    return 0;
}
