/* SPDX-License-Identifier: MIT */
/*
 * Case 13: reading tools disturb: a walk promotes, a look at the statistics drains queues or waits for a list's lock.
 *
 *   order    one thread, with and without a reader that calls everything that reads after each operation: the same victims
 *   locks    every lock of the lru and its pool is held by somebody: what is said to take none returns
 *   walk     the histogram finds each node that is there, once
 *   threads  four threads work while two read as fast as they can
 */
#include <pthread.h>
#include <unistd.h>

#include "../stress/toy.h"
#include "base/lock.h"
#include "cases.h"
#include "gens/lru.h"

enum { NR_NODES = 2000, KEPT = 500, STEPS = 20000, WATCHDOG_SECONDS = 240 };

static char text[65536];

/* All that is said to take no lock. */
static void look(struct genlru *lru, const struct genlru_node *node, genlru_shadow shadow)
{
    struct genlru_stat stat = {.size = sizeof(stat)};
    struct genlru_gen_stat gens[64];
    struct genlru_shadow_info info;
    unsigned type;

    STRESS_CHECK(genlru_stat(lru, &stat) == 0, "stat");
    for (type = 0; type < stat.nr_types; type++)
        STRESS_CHECK(genlru_stat_gens(lru, type, gens, 64) >= 2, "stat_gens");
    STRESS_CHECK(genlru_dump(lru, text, sizeof(text)) < sizeof(text), "dump");
    (void)genlru_charge(lru);
    (void)genlru_excess(lru);
    (void)genlru_node_charge(node);
    (void)genlru_node_type(node);
    (void)genlru_node_refs(node);
    (void)genlru_node_is_listed(node);
    (void)genlru_node_is_isolated(node);
    (void)genlru_node_is_pinned(node);
    (void)genlru_node_owner_bits(node);
    (void)genlru_shadow_read(lru, shadow, &info);
}

/* ... and what takes some, but may not change what goes next either. */
static void walk(struct genlru *lru)
{
    struct genlru_workingset set = {.size = sizeof(set)};

    STRESS_CHECK(genlru_workingset(lru, &set) == 0, "workingset");
    stress_verify(lru);
}

/* ---- order -------------------------------------------------------------------------------------------- */

static size_t live(const struct genlru_policy *policy, uint64_t seed, bool is_watched, uint32_t *victims_of)
{
    static genlru_shadow shadow[NR_NODES];
    struct genlru *lru = case_create_of(policy, KEPT, 1);
    struct genlru_node *nodes = case_nodes(NR_NODES, 1);
    struct stress_random random = stress_random(seed, 1);
    struct genlru_victim victims[8];
    size_t nr_victims = 0;
    unsigned i;

    memset(shadow, 0, sizeof(shadow));
    for (i = 0; i < STEPS; i++) {
        unsigned at = stress_below(&random, stress_once_in(&random, 2) ? NR_NODES : NR_NODES / 8);
        struct genlru_add how = {.shadow = shadow[at]};
        int nr;

        if (genlru_node_is_listed(&nodes[at]))
            genlru_access(lru, &nodes[at]);
        else
            STRESS_CHECK(genlru_add(lru, &nodes[at], &how) == 0, "add");
        if (is_watched)
            look(lru, &nodes[at], shadow[at]);
        if (is_watched && i % 50 == 0)
            walk(lru);
        if (!genlru_excess(lru))
            continue;
        nr = genlru_evict(lru, NULL, victims, 1 + i % 8, NULL);
        while (nr-- > 0) {
            unsigned gone = (unsigned)(victims[nr].node - nodes);

            shadow[gone] = victims[nr].shadow;
            victims_of[nr_victims++] = gone;
            STRESS_CHECK(genlru_node_init(&nodes[gone], 1, 0) == 0, "init");
        }
    }
    (void)case_end(lru);
    free(nodes);
    return nr_victims;
}

static void test_order(uint64_t seed, const struct genlru_policy *policy)
{
    static uint32_t alone[STEPS * 8], watched[STEPS * 8];
    size_t nr = live(policy, seed, false, alone);

    stress_context("order, %s", policy->name);
    STRESS_CHECK(nr > KEPT && nr == live(policy, seed, true, watched), "another number of victims");
    STRESS_CHECK(memcmp(alone, watched, nr * sizeof(alone[0])) == 0, "other victims");
}

/* ---- locks -------------------------------------------------------------------------------------------- */

struct held {
    struct genlru *lru;
    struct genlru_node *nodes;
    struct genlru_victim victim;
};

/* A thread of its own: not the one that holds the locks. */
static void *call_all(void *ctx)
{
    struct held *held = ctx;
    struct genlru *lru = held->lru;
    struct genlru_node *nodes = held->nodes;
    struct genlru_harvest harvest = {&nodes[1], 0};

    look(lru, &nodes[0], held->victim.shadow);
    genlru_access(lru, &nodes[1]);
    genlru_access_batch(lru, &harvest, 1);
    STRESS_CHECK(genlru_pin(lru, &nodes[KEPT - 1]) == 0 && genlru_unpin(lru, &nodes[KEPT - 1]) == 0, "pin");
    STRESS_CHECK(genlru_recharge(lru, &nodes[1], 3) == 0, "recharge");
    STRESS_CHECK(genlru_advise(lru, &nodes[1], GENLRU_ADVICE_COLD) == 0, "advise");
    STRESS_CHECK(genlru_release(lru, held->victim.node) == 0, "release");
    genlru_set_capacity(lru, 7); /* takes none but its own word's */
    return NULL;
}

