/* SPDX-License-Identifier: MIT */
/* Statistics: equal to a walk over the nodes, refusals, older structs, and reading calls that change no victim. */
#include "unit.h"

Test(stat, refuses)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_stat stat = {.size = sizeof(stat)};
    struct genlru_gen_stat gens[4];

    cr_assert(genlru_stat(NULL, &stat) == -EINVAL && genlru_stat(lru, NULL) == -EINVAL);
    stat.size = 0;
    cr_assert(genlru_stat(lru, &stat) == -EINVAL);
    cr_assert(genlru_stat_gens(NULL, 0, gens, 4) == -EINVAL);
    cr_assert(genlru_stat_gens(lru, 1, gens, 4) == -EINVAL);
    cr_assert(genlru_stat_gens(lru, 0, NULL, 4) == -EINVAL);
    cr_assert(genlru_stat_gens(lru, 0, NULL, 0) == 4, "how many there are");
    unit_end(&unit, lru, NULL, 0);
}

/* "Only so much is filled in": a caller with an older, smaller struct. */
Test(stat, older_struct)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_stat stat;

    memset(&stat, 0x77, sizeof(stat));
    stat.size = offsetof(struct genlru_stat, charge);
    cr_assert(genlru_stat(lru, &stat) == 0);
    cr_assert(stat.size == offsetof(struct genlru_stat, charge) && stat.nr_gens == 4 && stat.nodes == 0);
    cr_assert(stat.charge == UINT64_C(0x7777777777777777), "beyond its size nothing is written");
    stat.size = sizeof(stat) - 1;
    cr_assert(genlru_stat(lru, &stat) == -EINVAL, "no struct ends there");
    stat.size = SIZE_MAX;
    cr_assert(genlru_stat(lru, &stat) == -EINVAL, "a size that was never set");
    unit_end(&unit, lru, NULL, 0);
}

/* A newer, larger one: what this library does not know is 0, and the size stays. */
Test(stat, newer_struct)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct {
        struct genlru_stat stat;
        uint64_t newer, beyond;
    } own;

    memset(&own, 0x77, sizeof(own));
    own.stat.size = offsetof(__typeof__(own), beyond);
    cr_assert(genlru_stat(lru, &own.stat) == 0);
    cr_assert(own.stat.size == offsetof(__typeof__(own), beyond) && own.stat.nr_gens == 4);
    cr_assert(own.newer == 0 && own.beyond == UINT64_C(0x7777777777777777));
    unit_end(&unit, lru, NULL, 0);
}

Test(stat, fewer_gens_than_there_are)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_gen_stat gens[4];
    unsigned i;

    unit.now = 5000;
    cr_assert(genlru_age(lru, 0) == 0);
    unit.now = 7000;
    memset(gens, 0x77, sizeof(gens));
    cr_assert(genlru_stat_gens(lru, 0, gens, 2) == 4);
    cr_assert(gens[0].seq == 4 && gens[0].age_ns == 2000 && gens[1].seq == 3 && gens[1].age_ns == 7000);
    cr_assert(gens[2].seq == UINT64_C(0x7777777777777777));
    for (i = 0; i < 3; i++)
        cr_assert(genlru_age(lru, 0) == 0);
    cr_assert(genlru_stat_gens(lru, 0, gens, 4) == 4 && gens[3].age_ns == 2000);
    unit_end(&unit, lru, NULL, 0);
}

enum { NR = 1500 };

static void expect_walk(const struct genlru *lru, const struct genlru_node *nodes)
{
    struct genlru_gen_stat gens[6];
    struct genlru_stat stat = unit_stat(lru);
    uint64_t nr[3][6] = {{0}}, charge[3][6] = {{0}}, all = 0, all_charge = 0, pinned = 0, pinned_charge = 0;
    unsigned type;
    int width, age;
    size_t i;

    for (i = 0; i < NR; i++) {
        if (!genlru_node_is_listed(&nodes[i]))
            continue;
        all++;
        all_charge += genlru_node_charge(&nodes[i]);
        if (!genlru_impl_gen(unit_word(&nodes[i]))) {
            pinned++;
            pinned_charge += genlru_node_charge(&nodes[i]);
            continue;
        }
        nr[genlru_node_type(&nodes[i])][unit_age_of(lru, &nodes[i])]++;
        charge[genlru_node_type(&nodes[i])][unit_age_of(lru, &nodes[i])] += genlru_node_charge(&nodes[i]);
    }
    cr_assert(stat.nodes == all && stat.charge == all_charge && genlru_charge(lru) == all_charge);
    cr_assert(stat.pinned_nodes == pinned && stat.pinned_charge == pinned_charge);
    for (type = 0; type < 3; type++) {
        width = genlru_stat_gens(lru, type, gens, 6);
        cr_assert((uint64_t)width == stat.max_seq - stat.min_seq[type] + 1);
        for (age = 0; age < width; age++) {
            cr_assert(gens[age].nodes == nr[type][age] && gens[age].charge == charge[type][age]);
            cr_assert(gens[age].seq == stat.max_seq - (unsigned)age);
        }
    }
}

