/* SPDX-License-Identifier: MIT */
/* Advice and weight, in every state, with counters that follow. */
#include "unit.h"

static void expect_counters(const struct genlru *lru, const struct genlru_node *nodes, size_t nr)
{
    struct genlru_gen_stat gens[64];
    uint64_t charge[64] = {0}, count[64] = {0};
    int width = genlru_stat_gens(lru, 0, gens, 64), age;
    size_t i;

    for (i = 0; i < nr; i++)
        if (genlru_impl_gen(unit_word(&nodes[i]))) {
            charge[unit_age_of(lru, &nodes[i])] += genlru_node_charge(&nodes[i]);
            count[unit_age_of(lru, &nodes[i])]++;
        }
    for (age = 0; age < width; age++)
        cr_assert(gens[age].nodes == count[age] && gens[age].charge == charge[age]);
}

Test(advise, where_nodes_go)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(10);
    struct genlru *lru;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, 10, 0);
    cr_assert(genlru_advise(lru, &nodes[0], GENLRU_ADVICE_WILLNEED) == 0 && unit_age_of(lru, &nodes[0]) == 1);
    cr_assert(genlru_advise(lru, &nodes[0], GENLRU_ADVICE_COLD) == 0 && unit_age_of(lru, &nodes[0]) == 3);
    cr_assert(genlru_node_refs(&nodes[0]) == 0);
    cr_assert(genlru_advise(lru, &nodes[1], GENLRU_ADVICE_NOREUSE) == 0);
    genlru_access(lru, &nodes[1]);
    cr_assert(genlru_node_refs(&nodes[1]) == 1, "accesses do not count from now on");
    cr_assert(genlru_advise(lru, &nodes[1], GENLRU_ADVICE_NORMAL) == 0);
    genlru_access(lru, &nodes[1]);
    cr_assert(genlru_node_refs(&nodes[1]) == 2);
    cr_assert(genlru_advise(lru, &nodes[1], GENLRU_ADVICE_SEQUENTIAL) == 0);
    cr_assert(unit_age_of(lru, &nodes[1]) == 2 && genlru_node_refs(&nodes[1]) == 2, "used more than once");
    cr_assert(genlru_advise(lru, &nodes[2], GENLRU_ADVICE_WILLNEED) == 0);
    cr_assert(genlru_advise(lru, &nodes[2], GENLRU_ADVICE_SEQUENTIAL) == 0 && unit_age_of(lru, &nodes[2]) == 3);
    cr_assert(genlru_advise(lru, &nodes[3], GENLRU_ADVICE_PREFETCHED) == 0 && genlru_node_refs(&nodes[3]) == 0);
    genlru_access(lru, &nodes[3]);
    cr_assert(genlru_node_refs(&nodes[3]) == 1 && unit_age_of(lru, &nodes[3]) == 3, "the next access is the first");
    cr_assert(genlru_advise(lru, &nodes[4], GENLRU_ADVICE_PAGEOUT) == 0);
    cr_assert(genlru__tier_of(unit_word(&nodes[4]) | GENLRU_REFS_MASK, genlru__policy(lru)) == 0,
              "no tier protects it");
    cr_assert(genlru_advise(lru, &nodes[4], (enum genlru_advice)7) == -EINVAL);
    cr_assert(genlru_advise(lru, &nodes[4], (enum genlru_advice) - 1) == -EINVAL);
    cr_assert(genlru_advise(NULL, &nodes[4], GENLRU_ADVICE_COLD) == -EINVAL);
    cr_assert(genlru_advise(lru, NULL, GENLRU_ADVICE_COLD) == -EINVAL);
    expect_counters(lru, nodes, 10);
    unit_end(&unit, lru, nodes, 10);
}