static void test_locks(void)
{
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, KEPT, 4);
    struct genlru_node *nodes = case_nodes(KEPT, 1);
    struct held held = {lru, nodes, {NULL, 0}};
    pthread_t thread;
    unsigned i;

    stress_context("locks");
    for (i = 0; i < KEPT; i++)
        case_add(lru, &nodes[i], 0);
    STRESS_CHECK(genlru_evict(lru, NULL, &held.victim, 1, NULL) == 1, "evict");
    /* Ranks rise: stripes, then the lru's. */
    for (i = 0; i < lru->nr_stripes; i++)
        STRESS_CHECK(genlru__spin_trylock(&genlru__stripe(lru, i)->lock), "stripe");
    genlru__mutex_lock(&lru->lock);
    STRESS_CHECK(pthread_create(&thread, NULL, call_all, &held) == 0 && pthread_join(thread, NULL) == 0, "thread");
    genlru__mutex_unlock(&lru->lock);
    for (i = 0; i < lru->nr_stripes; i++)
        genlru__spin_unlock(&genlru__stripe(lru, i)->lock);
    (void)case_end(lru);
    free(nodes);
}

/* ---- walk --------------------------------------------------------------------------------------------- */

static void test_walk(void)
{
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, GENLRU_NO_LIMIT, 1);
    struct genlru_node *nodes = case_nodes(NR_NODES, 1);
    struct genlru_workingset set = {.size = sizeof(set)};
    struct genlru_victim victims[8];
    uint64_t sum = 0, charge = 0;
    unsigned i;
    int nr;

    stress_context("walk");
    for (i = 0; i < NR_NODES; i++) {
        STRESS_CHECK(genlru_node_init(&nodes[i], i % 11, 0) == 0, "init");
        case_add(lru, &nodes[i], i % 7 ? i % 5 ? 0 : GENLRU_ADD_HOT : GENLRU_ADD_PINNED);
    }
    nr = genlru_evict(lru, NULL, victims, 8, NULL);
    (void)nr;
    (void)genlru_age(lru, 0);
    for (i = 0; i < NR_NODES; i++)
        charge += genlru_node_is_listed(&nodes[i]) ? genlru_node_charge(&nodes[i]) : 0;
    STRESS_CHECK(genlru_workingset(lru, &set) == 0, "workingset");
    for (i = 0; i < GENLRU_MAX_GENS; i++)
        sum += set.charge_by_age[i];
    STRESS_CHECK(sum + set.probation_charge + set.pinned_charge == charge, "the walk found %llu of %llu",
                 (unsigned long long)(sum + set.probation_charge + set.pinned_charge), (unsigned long long)charge);
    for (i = 0; i < NR_NODES; i++)
        if (genlru_node_is_pinned(&nodes[i]))
            STRESS_CHECK(genlru_unpin(lru, &nodes[i]) == 0, "unpin");
    (void)case_end(lru);
    free(nodes);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { NR_WORKERS = 4, NR_READERS = 2, NR_KEYS = 512 };

struct world {
    struct toy toy;
    uint64_t seed;
    unsigned steps;
    unsigned nr_working;
    uint64_t nr_looks;
};

static void play(void *ctx, unsigned nr)
{
    struct world *world = ctx;
    struct toy_thread thread = toy_thread(&world->toy, world->seed, nr);
    unsigned i;

    if (nr < NR_WORKERS) {
        for (i = 0; i < world->steps; i++)
            toy_step(&thread);
        toy_let_go(&thread);
        __atomic_fetch_sub(&world->nr_working, 1, __ATOMIC_RELAXED);
        return;
    }
    while (__atomic_load_n(&world->nr_working, __ATOMIC_RELAXED) > 0) {
        struct genlru_stat stat = {.size = sizeof(stat)};
        struct genlru_workingset set = {.size = sizeof(set)};
        char own[4096];
        int result;

        STRESS_CHECK(genlru_stat(world->toy.lru, &stat) == 0, "stat");
        STRESS_CHECK(stat.nodes < UINT64_C(1) << 63 && stat.charge < UINT64_C(1) << 63, "a negative figure");
        (void)genlru_dump(world->toy.lru, own, sizeof(own));
        result = genlru_workingset(world->toy.lru, &set);
        STRESS_CHECK(result == 0 || result == -EBUSY, "workingset: %d", result);
        __atomic_fetch_add(&world->nr_looks, 1, __ATOMIC_RELAXED);
    }
}

static void test_threads(const struct stress_options *options)
{
    static struct world world;
    struct genlru_config config = GENLRU_CONFIG_INIT;

    stress_context("threads");
    memset(&world, 0, sizeof(world));
    config.capacity = NR_KEYS * 12;
    config.stripes = 2;
    STRESS_CHECK(toy_create(&world.toy, &config, NR_KEYS) == 0, "create");
    world.seed = options->seed;
    world.steps = stress_scaled(options, STEPS);
    world.nr_working = NR_WORKERS;
    stress_run(NR_WORKERS + NR_READERS, play, &world);
    toy_check(&world.toy);
    printf("%llu looks beside %u threads\n", (unsigned long long)world.nr_looks, (unsigned)NR_WORKERS);
    toy_destroy(&world.toy);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    alarm(WATCHDOG_SECONDS); /* of a lock that is waited for for ever */
    for (i = 0; i < CASE_NR_POLICIES; i++)
        test_order(options.seed, case_policies[i]);
    test_locks();
    test_walk();
    test_threads(&options);
    return 0;
}
