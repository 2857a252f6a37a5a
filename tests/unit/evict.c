/* SPDX-License-Identifier: MIT */
/*
 * genlru_evict: goals, limits, each reason to stop, the order of victims, what is kept and why, work that is bounded
 * whatever the nodes are like, an inconsistency that is told once, and an allocator that fails at each step of a
 * life.
 */
#include "gens/chain.h"
#include "gens/sizes.h"
#include "gens/stripe.h"
#include "unit.h"

struct world {
    struct unit unit;
    struct genlru_config config;
    struct genlru *lru;
    struct genlru_node *nodes;
    size_t nr;
    struct genlru_victim victims[4096];
    struct genlru_evict_result result;
};

static struct world *begin(const struct genlru_policy *policy, size_t nr, unsigned flags)
{
    struct world *w = calloc(1, sizeof(*w));

    w->config = unit_config(&w->unit);
    w->config.policy = policy;
    w->lru = unit_create(&w->config);
    w->nodes = unit_nodes(nr);
    w->nr = nr;
    unit_add_all(w->lru, w->nodes, nr, flags);
    return w;
}

static void end(struct world *w)
{
    unit_end(&w->unit, w->lru, w->nodes, w->nr);
    free(w);
}

static int evict(struct world *w, struct genlru_budget budget, size_t max)
{
    int got;

    memset(&w->result, 0xee, sizeof(w->result));
    got = genlru_evict(w->lru, &budget, w->victims, max, &w->result);
    if (got >= 0) {
        uint64_t charge = 0;
        int i;

        cr_assert(w->result.nodes == (uint64_t)got && (size_t)got <= max);
        for (i = 0; i < got; i++) {
            cr_assert(genlru_node_is_isolated(w->victims[i].node));
            charge += genlru_node_charge(w->victims[i].node);
        }
        cr_assert(w->result.charge == charge);
    }
    return got;
}

#define BUDGET(...) ((struct genlru_budget){__VA_ARGS__})

Test(evict, refuses)
{
    struct world *w = begin(NULL, 10, 0);
    struct genlru_stat before = unit_stat(w->lru), after;

    cr_assert(genlru_evict(NULL, NULL, w->victims, 1, NULL) == -EINVAL);
    cr_assert(genlru_evict(w->lru, NULL, NULL, 1, NULL) == -EINVAL);
    cr_assert(genlru_evict(w->lru, NULL, w->victims, 0, NULL) == -EINVAL);
    cr_assert(genlru_evict(w->lru, NULL, w->victims, (size_t)INT32_MAX + 1, NULL) == -EINVAL);
    cr_assert(evict(w, BUDGET(.types = 2), 1) == -EINVAL, "a type that the lru does not have");
    cr_assert(evict(w, BUDGET(.flags = 2), 1) == -EINVAL);
    after = unit_stat(w->lru);
    cr_assert(memcmp(&before, &after, sizeof(before)) == 0);
    end(w);
}

Test(evict, empty)
{
    struct world *w = begin(NULL, 1, 0);

    cr_assert(evict(w, BUDGET(0), 64) == 1);
    cr_assert(w->result.reason == GENLRU_EVICT_NOTHING, "the array was not filled");
    cr_assert(evict(w, BUDGET(0), 64) == 0);
    cr_assert(w->result.reason == GENLRU_EVICT_NOTHING && w->result.scanned == 0);
    cr_assert(w->unit.nr_errors == 0);
    end(w);
}

Test(evict, goals)
{
    struct world *w = begin(NULL, 1000, 0);
    size_t i;

    cr_assert(evict(w, BUDGET(.nodes = 7), 100) == 7 && w->result.reason == GENLRU_EVICT_MET);
    cr_assert(evict(w, BUDGET(0), 64) == 64 && w->result.reason == GENLRU_EVICT_MET, "the array is the goal");
    cr_assert(evict(w, BUDGET(.nodes = 100), 50) == 50 && w->result.reason == GENLRU_EVICT_BUDGET,
              "the array is used up");
    cr_assert(evict(w, BUDGET(.nodes = 65), 65) == 65 && w->result.reason == GENLRU_EVICT_MET);
    for (i = 0; i < w->nr; i++)
        cr_assert(genlru_recharge(w->lru, &w->nodes[i], 10) == 0);
    cr_assert(evict(w, BUDGET(.charge = 25), 100) == 3 && w->result.charge == 30, "the last victim may go beyond");
    cr_assert(w->result.reason == GENLRU_EVICT_MET);
    cr_assert(evict(w, BUDGET(.charge = 1000, .nodes = 5), 100) == 5, "either goal ends it");
    cr_assert(evict(w, BUDGET(.charge = 20, .nodes = 50), 100) == 2);
    cr_assert(evict(w, BUDGET(.charge = 1), 100) == 1);
    cr_assert(evict(w, BUDGET(.charge = UINT64_MAX), 4096) == 1000 - 7 - 64 - 50 - 65 - 3 - 5 - 2 - 1);
    cr_assert(w->result.reason == GENLRU_EVICT_NOTHING);
    end(w);
}

