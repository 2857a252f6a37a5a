/* SPDX-License-Identifier: MIT */
/* genlru_add: where nodes go, what a shadow gives back, refusals that change nothing, and no memory. */
#include "gens/window.h"
#include "unit.h"

Test(add, refuses)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1), before = *node, alien;
    struct genlru_stat stat = unit_stat(lru), after;

    cr_assert(genlru_add(NULL, node, NULL) == -EINVAL);
    cr_assert(genlru_add(lru, NULL, NULL) == -EINVAL);
    cr_assert(unit_add(lru, node, GENLRU_ADD_COLD | GENLRU_ADD_HOT) == -EINVAL);
    cr_assert(unit_add(lru, node, 1u << 6) == -EINVAL);
    cr_assert(unit_add(lru, node, 1u << 31) == -EINVAL);
    cr_assert(genlru_node_init(&alien, 1, 1) == 0);
    cr_assert(genlru_add(lru, &alien, NULL) == -EINVAL, "a type that the lru does not have");
    cr_assert(memcmp(&before, node, sizeof(before)) == 0 && !alien.slot);
    after = unit_stat(lru);
    cr_assert(memcmp(&stat, &after, sizeof(stat)) == 0);
    unit_end(&unit, lru, node, 1);
}

/* The table's row of add, by state: the errno, nothing changed, and the hook told. */
Test(add, by_state)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    unsigned step, errors = 0;

    for (step = 0; step < 6; step++) {
        static const int want[] = {-EEXIST, -EEXIST, -EEXIST, -EBUSY, -EBUSY, -EBUSY};
        struct genlru_node before;
        struct genlru_stat stat, after;

        if (step == 0)
            cr_assert(genlru_add(lru, node, NULL) == 0); /* LISTED */
        if (step == 1)
            cr_assert(genlru_pin(lru, node) == 0); /* LISTED, PINNED */
        if (step == 2)
            cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 0); /* PARKED */
        if (step == 3)
            cr_assert(genlru_del(lru, node) == 0); /* CONDEMNED */
        if (step == 4) {
            cr_assert(genlru_unpin(lru, node) == GENLRU_YOURS);
            cr_assert(genlru_add(lru, node, NULL) == 0);
            cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1); /* ISOLATED */
        }
        if (step == 5)
            cr_assert(genlru_del(lru, node) == 0); /* ISOLATED, DEAD */
        before = *node;
        stat = unit_stat(lru);
        cr_assert(genlru_add(lru, node, NULL) == want[step], "step %u", step);
        cr_assert(memcmp(&before, node, sizeof(before)) == 0, "step %u changed the node", step);
        unit_verify(lru);
        after = unit_stat(lru);
        after.blocks = stat.blocks; /* an add may have opened a block */
        after.metadata_bytes = stat.metadata_bytes;
        cr_assert(memcmp(&stat, &after, sizeof(stat)) == 0, "step %u", step);
        cr_assert(unit.nr_errors == ++errors && unit.error == GENLRU_ERROR_MISUSE && unit.error_node == node);
    }
    cr_assert(genlru_release(lru, node) == GENLRU_YOURS);
    unit_end(&unit, lru, node, 1);
}

Test(add, places)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(6);
    struct genlru *lru;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    cr_assert(genlru_add(lru, &nodes[0], NULL) == 0);
    cr_assert(unit_age_of(lru, &nodes[0]) == 3 && genlru_node_refs(&nodes[0]) == 1);
    cr_assert(unit_add(lru, &nodes[1], GENLRU_ADD_PREFETCHED) == 0);
    cr_assert(unit_age_of(lru, &nodes[1]) == 3 && genlru_node_refs(&nodes[1]) == 0);
    genlru_access(lru, &nodes[1]);
    cr_assert(genlru_node_refs(&nodes[1]) == 1 && unit_age_of(lru, &nodes[1]) == 3,
              "the first access is still to come");
    cr_assert(unit_add(lru, &nodes[2], GENLRU_ADD_HOT) == 0 && unit_age_of(lru, &nodes[2]) == 1);
    cr_assert(unit_add(lru, &nodes[3], GENLRU_ADD_NOREUSE) == 0);
    genlru_access(lru, &nodes[3]);
    genlru_access(lru, &nodes[3]);
    cr_assert(genlru_node_refs(&nodes[3]) == 0 && unit_age_of(lru, &nodes[3]) == 3, "accesses never count");
    cr_assert(unit_add(lru, &nodes[4], GENLRU_ADD_PINNED) == 0 && genlru_node_is_pinned(&nodes[4]));
    cr_assert(unit_add(lru, &nodes[5], GENLRU_ADD_MAPPED) == 0 && genlru_node_refs(&nodes[5]) == 1);
    cr_assert(unit_stat(lru).nodes == 6);
    unit_end(&unit, lru, nodes, 6);
}

