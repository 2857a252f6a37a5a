/* SPDX-License-Identifier: MIT */
/*
 * Aging: generations begin, full windows move up in order and in bounded pieces, gen codes wrap at 127 and sequence
 * numbers at 8, 16 and 32 bits, and words that lag behind the window stay in their lru.
 */
#include "reclaim/aging.h"

#include "lru/create.h"
#include "unit.h"

/* The nodes that a whole eviction hands out, as indices. */
static size_t drain(struct genlru *lru, const struct genlru_node *nodes, size_t *order)
{
    struct genlru_victim victims[64];
    size_t nr = 0;
    int got, i;

    while ((got = genlru_evict(lru, NULL, victims, 64, NULL)) > 0)
        for (i = 0; i < got; i++)
            order[nr++] = (size_t)(victims[i].node - nodes);
    return nr;
}

Test(aging, max_seq_grows_by_one)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_stat before = unit_stat(lru), after;
    unsigned i;

    cr_assert(before.max_seq == 3 && before.min_seq[0] == 0 && before.nr_gens == 4, "a full window to begin with");
    for (i = 1; i <= 10; i++) {
        cr_assert(genlru_age(lru, 0) == 0);
        after = unit_stat(lru);
        cr_assert(after.max_seq == before.max_seq + i && after.aged == i);
        cr_assert(after.max_seq - after.min_seq[0] < 4);
        unit_verify(lru);
    }
    cr_assert(genlru_age(NULL, 0) == -EINVAL);
    unit_end(&unit, lru, NULL, 0);
}

/* A node that nobody uses grows old, one generation an aging, and stays in the oldest. */
Test(aging, nodes_grow_old)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_gen_stat gens[4];
    unsigned i, age;

    cr_assert(unit_add(lru, node, GENLRU_ADD_HOT) == 0);
    cr_assert(unit_age_of(lru, node) == 1, "the policy's hot place is the second youngest");
    for (i = 0; i < 6; i++) {
        cr_assert(genlru_age(lru, 0) == 0);
        age = i + 2 < 3 ? i + 2 : 3;
        cr_assert(unit_age_of(lru, node) == age);
        cr_assert(genlru_stat_gens(lru, 0, gens, 4) == 4);
        cr_assert(gens[age].nodes == 1 && gens[age].charge == 1);
        unit_verify(lru);
    }
    unit_end(&unit, lru, node, 1);
}

/* What moves up with a full window keeps its order, and nodes of the generation it joins come after it. */
Test(aging, order_survives)
{
    enum { NR = 1000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(NR);
    size_t order[NR], i;
    struct genlru *lru;

    policy.place.hot = 1;
    config.policy = &policy;
    lru = unit_create(&config);
    /* first half to the oldest generation, second half to the one above it, in turns */
    for (i = 0; i < NR / 2; i++) {
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_COLD) == 0);
        cr_assert(unit_add(lru, &nodes[NR / 2 + i], GENLRU_ADD_HOT) == 0);
    }
    for (i = 0; i < 7; i++) {
        cr_assert(genlru_age(lru, i % 2 ? 0 : 100000) == 0);
        unit_verify(lru);
    }
    cr_assert(drain(lru, nodes, order) == NR);
    for (i = 0; i < NR; i++)
        cr_assert(order[i] == i, "victim %zu is %zu", i, order[i]);
    unit_end(&unit, lru, nodes, NR);
}

/* The very first generation, with nothing but open blocks in it. */
Test(aging, order_survives_the_first_aging)
{
    unsigned nr_gens, agings;

    for (nr_gens = 3; nr_gens <= 5; nr_gens++)
        for (agings = 1; agings <= 6; agings++) {
            struct unit unit;
            struct genlru_config config = unit_config(&unit);
            struct genlru_node *nodes = unit_nodes(2);
            struct genlru *lru;
            size_t order[2], i;

            config.nr_gens = nr_gens;
            lru = unit_create(&config);
            cr_assert(unit_add(lru, &nodes[1], GENLRU_ADD_HOT) == 0);
            cr_assert(unit_add(lru, &nodes[0], GENLRU_ADD_COLD) == 0);
            for (i = 0; i < agings; i++)
                cr_assert(genlru_age(lru, 0) == 0);
            cr_assert(drain(lru, nodes, order) == 2);
            cr_assert(order[0] == 0 && order[1] == 1, "%u gens, %u agings", nr_gens, agings);
            unit_end(&unit, lru, nodes, 2);
        }
}