/* Whoever has the lock, a call that only tries it comes back; and does what any call does when nobody has. */
Test(evict, tries)
{
    struct world *w = begin(NULL, 1000, 0);
    struct genlru_stat before, after;

    genlru__mutex_lock(&w->lru->lock);
    before = unit_stat(w->lru);
    cr_assert(evict(w, BUDGET(.nodes = 7, .flags = GENLRU_BUDGET_TRY), 100) == 0);
    cr_assert(w->result.reason == GENLRU_EVICT_BUSY && w->result.scanned == 0);
    after = unit_stat(w->lru);
    cr_assert(memcmp(&before, &after, sizeof(before)) == 0, "nothing was changed");
    genlru__mutex_unlock(&w->lru->lock);
    cr_assert(evict(w, BUDGET(.nodes = 7, .flags = GENLRU_BUDGET_TRY), 100) == 7);
    cr_assert(w->result.reason == GENLRU_EVICT_MET);
    cr_assert(evict(w, BUDGET(.flags = GENLRU_BUDGET_TRY), 4096) == 993 && w->result.reason == GENLRU_EVICT_NOTHING);
    end(w);
}

/* Takes the lru's lock when the clock is read for the third time: between the second batch and the third. */
static struct genlru *locked_later;
static unsigned nr_readings;

static uint64_t lock_later(void *ctx)
{
    (void)ctx;
    if (++nr_readings == 3)
        genlru__mutex_lock(&locked_later->lock);
    return 0;
}

Test(evict, keeps_what_it_has_when_others_come)
{
    struct world *w = begin(NULL, 1000, 0);

    locked_later = w->lru;
    w->lru->now_ns = lock_later;
    cr_assert(evict(w, BUDGET(.deadline_ns = 1, .flags = GENLRU_BUDGET_TRY), 1000) == 2 * 64);
    cr_assert(w->result.reason == GENLRU_EVICT_BUSY && nr_readings == 3);
    genlru__mutex_unlock(&w->lru->lock);
    end(w);
}

Test(evict, charge_zero_never_meets_a_goal)
{
    struct world *w = begin(NULL, 10, 0);
    size_t i;

    for (i = 0; i < 9; i++)
        cr_assert(genlru_recharge(w->lru, &w->nodes[i], 0) == 0);
    cr_assert(evict(w, BUDGET(.charge = 1), 100) == 10 && w->result.charge == 1);
    end(w);
}

Test(evict, scanned_limit)
{
    struct world *w = begin(NULL, 1000, 0);
    uint64_t limit;

    for (limit = 1; limit <= 256; limit *= 2) {
        cr_assert(evict(w, BUDGET(.scanned = limit), 4096) == (int)limit);
        cr_assert(w->result.scanned == limit && w->result.reason == GENLRU_EVICT_BUDGET);
    }
    end(w);
}

