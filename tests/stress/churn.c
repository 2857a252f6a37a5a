/* SPDX-License-Identifier: MIT */
/*
 * The whole contract under pressure: four threads that look up, insert, delete, pin, recharge, advise, evict and put
 * back on one or several lrus of one pool, and one of them ages, trims and looks in between. Populations from fewer
 * than 64 keys, where threads meet on the same nodes all the time, to many blocks a chain.
 *
 *   phase: all threads run ─▶ let go of pins ─▶ barrier ─▶ thread 0 checks everything (toy_check) ─▶ barrier
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"
#include "toy.h"

enum { NR_THREADS = 4, MAX_LRUS = 3, NR_PHASES = 5 };

struct setup {
    const char *name;
    unsigned nr_lrus;
    unsigned nr_keys;
    unsigned capacity; /* of each lru, in charge; an entry weighs 25 on average */
    unsigned stripes;
    unsigned nr_types;
    unsigned nr_gens;
    unsigned steps; /* a thread and phase */
    bool is_nonresident;
    const struct genlru_policy *policy; /* NULL = one with probation, frequencies and aging by volume */
};

static const struct setup setups[] = {
    {"tiny", 1, 16, 150, 1, 1, 3, 6000, false, &GENLRU_POLICY_DEFAULT},
    {"small", 1, 64, 800, 1, 1, 4, 6000, false, &GENLRU_POLICY_DEFAULT},
    {"small striped", 1, 64, 800, 8, 1, 4, 6000, false, &GENLRU_POLICY_MGLRU},
    {"small types", 1, 64, 800, 2, 4, 4, 6000, true, &GENLRU_POLICY_MGLRU_FG},
    {"capacity 0", 1, 64, 0, 2, 1, 4, 4000, false, &GENLRU_POLICY_DEFAULT},
    {"probation", 1, 256, 3000, 2, 1, 4, 6000, true, NULL},
    {"probation types", 1, 256, 3000, 1, 4, 3, 6000, false, NULL},
    {"large", 1, 8192, 100000, 2, 1, 4, 8000, false, &GENLRU_POLICY_DEFAULT},
    {"large types", 1, 4096, 50000, 8, 4, 8, 5000, true, &GENLRU_POLICY_MGLRU_OLD},
    {"three lrus", 3, 512, 4000, 2, 2, 4, 6000, false, NULL},
    {"learning", 1, 64, 800, 2, 1, 4, 6000, true, &GENLRU_POLICY_DEFAULT},
    {"learning large", 1, 8192, 100000, 4, 2, 4, 8000, true, &GENLRU_POLICY_DEFAULT},
    {"wide window", 1, 1024, 8000, 2, 1, 64, 6000, false, &GENLRU_POLICY_DEFAULT},
};

struct world {
    const struct setup *setup;
    struct toy toy[MAX_LRUS];
    struct stress_barrier barrier;
    uint64_t seed;
    unsigned steps;
};

static void check_all(struct world *world)
{
    unsigned i;

    for (i = 0; i < world->setup->nr_lrus; i++)
        toy_check(&world->toy[i]);
}

static void play(void *ctx, unsigned nr)
{
    struct world *world = ctx;
    struct toy_thread thread[MAX_LRUS];
    unsigned phase, step, i;

    for (i = 0; i < world->setup->nr_lrus; i++)
        thread[i] = toy_thread(&world->toy[i], world->seed, nr * MAX_LRUS + i);
    for (phase = 0; phase < NR_PHASES; phase++) {
        for (step = 0; step < world->steps; step++) {
            struct toy_thread *t = &thread[step % world->setup->nr_lrus];

            if (nr == 0 && stress_once_in(&t->random, 16))
                toy_move(t);
            else
                toy_step(t);
        }
        for (i = 0; i < world->setup->nr_lrus; i++)
            toy_let_go(&thread[i]);
        stress_wait(&world->barrier);
        if (nr == 0)
            check_all(world);
        stress_wait(&world->barrier);
    }
}