/* A node that an access by its old owner counted beyond what this lru counts to (invariant 11). */
Test(add, node_of_a_policy_that_counts_further)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy far = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *node = unit_nodes(1);
    struct genlru *a, *b;
    unsigned i;

    far.hit.refs_max = 15;
    far.hit.defer_gens = 0;
    config.policy = &far;
    a = unit_create(&config);
    config.policy = &GENLRU_POLICY_MGLRU;
    b = unit_create(&config);
    cr_assert(genlru_add(a, node, NULL) == 0);
    for (i = 0; i < 13; i++)
        genlru_access(a, node);
    cr_assert(genlru_node_refs(node) == 14);
    cr_assert(genlru_del(a, node) == GENLRU_YOURS);
    cr_assert(unit_add(b, node, GENLRU_ADD_PREFETCHED) == 0);
    cr_assert(genlru_node_refs(node) <= 4);
    unit_verify(b);
    cr_assert(genlru_destroy(a) == 0);
    unit_end(&unit, b, node, 1);
}

/* A returning node gets refs back from its shadow, and is counted; a strange one does not. */
Test(add, refault)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    struct genlru_add how = {0};
    struct genlru_stat stat;
    struct genlru *lru, *other;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    other = unit_create(&config);
    cr_assert(unit_add(lru, node, GENLRU_ADD_HOT) == 0);
    genlru_access(lru, node);
    genlru_access(lru, node);
    cr_assert(genlru_node_refs(node) == 3);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1 && victim.shadow);
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    how.shadow = victim.shadow;
    cr_assert(genlru_add(lru, node, &how) == 0);
    cr_assert(genlru_node_refs(node) == 4, "three of the shadow and the access itself: %u", genlru_node_refs(node));
    cr_assert(unit_age_of(lru, node) + 2 <= unit_stat(lru).max_seq - unit_stat(lru).min_seq[0] + 1 ||
              unit_age_of(lru, node) == 2);
    stat = unit_stat(lru);
    cr_assert(stat.refaulted == 1 && stat.refaulted_workingset == 1 && stat.tier[0][2].refaulted == 1);
    cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    how.shadow = victim.shadow;
    cr_assert(genlru_add(other, node, &how) == 0 && genlru_node_refs(node) == 1, "a shadow of another lru");
    cr_assert(unit_stat(other).refaulted == 0);
    cr_assert(genlru_del(other, node) == GENLRU_YOURS);
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    how.shadow = 12345; /* no shadow at all */
    cr_assert(genlru_add(lru, node, &how) == 0 && genlru_node_refs(node) == 1 && unit_stat(lru).refaulted == 1);
    cr_assert(genlru_destroy(other) == 0);
    unit_end(&unit, lru, node, 1);
}

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    return (uint64_t)(node - (const struct genlru_node *)ctx) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The lru's own table of shadows: kept for victims, found at add, not lost when the add fails. */
Test(add, nonresident)
{
    enum { NR = 300 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[NR];
    struct genlru_nonresident *table;
    struct genlru *lru;
    size_t i;

    cr_assert(genlru_nonresident_create(4096, 1, NULL, &table) == 0);
    config.nonresident = table;
    config.hash_of = hash_of;
    config.hash_ctx = nodes;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, NR, 0);
    cr_assert(genlru_evict(lru, NULL, victims, NR, NULL) == NR);
    genlru_trim(lru);
    for (i = 0; i < NR; i++) {
        struct genlru_add how = {.key_hash = hash_of(nodes, &nodes[i]), .has_key_hash = i % 2};

        cr_assert(genlru_node_init(&nodes[i], 1, 0) == 0);
        cr_assert(genlru_add(lru, &nodes[i], &how) == 0);
        cr_assert(genlru_node_refs(&nodes[i]) == 1 + i % 2, "node %zu", i);
        if (i % 2) {
            unsigned errors = unit.nr_errors;

            genlru_nonresident_insert(table, lru, how.key_hash, victims[i].shadow);
            cr_assert(genlru_add(lru, &nodes[i], &how) == -EEXIST && unit.nr_errors == errors + 1);
            cr_assert(genlru_nonresident_take(table, lru, how.key_hash), "a failed add keeps the shadow");
        }
    }
    cr_assert(unit_stat(lru).refaulted == NR / 2);
    unit_end(&unit, lru, nodes, NR);
    genlru_nonresident_destroy(table);
}