/* A node advised cold is the next victim's generation, wherever it hangs. */
Test(advise, cold_is_evicted_willneed_is_not)
{
    enum { NR = 300 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[NR];
    size_t i;
    int got;

    unit_add_all(lru, nodes, NR, GENLRU_ADD_COLD);
    for (i = 0; i < NR; i += 3)
        cr_assert(genlru_advise(lru, &nodes[i], GENLRU_ADVICE_WILLNEED) == 0);
    got = genlru_evict(lru, NULL, victims, NR / 3 * 2, NULL);
    cr_assert(got == NR / 3 * 2);
    while (got-- > 0)
        cr_assert((victims[got].node - nodes) % 3 != 0);
    unit_end(&unit, lru, nodes, NR);
}

Test(advise, recharge)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(4);
    struct genlru_victim victim;
    uint64_t clock;

    cr_assert(genlru_recharge(lru, &nodes[0], 5) == 0 && genlru_node_charge(&nodes[0]) == 5 && genlru_charge(lru) == 0);
    unit_add_all(lru, nodes, 4, 0);
    cr_assert(genlru_charge(lru) == 8);
    cr_assert(genlru_recharge(lru, &nodes[1], UINT32_MAX) == 0 && genlru_charge(lru) == (uint64_t)UINT32_MAX + 7);
    expect_counters(lru, nodes, 4);
    cr_assert(genlru_recharge(lru, &nodes[1], (uint64_t)UINT32_MAX + 1) == -ERANGE);
    cr_assert(genlru_node_charge(&nodes[1]) == UINT32_MAX, "refused, and nothing changed");
    cr_assert(genlru_recharge(lru, &nodes[1], 0) == 0 && genlru_charge(lru) == 7);
    cr_assert(genlru_pin(lru, &nodes[2]) == 0 && genlru_recharge(lru, &nodes[2], 100) == 0 &&
              genlru_charge(lru) == 106);
    unit_verify(lru);
    cr_assert(genlru_evict(lru, &(struct genlru_budget){.nodes = 1}, &victim, 1, NULL) == 1 &&
              victim.node == &nodes[0]);
    clock = unit_stat(lru).eviction_clock;
    cr_assert(genlru_recharge(lru, victim.node, 50) == 0);
    cr_assert(unit_stat(lru).eviction_clock == clock + 45 && genlru_charge(lru) == 101);
    cr_assert(genlru_putback(lru, &victim) == 0);
    cr_assert(unit_stat(lru).eviction_clock == clock - 5 && genlru_charge(lru) == 151);
    unit_verify(lru);
    while (genlru_evict(lru, NULL, &victim, 1, NULL) == 1)
        ;
    cr_assert(unit_stat(lru).pinned_charge == 100);
    cr_assert(genlru_recharge(lru, &nodes[2], 7) == 0 && unit_stat(lru).pinned_charge == 7, "parked");
    unit_verify(lru);
    cr_assert(genlru_recharge(NULL, &nodes[2], 1) == -EINVAL && genlru_recharge(lru, NULL, 1) == -EINVAL);
    unit_end(&unit, lru, nodes, 4);
}

/* All advice in all states, at random; counters and invariants follow. */
Test(advise, random)
{
    enum { NR = 500 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t random = unit_seed();
    struct genlru_victim victims[20];
    unsigned i;

    for (i = 0; i < 100000; i++) {
        struct genlru_node *node = &nodes[unit_random(&random) % NR];
        unsigned what = (unsigned)(unit_random(&random) % 200);

        if (what < 7)
            cr_assert(genlru_advise(lru, node, (enum genlru_advice)what) == 0);
        else if (what < 30)
            cr_assert(genlru_recharge(lru, node, unit_random(&random) % 1000) == 0);
        else if (what < 60)
            genlru_access(lru, node);
        else if (what == 60)
            cr_assert(genlru_age(lru, 0) == 0);
        else if (what == 61)
            (void)genlru_evict(lru, NULL, victims, 20, NULL);
        else if (what < 80 && genlru_node_is_listed(node) && !genlru_node_is_pinned(node))
            cr_assert(genlru_pin(lru, node) == 0);
        else if (what < 100 && genlru_node_is_pinned(node))
            cr_assert(genlru_unpin(lru, node) == 0);
        else if (!genlru_node_is_listed(node)) {
            if (genlru_node_is_isolated(node))
                cr_assert(genlru_node_init(node, 1, 0) == 0);
            cr_assert(genlru_add(lru, node, NULL) == 0);
        }
        if (i % 200 == 0) {
            unit_verify(lru);
            expect_counters(lru, nodes, NR);
        }
    }
    unit_end(&unit, lru, nodes, NR);
}
