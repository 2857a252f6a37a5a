/* SPDX-License-Identifier: MIT */
/*
 * Making and ending an lru: every config field at and beyond its range, failing allocations, busy lrus and pools,
 * capacity.
 */
#include "lru/create.h"

#include "unit.h"

static void expect_refused(struct genlru_config config, struct unit *unit, const char *what)
{
    struct genlru *lru = (struct genlru *)(void *)unit;

    cr_assert(genlru_create(&config, &lru) == -EINVAL, "%s", what);
    cr_assert(lru == (struct genlru *)(void *)unit, "%s: output touched", what);
    cr_assert(unit->bytes == 0 && unit->nr_errors == 0, "%s", what);
}

#define REFUSED(field, value)                               \
    do {                                                    \
        config = unit_config(&unit);                        \
        config.field = (value);                             \
        expect_refused(config, &unit, #field " = " #value); \
    } while (0)

Test(create, fields_out_of_range)
{
    struct unit unit;
    struct genlru_config config;
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;

    REFUSED(size, 0);
    REFUSED(size, SIZE_MAX);
    REFUSED(size, offsetof(struct genlru_config, allocator) + 1); /* half a pointer */
    REFUSED(size, sizeof(config) + 1);
    REFUSED(nr_gens, 1);
    REFUSED(nr_gens, 2);
    REFUSED(nr_gens, 65);
    REFUSED(nr_gens, UINT32_MAX);
    REFUSED(nr_types, 5);
    REFUSED(nr_types, UINT32_MAX);
    REFUSED(stripes, 9);
    REFUSED(type_weight[0], 201);
    REFUSED(type_weight[3], 255);
    policy.size = 0;
    REFUSED(policy, &policy);
    policy = GENLRU_POLICY_DEFAULT;
    policy.place.cold = 5;
    config = unit_config(&unit);
    config.nr_gens = 5;
    config.policy = &policy;
    expect_refused(config, &unit, "a place that nr_gens does not have");
    cr_assert(genlru_create(&config, NULL) == -EINVAL);
}

Test(create, fields_in_range)
{
    struct unit unit;
    struct genlru_config config;
    struct genlru *lru;
    struct genlru_stat stat;
    unsigned gens, types, stripes;

    for (gens = 3; gens <= 64; gens += 61)
        for (types = 1; types <= 4; types += 3)
            for (stripes = 1; stripes <= 8; stripes += 7) {
                config = unit_config(&unit);
                config.nr_gens = gens;
                config.nr_types = types;
                config.stripes = stripes;
                config.type_weight[0] = 200;
                config.type_weight[1] = 1;
                config.capacity = 0;
                lru = unit_create(&config);
                stat = unit_stat(lru);
                cr_assert(stat.nr_gens == gens && stat.nr_types == types && stat.stripes == stripes);
                cr_assert(stat.capacity == 0 && stat.nodes == 0 && stat.max_seq == gens - 1);
                unit_end(&unit, lru, NULL, 0);
            }
}

Test(create, defaults)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru *lru;
    struct genlru_stat stat;

    cr_assert(genlru_create(NULL, &lru) == 0);
    stat = unit_stat(lru);
    cr_assert(stat.capacity == GENLRU_NO_LIMIT && stat.nr_gens == 4 && stat.nr_types == 1);
    cr_assert(stat.stripes >= 1 && stat.stripes <= 8);
    cr_assert(genlru_destroy(lru) == 0);
    config.capacity = 4095;
    lru = unit_create(&config);
    cr_assert(unit_stat(lru).stripes == 1, "a small lru has one stripe");
    cr_assert(genlru_destroy(lru) == 0);
    cr_assert(genlru_destroy(NULL) == 0);
}

/* An owner compiled with an older header: fields beyond its size are defaults. */
Test(create, older_config)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru;

    config.size = offsetof(struct genlru_config, stripes) / sizeof(size_t) * sizeof(size_t);
    config.nr_gens = 7;
    config.nr_types = 2;
    config.stripes = 99;
    lru = unit_create(&config);
    cr_assert(unit_stat(lru).nr_gens == 7 && unit_stat(lru).nr_types == 2);
    cr_assert(genlru_destroy(lru) == 0);
}

/* Compiled with a newer one: fields that it leaves at 0 are not missed, others would be ignored, so they are refused. */
Test(create, newer_config)
{
    struct unit unit;
    struct {
        struct genlru_config config;
        size_t newer[3];
    } own = {unit_config(&unit), {0, 0, 0}};
    struct genlru *lru = NULL;

    own.config.size = sizeof(own);
    lru = unit_create(&own.config);
    cr_assert(genlru_destroy(lru) == 0);
    lru = NULL;
    own.newer[2] = 1;
    cr_assert(genlru_create(&own.config, &lru) == -EINVAL && !lru && unit.bytes == 0);
}