/* In steady state nothing is allocated; without memory an add changes nothing and the next one may succeed. */
Test(add, memory)
{
    enum { NR = 60 * 50 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR), *more = unit_nodes(200), before;
    struct genlru_victim victims[64];
    struct genlru_stat stat, after;
    uint64_t allocs;
    size_t i, k;
    int result = 0;

    unit_add_all(lru, nodes, NR, 0);
    for (i = 0; i < 10; i++) { /* warm: spare blocks */
        cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) == 64);
        for (k = 0; k < 64; k++) {
            cr_assert(genlru_node_init(victims[k].node, 1, 0) == 0);
            cr_assert(genlru_add(lru, victims[k].node, NULL) == 0);
        }
    }
    allocs = unit.nr_allocs;
    for (i = 0; i < 1000; i++) {
        cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) == 64);
        for (k = 0; k < 64; k++) {
            cr_assert(genlru_node_init(victims[k].node, 1, 0) == 0);
            cr_assert(genlru_add(lru, victims[k].node, NULL) == 0);
        }
    }
    cr_assert(unit.nr_allocs == allocs, "%llu allocations in steady state",
              (unsigned long long)(unit.nr_allocs - allocs));

    unit_fail_from(&unit, 1);
    for (i = 0; i < 200 && result == 0; i++) {
        before = more[i];
        stat = unit_stat(lru);
        result = genlru_add(lru, &more[i], NULL);
    }
    if (result) {
        cr_assert(result == -ENOMEM && memcmp(&before, &more[i - 1], sizeof(before)) == 0);
        after = unit_stat(lru);
        cr_assert(stat.nodes == after.nodes && stat.charge == after.charge);
        unit_verify(lru);
        unit.fail_nr = 0;
        cr_assert(genlru_add(lru, &more[i - 1], NULL) == 0);
    }
    unit_verify(lru);
    unit_del_all(lru, more, 200);
    free(more);
    unit_end(&unit, lru, nodes, NR);
}

/* Probation: new nodes pass through it once the lru is full enough; hot ones and refaults do not. */
Test(add, probation)
{
    enum { CAPACITY = 6000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(2 * CAPACITY);
    struct genlru_victim victim;
    struct genlru *lru;
    size_t i, nr = 0;

    policy.probation = (struct genlru_probation_rules){10, 50, 2, 1, 2, 1, 0, 0};
    config.policy = &policy;
    config.capacity = CAPACITY;
    lru = unit_create(&config);
    for (i = 0; i < CAPACITY; i++) {
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
        nr += (unit_word(&nodes[i]) & GENLRU_PROBATION) != 0;
    }
    cr_assert(nr > CAPACITY / 2 - 200 && nr < CAPACITY / 2 + 200, "from half full on: %zu", nr);
    cr_assert(unit_stat(lru).probation_nodes == nr && unit_stat(lru).probation_charge == nr);
    unit_verify(lru);
    cr_assert(unit_add(lru, &nodes[CAPACITY], GENLRU_ADD_HOT) == 0);
    cr_assert(!(unit_word(&nodes[CAPACITY]) & GENLRU_PROBATION));
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    cr_assert(victim.node >= &nodes[CAPACITY / 2 - 200], "probation is more than its share: it gives the victims");
    genlru_access(lru, victim.node + 1);
    for (i = 0; i < 1000; i++) { /* ... and who was used there graduates */
        struct genlru_node *first = victim.node;

        cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
        if (i == 0)
            cr_assert(victim.node == first + 2 && !(unit_word(first + 1) & GENLRU_PROBATION));
    }
    unit_verify(lru);
    unit_end(&unit, lru, nodes, 2 * CAPACITY);
}
