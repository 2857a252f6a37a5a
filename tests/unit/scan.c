/* SPDX-License-Identifier: MIT */
/* The scan of one list and the sweep of the oldest generation, called as evict and age call them. */
#include "reclaim/scan.h"
#include "reclaim/sweep.h"

#include "gens/chain.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "unit.h"

enum { NR = 600 };

struct life {
    struct unit unit;
    struct genlru_config config;
    struct genlru *lru;
    struct genlru_node *nodes;
    struct genlru_victim victims[NR];
    struct genlru_budget budget;
    struct genlru__scan scan;
    unsigned oldest;
};

static struct life *begin(void)
{
    struct life *l = calloc(1, sizeof(*l));

    l->config = unit_config(&l->unit);
    l->config.policy = &GENLRU_POLICY_MGLRU_FG;
    l->lru = unit_create(&l->config);
    l->nodes = unit_nodes(NR);
    unit_add_all(l->lru, l->nodes, NR, 0);
    genlru__flush(l->lru, genlru__nr_lists(l->lru));
    l->scan.lru = l->lru;
    l->scan.budget = &l->budget;
    l->scan.victims = l->victims;
    l->scan.max = NR;
    l->oldest = genlru__list_of_seq(l->lru, 0, l->lru->min_seq[0]);
    return l;
}

static void scan(struct life *l, unsigned threshold)
{
    uint64_t clock = l->lru->eviction_clock;

    genlru__scan_limit(&l->scan);
    l->scan.clock = clock;
    genlru__mutex_lock(&l->lru->lock);
    genlru__scan_list(&l->scan, l->oldest, threshold);
    genlru__batch_flush(l->lru, &l->scan.sizes);
    l->lru->eviction_clock = l->scan.clock;
    genlru__mutex_unlock(&l->lru->lock);
    unit_verify(l->lru);
}

static void end(struct life *l)
{
    unit_end(&l->unit, l->lru, l->nodes, NR);
    free(l);
}

/* One batch is 64 victims or 128 nodes looked at, whatever the budget allows. */
Test(scan, batch)
{
    struct life *l = begin();
    unsigned i;

    scan(l, 3);
    cr_assert(l->scan.result.nodes == 64 && l->scan.result.scanned == 64);
    for (i = 0; i < 64; i++) {
        cr_assert(l->victims[i].node == &l->nodes[i] && !l->nodes[i].slot);
        cr_assert(genlru_node_is_isolated(&l->nodes[i]) && l->victims[i].shadow);
    }
    for (i = 64; i < 400; i++) {
        genlru_access(l->lru, &l->nodes[i]); /* deferred: each is moved */
        cr_assert(unit_age_of(l->lru, &l->nodes[i]) == 2);
    }
    scan(l, 3);
    cr_assert(l->scan.result.promoted == 128 && l->scan.result.nodes == 64);
    for (i = 64; i < 64 + 128; i++)
        cr_assert(genlru__block_of(l->nodes[i].slot)->list == genlru__list_of_word(l->lru, unit_word(&l->nodes[i])));
    l->budget.nodes = 70;
    while (!genlru__scan_is_over(&l->scan))
        scan(l, 3);
    cr_assert(l->scan.result.nodes == 70 && l->scan.result.promoted == 336 &&
              l->scan.result.reason == GENLRU_EVICT_MET);
    end(l);
}

Test(scan, is_over)
{
    struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
    struct genlru__scan s = {.budget = &budget, .max = 10};

    cr_assert(!genlru__scan_is_over(&s));
    s.result.nodes = 10;
    cr_assert(genlru__scan_is_over(&s) && s.result.reason == GENLRU_EVICT_MET);
    budget.nodes = 11;
    cr_assert(genlru__scan_is_over(&s) && s.result.reason == GENLRU_EVICT_BUDGET);
    budget.nodes = 10;
    cr_assert(genlru__scan_is_over(&s) && s.result.reason == GENLRU_EVICT_MET);
    budget.nodes = 0;
    budget.charge = 5;
    s.result.nodes = 3;
    s.result.charge = 4;
    cr_assert(!genlru__scan_is_over(&s));
    s.result.charge = 5;
    cr_assert(genlru__scan_is_over(&s) && s.result.reason == GENLRU_EVICT_MET);
    budget.charge = 6;
    budget.scanned = 3;
    s.result.scanned = 3;
    cr_assert(genlru__scan_is_over(&s) && s.result.reason == GENLRU_EVICT_BUDGET);
}

