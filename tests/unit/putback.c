/* SPDX-License-Identifier: MIT */
/* genlru_putback: the place, what it undoes, refusals that change nothing, and no memory. */
#include "unit.h"

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    (void)ctx;
    return (uint64_t)(uintptr_t)node;
}

Test(putback, place_and_refs)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    struct genlru *lru;
    unsigned i;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    cr_assert(unit_add(lru, node, GENLRU_ADD_HOT) == 0);
    for (i = 0; i < 4; i++)
        genlru_access(lru, node);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    cr_assert(genlru_node_refs(node) == 5, "refs are kept when isolating");
    cr_assert(genlru_putback(lru, &victim) == 0);
    cr_assert(genlru_node_refs(node) == 2 && unit_age_of(lru, node) == 1, "capped, second youngest");
    unit_verify(lru);
    unit_end(&unit, lru, node, 1);
}

/* Evicting and putting back leaves clock and history as they were. */
Test(putback, undoes)
{
    enum { NR = 200 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[NR];
    struct genlru_stat before, after;
    unsigned tier;
    size_t i;
    int got;

    for (i = 0; i < NR; i++)
        cr_assert(genlru_recharge(lru, &nodes[i], 1 + i) == 0);
    unit_add_all(lru, nodes, NR, 0);
    before = unit_stat(lru);
    got = genlru_evict(lru, NULL, victims, 100, NULL);
    cr_assert(got == 100 && unit_stat(lru).eviction_clock == 100 * 101 / 2);
    cr_assert(unit_stat(lru).tier[0][0].evicted == 100);
    while (got-- > 0)
        cr_assert(genlru_putback(lru, &victims[got]) == 0);
    after = unit_stat(lru);
    cr_assert(after.eviction_clock == before.eviction_clock && after.charge == before.charge &&
              after.nodes == before.nodes);
    for (tier = 0; tier < 4; tier++)
        cr_assert(after.tier[0][tier].evicted == before.tier[0][tier].evicted);
    cr_assert(after.evicted == 100 && after.putback == 100);
    unit_end(&unit, lru, nodes, NR);
}

Test(putback, refuses)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(3), before[3];
    struct genlru_victim victim, wrong = {&nodes[1], 0}, none = {NULL, 0};
    struct genlru_stat stat, after;
    unsigned errors = 0;

    unit_add_all(lru, nodes, 2, 0);
    cr_assert(genlru_node_init(&nodes[2], 1, 3) == 0);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    memcpy(before, nodes, sizeof(before));
    stat = unit_stat(lru);
    cr_assert(genlru_putback(lru, &wrong) == -EPERM && unit.nr_errors == ++errors, "listed");
    cr_assert(genlru_release(lru, &nodes[1]) == -EPERM && unit.nr_errors == ++errors);
    wrong.node = &nodes[2];
    cr_assert(genlru_putback(lru, &wrong) == -EINVAL, "a type that is not of this lru");
    errors = unit.nr_errors;
    cr_assert(genlru_node_init(&nodes[2], 1, 0) == 0);
    before[2] = nodes[2];
    cr_assert(genlru_putback(lru, &wrong) == -EPERM && unit.nr_errors == ++errors, "off");
    cr_assert(genlru_release(lru, &nodes[2]) == -EPERM && unit.nr_errors == ++errors);
    cr_assert(genlru_putback(lru, NULL) == -EINVAL && genlru_putback(NULL, &victim) == -EINVAL);
    cr_assert(genlru_putback(lru, &none) == -EINVAL);
    cr_assert(unit.nr_errors == errors);
    cr_assert(memcmp(before, nodes, sizeof(before)) == 0);
    after = unit_stat(lru);
    cr_assert(memcmp(&stat, &after, sizeof(stat)) == 0);
    cr_assert(genlru_putback(lru, &victim) == 0);
    cr_assert(genlru_putback(lru, &victim) == -EPERM && unit.nr_errors == ++errors, "twice");
    unit_end(&unit, lru, nodes, 3);
}

/* A made-up or foreign shadow must not harm the history. */
Test(putback, strange_shadows)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    uint64_t random = unit_seed();
    unsigned i;

    cr_assert(genlru_add(lru, node, NULL) == 0);
    for (i = 0; i < 1000; i++) {
        cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
        victim.shadow = i % 3 ? unit_random(&random) : 0;
        cr_assert(genlru_putback(lru, &victim) == 0);
        unit_verify(lru);
    }
    cr_assert(unit_stat(lru).eviction_clock == 0);
    unit_end(&unit, lru, node, 1);
}

/* -ENOMEM: still isolated, still yours, and its shadow is where it was. */
Test(putback, no_memory)
{
    enum { NR = 180 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_nonresident *table;
    struct genlru_victim victims[NR];
    struct genlru__block *taken[16];
    struct genlru_node before;
    struct genlru *lru;
    unsigned nr_taken = 0, i;
    uint64_t reserve;
    genlru_shadow shadow;

    cr_assert(genlru_nonresident_create(1024, 3, NULL, &table) == 0);
    config.nonresident = table;
    config.hash_of = hash_of;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, NR, 0);
    cr_assert(genlru_evict(lru, NULL, victims, 10, NULL) == 10);
    unit_fail_from(&unit, 1);
    while (nr_taken < 16 && (taken[nr_taken] = genlru__pool_get(lru->pool, false)))
        nr_taken++;
    reserve = lru->nr_reserve;
    lru->nr_reserve = 0;
    before = *victims[0].node;
    cr_assert(genlru_putback(lru, &victims[0]) == -ENOMEM);
    cr_assert(memcmp(&before, victims[0].node, sizeof(before)) == 0 && genlru_node_is_isolated(victims[0].node));
    cr_assert(unit_stat(lru).putback == 0 && unit_stat(lru).eviction_clock == 10);
    unit_verify(lru);
    shadow = genlru_nonresident_take(table, lru, hash_of(NULL, victims[0].node));
    cr_assert(shadow == victims[0].shadow, "it is not evicted any less");
    lru->nr_reserve = reserve;
    for (i = 0; i < nr_taken; i++)
        genlru__pool_put(lru->pool, taken[i]);
    for (i = 0; i < 10; i++) {
        cr_assert(genlru_putback(lru, &victims[i]) == 0);
        cr_assert(genlru_nonresident_take(table, lru, hash_of(NULL, victims[i].node)) == 0, "no shadow of a resident");
    }
    unit.fail_nr = 0;
    unit_end(&unit, lru, nodes, NR);
    genlru_nonresident_destroy(table);
}
