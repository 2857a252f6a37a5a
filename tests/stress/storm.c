/* SPDX-License-Identifier: MIT */
/* Template of the storms: see storm.h. */
#define _POSIX_C_SOURCE 200809L
#include "storm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4 };

struct setup {
    unsigned nr_keys;
    unsigned capacity; /* in charge; an entry weighs 25 on average */
    unsigned stripes;
    unsigned nr_types;
    unsigned nr_gens;
};

/* From fewer than a block of nodes, where all meet, to many blocks. */
static const struct setup setups[] = {
    {16, 200, 1, 1, 3}, {64, 800, 2, 1, 4}, {64, 800, 8, 4, 4}, {512, 6000, 1, 2, 4}, {2048, 25000, 2, 1, 8},
};

struct run {
    const struct storm *storm;
    struct toy toy;
    struct stress_barrier barrier;
    uint64_t seed;
    uint64_t ops;
    unsigned nr_roles;
};

unsigned storm_key(struct toy_thread *thread)
{
    unsigned n = thread->toy->nr_keys;

    return stress_once_in(&thread->random, 2) ? stress_below(&thread->random, (n + 7) / 8)
                                              : stress_below(&thread->random, n);
}

void storm_evict_excess(struct toy_thread *thread)
{
    struct genlru_budget budget = {.charge = genlru_excess(thread->toy->lru)};

    if (stress_once_in(&thread->random, 2))
        budget.flags = GENLRU_BUDGET_TRY;

    if (budget.charge)
        (void)toy_evict(thread, &budget, 16, NULL);
}

void storm_get(struct toy_thread *thread)
{
    (void)toy_get(thread, storm_key(thread));
    if (stress_once_in(&thread->random, 8))
        storm_evict_excess(thread);
}

void storm_evict(struct toy_thread *thread)
{
    const struct genlru_budget tries = {.flags = GENLRU_BUDGET_TRY};

    (void)toy_evict(thread, stress_once_in(&thread->random, 2) ? &tries : NULL, 1 + stress_below(&thread->random, 8),
                    NULL);
}

void storm_age(struct toy_thread *thread)
{
    int result = genlru_age(thread->toy->lru, stress_below(&thread->random, 3) * 40);

    STRESS_CHECK(result == 0 || result == -EAGAIN, "age: %d", result);
}

void storm_delete(struct toy_thread *thread)
{
    toy_delete(thread, storm_key(thread));
}

void storm_move(struct toy_thread *thread)
{
    toy_move(thread);
}

static void play(void *ctx, unsigned nr)
{
    struct run *run = ctx;
    const struct storm_role *role = &run->storm->roles[nr % run->nr_roles];
    struct toy_thread thread = toy_thread(&run->toy, run->seed, nr);
    unsigned round;
    uint64_t i;

    thread.putback_one_in = run->storm->putback_one_in;
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < run->ops; i++)
            role->step(&thread);
        toy_let_go(&thread);
        stress_wait(&run->barrier);
        if (nr == 0)
            toy_check(&run->toy);
        stress_wait(&run->barrier);
    }
}

static struct genlru_policy everything(void)
{
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;

    policy.learn = 0; /* these rules, not those that it would choose */
    policy.name = "everything";
    policy.hit.freq_max = 15;
    policy.refault.keep_freq = 1;
    policy.refault.distance_percent = 100;
    policy.probation = (struct genlru_probation_rules){10, 50, 1, -2, 1, 1, 0, 0};
    policy.age_percent = 10;
    policy.epoch_percent = 20;
    return policy;
}

static void run_setup(const struct storm *storm, const struct stress_options *options, uint64_t seed, unsigned nr)
{
    static const struct genlru_policy *const presets[] = {&GENLRU_POLICY_DEFAULT, &GENLRU_POLICY_MGLRU_FG,
                                                          &GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_OLD};
    const struct setup *setup = &setups[nr % (sizeof(setups) / sizeof(setups[0]))];
    const struct genlru_policy own = everything();
    unsigned threads = options->threads ? options->threads : storm->threads, choice = (unsigned)(seed + nr) % 5;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_nonresident *table = NULL;
    static struct run run;

    memset(&run, 0, sizeof(run));
    config.policy = storm->policy ? storm->policy : choice < 4 ? presets[choice] : &own;
    config.capacity = setup->capacity;
    config.stripes = setup->stripes;
    config.nr_types = setup->nr_types;
    config.nr_gens = setup->nr_gens;
    stress_context("%u keys, %u stripes, %u types, %s", setup->nr_keys, setup->stripes, setup->nr_types,
                   config.policy->name);
    if (storm->wants_shadows && nr % 2)
        STRESS_CHECK(genlru_nonresident_create(setup->nr_keys, seed, NULL, &table) == 0, "table");
    config.nonresident = table;
    STRESS_CHECK(toy_create(&run.toy, &config, setup->nr_keys) == 0, "create");
    run.storm = storm;
    run.seed = seed + nr;
    run.ops = options->ops ? options->ops : stress_scaled(options, storm->ops);
    while (run.nr_roles < STORM_MAX_ROLES && storm->roles[run.nr_roles].name)
        run.nr_roles++;
    stress_barrier_init(&run.barrier, threads);
    stress_run(threads, play, &run);
    printf("%4u keys: added %llu, deleted %llu, evicted %llu, put back %llu, handed over %llu\n", setup->nr_keys,
           (unsigned long long)run.toy.nr_added, (unsigned long long)run.toy.nr_deleted,
           (unsigned long long)run.toy.nr_evicted, (unsigned long long)run.toy.nr_putback,
           (unsigned long long)run.toy.nr_met);
    fflush(stdout);
    toy_destroy(&run.toy);
    genlru_nonresident_destroy(table);
}

int storm_main(int argc, char **argv, const struct storm *storm)
{
    struct stress_options options = stress_begin(argc, argv);
    struct timespec start, now;
    uint64_t seed = options.seed;
    unsigned nr;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        if (seed != options.seed)
            printf("seed %llu\n", (unsigned long long)seed);
        stress_reseed(seed);
        for (nr = 0; nr < sizeof(setups) / sizeof(setups[0]); nr++)
            run_setup(storm, &options, seed, nr);
        seed++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (options.seconds && now.tv_sec - start.tv_sec < (time_t)options.seconds);
    return 0;
}