/* 16 empty slots count as one node: a chain of holes ends a call, too. */
Test(evict, holes_count)
{
    enum { NR = 60 * 100 };
    struct world *w = begin(NULL, NR, 0);
    size_t i;

    genlru__flush(w->lru, genlru__nr_lists(w->lru));
    for (i = 0; i < NR - 1; i++) /* behind the library's back, so that nothing is compacted */
        if (genlru__take_own(&w->nodes[i]))
            w->nodes[i].slot = NULL;
    evict(w, BUDGET(.scanned = 5), 64);
    cr_assert(w->result.scanned == 5 && w->result.holes >= 5 * 16 - 15 && w->result.holes <= 6 * 16, "%llu holes",
              (unsigned long long)w->result.holes);
    cr_assert(w->result.reason == GENLRU_EVICT_BUDGET && w->result.nodes == 0);
    for (i = 0; i < NR - 1; i++) /* as if they had been deleted */
        if (!w->nodes[i].slot) {
            struct genlru__batch sizes = {.nr = 0};
            uint64_t state = w->nodes[i].state.do_not_touch;

            w->nodes[i].state.do_not_touch = genlru_impl_with_word(state, genlru_impl_word(state) & ~GENLRU_GEN_MASK);
            genlru__batch_account(w->lru, &sizes, state, w->nodes[i].state.do_not_touch);
            genlru__batch_flush(w->lru, &sizes);
        }
    genlru_trim(w->lru);
    end(w);
}

Test(evict, deadline)
{
    struct world *w = begin(NULL, 1000, 0);

    w->unit.now = 1000;
    cr_assert(evict(w, BUDGET(.deadline_ns = 1000), 4096) == 0, "already over");
    cr_assert(w->result.reason == GENLRU_EVICT_BUDGET);
    w->unit.tick = 10;
    cr_assert(evict(w, BUDGET(.deadline_ns = 1035), 4096) > 0);
    cr_assert(w->result.reason == GENLRU_EVICT_BUDGET && w->result.nodes % 64 == 0 && w->result.nodes <= 4 * 64,
              "looked at between batches of 64: %llu", (unsigned long long)w->result.nodes);
    w->unit.tick = 0;
    w->unit.now = 0;
    cr_assert(evict(w, BUDGET(.deadline_ns = 1), 10) == 10 && w->result.reason == GENLRU_EVICT_MET, "not over");
    end(w);
}

Test(evict, all_pinned)
{
    struct world *w = begin(NULL, 500, GENLRU_ADD_PINNED);
    size_t i;

    cr_assert(evict(w, BUDGET(0), 64) == 0);
    cr_assert(w->result.reason == GENLRU_EVICT_PINNED && w->result.parked == 500);
    cr_assert(unit_stat(w->lru).pinned_nodes == 500 && unit_stat(w->lru).nodes == 500);
    unit_verify(w->lru);
    cr_assert(evict(w, BUDGET(0), 64) == 0);
    cr_assert(w->result.reason == GENLRU_EVICT_PINNED && w->result.scanned == 0,
              "parked nodes are not looked at again");
    for (i = 0; i < 500; i += 2)
        cr_assert(genlru_unpin(w->lru, &w->nodes[i]) == 0);
    unit_verify(w->lru);
    cr_assert(evict(w, BUDGET(0), 4096) == 250 && w->result.reason == GENLRU_EVICT_PINNED);
    for (i = 0; i < 500; i++)
        cr_assert(genlru_node_is_isolated(&w->nodes[i]) == (i % 2 == 0));
    end(w);
}

/* A few pinned among many: passed in O(1) each, and only once. */
Test(evict, pinned_are_out_of_the_way)
{
    struct world *w = begin(NULL, 600, 0);
    size_t i;
    int k;

    for (i = 0; i < 600; i += 10)
        cr_assert(genlru_pin(w->lru, &w->nodes[i]) == 0);
    cr_assert(evict(w, BUDGET(0), 270) == 270);
    cr_assert(w->result.parked == 30 && w->result.scanned == 300);
    for (k = 0; k < 270; k++)
        cr_assert((w->victims[k].node - w->nodes) % 10 != 0 && w->victims[k].node < &w->nodes[300]);
    end(w);
}

/* With one stripe the oldest generation is a FIFO; older generations go first. */
Test(evict, order)
{
    enum { NR = 900 };
    struct world *w = begin(NULL, NR, GENLRU_ADD_COLD);
    struct genlru_node *hot = unit_nodes(NR);
    int i, at = 0, got;

    unit_add_all(w->lru, hot, NR, GENLRU_ADD_HOT);
    while (at < NR) {
        got = evict(w, BUDGET(0), 1 + (size_t)at % 50);
        cr_assert(got > 0);
        for (i = 0; i < got && at < NR; i++, at++)
            cr_assert(w->victims[i].node == &w->nodes[at], "victim %d", at);
        cr_assert(i == got || at == NR);
    }
    for (at = got - i; at < NR; at += got) {
        got = evict(w, BUDGET(0), 64);
        cr_assert(got > 0);
        for (i = 0; i < got; i++)
            cr_assert(w->victims[i].node == &hot[at + i], "hot victim %d", at + i);
    }
    free(hot);
    end(w);
}