/* The budget bounds a call to whole blocks of 60; what was done stays done, and calls come to an end. */
Test(aging, budget)
{
    enum { NR = 6000 };
    static const uint64_t budgets[] = {1, 59, 60, 61, 128, 1000, NR};
    unsigned b;

    for (b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru *lru = unit_create(&config);
        struct genlru_node *nodes = unit_nodes(NR);
        uint64_t max_seq = unit_stat(lru).max_seq, moved = 0, calls = 0, now;
        size_t order[NR], i;
        int result;

        unit_add_all(lru, nodes, NR, GENLRU_ADD_COLD);
        do {
            result = genlru_age(lru, budgets[b]);
            cr_assert(result == 0 || result == -EAGAIN);
            cr_assert(unit_stat(lru).max_seq == max_seq + (result == 0));
            for (i = 0, now = 0; i < NR; i++)
                now += unit_age_of(lru, &nodes[i]) < 3 || result == 0;
            cr_assert(now - moved <= budgets[b] + 60 || result == 0, "%llu moved with a budget of %llu",
                      (unsigned long long)(now - moved), (unsigned long long)budgets[b]);
            cr_assert(result == 0 || now > moved, "each call gets on");
            moved = now;
            unit_verify(lru);
            cr_assert(++calls <= NR / 60 + 2);
        } while (result == -EAGAIN);
        cr_assert(drain(lru, nodes, order) == NR);
        for (i = 0; i < NR; i++)
            cr_assert(order[i] == i);
        unit_end(&unit, lru, nodes, NR);
    }
}

/* Moving up caps refs and counts as protected, as the published rules say. */
Test(aging, moving_up_caps_refs)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru;
    struct genlru_node *node = unit_nodes(1);
    struct genlru_stat stat;
    unsigned i;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    cr_assert(unit_add(lru, node, GENLRU_ADD_HOT) == 0);
    for (i = 0; i < 4; i++)
        genlru_access(lru, node);
    cr_assert(genlru_node_refs(node) == 5);
    cr_assert(genlru_age(lru, 0) == 0);
    cr_assert(genlru_age(lru, 0) == 0);
    cr_assert(unit_age_of(lru, node) == 3 && genlru_node_refs(node) == 5, "growing old costs nothing");
    cr_assert(genlru_age(lru, 0) == 0);
    cr_assert(unit_age_of(lru, node) == 3 && genlru_node_refs(node) == 2, "moving up does: refs %u",
              genlru_node_refs(node));
    stat = unit_stat(lru);
    /* counted in the tier that it had, and averaged at once, since min_seq moved on */
    cr_assert(stat.tier[0][3].avg_total + stat.tier[0][3].protected_ <= 1);
    unit_end(&unit, lru, node, 1);
}

