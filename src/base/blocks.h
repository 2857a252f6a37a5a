/* SPDX-License-Identifier: MIT */
/*
 * Slot blocks and the pool they come from.
 *
 *   block (512 bytes, aligned to 512; 256 on 32-bit, with as many slots)
 *   ┌──────┬──────┬───────┬──────┬──────┬──────┬─────────────────────────────┐
 *   │ next │ prev │ owner │ fill │ scan │ list │ slot[60]: node* or NULL     │
 *   └──────┴──────┴───────┴──────┴──────┴──────┴─────────────────────────────┘
 *   slots below `scan` and from `fill` on are NULL (invariant 5)
 *
 * Readers: anyone who holds a node may compare-and-swap the slot that the node names, at any time, even
 * when the block has moved to another list or lru meanwhile: the swap succeeds only where the node itself
 * stands. That is why blocks are type-stable: never unmapped while the pool lives.
 * Writers: a stripe's holder in its open blocks, a mover under the lru's lock in linked ones.
 *
 * The pool allocates slabs that grow with what exists (1/8 of it, up to 2 MiB) and keeps free blocks in
 * a list through `next`. Its lock is a leaf.
 */
#ifndef GENLRU_BASE_BLOCKS_H
#define GENLRU_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "genlru/config.h"

enum {
    GENLRU__SLOTS = 60, /* the same on 32-bit, so that victims are the same */
    GENLRU__BLOCK_BYTES = sizeof(void *) == 8 ? 512 : 256
};

struct genlru__block {
    struct genlru__block *next; /* younger */
    struct genlru__block *prev; /* older */
    void *owner;                /* lru the block is in use by; read by the checked build without a lock */
    uint8_t fill;
    uint8_t scan;
    uint16_t list; /* number of the list it was opened for */
#if UINTPTR_MAX > 0xffffffffu
    uint32_t unused;
#endif
    void *slot[GENLRU__SLOTS];
};

_Static_assert(sizeof(struct genlru__block) == GENLRU__BLOCK_BYTES, "block of one power of two");

static inline struct genlru__block *genlru__block_of(const void *slot)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the block's own address, found by its alignment */
    return (struct genlru__block *)((uintptr_t)slot & ~(uintptr_t)(GENLRU__BLOCK_BYTES - 1));
}

/*
 * An empty block, or NULL. may_grow: allocate a slab if none is free; then no lock may be held,
 * since this calls the allocator. O(1) amortised.
 */
struct genlru__block *genlru__pool_get(struct genlru_pool *pool, bool may_grow);
/* Gives a block back whose slots are all NULL. O(1). */
void genlru__pool_put(struct genlru_pool *pool, struct genlru__block *block);

/* Count of lrus that use the pool; a pool in use is not destroyed. */
void genlru__pool_attach(struct genlru_pool *pool);
void genlru__pool_detach(struct genlru_pool *pool);

#endif