/* Two hits in the oldest generation defer a node: the scan moves it, victims are the others. */
Test(evict, promoted)
{
    struct world *w = begin(&GENLRU_POLICY_MGLRU_FG, 1000, 0);
    size_t i;
    int k;

    for (i = 0; i < 1000; i += 4)
        genlru_access(w->lru, &w->nodes[i]);
    cr_assert(evict(w, BUDGET(0), 750) == 750);
    cr_assert(w->result.promoted == 250 || w->result.promoted == 249, "%llu", (unsigned long long)w->result.promoted);
    for (k = 0; k < 750; k++)
        cr_assert((w->victims[k].node - w->nodes) % 4 != 0);
    unit_verify(w->lru);
    for (i = 0; i < 1000; i += 4)
        cr_assert(unit_age_of(w->lru, &w->nodes[i]) == 2 && genlru_node_refs(&w->nodes[i]) == 2);
    end(w);
}

/* Refaults of a tier above those below it protect it: one generation up, refs capped, counted. */
Test(evict, protected_tier)
{
    struct world *w = begin(&GENLRU_POLICY_MGLRU, 200, GENLRU_ADD_COLD);
    struct genlru__hist *hist = &w->lru->hist[0];
    size_t i;
    int k;

    for (i = 0; i < 200; i++)
        if (i % 2)
            genlru_access(w->lru, &w->nodes[i]); /* refs 2: tier 1 */
    hist->refaulted[1] = hist->evicted[1] = 1000;
    hist->evicted[0] = 1000;
    cr_assert(unit_stat(w->lru).tier_threshold[0] == 0);
    cr_assert(evict(w, BUDGET(0), 100) == 100);
    for (k = 0; k < 100; k++)
        cr_assert((w->victims[k].node - w->nodes) % 2 == 0, "a protected node was evicted");
    cr_assert(w->result.protected_ >= 99 && w->result.protected_ <= 100);
    cr_assert(unit_stat(w->lru).tier[0][1].protected_ == w->result.protected_);
    cr_assert(genlru_node_refs(&w->nodes[1]) == 0, "MGLRU clears refs");
    cr_assert(unit_age_of(w->lru, &w->nodes[1]) == 2);
    unit_verify(w->lru);
    cr_assert(evict(w, BUDGET(0), 4096) == 100, "without limits whatever is not pinned goes");
    end(w);
}

/* PAGEOUT caps the tier: nothing protects it. */
Test(evict, tier_cap)
{
    struct world *w = begin(&GENLRU_POLICY_MGLRU, 2, GENLRU_ADD_COLD);
    struct genlru__hist *hist = &w->lru->hist[0];

    genlru_access(w->lru, &w->nodes[0]);
    cr_assert(genlru_advise(w->lru, &w->nodes[1], GENLRU_ADVICE_PAGEOUT) == 0);
    genlru_access(w->lru, &w->nodes[1]);
    genlru_access(w->lru, &w->nodes[1]);
    hist->refaulted[1] = hist->evicted[1] = hist->evicted[0] = 1000;
    cr_assert(evict(w, BUDGET(.nodes = 1), 2) == 1 && w->victims[0].node == &w->nodes[1]);
    end(w);
}

/* Every node is hot, or every tier is protected: a call still ends, within a few looks at each, and gets victims. */
Test(evict, bounded_when_everything_is_hot)
{
    enum { NR = 2000 };
    static const struct genlru_policy *const policies[] = {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_OLD,
                                                           &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_DEFAULT};
    unsigned p, round, hits;
    size_t i;

    for (p = 0; p < 4; p++) {
        struct world *w = begin(policies[p], NR, 0);

        for (round = 0; round < 20; round++) {
            for (i = 0; i < NR; i++)
                for (hits = 0; hits < 10; hits++)
                    genlru_access(w->lru, &w->nodes[i]);
            for (i = 0; i < 4; i++)
                w->lru->hist[0].refaulted[i] = w->lru->hist[0].evicted[i] = i ? 100000 : 100;
            cr_assert(evict(w, BUDGET(0), 1) == 1, "%s", policies[p]->name);
            cr_assert(w->result.scanned <= 5 * NR, "%s: %llu looks at %u nodes", policies[p]->name,
                      (unsigned long long)w->result.scanned, NR);
            w->nodes[w->victims[0].node - w->nodes].slot = NULL;
            cr_assert(genlru_node_init(w->victims[0].node, 1, 0) == 0);
            cr_assert(genlru_add(w->lru, w->victims[0].node, NULL) == 0);
            unit_verify(w->lru);
        }
        end(w);
    }
}

