/* SPDX-License-Identifier: MIT */
/* genlru_verify finds what is broken: each invariant is broken on purpose, and must be told by its number. */
#include "gens/chain.h"
#include "gens/sizes.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "unit.h"

enum { NR = 600 };

struct life {
    struct unit unit;
    struct genlru_config config;
    struct genlru *lru;
    struct genlru_node *nodes;
};

static struct life *begin(void)
{
    struct life *l = calloc(1, sizeof(*l));

    l->config = unit_config(&l->unit);
    l->config.nr_types = 2;
    l->lru = unit_create(&l->config);
    l->nodes = unit_nodes(NR);
    unit_add_all(l->lru, l->nodes, NR, 0);
    unit_add(l->lru, &l->nodes[0], 0);
    genlru__flush(l->lru, genlru__nr_lists(l->lru));
    unit_verify(l->lru);
    return l;
}

static void end(struct life *l)
{
    unit_end(&l->unit, l->lru, l->nodes, NR);
    free(l);
}

static void expect(struct life *l, int invariant)
{
    char text[200] = "";
    int got = genlru_verify(l->lru, text, sizeof(text));

    cr_assert(got == invariant, "told %d (%s), expected %d", got, text, invariant);
    cr_assert(text[0] != '\0');
    cr_assert(genlru_verify(l->lru, NULL, 0) == invariant && genlru_verify(l->lru, text, 1) == invariant);
    cr_assert(text[0] == '\0');
}

#define BROKEN(number, lvalue, wrong)       \
    do {                                    \
        __typeof__(lvalue) was_ = (lvalue); \
                                            \
        (lvalue) = (wrong);                 \
        expect(l, number);                  \
        (lvalue) = was_;                    \
        unit_verify(l->lru);                \
    } while (0)

Test(verify, each_invariant)
{
    struct life *l = begin();
    struct genlru_node *node = &l->nodes[100];
    struct genlru__block *block = genlru__block_of(node->slot);
    struct genlru__chain *chain = &l->lru->chain[block->list];
    uint64_t *word = &node->state.do_not_touch;
    unsigned gone = genlru__list_of_seq(l->lru, 0, l->lru->max_seq);

    cr_assert(block->next && block->prev, "a block in the middle");
    BROKEN(2, node->slot, (char *)node->slot + sizeof(void *));
    BROKEN(3, *word, *word & ~(uint64_t)GENLRU_GEN_MASK);
    BROKEN(3, *word, *word | GENLRU_ISOLATED);
    BROKEN(4, *word, *word + (UINT64_C(1) << 32));
    BROKEN(4, genlru__stripe(l->lru, 0)->counter[0].charge, 1);
    BROKEN(4, genlru__stripe(l->lru, 0)->counter[5].nodes, (uint64_t)-1);
    BROKEN(5, block->scan, 5);
    BROKEN(5, block->fill, 59);
    BROKEN(6, block->list, (uint16_t)(block->list + 1));
    BROKEN(6, block->prev, NULL);
    BROKEN(6, chain->tail, block);
    BROKEN(6, chain->nr_blocks, chain->nr_blocks + 1);
    BROKEN(6, chain->nr_open, 1);
    BROKEN(6, l->lru->nr_linked, l->lru->nr_linked + 1);
    BROKEN(6, l->lru->nr_opened, 7);
    BROKEN(6, l->lru->nr_nonempty, 0);
    BROKEN(8, l->lru->view.window, l->lru->view.window + 1);
    BROKEN(8, l->lru->view.saturated.value, 0);
    BROKEN(8, l->lru->view.saturated.mask, 0);
    BROKEN(8, l->lru->max_seq, l->lru->max_seq + 1);
    BROKEN(9, l->lru->reserve[0]->slot[7], node);
    BROKEN(11, *word, *word | (uint64_t)1 << GENLRU_TYPE_SHIFT);
    BROKEN(11, *word, *word | GENLRU_REFS_MASK);
    (void)gone;
    end(l);
}

/* A chain outside of the window: what hangs there is never scanned. */
Test(verify, chain_outside_of_the_window)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    struct genlru *lru;
    unsigned list;

    config.nr_gens = 3; /* four lists for three generations: one is always outside */
    lru = unit_create(&config);
    cr_assert(genlru_add(lru, node, NULL) == 0);
    genlru__flush(lru, genlru__nr_lists(lru));
    list = genlru__list_of_seq(lru, 0, lru->max_seq + 1);
    cr_assert(lru->chain[list].head == NULL);
    lru->chain[list] = lru->chain[genlru__block_of(node->slot)->list];
    memset(&lru->chain[genlru__block_of(node->slot)->list], 0, sizeof(struct genlru__chain));
    lru->chain[list].head->list = (uint16_t)list;
    cr_assert(genlru_verify(lru, NULL, 0) == 10);
    lru->chain[genlru__list_of_word(lru, unit_word(node))] = lru->chain[list];
    memset(&lru->chain[list], 0, sizeof(struct genlru__chain));
    lru->chain[genlru__list_of_word(lru, unit_word(node))].head->list =
        (uint16_t)genlru__list_of_word(lru, unit_word(node));
    unit_verify(lru);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    unit_end(&unit, lru, node, 1);
}

/* Invariant 7: too many blocks for what lives. */
Test(verify, sparse)
{
    struct life *l = begin();
    uint64_t behind;
    size_t i;

    for (i = 0; i < NR; i++)
        if (i % 60 && genlru__take_own(&l->nodes[i])) { /* holes that no delete told of */
            uint64_t state = l->nodes[i].state.do_not_touch;
            struct genlru__batch sizes = {.nr = 0};

            l->nodes[i].slot = NULL;
            l->nodes[i].state.do_not_touch = state & ~(uint64_t)GENLRU_GEN_MASK;
            genlru__batch_account(l->lru, &sizes, state, l->nodes[i].state.do_not_touch);
            genlru__batch_flush(l->lru, &sizes);
        }
    behind = l->lru->compact_behind;
    expect(l, 7);
    l->lru->compact_behind = l->lru->nr_linked;
    cr_assert(genlru_verify(l->lru, NULL, 0) == 0, "a pass that is behind");
    l->lru->compact_behind = behind;
    genlru_trim(l->lru);
    end(l);
}

Test(verify, arguments)
{
    cr_assert(genlru_verify(NULL, NULL, 0) == -EINVAL);
}
