/* SPDX-License-Identifier: MIT */
/*
 * Chains: publish and take, linking at both ends, unlinking under a cursor, appending, dropping, and no block to be
 * had.
 */
#include "gens/chain.h"

#include "unit.h"

struct life {
    struct unit unit;
    struct genlru_config config;
    struct genlru *lru;
};

static void begin(struct life *l)
{
    l->config = unit_config(&l->unit);
    l->lru = unit_create(&l->config);
    genlru__mutex_lock(&l->lru->lock);
}

static void end(struct life *l)
{
    genlru__mutex_unlock(&l->lru->lock);
    unit_end(&l->unit, l->lru, NULL, 0);
}

static struct genlru__block *block_of(struct life *l)
{
    struct genlru__block *block;

    genlru__mutex_unlock(&l->lru->lock);
    block = genlru__pool_get(l->lru->pool, true);
    genlru__mutex_lock(&l->lru->lock);
    cr_assert(block);
    return block;
}

static void expect_chain(const struct life *l, unsigned list, struct genlru__block *const *blocks, unsigned nr)
{
    const struct genlru__chain *chain = &l->lru->chain[list];
    const struct genlru__block *block = chain->head;
    unsigned i;

    cr_assert(chain->nr_blocks == nr && chain->head == (nr ? blocks[0] : NULL) &&
              chain->tail == (nr ? blocks[nr - 1] : NULL));
    for (i = 0; i < nr; i++, block = block->next) {
        cr_assert(block == blocks[i] && block->list == list);
        cr_assert(block->prev == (i ? blocks[i - 1] : NULL) && block->next == (i + 1 < nr ? blocks[i + 1] : NULL));
    }
    cr_assert(l->lru->nr_linked == nr && l->lru->nr_nonempty == (nr != 0));
}

Test(chain, publish_and_take)
{
    struct genlru_node node, other;
    void *slots[2] = {NULL, NULL};

    cr_assert(genlru_node_init(&node, 1, 0) == 0 && genlru_node_init(&other, 1, 0) == 0);
    cr_assert(!genlru__take_own(&node), "it names no slot");
    genlru__publish(&node, &slots[0]);
    cr_assert(slots[0] == &node && node.slot == &slots[0]);
    other.slot = &slots[0];
    cr_assert(!genlru__take_own(&other) && slots[0] == &node, "a stale slot: another node stands there");
    cr_assert(genlru__take(&slots[0]) == &node && slots[0] == NULL);
    cr_assert(genlru__take(&slots[0]) == NULL && !genlru__take_own(&node), "once");
    genlru__publish(&node, &slots[1]);
    cr_assert(genlru__take_own(&node) && slots[1] == NULL);
}

Test(chain, link_and_unlink)
{
    struct life l;
    struct genlru__block *b[4], *want[4];
    unsigned i;

    begin(&l);
    for (i = 0; i < 4; i++)
        b[i] = block_of(&l);
    genlru__chain_link_tail(l.lru, 2, b[1]);
    genlru__chain_link_tail(l.lru, 2, b[2]);
    genlru__chain_link_head(l.lru, 2, b[0]);
    genlru__chain_link_tail(l.lru, 2, b[3]);
    expect_chain(&l, 2, b, 4);
    genlru__chain_unlink(l.lru, 2, b[1]);
    want[0] = b[0], want[1] = b[2], want[2] = b[3];
    expect_chain(&l, 2, want, 3);
    genlru__chain_unlink(l.lru, 2, b[3]);
    expect_chain(&l, 2, want, 2);
    genlru__chain_unlink(l.lru, 2, b[0]);
    want[0] = b[2];
    expect_chain(&l, 2, want, 1);
    genlru__chain_unlink(l.lru, 2, b[2]);
    expect_chain(&l, 2, want, 0);
    for (i = 0; i < 4; i++)
        genlru__pool_put(l.lru->pool, b[i]);
    end(&l);
}

/* A cursor on a block that is unlinked moves to the next one, or to the next list. */
Test(chain, cursors_survive)
{
    struct life l;
    struct genlru__block *b[2];
    struct genlru__cursor *cursor;

    begin(&l);
    cursor = &l.lru->cursor[GENLRU__CURSOR_WALK];
    b[0] = block_of(&l);
    b[1] = block_of(&l);
    genlru__chain_link_tail(l.lru, 1, b[0]);
    genlru__chain_link_tail(l.lru, 1, b[1]);
    *cursor = (struct genlru__cursor){b[0], 1};
    genlru__chain_unlink(l.lru, 1, b[0]);
    cr_assert(cursor->block == b[1] && cursor->list == 1);
    genlru__chain_unlink(l.lru, 1, b[1]);
    cr_assert(cursor->block == NULL && cursor->list == 2);
    genlru__pool_put(l.lru->pool, b[0]);
    genlru__pool_put(l.lru->pool, b[1]);
    end(&l);
}

/* Appended nodes stand in order, 60 a block; without a block nothing changes. */
Test(chain, append)
{
    enum { NR = 150 };
    struct life l;
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru__block *block, *blocks[4];
    unsigned i, k, nr = 0;

    begin(&l);
    cr_assert(!genlru__chain_append(l.lru, 0, &nodes[0]) && !nodes[0].slot, "an empty pool, an empty reserve");
    for (i = 0; i < 4; i++)
        blocks[i] = block_of(&l);
    for (i = 0; i < 4; i++)
        genlru__pool_put(l.lru->pool, blocks[i]);
    for (i = 0; i < NR; i++)
        cr_assert(genlru__chain_append(l.lru, 0, &nodes[i]));
    cr_assert(l.lru->chain[0].nr_blocks == 3);
    for (block = l.lru->chain[0].head; block; block = block->next) {
        cr_assert(genlru__block_count(block) == (block->next ? 60 : NR % 60));
        for (k = block->scan; k < block->fill; k++)
            cr_assert(block->slot[k] == &nodes[nr++]);
    }
    cr_assert(nr == NR);
    for (i = 0; i < NR; i++)
        cr_assert(genlru__take_own(&nodes[i]));
    while (l.lru->chain[0].head)
        genlru__chain_drop(l.lru, 0, l.lru->chain[0].head);
    cr_assert(l.lru->nr_reserve == GENLRU__RESERVE, "dropped blocks fill the reserve first");
    free(nodes);
    end(&l);
}