/* 300 agings: codes wrap twice; every step is verified, nodes of all ages are hit and advised on the way. */
static void age_through_wraps(uint64_t max_seq, unsigned nr_gens, unsigned nr_agings)
{
    enum { NR = 400 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru__start start = {max_seq, max_seq * 3, (uint32_t)max_seq};
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t random = unit_seed();
    struct genlru *lru = NULL;
    struct genlru_victim victims[8];
    unsigned i, k;

    config.nr_gens = nr_gens;
    cr_assert(genlru__create_at(&config, &start, &lru) == 0);
    cr_assert(unit_stat(lru).max_seq == max_seq);
    for (i = 0; i < nr_agings; i++) {
        for (k = 0; k < 20; k++) {
            struct genlru_node *node = &nodes[unit_random(&random) % NR];
            unsigned age, what = (unsigned)(unit_random(&random) % 8);

            if (!genlru_node_is_listed(node)) {
                cr_assert(unit_add(lru, node, what < 4 ? GENLRU_ADD_HOT : 0) == 0);
                continue;
            }
            age = unit_age_of(lru, node);
            cr_assert(age < nr_gens);
            if (what < 5) {
                genlru_access(lru, node);
                cr_assert(unit_age_of(lru, node) <= age, "a hit made a node older");
            } else if (what == 5) { /* to the oldest, while it hangs on a young chain: its word lags from now on */
                cr_assert(genlru_advise(lru, node, GENLRU_ADVICE_COLD) == 0);
                cr_assert(unit_age_of(lru, node) == unit_stat(lru).max_seq - unit_stat(lru).min_seq[0]);
            } else if (what == 6) {
                cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
            } else {
                int got = genlru_evict(lru, NULL, victims, 1, NULL);

                cr_assert(got >= 0);
                if (got)
                    cr_assert(genlru_node_init(victims[0].node, 1, 0) == 0);
            }
        }
        cr_assert(genlru_age(lru, 0) == 0);
        cr_assert(unit_stat(lru).max_seq >= max_seq + i + 1);
        unit_verify(lru);
    }
    unit_end(&unit, lru, nodes, NR);
}

Test(aging, codes_wrap_at_127)
{
    age_through_wraps(3, 4, 300);
    age_through_wraps(120, 3, 300);
}

Test(aging, widest_window)
{
    age_through_wraps(63, 64, 400);
    age_through_wraps(127 * 5, 64, 200);
}

Test(aging, sequence_wraps)
{
    age_through_wraps(UINT64_C(0x100) - 5, 4, 20);
    age_through_wraps(UINT64_C(0x10000) - 5, 4, 20);
    age_through_wraps(UINT64_C(0x10000) - 30, 64, 130);
    age_through_wraps(UINT64_C(0x100000000) - 5, 4, 20);
    age_through_wraps(UINT64_C(1) << 63, 5, 150);
}

/* A word that lags for more than 127 agings: hits, figures and eviction all take it for the oldest. */
Test(aging, lagging_words)
{
    enum { NR = 130 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_gen_stat gens[4];
    size_t order[NR], i;

    unit_add_all(lru, nodes, NR, GENLRU_ADD_HOT);
    for (i = 0; i < NR; i++)
        cr_assert(genlru_advise(lru, &nodes[i], GENLRU_ADVICE_COLD) == 0);
    for (i = 0; i < 140; i++) {
        cr_assert(genlru_age(lru, 0) == 0);
        unit_verify(lru);
        cr_assert(genlru_stat_gens(lru, 0, gens, 4) == 4);
        cr_assert(gens[3].nodes == NR, "after %zu agings the oldest has %llu", i + 1,
                  (unsigned long long)gens[3].nodes);
    }
    for (i = 0; i < NR; i += 2)
        genlru_access(lru, &nodes[i]);
    unit_verify(lru);
    cr_assert(drain(lru, nodes, order) == NR);
    unit_end(&unit, lru, nodes, NR);
}

/* A type whose window is full does not keep another from aging, and types age together. */
Test(aging, types_share_max_seq)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(200);
    struct genlru *lru;
    struct genlru_victim victims[10];
    struct genlru_stat stat;
    unsigned i, type;

    config.nr_types = 4;
    lru = unit_create(&config);
    for (i = 0; i < 200; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1, i % 4) == 0);
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
    }
    for (i = 0; i < 140; i++) {
        struct genlru_budget budget = {.types = 1, .nodes = 1};

        if (i % 4 == 0) {
            int got = genlru_evict(lru, &budget, victims, 10, NULL);

            cr_assert(got <= 1);
            if (got)
                cr_assert(genlru_node_type(victims[0].node) == 0);
        }
        cr_assert(genlru_age(lru, 0) == 0);
        stat = unit_stat(lru);
        for (type = 0; type < 4; type++)
            cr_assert(stat.max_seq - stat.min_seq[type] < 4 && stat.max_seq > stat.min_seq[type]);
        unit_verify(lru);
    }
    unit_end(&unit, lru, nodes, 200);
}

/*
 * Aging by eviction volume, where a policy asks for it: a generation and an epoch each time that share of the
 * capacity was evicted. (With a window that is full it waits for the oldest generation to be emptied, so nodes enter
 * young here.)
 */
Test(aging, by_volume)
{
    enum { NR = 11000, CAPACITY = 1000 };
    unsigned percent;

    for (percent = 10; percent <= 40; percent += 10) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
        struct genlru_node *nodes = unit_nodes(NR);
        struct genlru *lru;
        struct genlru_victim victim;
        uint64_t aged, want = 100 * (NR - CAPACITY) / CAPACITY / percent;
        size_t i;

        policy.age_percent = policy.epoch_percent = (uint16_t)percent;
        policy.place.cold = policy.place.warm = -1;
        config.policy = &policy;
        config.capacity = CAPACITY;
        config.nr_gens = 32;
        lru = unit_create(&config);
        for (i = 0; i < NR; i++) {
            while (genlru_charge(lru) >= CAPACITY)
                cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1 && victim.node == &nodes[i - CAPACITY]);
            cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
        }
        aged = unit_stat(lru).aged;
        cr_assert(aged >= want && aged <= want + 3, "%u %%: %llu, expected %llu", percent, (unsigned long long)aged,
                  (unsigned long long)want);
        cr_assert(unit_stat(lru).freq_epoch >= want && unit_stat(lru).freq_epoch <= want + 1, "%u %%: %u epochs",
                  percent, unit_stat(lru).freq_epoch);
        unit_end(&unit, lru, nodes, NR);
    }
}
