/* SPDX-License-Identifier: MIT */
/* Chains of blocks: see chain.h. */
#include "gens/chain.h"

#include "base/check.h"
#include "gens/reserve.h"

static void count_linked(struct genlru *lru, struct genlru__chain *chain)
{
    if (chain->nr_blocks++ == 0)
        lru->nr_nonempty++;
    genlru__bump(&lru->nr_linked, 1);
}

void genlru__chain_link_tail(struct genlru *lru, unsigned list, struct genlru__block *block)
{
    struct genlru__chain *chain = &lru->chain[list];

    block->list = (uint16_t)list;
    block->next = NULL;
    block->prev = chain->tail;
    if (chain->tail)
        chain->tail->next = block;
    else
        chain->head = block;
    chain->tail = block;
    count_linked(lru, chain);
}

void genlru__chain_link_head(struct genlru *lru, unsigned list, struct genlru__block *block)
{
    struct genlru__chain *chain = &lru->chain[list];

    block->list = (uint16_t)list;
    block->prev = NULL;
    block->next = chain->head;
    if (chain->head)
        chain->head->prev = block;
    else
        chain->tail = block;
    chain->head = block;
    count_linked(lru, chain);
}

void genlru__chain_unlink(struct genlru *lru, unsigned list, struct genlru__block *block)
{
    struct genlru__chain *chain = &lru->chain[list];
    unsigned i;

    for (i = 0; i < GENLRU__NR_CURSORS; i++)
        if (lru->cursor[i].block == block) {
            lru->cursor[i].block = block->next;
            if (!block->next)
                lru->cursor[i].list = list + 1;
        }
    if (block->prev)
        block->prev->next = block->next;
    else
        chain->head = block->next;
    if (block->next)
        block->next->prev = block->prev;
    else
        chain->tail = block->prev;
    block->next = block->prev = NULL;
    genlru__assert(chain->nr_blocks > 0);
    if (--chain->nr_blocks == 0)
        lru->nr_nonempty--;
    genlru__bump(&lru->nr_linked, (uint64_t)-1);
}

void genlru__chain_drop(struct genlru *lru, unsigned list, struct genlru__block *block)
{
    genlru__assert(genlru__block_count(block) == 0);
    genlru__chain_unlink(lru, list, block);
    genlru__reserve_put(lru, block);
}

bool genlru__chain_reserve(struct genlru *lru, unsigned list)
{
    struct genlru__block *block = lru->chain[list].tail;

    if (block && block->fill < GENLRU__SLOTS)
        return true;
    block = genlru__reserve_get(lru);
    if (block)
        genlru__chain_link_tail(lru, list, block);
    return block != NULL;
}

bool genlru__chain_append(struct genlru *lru, unsigned list, struct genlru_node *node)
{
    struct genlru__block *block = genlru__chain_open(lru, list);

    if (block)
        genlru__publish(node, &block->slot[block->fill++]);
    return block != NULL;
}

unsigned genlru__block_count(const struct genlru__block *block)
{
    unsigned i, nr = 0;

    for (i = block->scan; i < block->fill; i++)
        nr += genlru_impl_ptr_load_acquire(&block->slot[i]) != NULL; /* acquire B: an empty block may be dropped */
    return nr;
}
