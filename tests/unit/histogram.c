/* SPDX-License-Identifier: MIT */
/*
 * genlru_workingset: charge by age, tier and refs equals a walk, wherever nodes hang; refusals; the order of nodes
 * stays.
 */
#include "unit.h"

static void expect_walk(struct genlru *lru, const struct genlru_node *nodes, size_t nr)
{
    struct genlru_workingset got = {.size = sizeof(got)}, want;
    size_t i;

    memset(&want, 0, sizeof(want));
    want.size = sizeof(want);
    for (i = 0; i < nr; i++) {
        uint32_t word = unit_word(&nodes[i]), charge = genlru_node_charge(&nodes[i]);
        bool is_young = true;

        if (!genlru_node_is_listed(&nodes[i]))
            continue;
        want.charge_by_refs[genlru_impl_refs(word)] += charge;
        want.charge_by_tier[genlru__tier_of(word, genlru__policy(lru))] += charge;
        if (!genlru_impl_gen(word)) {
            want.pinned_charge += charge;
        } else if (word & GENLRU_PROBATION) {
            want.probation_charge += charge;
            is_young = false;
        } else {
            unsigned age = unit_age_of(lru, &nodes[i]);

            want.charge_by_age[age] += charge;
            is_young = age < unit_stat(lru).max_seq - unit_stat(lru).min_seq[genlru_impl_type(word)];
        }
        if (is_young || genlru_impl_refs(word) > 1 || (word & GENLRU_WORKINGSET))
            want.workingset_charge += charge;
    }
    cr_assert(genlru_workingset(lru, &got) == 0);
    cr_assert(memcmp(&got, &want, sizeof(got)) == 0);
    unit_verify(lru);
}

Test(histogram, equals_a_walk)
{
    enum { NR = 60 * 70 * 2 }; /* more blocks than a slice has */
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[10];
    uint64_t random = unit_seed();
    struct genlru *lru;
    size_t i;

    policy.probation = (struct genlru_probation_rules){10, 50, 2, 1, 2, 1, 0, 0};
    config.policy = &policy;
    config.capacity = NR;
    config.nr_types = 2;
    config.nr_gens = 8;
    lru = unit_create(&config);
    expect_walk(lru, nodes, 0);
    for (i = 0; i < NR; i++) {
        struct genlru_node *other = &nodes[unit_random(&random) % (i + 1)];

        cr_assert(genlru_node_init(&nodes[i], i % 13, i % 2) == 0);
        cr_assert(unit_add(lru, &nodes[i], i % 7 ? 0 : GENLRU_ADD_HOT | GENLRU_ADD_PINNED) == 0);
        genlru_access(lru, other);
        if (i % 900 == 0) {
            cr_assert(genlru_evict(lru, NULL, victims, 10, NULL) >= 0);
            cr_assert(genlru_age(lru, 0) == 0);
            expect_walk(lru, nodes, i + 1);
        }
    }
    expect_walk(lru, nodes, NR);
    unit_end(&unit, lru, nodes, NR);
}

Test(histogram, refuses)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_workingset set = {.size = sizeof(set)};

    cr_assert(genlru_workingset(NULL, &set) == -EINVAL && genlru_workingset(lru, NULL) == -EINVAL);
    set.size = 0;
    cr_assert(genlru_workingset(lru, &set) == -EINVAL);
    set.size = SIZE_MAX;
    cr_assert(genlru_workingset(lru, &set) == -EINVAL);
    set.size = sizeof(set);
    lru->is_walking = true; /* as if another thread were in the middle of one */
    memset(&set.charge_by_age, 0x77, sizeof(set.charge_by_age));
    cr_assert(genlru_workingset(lru, &set) == -EBUSY);
    cr_assert(set.charge_by_age[0] == UINT64_C(0x7777777777777777), "output untouched");
    lru->is_walking = false;
    cr_assert(genlru_workingset(lru, &set) == 0 && set.charge_by_age[0] == 0);
    set.size = offsetof(struct genlru_workingset, charge_by_tier);
    memset(&set.charge_by_tier, 0x77, sizeof(set.charge_by_tier));
    cr_assert(genlru_workingset(lru, &set) == 0 && set.charge_by_tier[0] == UINT64_C(0x7777777777777777));
    unit_end(&unit, lru, NULL, 0);
}