/* A counter that tells of a node that is nowhere: told once, then the library goes on. */
Test(evict, inconsistent)
{
    struct world *w = begin(NULL, 10, 0);
    struct genlru__counter *counter =
        &genlru__stripe(w->lru, 0)->counter[genlru_impl_window_youngest(w->lru->view.window)];

    counter->nodes++;
    cr_assert(genlru_verify(w->lru, NULL, 0) == 4);
    cr_assert(evict(w, BUDGET(0), 64) == 10);
    cr_assert(w->result.reason == GENLRU_EVICT_INCONSISTENT);
    cr_assert(w->unit.nr_errors == 1 && w->unit.error == GENLRU_ERROR_INCONSISTENT);
    cr_assert(unit_stat(w->lru).inconsistent == 1);
    cr_assert(evict(w, BUDGET(0), 64) == 0 && w->result.reason == GENLRU_EVICT_INCONSISTENT);
    cr_assert(w->unit.nr_errors == 1, "told once");
    cr_assert(genlru_node_init(&w->nodes[0], 1, 0) == 0);
    cr_assert(genlru_add(w->lru, &w->nodes[0], NULL) == 0);
    cr_assert(evict(w, BUDGET(0), 1) == 1 && w->result.reason == GENLRU_EVICT_MET, "it goes on");
    cr_assert(evict(w, BUDGET(0), 64) == 0 && w->unit.nr_errors == 1);
    counter->nodes--;
    cr_assert(evict(w, BUDGET(0), 64) == 0 && w->result.reason == GENLRU_EVICT_NOTHING);
    end(w);
}

/* Two defects are two reports; one in the other direction is none, and nothing loops. */
Test(evict, inconsistent_again)
{
    struct world *w = begin(NULL, 100, 0);
    struct genlru__counter *counter = &genlru__stripe(w->lru, 0)->counter[1];

    counter->nodes += 5;
    cr_assert(evict(w, BUDGET(0), 4096) == 100 && w->unit.nr_errors == 1);
    counter->nodes += 5;
    cr_assert(evict(w, BUDGET(0), 4096) == 0 && w->unit.nr_errors == 2);
    counter->nodes -= 12;
    cr_assert(evict(w, BUDGET(0), 4096) == 0 && w->result.reason == GENLRU_EVICT_NOTHING && w->unit.nr_errors == 2);
    counter->nodes += 2;
    end(w);
}

Test(evict, types)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(400);
    struct genlru_victim victims[400];
    struct genlru_evict_result result;
    struct genlru *lru;
    unsigned i, type;
    int got, k;

    config.nr_types = 4;
    lru = unit_create(&config);
    for (i = 0; i < 400; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1, i % 4) == 0);
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
    }
    for (type = 0; type < 4; type++) {
        struct genlru_budget budget = {.types = 1u << type};

        got = genlru_evict(lru, &budget, victims, 60, &result);
        cr_assert(got == 60 && result.reason == GENLRU_EVICT_MET);
        for (k = 0; k < got; k++)
            cr_assert(genlru_node_type(victims[k].node) == type);
        unit_verify(lru);
    }
    got = genlru_evict(lru, &(struct genlru_budget){.types = 0x6}, victims, 400, &result);
    cr_assert(got == 80 && result.reason == GENLRU_EVICT_NOTHING, "of the types asked for");
    cr_assert(genlru_evict(lru, NULL, victims, 400, &result) == 80);
    unit_end(&unit, lru, nodes, 400);
}

