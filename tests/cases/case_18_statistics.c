/* SPDX-License-Identifier: MIT */
/*
 * Case 18: statistics under concurrency: below zero, above the size, or so late that the target computed from them empties
 * the cache.
 *
 *   figures  a reader takes them while four threads add, delete, recharge, pin and evict: none is negative, none is absurd
 *   late     the pressure that evictions aim at is told a hundred steps late: a goal computed from genlru_excess does not evict
 *            for the same shortage twice, whoever asks, while one computed from the late report would
 */
#include "../stress/toy.h"
#include "cases.h"

enum { NR_WORKERS = 4, NR_KEYS = 400, STEPS = 30000, MAX_CHARGE = 50 };

struct world {
    struct toy toy;
    uint64_t seed;
    unsigned steps;
    unsigned nr_working;
    uint64_t nr_looks;
};

static void check_figures(const struct genlru_stat *stat, const struct genlru_stat *before, unsigned nr_threads)
{
    /* entries that may be in memory at once: the keys, and one on its way for each thread */
    const uint64_t most = NR_KEYS + nr_threads, most_charge = most * MAX_CHARGE;
    unsigned type, tier;

    STRESS_CHECK(stat->nodes <= 2 * most && stat->charge <= 2 * most_charge, "%llu nodes of %llu",
                 (unsigned long long)stat->nodes, (unsigned long long)stat->charge);
    STRESS_CHECK(stat->pinned_nodes <= 2 * most && stat->pinned_charge <= 2 * most_charge, "pinned");
    STRESS_CHECK(stat->probation_nodes <= 2 * most && stat->probation_charge <= 2 * most_charge, "probation");
    STRESS_CHECK(stat->evicted >= before->evicted && stat->scanned >= before->scanned &&
                     stat->putback >= before->putback && stat->aged >= before->aged &&
                     stat->refaulted >= before->refaulted && stat->max_seq >= before->max_seq,
                 "a count went backwards");
    STRESS_CHECK(stat->eviction_clock < UINT64_C(1) << 62, "eviction clock");
    for (type = 0; type < stat->nr_types; type++) {
        STRESS_CHECK(stat->min_seq[type] >= before->min_seq[type], "min_seq");
        for (tier = 0; tier < GENLRU_NR_TIERS; tier++)
            STRESS_CHECK(stat->tier[type][tier].refaulted < UINT64_C(1) << 40 &&
                             stat->tier[type][tier].evicted < UINT64_C(1) << 40 &&
                             stat->tier[type][tier].avg_total < UINT64_C(1) << 40,
                         "tier %u of type %u", tier, type);
    }
}

static void play(void *ctx, unsigned nr)
{
    struct world *world = ctx;
    struct toy_thread thread = toy_thread(&world->toy, world->seed, nr);
    struct genlru_stat before = {.size = sizeof(before)}, stat = {.size = sizeof(stat)};
    unsigned i;

    if (nr < NR_WORKERS) {
        for (i = 0; i < world->steps; i++) {
            toy_step(&thread);
            if (i % 64 == 0)
                toy_move(&thread);
        }
        toy_let_go(&thread);
        __atomic_fetch_sub(&world->nr_working, 1, __ATOMIC_RELAXED);
        return;
    }
    STRESS_CHECK(genlru_stat(world->toy.lru, &before) == 0, "stat");
    while (__atomic_load_n(&world->nr_working, __ATOMIC_RELAXED) > 0) {
        struct genlru_gen_stat gens[8];
        int nr_gens, k;

        STRESS_CHECK(genlru_stat(world->toy.lru, &stat) == 0, "stat");
        check_figures(&stat, &before, NR_WORKERS);
        before = stat;
        nr_gens = genlru_stat_gens(world->toy.lru, 0, gens, 8);
        for (k = 0; k < nr_gens && k < 8; k++)
            STRESS_CHECK(gens[k].nodes < 1u << 20 && gens[k].charge < 1u << 30 && gens[k].age_ns < UINT64_C(1) << 62,
                         "generation %d", k);
        STRESS_CHECK(genlru_excess(world->toy.lru) < UINT64_C(1) << 40, "excess");
        world->nr_looks++;
    }
}

static void test_figures(const struct stress_options *options, unsigned stripes, unsigned nr_types)
{
    static struct world world;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;

    stress_context("figures, %u stripes, %u types", stripes, nr_types);
    memset(&world, 0, sizeof(world));
    policy.probation = (struct genlru_probation_rules){20, 50, 1, -2, 1, 1, 0, 0};
    config.policy = &policy;
    config.capacity = NR_KEYS * 10;
    config.stripes = stripes;
    config.nr_types = nr_types;
    STRESS_CHECK(toy_create(&world.toy, &config, NR_KEYS) == 0, "create");
    world.seed = options->seed;
    world.steps = stress_scaled(options, STEPS);
    world.nr_working = NR_WORKERS;
    stress_run(NR_WORKERS + 1, play, &world);
    toy_check(&world.toy);
    printf("%u stripes, %u types: %llu looks\n", stripes, nr_types, (unsigned long long)world.nr_looks);
    toy_destroy(&world.toy);
}

/* ---- late --------------------------------------------------------------------------------------------- */

static void test_late(void)
{
    enum { CAPACITY = 2000, LATE = 100, REPORTS = 3000 };
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, CAPACITY, 1);
    struct genlru_node *nodes = case_nodes(CAPACITY + REPORTS + LATE, 1);
    uint64_t told[LATE] = {0};
    unsigned i, nr_naive = 0;

    stress_context("late");
    for (i = 0; i < CAPACITY; i++)
        case_add(lru, &nodes[i], 0);
    for (i = 0; i < REPORTS; i++) {
        struct genlru_victim victims[64];
        uint64_t late = told[i % LATE], goal;
        int nr;

        told[i % LATE] = genlru_charge(lru);
        case_add(lru, &nodes[CAPACITY + i], 0);
        nr_naive += late > CAPACITY; /* who believed the report would evict that much, and once more next time */
        if (i % 10)                  /* pressure is looked at now and then */
            continue;
        goal = genlru_excess(lru);
        nr = goal ? genlru_evict(lru, &(struct genlru_budget){.charge = goal}, victims, 64, NULL) : 0;
        STRESS_CHECK(nr >= 0 && (uint64_t)nr <= goal, "%d evicted for a shortage of %llu", nr,
                     (unsigned long long)goal);
        STRESS_CHECK(genlru_charge(lru) >= CAPACITY, "emptied below what fits: %llu",
                     (unsigned long long)genlru_charge(lru));
        STRESS_CHECK(genlru_excess(lru) == 0, "the shortage is not worked off");
    }
    STRESS_CHECK(nr_naive > 0, "the reports were never late");
    (void)case_end(lru);
    free(nodes);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    test_figures(&options, 1, 1);
    test_figures(&options, 4, 4);
    test_late();
    return 0;
}