Test(create, no_memory)
{
    unsigned n;

    for (n = 1; n <= 2; n++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru *lru = NULL;

        unit_fail_from(&unit, n);
        cr_assert(genlru_create(&config, &lru) == -ENOMEM && !lru);
        cr_assert(unit.bytes == 0 && unit.nr_allocs == n);
    }
}

Test(create, destroy_with_nodes)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(2);
    struct genlru_victim victim;

    unit_add_all(lru, nodes, 2, 0);
    cr_assert(genlru_destroy(lru) == -EBUSY);
    cr_assert(unit.nr_errors == 1 && unit.error == GENLRU_ERROR_MISUSE);
    unit_verify(lru);
    cr_assert(genlru_pin(lru, &nodes[0]) == 0 && genlru_del(lru, &nodes[1]) == GENLRU_YOURS);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 0);
    cr_assert(genlru_destroy(lru) == -EBUSY, "parked");
    cr_assert(unit.nr_errors == 2);
    cr_assert(genlru_unpin(lru, &nodes[0]) == 0);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    cr_assert(genlru_destroy(lru) == 0, "isolated nodes are their evictor's");
    cr_assert(unit.bytes == 0);
    free(nodes);
}

Test(create, nodes_of_charge_zero_are_nodes)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node node;

    cr_assert(genlru_node_init(&node, 0, 0) == 0 && genlru_add(lru, &node, NULL) == 0);
    cr_assert(genlru_charge(lru) == 0 && genlru_destroy(lru) == -EBUSY);
    cr_assert(genlru_del(lru, &node) == GENLRU_YOURS);
    unit_end(&unit, lru, NULL, 0);
}

Test(create, shared_pool)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_pool_stat stat = {.size = sizeof(stat)};
    struct genlru_node *nodes = unit_nodes(600);
    struct genlru_pool *pool;
    struct genlru *a, *b;

    cr_assert(genlru_pool_create(&unit.heap, &pool) == 0);
    config.pool = pool;
    a = unit_create(&config);
    b = unit_create(&config);
    cr_assert(genlru_pool_destroy(pool) == -EBUSY);
    unit_add_all(a, nodes, 300, 0);
    unit_add_all(b, nodes + 300, 300, 0);
    unit_verify(a);
    unit_verify(b);
    cr_assert(genlru_pool_stat(pool, &stat) == 0);
    cr_assert(stat.blocks - stat.free_blocks == unit_stat(a).blocks + unit_stat(b).blocks);
    unit_del_all(a, nodes, 300);
    unit_verify(b);
    cr_assert(genlru_destroy(a) == 0);
    cr_assert(genlru_pool_destroy(pool) == -EBUSY);
    unit_verify(b);
    unit_del_all(b, nodes + 300, 300);
    cr_assert(genlru_destroy(b) == 0);
    cr_assert(genlru_pool_stat(pool, &stat) == 0 && stat.free_blocks == stat.blocks, "each block came back");
    cr_assert(genlru_pool_destroy(pool) == 0 && unit.bytes == 0);
    free(nodes);
}

Test(create, capacity_and_excess)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(100);
    struct genlru *lru;
    size_t i;

    config.capacity = 40;
    lru = unit_create(&config);
    for (i = 0; i < 100; i++) {
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
        cr_assert(genlru_charge(lru) == i + 1);
        cr_assert(genlru_excess(lru) == (i + 1 > 40 ? i + 1 - 40 : 0));
    }
    genlru_set_capacity(lru, 0);
    cr_assert(genlru_excess(lru) == 100 && unit_stat(lru).capacity == 0);
    genlru_set_capacity(lru, GENLRU_NO_LIMIT);
    cr_assert(genlru_excess(lru) == 0);
    cr_assert(genlru_recharge(lru, &nodes[0], UINT32_MAX) == 0);
    cr_assert(genlru_charge(lru) == (uint64_t)UINT32_MAX + 99);
    unit_end(&unit, lru, nodes, 100);
}

Test(create, starts_where_it_is_told)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru__start start = {UINT64_C(1) << 40, 12345, 77};
    struct genlru *lru;
    struct genlru_stat stat;

    cr_assert(genlru__create_at(&config, &start, &lru) == 0);
    stat = unit_stat(lru);
    cr_assert(stat.max_seq == start.max_seq && stat.min_seq[0] == start.max_seq - 3);
    cr_assert(stat.eviction_clock == 12345 && stat.freq_epoch == 77);
    unit_end(&unit, lru, NULL, 0);
}
