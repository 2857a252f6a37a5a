/* SPDX-License-Identifier: MIT */
/*
 * The hit in an lru: the word follows the rules, counters the word, nothing is stored when nothing changes; harvested
 * bits.
 */
#include "gens/window.h"
#include "unit.h"

Test(access, follows_the_pure_function)
{
    static const struct genlru_policy *const policies[] = {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_FG,
                                                           &GENLRU_POLICY_DEFAULT};
    unsigned p, i;

    for (p = 0; p < 3; p++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_node *node = unit_nodes(1);
        struct genlru_gen_stat gens[8];
        struct genlru *lru;

        config.policy = policies[p];
        config.nr_gens = 8;
        lru = unit_create(&config);
        cr_assert(unit_add(lru, node, GENLRU_ADD_PREFETCHED) == 0);
        for (i = 0; i < 100; i++) {
            uint32_t want = genlru_impl_word_hit(unit_word(node), lru->view.window, &policies[p]->hit);

            if (i % 2)
                genlru_access(lru, node);
            else
                genlru_access_call(lru, node);
            cr_assert(unit_word(node) == want && genlru_node_charge(node) == 1);
            cr_assert(genlru_stat_gens(lru, 0, gens, 8) == 8);
            cr_assert(gens[unit_age_of(lru, node)].nodes == 1 && gens[unit_age_of(lru, node)].charge == 1);
        }
        cr_assert(genlru_impl_is_saturated(unit_word(node), lru->view.saturated), "%s", policies[p]->name);
        if (policies[p]->hit.overflow_up)
            cr_assert(unit_age_of(lru, node) == 0, "%s: hits alone take it to the youngest", policies[p]->name);
        else
            cr_assert(unit_age_of(lru, node) == 7);
        unit_end(&unit, lru, node, 1);
    }
}

/* A node in whatever state: counts, and only that. */
Test(access, every_state)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;

    genlru_access(lru, node);
    cr_assert(genlru_node_refs(node) == 1 && !genlru_node_is_listed(node), "off");
    cr_assert(genlru_add(lru, node, NULL) == 0);
    cr_assert(genlru_pin(lru, node) == 0);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 0);
    genlru_access(lru, node);
    cr_assert(genlru_node_refs(node) == 3 && unit_stat(lru).pinned_nodes == 1, "parked");
    cr_assert(genlru_del(lru, node) == 0);
    genlru_access(lru, node);
    cr_assert(genlru_node_refs(node) == 4, "condemned");
    cr_assert(genlru_unpin(lru, node) == GENLRU_YOURS);
    cr_assert(genlru_add(lru, node, NULL) == 0);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    genlru_access(lru, node);
    cr_assert(genlru_node_is_isolated(node), "isolated");
    cr_assert(genlru_charge(lru) == 0);
    unit_end(&unit, lru, node, 1);
}

/* The mmap channel: first access defers out of the oldest, second takes it to the youngest, dear ones go at once. */
Test(access, batch)
{
    enum { NR = 100 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_harvest harvest[NR];
    struct genlru_gen_stat gens[4];
    struct genlru *lru;
    size_t i;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, NR, GENLRU_ADD_PREFETCHED);
    for (i = 0; i < NR; i++)
        harvest[i] = (struct genlru_harvest){&nodes[i], i % 4 == 3};
    genlru_access_batch(lru, harvest, NR);
    for (i = 0; i < NR; i++) {
        cr_assert(unit_age_of(lru, &nodes[i]) == (i % 4 == 3 ? 0 : 2));
        cr_assert(genlru_node_refs(&nodes[i]) == 1);
    }
    cr_assert(genlru_stat_gens(lru, 0, gens, 4) == 4);
    cr_assert(gens[0].nodes == 25 && gens[2].nodes == 75 && gens[3].nodes == 0, "counters, once a batch");
    unit_verify(lru);
    genlru_access_batch(lru, harvest, NR);
    for (i = 0; i < NR; i++)
        cr_assert(unit_age_of(lru, &nodes[i]) == 0 && genlru_node_refs(&nodes[i]) == 2);
    genlru_access_batch(lru, NULL, 0);
    for (i = 0; i < NR; i++) /* the same node many times in one batch */
        harvest[i].node = &nodes[0];
    genlru_access_batch(lru, harvest, NR);
    cr_assert(genlru_node_refs(&nodes[0]) == 7);
    unit_verify(lru);
    unit_end(&unit, lru, nodes, NR);
}

/* A batch over more types and generations than the gathered differences have room for. */
Test(access, batch_of_many_counters)
{
    enum { NR = 4 * 64 * 3 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_harvest harvest[NR];
    uint64_t random = unit_seed();
    struct genlru *lru;
    size_t i, round;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    config.nr_types = 4;
    config.nr_gens = 64;
    lru = unit_create(&config);
    for (i = 0; i < NR; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1 + i, i % 4) == 0);
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_HOT | GENLRU_ADD_PREFETCHED) == 0);
        if (i % 12 == 11)
            cr_assert(genlru_age(lru, 0) == 0);
    }
    for (round = 0; round < 5; round++) {
        for (i = 0; i < NR; i++)
            harvest[i] = (struct genlru_harvest){&nodes[unit_random(&random) % NR], 0};
        genlru_access_batch(lru, harvest, NR);
        unit_verify(lru);
        cr_assert(genlru_charge(lru) == (uint64_t)NR * (NR + 1) / 2);
    }
    unit_end(&unit, lru, nodes, NR);
}

/* freq: halved once for each epoch that passed, gone after four, saturating. */
Test(access, frequency)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *node = unit_nodes(1);
    struct genlru *lru;
    unsigned i, epochs;

    policy.hit.freq_max = 12;
    config.policy = &policy;
    lru = unit_create(&config);
    cr_assert(genlru_add(lru, node, NULL) == 0);
    for (epochs = 0; epochs < 20; epochs++) {
        unsigned before;

        for (i = 0; i < 20; i++)
            genlru_access(lru, node);
        before = genlru_impl_freq(unit_word(node));
        cr_assert(before == 12);
        for (i = 0; i < epochs % 6; i++) {
            genlru__mutex_lock(&lru->lock);
            genlru__begin_epoch(lru);
            genlru__mutex_unlock(&lru->lock);
        }
        genlru_access(lru, node);
        i = (12u >> (epochs % 6)) + 1;
        cr_assert(genlru_impl_freq(unit_word(node)) == (i > 12 ? 12 : i), "after %u epochs", epochs % 6);
    }
    unit_end(&unit, lru, node, 1);
}