/* Protected by tier: one generation up, refs capped at 2, counted in the tier that it had. */
Test(scan, protects)
{
    struct life *l = begin();
    unsigned i;

    for (i = 0; i < 20; i++)
        l->nodes[i].state.do_not_touch = genlru_impl_with_word(
            l->nodes[i].state.do_not_touch, genlru_impl_with_refs(unit_word(&l->nodes[i]), 1 + i / 5 * 2));
    l->budget.scanned = 20;
    scan(l, 1); /* refs 1, 3, 5, 7: tiers 0, 2, 3, 3 */
    cr_assert(l->scan.result.protected_ == 15 && l->scan.result.nodes == 5);
    cr_assert(l->lru->hist[0].protected_[2] == 5 && l->lru->hist[0].protected_[3] == 10 &&
              l->lru->hist[0].evicted[0] == 5);
    for (i = 5; i < 20; i++)
        cr_assert(unit_age_of(l->lru, &l->nodes[i]) == 2 && genlru_node_refs(&l->nodes[i]) == 2);
    end(l);
}

/* The sweep: words one generation up, blocks linked in order before what is there, in whole blocks. */
Test(scan, sweep)
{
    struct life *l = begin();
    unsigned to = genlru__list_of_seq(l->lru, 0, l->lru->min_seq[0] + 1), i, nr = 0;
    struct genlru__block *block;
    uint64_t looked;

    genlru__mutex_lock(&l->lru->lock);
    looked = genlru__sweep_oldest(l->lru, 0, 1);
    cr_assert(looked >= 60 && looked <= 61 && l->lru->chain[to].nr_blocks == 1);
    genlru__mutex_unlock(&l->lru->lock);
    unit_verify(l->lru);
    cr_assert(unit_age_of(l->lru, &l->nodes[NR - 1]) == 2 && unit_age_of(l->lru, &l->nodes[0]) == 3,
              "from the young end");
    genlru__mutex_lock(&l->lru->lock);
    while (l->lru->chain[l->oldest].head)
        genlru__sweep_oldest(l->lru, 0, 128);
    for (block = l->lru->chain[to].head; block; block = block->next)
        for (i = block->scan; i < block->fill; i++)
            cr_assert(block->slot[i] == &l->nodes[nr++]);
    cr_assert(nr == NR);
    genlru__mutex_unlock(&l->lru->lock);
    unit_verify(l->lru);
    end(l);
}

/*
 * Without memory a block whose nodes belong on many lists moves as a whole, also where a call may look at one node only:
 * a budget that small once met the same nodes for ever.
 */
Test(scan, small_budgets_progress_without_memory)
{
    enum { NODES = 600, PER_BLOCK = 60 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(NODES);
    struct genlru_budget budget = {.nodes = 1, .scanned = 1};
    struct genlru_victim victim;
    struct genlru *lru;
    unsigned i, j, nr = 0;

    policy.hit.defer_gens = 0;
    config.policy = &policy;
    config.nr_gens = 64;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, NODES, GENLRU_ADD_COLD);
    for (i = 0; i < PER_BLOCK; i++) /* each to a generation of its own */
        for (j = 0; j < 8 * (i + 1); j++)
            genlru_access(lru, &nodes[i]);
    unit_fail_from(&unit, 1);
    for (i = 0; i < 2 * PER_BLOCK && nr == 0; i++)
        nr = (unsigned)genlru_evict(lru, &budget, &victim, 1, NULL);
    cr_assert(nr == 1, "no victim in %u calls", i);
    cr_assert(victim.node >= &nodes[PER_BLOCK], "and it is none of those promoted");
    cr_assert(genlru_node_init(victim.node, 1, 0) == 0);
    unit_end(&unit, lru, nodes, NODES);
}