/* The type that comes back is spared, unless the other's refaults cost more. */
Test(evict, type_by_refaults)
{
    unsigned weight;

    for (weight = 0; weight < 2; weight++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_node *nodes = unit_nodes(200);
        struct genlru_victim victims[50];
        struct genlru *lru;
        unsigned i;
        int k;

        config.nr_types = 2;
        config.type_weight[1] = weight ? 200 : 50; /* what a refault of type 1 costs */
        config.type_weight[0] = weight ? 50 : 200;
        lru = unit_create(&config);
        for (i = 0; i < 200; i++) {
            cr_assert(genlru_node_init(&nodes[i], 1, i % 2) == 0);
            cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
        }
        for (i = 0; i < 2; i++) {
            lru->hist[i].refaulted[0] = 5000;
            lru->hist[i].evicted[0] = 100000;
        }
        cr_assert(genlru_evict(lru, NULL, victims, 50, NULL) == 50);
        for (k = 0; k < 50; k++)
            cr_assert(genlru_node_type(victims[k].node) == (weight ? 0 : 1), "the cheap one goes");
        unit_end(&unit, lru, nodes, 200);
    }
}

/* A limit on nodes looked at also holds where another type's full window must move up first, in whole blocks. */
Test(evict, scanned_limit_with_types)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(1000);
    struct genlru_victim victims[8];
    struct genlru_evict_result result;
    struct genlru_budget all = {.types = 1}, few = {.types = 1, .scanned = 1};
    struct genlru *lru;
    unsigned i;

    config.nr_types = 2;
    lru = unit_create(&config);
    for (i = 0; i < 1000; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1, i < 4 ? 0 : 1) == 0);
        cr_assert(unit_add(lru, &nodes[i], i < 4 ? 0 : GENLRU_ADD_COLD) == 0);
    }
    /* type 0 runs out of generations while type 1 has all of its own */
    for (i = 0; i < 200 && genlru_evict(lru, &all, victims, 1, &result) == 1; i++) {
        cr_assert(genlru_node_init(victims[0].node, 1, 0) == 0);
        cr_assert(unit_add(lru, victims[0].node, GENLRU_ADD_HOT) == 0);
        cr_assert(genlru_evict(lru, &few, victims, 1, &result) >= 0);
        cr_assert(result.scanned <= 1 + 61, "%llu", (unsigned long long)result.scanned);
        if (result.nodes) {
            cr_assert(genlru_node_init(victims[0].node, 1, 0) == 0);
            cr_assert(unit_add(lru, victims[0].node, GENLRU_ADD_HOT) == 0);
        }
        unit_verify(lru);
    }
    cr_assert(i == 200 && unit_stat(lru).aged > 0);
    unit_end(&unit, lru, nodes, 1000);
}

Test(evict, capacity_zero_and_one)
{
    uint64_t capacity;

    for (capacity = 0; capacity <= 1; capacity++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_node *nodes = unit_nodes(300);
        struct genlru_victim victim;
        struct genlru *lru;
        size_t i;

        config.capacity = capacity;
        lru = unit_create(&config);
        for (i = 0; i < 300; i++) {
            cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
            genlru_access(lru, &nodes[i]);
            while (genlru_excess(lru)) {
                cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
                cr_assert(victim.shadow);
            }
            cr_assert(genlru_charge(lru) == capacity);
            unit_verify(lru);
        }
        unit_end(&unit, lru, nodes, 300);
    }
}

/* Few and many generations: the main loop of an owner, with hits. */
Test(evict, nr_gens_3_and_64)
{
    static const uint32_t gens[] = {3, 4, 63, 64};
    unsigned g;

    for (g = 0; g < 4; g++) {
        enum { NR = 2000, CAPACITY = 500 };
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_node *nodes = unit_nodes(NR);
        uint64_t random = unit_seed();
        struct genlru_victim victims[4];
        struct genlru *lru;
        size_t i;
        int got;

        config.capacity = CAPACITY;
        config.nr_gens = gens[g];
        lru = unit_create(&config);
        for (i = 0; i < 20 * NR; i++) {
            struct genlru_node *node = &nodes[unit_random(&random) % NR];

            if (genlru_node_is_listed(node)) {
                genlru_access(lru, node);
                continue;
            }
            cr_assert(genlru_add(lru, node, NULL) == 0);
            while (genlru_excess(lru)) {
                got = genlru_evict(lru, NULL, victims, 4, NULL);
                cr_assert(got > 0);
                while (got-- > 0)
                    cr_assert(genlru_node_init(victims[got].node, 1, 0) == 0);
            }
            if (i % 1000 == 0)
                unit_verify(lru);
        }
        cr_assert(genlru_charge(lru) <= CAPACITY);
        unit_end(&unit, lru, nodes, NR);
    }
}