/* A life with or without somebody who looks at it; the victims must be the same. */
static void live(bool is_watched, uint64_t seed, size_t *victim_of, size_t max_victims, size_t *ret_nr)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t random = seed, watch = 1;
    struct genlru_victim victims[20];
    struct genlru_stat stat;
    struct genlru_workingset set = {.size = sizeof(set)};
    struct genlru *lru;
    uint64_t isolated = 0, putback = 0;
    size_t nr = 0;
    unsigned i;
    int got, k;
    char text[8192];

    config.nr_types = 3;
    config.nr_gens = 6;
    config.capacity = 500;
    lru = unit_create(&config);
    for (i = 0; i < NR; i++)
        cr_assert(genlru_node_init(&nodes[i], 1 + i % 9, i % 3) == 0);
    for (i = 0; i < 60000; i++) {
        struct genlru_node *node = &nodes[unit_random(&random) % NR];
        unsigned what = (unsigned)(unit_random(&random) % 100);

        if (genlru_node_is_isolated(node))
            cr_assert(genlru_node_init(node, genlru_node_charge(node), genlru_node_type(node)) == 0);
        if (!genlru_node_is_listed(node)) {
            cr_assert(unit_add(lru, node, what < 20 ? GENLRU_ADD_HOT : what < 30 ? GENLRU_ADD_PREFETCHED : 0) == 0);
        } else if (what < 10) {
            if (genlru_node_is_pinned(node))
                cr_assert(genlru_unpin(lru, node) == 0);
            else
                cr_assert(genlru_pin(lru, node) == 0);
        } else if (what < 15) {
            if (!genlru_node_is_pinned(node))
                cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
        } else {
            genlru_access(lru, node);
        }
        if (genlru_excess(lru)) {
            got = genlru_evict(lru, NULL, victims, 20, NULL);
            isolated += (uint64_t)got;
            for (k = 0; k < got; k++) {
                if (nr < max_victims)
                    victim_of[nr++] = (size_t)(victims[k].node - nodes);
                if (k % 7 == 3) {
                    cr_assert(genlru_putback(lru, &victims[k]) == 0);
                    putback++;
                }
            }
        }
        if (!is_watched || unit_random(&watch) % 50)
            continue;
        unit_verify(lru);
        expect_walk(lru, nodes);
        cr_assert(genlru_workingset(lru, &set) == 0);
        cr_assert(genlru_dump(lru, text, sizeof(text)) < sizeof(text));
        unit_verify(lru);
    }
    stat = unit_stat(lru);
    cr_assert(stat.evicted == isolated && stat.putback == putback);
    cr_assert(stat.promoted && stat.parked && stat.scanned >= stat.evicted && stat.aged);
    cr_assert(stat.metadata_bytes >= stat.blocks * 256 && stat.metadata_bytes <= unit.bytes);
    *ret_nr = nr;
    unit_end(&unit, lru, nodes, NR);
}

Test(stat, reading_changes_no_victim)
{
    enum { MAX = 200000 };
    size_t *watched = calloc(MAX, sizeof(*watched)), *alone = calloc(MAX, sizeof(*alone)), nr_watched, nr_alone;
    uint64_t seed = unit_seed();

    live(true, seed, watched, MAX, &nr_watched);
    live(false, seed, alone, MAX, &nr_alone);
    cr_assert(nr_watched == nr_alone && nr_alone > 1000, "%zu and %zu victims", nr_watched, nr_alone);
    cr_assert(memcmp(watched, alone, nr_alone * sizeof(*alone)) == 0);
    live(false, seed, watched, MAX, &nr_watched);
    cr_assert(nr_watched == nr_alone && memcmp(watched, alone, nr_alone * sizeof(*alone)) == 0, "deterministic");
    free(watched);
    free(alone);
}

/* Figures of tiers and of prefetches that were for nothing. */
Test(stat, tiers_and_prefetches)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(40);
    struct genlru_victim victims[40];
    struct genlru_stat stat;
    struct genlru *lru;
    unsigned i, k;

    config.policy = &GENLRU_POLICY_MGLRU;
    lru = unit_create(&config);
    for (i = 0; i < 40; i++) {
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_COLD | (i < 10 ? GENLRU_ADD_PREFETCHED : 0)) == 0);
        for (k = 0; k < i / 10; k++)
            genlru_access(lru, &nodes[i]); /* refs 0, 2, 3, 4 */
    }
    genlru_access(lru, &nodes[5]);
    cr_assert(genlru_evict(lru, NULL, victims, 40, NULL) == 40);
    stat = unit_stat(lru);
    cr_assert(stat.prefetched_unused == 9, "%llu", (unsigned long long)stat.prefetched_unused);
    cr_assert(stat.tier[0][0].evicted == 10 && stat.tier[0][1].evicted == 10 && stat.tier[0][2].evicted == 20);
    cr_assert(stat.tier_threshold[0] == 3 && stat.eviction_clock == 40);
    unit_end(&unit, lru, nodes, 40);
}
