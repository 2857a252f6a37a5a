/* SPDX-License-Identifier: MIT */
/*
 * Pins: one holder a node, the scan passes and parks it, and unpin gives it back from each state, also without
 * memory.
 */
#include "unit.h"

Test(pin, by_state)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;

    cr_assert(genlru_pin(lru, node) == -ENOENT);
    cr_assert(genlru_unpin(lru, node) == -EPERM);
    cr_assert(unit.nr_errors == 1 && unit.error_node == node);
    cr_assert(genlru_add(lru, node, NULL) == 0);
    cr_assert(genlru_unpin(lru, node) == -EPERM && unit.nr_errors == 2);
    cr_assert(genlru_pin(lru, node) == 0);
    cr_assert(genlru_pin(lru, node) == -EBUSY, "one holder a node");
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 0);
    cr_assert(genlru_pin(lru, node) == -EBUSY);
    cr_assert(genlru_unpin(lru, node) == 0 && genlru_node_is_listed(node));
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    cr_assert(genlru_pin(lru, node) == -EBUSY, "isolated");
    cr_assert(genlru_unpin(lru, node) == -EPERM && unit.nr_errors == 3);
    cr_assert(genlru_pin(NULL, node) == -EINVAL && genlru_pin(lru, NULL) == -EINVAL);
    cr_assert(genlru_unpin(NULL, node) == -EINVAL && genlru_unpin(lru, NULL) == -EINVAL);
    unit_end(&unit, lru, node, 1);
}

Test(pin, unpinned_nodes_return_to_the_putback_place)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(500);
    struct genlru_victim victims[64];
    size_t i;

    unit_add_all(lru, nodes, 500, GENLRU_ADD_PINNED | GENLRU_ADD_COLD);
    cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) == 0);
    for (i = 0; i < 500; i++) {
        cr_assert(genlru_unpin(lru, &nodes[i]) == 0);
        cr_assert(unit_age_of(lru, &nodes[i]) == 1, "putback place -2 of every preset");
        if (i % 50 == 0)
            unit_verify(lru);
    }
    cr_assert(unit_stat(lru).pinned_nodes == 0);
    unit_end(&unit, lru, nodes, 500);
}

/* A pin and unpin that no scan met leave the node where it was. */
Test(pin, not_parked)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1), before;

    cr_assert(genlru_add(lru, node, NULL) == 0);
    before = *node;
    cr_assert(genlru_pin(lru, node) == 0 && genlru_unpin(lru, node) == 0);
    cr_assert(memcmp(&before, node, sizeof(before)) == 0);
    unit_end(&unit, lru, node, 1);
}

/*
 * Not one block to be had: unpin still succeeds, the node counts as listed, and evict comes for it. The pool is
 * emptied by taking its blocks away, as other lrus of a shared pool would.
 */
Test(pin, unpin_without_a_block)
{
    unsigned parked;

    for (parked = 1; parked <= 180; parked += 59) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru *lru = unit_create(&config);
        struct genlru_node *nodes = unit_nodes(180);
        struct genlru_victim victims[64];
        struct genlru_evict_result result;
        struct genlru__block *taken[16], *reserve[GENLRU__RESERVE];
        unsigned nr_taken = 0, nr_reserve, i;
        int got, found = 0;

        unit_add_all(lru, nodes, parked, GENLRU_ADD_PINNED);
        cr_assert(genlru_evict(lru, NULL, victims, 64, &result) == 0 && result.reason == GENLRU_EVICT_PINNED);
        unit_fail_from(&unit, 1);
        while (nr_taken < 16 && (taken[nr_taken] = genlru__pool_get(lru->pool, false)))
            nr_taken++;
        nr_reserve = (unsigned)lru->nr_reserve;
        memcpy(reserve, lru->reserve, sizeof(reserve));
        lru->nr_reserve = 0;
        for (i = 0; i < parked; i += 2) {
            cr_assert(genlru_unpin(lru, &nodes[i]) == 0);
            cr_assert(genlru_node_is_listed(&nodes[i]) && !genlru_node_is_pinned(&nodes[i]));
            unit_verify(lru);
        }
        while ((got = genlru_evict(lru, NULL, victims, 7, &result)) > 0) {
            found += got;
            unit_verify(lru);
        }
        cr_assert(found == (int)(parked + 1) / 2, "%d of %u", found, (parked + 1) / 2);
        cr_assert(result.reason == (parked > 1 ? GENLRU_EVICT_PINNED : GENLRU_EVICT_NOTHING) && unit.nr_errors == 0);
        for (i = 0; i < nr_taken; i++)
            genlru__pool_put(lru->pool, taken[i]);
        for (i = 0; i < nr_reserve; i++)
            genlru__pool_put(lru->pool, reserve[i]);
        unit.fail_nr = 0;
        unit_end(&unit, lru, nodes, 180);
    }
}