/*
 * The n-th and all later allocations fail, for each n of a life of adds, hits, evictions, parks, putbacks and unpins.
 * Each call answers as promised, nothing is lost, and what is there can be evicted to the last node.
 */
static bool live_without_memory(uint64_t fail_from, uint64_t fail_nr)
{
    enum { NR = 2500 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[64];
    struct genlru *lru = (struct genlru *)(void *)&unit;
    uint64_t random = 7, nr_listed = 0, found, nr_failed = 0;
    size_t i;
    int got, result;

    config.nr_types = 2;
    unit.fail_from = fail_from;
    unit.fail_nr = fail_nr;
    result = genlru_create(&config, &lru);
    if (result) {
        cr_assert(result == -ENOMEM && lru == (struct genlru *)(void *)&unit && unit.bytes == 0);
        free(nodes);
        return true;
    }
    for (i = 0; i < NR; i++) {
        unsigned what = (unsigned)(unit_random(&random) % 16);
        struct genlru_node *other = &nodes[unit_random(&random) % (i + 1)];
        uint32_t word;

        cr_assert(genlru_node_init(&nodes[i], 3, i % 2) == 0);
        word = unit_word(&nodes[i]);
        result = unit_add(lru, &nodes[i], (what < 2 ? GENLRU_ADD_PINNED : 0) | (what % 4 == 3 ? GENLRU_ADD_HOT : 0));
        cr_assert(result == 0 || result == -ENOMEM);
        if (result) {
            nr_failed++;
            cr_assert(unit_word(&nodes[i]) == word && !nodes[i].slot, "a refused add changed the node");
        }
        nr_listed += result == 0;
        if (genlru_node_is_listed(other)) {
            genlru_access(lru, other);
            genlru_access(lru, other);
            if (genlru_node_is_pinned(other) && what > 8)
                cr_assert(genlru_unpin(lru, other) == 0, "unpin never fails for lack of memory");
            else if (what == 5 && !genlru_node_is_pinned(other))
                cr_assert(genlru_pin(lru, other) == 0);
        }
        if (i % 50 == 49) {
            got = genlru_evict(lru, NULL, victims, 30, NULL);
            cr_assert(got >= 0);
            nr_listed -= (uint64_t)got;
            while (got-- > 0)
                if (got % 3 == 0) {
                    result = genlru_putback(lru, &victims[got]);
                    cr_assert(result == 0 || result == -ENOMEM);
                    nr_failed += result != 0;
                    cr_assert(result == 0 || genlru_node_is_isolated(victims[got].node), "still isolated, still yours");
                    nr_listed += result == 0;
                }
            unit_verify(lru);
            cr_assert(unit_stat(lru).nodes == nr_listed);
        }
        if (i % 500 == 499)
            (void)!genlru_age(lru, 0);
    }
    for (i = 0; i < NR; i++)
        if (genlru_node_is_pinned(&nodes[i]))
            cr_assert(genlru_unpin(lru, &nodes[i]) == 0);
    unit_verify(lru);
    for (found = 0; (got = genlru_evict(lru, NULL, victims, 64, NULL)) > 0; found += (uint64_t)got)
        unit_verify(lru);
    cr_assert(found == nr_listed, "%llu of %llu nodes could be evicted", (unsigned long long)found,
              (unsigned long long)nr_listed);
    cr_assert(unit.nr_errors == 0, "an inconsistency was told that is none");
    unit_end(&unit, lru, nodes, NR);
    return nr_failed > 0;
}

Test(evict, allocations_fail_from_the_nth_on)
{
    uint64_t n;
    unsigned nr_seen = 0;

    for (n = 1; n < 90; n++)
        nr_seen += live_without_memory(n, UINT64_MAX);
    cr_assert(nr_seen > 10);
}

Test(evict, one_allocation_fails)
{
    uint64_t n;

    for (n = 1; n < 60; n++)
        live_without_memory(n, 1);
}

Test(evict, every_second_allocation_window_fails)
{
    uint64_t n;

    for (n = 4; n < 40; n++)
        live_without_memory(n, n);
}
