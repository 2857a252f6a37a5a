/* SPDX-License-Identifier: MIT */
/*
 * Stripes: open blocks, their places, flushes of one list or of all, generations that left the window, and no memory.
 */
#include "gens/stripe.h"

#include "gens/chain.h"
#include "gens/window.h"
#include "unit.h"

static unsigned nr_open(const struct genlru *lru)
{
    unsigned i, nr = 0;

    for (i = 0; i < GENLRU__NR_OPEN; i++)
        nr += genlru__stripe(lru, 0)->open[i].block != NULL;
    return nr;
}

Test(stripe, fills_a_block_then_hands_it_over)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(121);
    unsigned i;

    for (i = 0; i < 121; i++) {
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_COLD) == 0);
        cr_assert(nr_open(lru) == 1 && lru->nr_linked == i / 60, "node %u", i);
        cr_assert(lru->chain[genlru__block_of(nodes[0].slot)->list].nr_open == 1);
    }
    for (i = 1; i < 121; i++) /* in order, one after the other */
        if (i % 60)
            cr_assert((void **)nodes[i].slot == (void **)nodes[i - 1].slot + 1);
    unit_verify(lru);
    unit_end(&unit, lru, nodes, 121);
}

Test(stripe, least_recently_used_place_is_given_up)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(12);
    struct genlru *lru;
    unsigned i;

    config.nr_types = 4;
    lru = unit_create(&config);
    for (i = 0; i < 12; i++)
        cr_assert(genlru_node_init(&nodes[i], 1, i % 4) == 0);
    for (i = 0; i < 4; i++)
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_COLD) == 0);
    cr_assert(nr_open(lru) == 4 && lru->nr_linked == 0);
    cr_assert(unit_add(lru, &nodes[4], GENLRU_ADD_COLD) == 0); /* type 0 again: now type 1 is the least recent */
    cr_assert(unit_add(lru, &nodes[8], GENLRU_ADD_HOT) == 0);
    cr_assert(nr_open(lru) == 4 && lru->nr_linked == 1);
    cr_assert(lru->chain[genlru__list_of_seq(lru, 1, lru->min_seq[1])].nr_blocks == 1, "type 1 was handed over");
    unit_verify(lru);
    unit_end(&unit, lru, nodes, 12);
}

Test(stripe, flush)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(6);
    struct genlru *lru;
    unsigned list, i;

    config.nr_types = 3;
    lru = unit_create(&config);
    for (i = 0; i < 6; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1, i % 3) == 0);
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_COLD) == 0);
    }
    list = genlru__block_of(nodes[1].slot)->list;
    genlru__flush(lru, list);
    cr_assert(nr_open(lru) == 2 && lru->nr_linked == 1 && lru->chain[list].nr_blocks == 1 && !lru->chain[list].nr_open);
    unit_verify(lru);
    cr_assert(genlru_del(lru, &nodes[0]) == GENLRU_YOURS && genlru_del(lru, &nodes[3]) == GENLRU_YOURS);
    genlru__flush(lru, genlru__nr_lists(lru));
    cr_assert(nr_open(lru) == 0 && lru->nr_linked == 2, "an open block whose nodes were all deleted goes to the pool");
    unit_verify(lru);
    genlru__flush(lru, genlru__nr_lists(lru));
    unit_end(&unit, lru, nodes, 6);
}

Test(stripe, own_and_acquire)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru__stripe *own, *next;
    struct genlru *lru;

    config.stripes = 3;
    lru = unit_create(&config);
    own = genlru__stripe_acquire(lru);
    cr_assert(own == genlru__stripe_own(lru));
    next = genlru__stripe_acquire(lru);
    cr_assert(next != own, "its own is busy: the next one");
    genlru__stripe_release(next);
    genlru__stripe_release(own);
    cr_assert(genlru__stripe_acquire(lru) == own);
    genlru__stripe_release(own);
    unit_end(&unit, lru, NULL, 0);
}

/*
 * A spare block is kept where the generation left the window meanwhile, asked for where there is none, and used else.
 */
Test(stripe, stale_and_no_memory)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru__block *spare, *none = NULL;
    struct genlru__stripe *stripe;
    uint64_t seq = lru->min_seq[0], bytes;
    unsigned list = genlru__list_of_seq(lru, 0, seq);
    unsigned youngest;

    cr_assert(genlru_age(lru, 0) == 0);
    cr_assert(lru->min_seq[0] > seq);
    spare = genlru__stripe_spare(lru);
    cr_assert(spare && lru->nr_reserve == GENLRU__RESERVE, "the movers' reserve comes first");
    stripe = genlru__stripe_acquire(lru);
    cr_assert(genlru__stripe_slot(lru, stripe, list, seq, &spare) == NULL && spare, "stale: the spare stays");
    youngest = genlru__list_of_seq(lru, 0, lru->max_seq);
    cr_assert(genlru__stripe_slot(lru, stripe, youngest, lru->max_seq, &none) == NULL && !none, "a spare is needed");
    cr_assert(nr_open(lru) == 0);
    cr_assert(genlru__stripe_slot(lru, stripe, youngest, lru->max_seq, &spare) && !spare, "used");
    cr_assert(nr_open(lru) == 1);
    genlru__stripe_release(stripe);
    genlru__flush(lru, genlru__nr_lists(lru));
    unit_verify(lru);

    while (genlru__pool_get(lru->pool, false)) /* their memory is freed with the pool */
        ;
    bytes = unit.bytes;
    unit_fail_from(&unit, 1);
    cr_assert(!genlru__stripe_spare(lru) && unit.bytes == bytes);
    unit_verify(lru);
    unit_end(&unit, lru, NULL, 0);
}
