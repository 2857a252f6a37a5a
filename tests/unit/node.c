/* SPDX-License-Identifier: MIT */
/* Nodes by themselves: preparing, reading and ending them, owner bits, and the layout that ports must keep. */
#include "unit.h"

#include <signal.h>

Test(node, layout)
{
    cr_assert(sizeof(struct genlru_node) == 16);
    cr_assert(_Alignof(struct genlru_node) >= 8);
    cr_assert(offsetof(struct genlru_node, state) == 0);
}

Test(node, init)
{
    struct genlru_node node;
    unsigned type;

    for (type = 0; type < 4; type++) {
        memset(&node, 0xff, sizeof(node));
        cr_assert(genlru_node_init(&node, UINT32_MAX - type, type) == 0);
        cr_assert(genlru_node_charge(&node) == UINT32_MAX - type);
        cr_assert(genlru_node_type(&node) == type);
        cr_assert(genlru_node_refs(&node) == 0);
        cr_assert(!genlru_node_is_listed(&node) && !genlru_node_is_isolated(&node) && !genlru_node_is_pinned(&node));
        cr_assert(genlru_node_owner_bits(&node) == 0);
        cr_assert(genlru_node_fini(&node) == 0);
    }
}

Test(node, init_refuses)
{
    struct genlru_node nodes[2], before;

    memset(nodes, 0x5a, sizeof(nodes));
    before = nodes[0];
    cr_assert(genlru_node_init(NULL, 1, 0) == -EINVAL);
    cr_assert(genlru_node_init((struct genlru_node *)(void *)((char *)nodes + 4), 1, 0) == -EINVAL, "not aligned to 8");
    cr_assert(genlru_node_init((struct genlru_node *)(void *)((char *)nodes + 1), 1, 0) == -EINVAL);
    cr_assert(genlru_node_init(&nodes[0], 1, 4) == -EINVAL);
    cr_assert(genlru_node_init(&nodes[0], 1, UINT32_MAX) == -EINVAL);
    cr_assert(genlru_node_init(&nodes[0], (uint64_t)UINT32_MAX + 1, 0) == -ERANGE);
    cr_assert(genlru_node_init(&nodes[0], UINT64_MAX, 0) == -ERANGE);
    cr_assert(memcmp(&before, &nodes[0], sizeof(before)) == 0, "a refused init changed the node");
}

Test(node, owner_bits)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    unsigned bits, i;

    for (bits = 0; bits < 8; bits++) {
        cr_assert(genlru_node_set_owner_bits(node, bits) == 0);
        cr_assert(genlru_node_owner_bits(node) == bits);
        cr_assert(genlru_add(lru, node, NULL) == 0);
        for (i = 0; i < 20; i++)
            genlru_access(lru, node);
        cr_assert(genlru_node_owner_bits(node) == bits && genlru_node_charge(node) == 1);
        cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
        cr_assert(genlru_node_owner_bits(node) == bits);
    }
    cr_assert(genlru_node_set_owner_bits(node, 8) == -EINVAL);
    cr_assert(genlru_node_owner_bits(node) == 7);
    unit_end(&unit, lru, node, 1);
}

Test(node, entry_of_node)
{
    struct entry {
        char key[24];
        struct genlru_node node;
        int value;
    } entry;

    cr_assert(GENLRU_ENTRY(&entry.node, struct entry, node) == &entry);
}

/* What each reading call says in each state, and who may end a node. */
Test(node, states_and_fini)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    struct genlru_evict_result result;

    cr_assert(genlru_add(lru, node, NULL) == 0);
    cr_assert(genlru_node_is_listed(node) && !genlru_node_is_isolated(node) && !genlru_node_is_pinned(node));
    cr_assert(genlru_node_refs(node) == 1, "a plain add counts as the first access");
    cr_assert(genlru_pin(lru, node) == 0);
    cr_assert(genlru_node_is_listed(node) && genlru_node_is_pinned(node));
    cr_assert(genlru_evict(lru, NULL, &victim, 1, &result) == 0 && result.parked == 1);
    cr_assert(genlru_node_is_listed(node) && genlru_node_is_pinned(node), "parked is listed");
    cr_assert(genlru_del(lru, node) == 0);
    cr_assert(!genlru_node_is_listed(node) && genlru_node_is_pinned(node), "condemned");
    if (!GENLRU__IS_CHECKED)
        cr_assert(genlru_node_fini(node) == -EBUSY);
    cr_assert(genlru_unpin(lru, node) == GENLRU_YOURS);
    cr_assert(genlru_node_fini(node) == 0);
    cr_assert(genlru_add(lru, node, NULL) == 0, "yours: to free or to add again");
    if (!GENLRU__IS_CHECKED)
        cr_assert(genlru_node_fini(node) == -EBUSY);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    cr_assert(genlru_node_is_isolated(node) && !genlru_node_is_listed(node));
    cr_assert(genlru_node_fini(node) == 0, "an isolated node may be ended by its evictor");
    unit_end(&unit, lru, node, 1);
}

Test(node, fini_of_listed_aborts_when_checked, .signal = GENLRU_CHECKED ? SIGABRT : 0)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);

    cr_assert(genlru_add(lru, node, NULL) == 0);
    cr_assert(genlru_node_fini(node) == -EBUSY);
    cr_assert(genlru_node_is_listed(node));
    unit_end(&unit, lru, node, 1);
}
