/* SPDX-License-Identifier: MIT */
/*
 * Hundreds of small lrus that come and go on one shared pool. A block that one lru gave back is another's a moment
 * later, while stale slot pointers of the first one's nodes still point into it: a delete must not be fooled by them,
 * and no block may get lost.
 *
 *   thread: create ─▶ a few hundred operations ─▶ let go ─▶ check ─▶ destroy ─▶ again
 *   all:    one more lru that every thread works on, and trims of the pool in between
 */
#include <stdio.h>
#include <string.h>

#include "stress.h"
#include "toy.h"

enum { NR_THREADS = 4, ROUNDS = 300, NR_OWN = 3, OWN_STEPS = 120, SHARED_STEPS = 60, OWN_KEYS = 48, SHARED_KEYS = 256 };

struct world {
    struct genlru_pool *pool;
    struct toy shared;
    struct toy own[NR_THREADS][NR_OWN];
    uint64_t seed;
    unsigned rounds;
    uint64_t nr_lrus;
};

static void create(struct world *world, struct toy *toy, struct stress_random *random, unsigned nr_keys)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    config.pool = world->pool;
    config.capacity = nr_keys * 12;
    config.stripes = 1 + stress_below(random, 2);
    config.nr_types = 1 + stress_below(random, 4);
    config.nr_gens = 3 + stress_below(random, 3);
    STRESS_CHECK(toy_create(toy, &config, nr_keys) == 0, "create");
    __atomic_fetch_add(&world->nr_lrus, 1, __ATOMIC_RELAXED);
}

static void play(void *ctx, unsigned nr)
{
    struct world *world = ctx;
    struct stress_random random = stress_random(world->seed, nr);
    struct toy_thread shared = toy_thread(&world->shared, world->seed, 100 + nr), own[NR_OWN];
    unsigned round, step, i;

    for (round = 0; round < world->rounds; round++) {
        for (i = 0; i < NR_OWN; i++) {
            create(world, &world->own[nr][i], &random, OWN_KEYS);
            own[i] = toy_thread(&world->own[nr][i], stress_next(&random), nr);
        }
        for (step = 0; step < OWN_STEPS; step++)
            toy_step(&own[stress_below(&random, NR_OWN)]);
        toy_move(&own[0]);
        for (step = 0; step < SHARED_STEPS; step++)
            toy_step(&shared);
        if (stress_once_in(&random, 4))
            (void)genlru_pool_trim(world->pool);
        STRESS_CHECK(genlru_pool_destroy(world->pool) < 0, "a pool in use was destroyed");
        for (i = 0; i < NR_OWN; i++) {
            toy_let_go(&own[i]);
            toy_check(&world->own[nr][i]);
            toy_destroy(&world->own[nr][i]);
        }
    }
    toy_let_go(&shared);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    struct genlru_pool_stat stat = {.size = sizeof(stat)};
    struct stress_random random = stress_random(options.seed, 1000);
    static struct world world;

    world.seed = options.seed;
    world.rounds = stress_scaled(&options, ROUNDS);
    STRESS_CHECK(genlru_pool_create(NULL, &world.pool) == 0, "pool");
    create(&world, &world.shared, &random, SHARED_KEYS);
    stress_run(NR_THREADS, play, &world);
    toy_check(&world.shared);
    toy_destroy(&world.shared);
    STRESS_CHECK(genlru_pool_stat(world.pool, &stat) == 0 && stat.blocks == stat.free_blocks,
                 "%llu blocks, %llu of them free", (unsigned long long)stat.blocks,
                 (unsigned long long)stat.free_blocks);
    STRESS_CHECK(genlru_pool_destroy(world.pool) == 0, "pool destroy");
    printf("%llu lrus on %llu blocks\n", (unsigned long long)world.nr_lrus, (unsigned long long)stat.blocks);
    return 0;
}