static struct genlru_policy everything(void)
{
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;

    policy.name = "everything";
    policy.hit.freq_max = 15;
    policy.refault.keep_freq = 1;
    policy.refault.distance_percent = 100;
    policy.probation = (struct genlru_probation_rules){10, 50, 1, -2, 1, 1, 0, 0};
    policy.age_percent = 10;
    policy.epoch_percent = 20;
    return policy;
}

/* With nothing running, evict must get at every node. */
static void evict_to_the_end(struct world *world)
{
    unsigned i;

    for (i = 0; i < world->setup->nr_lrus; i++) {
        struct toy_thread thread = toy_thread(&world->toy[i], world->seed, 1000 + i);
        struct genlru_evict_result result;

        while (toy_evict(&thread, NULL, 64, &result) > 0) /* some it puts back */
            ;
        STRESS_CHECK(result.reason == GENLRU_EVICT_NOTHING, "evict found no more, and said %d", (int)result.reason);
        toy_check(&world->toy[i]);
        STRESS_CHECK(world->toy[i].nr_entries == 0, "nothing is left to evict of %llu entries",
                     (unsigned long long)world->toy[i].nr_entries);
    }
}

static void run(const struct stress_options *options, const struct setup *setup)
{
    struct genlru_nonresident *table[MAX_LRUS] = {NULL};
    struct genlru_pool_stat pool_stat = {.size = sizeof(pool_stat)};
    struct stress_random random = stress_random(options->seed, 2000);
    struct genlru_policy own = everything();
    static struct world world;
    struct genlru_pool *pool;
    unsigned i;

    stress_context("%s", setup->name);
    memset(&world, 0, sizeof(world));
    STRESS_CHECK(genlru_pool_create(NULL, &pool) == 0, "pool");
    for (i = 0; i < setup->nr_lrus; i++) {
        struct genlru_config config = GENLRU_CONFIG_INIT;

        config.capacity = setup->capacity;
        config.stripes = setup->stripes;
        config.nr_types = setup->nr_types;
        config.nr_gens = setup->nr_gens;
        config.policy = setup->policy ? setup->policy : &own;
        config.pool = pool;
        if (setup->is_nonresident)
            STRESS_CHECK(genlru_nonresident_create(setup->nr_keys, options->seed, NULL, &table[i]) == 0, "table");
        config.nonresident = table[i];
        STRESS_CHECK(toy_create(&world.toy[i], &config, setup->nr_keys) == 0, "create");
    }
    world.setup = setup;
    world.seed = options->seed;
    world.steps = stress_scaled(options, setup->steps);
    stress_barrier_init(&world.barrier, NR_THREADS);
    stress_run(NR_THREADS, play, &world);
    for (i = 0; i < setup->nr_lrus; i++)
        printf("%-16s added %llu, deleted %llu, evicted %llu, put back %llu, handed over %llu\n", setup->name,
               (unsigned long long)world.toy[i].nr_added, (unsigned long long)world.toy[i].nr_deleted,
               (unsigned long long)world.toy[i].nr_evicted, (unsigned long long)world.toy[i].nr_putback,
               (unsigned long long)world.toy[i].nr_met);
    if (stress_once_in(&random, 2))
        evict_to_the_end(&world);
    for (i = 0; i < setup->nr_lrus; i++) {
        toy_destroy(&world.toy[i]);
        genlru_nonresident_destroy(table[i]);
    }
    STRESS_CHECK(genlru_pool_stat(pool, &pool_stat) == 0 && pool_stat.blocks == pool_stat.free_blocks,
                 "%llu blocks, %llu of them free", (unsigned long long)pool_stat.blocks,
                 (unsigned long long)pool_stat.free_blocks);
    STRESS_CHECK(genlru_pool_destroy(pool) == 0, "pool destroy");
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    for (i = 0; i < sizeof(setups) / sizeof(setups[0]); i++)
        if (stress_is_wanted(&options, setups[i].name))
            run(&options, &setups[i]);
    return 0;
}
