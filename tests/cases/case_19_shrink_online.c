/* SPDX-License-Identifier: MIT */
/*
 * Case 19: shrinking on line: it takes a lock for long, falls to the minimum for a small shortage, or gives room that nobody
 * else can use.
 *
 *   resize   to 50 %, 10 %, 0 and back to 100 % while four threads work: set_capacity evicts nothing, the slices of the inserts
 *            converge to each target, and not far beyond it
 *   two      two lrus of one pool, a quarter of the room moved from one to the other and back, four times: the second one fills
 *            with the blocks that the first one gave up, and no memory is asked for
 *   little   a shortage of 0.1 %, told ten times: 1 % goes, not more
 */
#include "cases.h"

enum { NR_NODES = 200000, NR_THREADS = 4, SLICE = 32 };

/* ---- resize ------------------------------------------------------------------------------------------- */

struct world {
    struct genlru *lru;
    struct genlru_node *nodes[NR_THREADS]; /* each thread inserts its own; evicted ones come back to it by their flag */
    unsigned nr_own;
    uint64_t target;
    uint64_t seed;
    struct stress_barrier barrier;
};

static const unsigned percents[] = {50, 10, 0, 100, 30, 100};
enum { NR_TARGETS = sizeof(percents) / sizeof(percents[0]) };

/* A victim is whoever's thread it was of: freed for use again by that thread. */
static void slice(struct world *world)
{
    uint64_t excess = genlru_excess(world->lru);
    struct genlru_victim victims[SLICE];
    int nr;

    if (!excess)
        return;
    nr = genlru_evict(world->lru, &(struct genlru_budget){.charge = excess, .scanned = 512}, victims, SLICE, NULL);
    STRESS_CHECK(nr >= 0, "evict: %d", nr);
    while (nr-- > 0) /* the last touch of an evictor: its owner sees that it may be used again */
        STRESS_CHECK(genlru_node_set_owner_bits(victims[nr].node, 1) == 0, "owner bits");
}

static void use(struct world *world, struct genlru_node *node)
{
    if (genlru_node_owner_bits(node)) {
        /* evicted, and left to us; the evictor's last store is read, which orders nothing else that we need */
        STRESS_CHECK(genlru_node_init(node, 1, 0) == 0, "init");
        case_add(world->lru, node, 0);
        slice(world);
    } else {
        genlru_access(world->lru, node);
    }
}

static void play(void *ctx, unsigned thread)
{
    struct world *world = ctx;
    struct stress_random random = stress_random(world->seed, thread);
    unsigned t, i;

    for (t = 0; t < NR_TARGETS; t++) {
        if (thread == 0) {
            struct genlru_stat before = case_stat(world->lru), after;

            world->target = (uint64_t)world->nr_own * NR_THREADS * percents[t] / 100;
            genlru_set_capacity(world->lru, world->target);
            after = case_stat(world->lru);
            STRESS_CHECK(after.evicted == before.evicted && after.capacity == world->target, "set_capacity worked");
        }
        stress_wait(&world->barrier);
        /* enough slices to come from everything to nothing, and enough requests to fill up again */
        for (i = 0; i < world->nr_own; i++) {
            use(world, &world->nodes[thread][stress_below(&random, world->nr_own)]);
            if (i % 8 == 0)
                slice(world);
        }
        stress_wait(&world->barrier);
        if (thread == 0) {
            uint64_t charge = genlru_charge(world->lru);

            stress_verify(world->lru);
            STRESS_CHECK(charge <= world->target + NR_THREADS, "%u %%: %llu are left, %llu fit", percents[t],
                         (unsigned long long)charge, (unsigned long long)world->target);
            printf("%3u %%: %llu of %llu\n", percents[t], (unsigned long long)charge,
                   (unsigned long long)world->target);
        }
        stress_wait(&world->barrier);
    }
}

static void test_resize(const struct stress_options *options)
{
    static struct world world;
    unsigned i, k;

    stress_context("resize");
    memset(&world, 0, sizeof(world));
    world.nr_own = stress_scaled(options, NR_NODES / NR_THREADS);
    world.seed = options->seed;
    world.lru = case_create_of(&GENLRU_POLICY_DEFAULT, (uint64_t)world.nr_own * NR_THREADS, 4);
    for (i = 0; i < NR_THREADS; i++) {
        world.nodes[i] = case_nodes(world.nr_own, 1);
        for (k = 0; k < world.nr_own; k++)
            case_add(world.lru, &world.nodes[i][k], 0);
    }
    stress_barrier_init(&world.barrier, NR_THREADS);
    stress_run(NR_THREADS, play, &world);
    (void)case_end(world.lru);
    for (i = 0; i < NR_THREADS; i++)
        free(world.nodes[i]);
}

/* ---- two ---------------------------------------------------------------------------------------------- */

static void evict_excess(struct genlru *lru)
{
    struct genlru_victim victims[64];
    uint64_t excess;

    while ((excess = genlru_excess(lru)) > 0) {
        int nr = genlru_evict(lru, &(struct genlru_budget){.charge = excess}, victims, 64, NULL);

        STRESS_CHECK(nr > 0, "evict: %d", nr);
        while (nr-- > 0)
            STRESS_CHECK(genlru_node_init(victims[nr].node, 1, 0) == 0, "init");
    }
}

static void fill(struct genlru *lru, struct genlru_node *nodes, unsigned nr, uint64_t capacity)
{
    unsigned i;

    for (i = 0; i < nr && genlru_charge(lru) < capacity; i++)
        if (!genlru_node_is_listed(&nodes[i]))
            case_add(lru, &nodes[i], 0);
    STRESS_CHECK(genlru_charge(lru) == capacity, "it fills what was given");
}

static void test_two(void)
{
    enum { ROOM = 40000, MOVED = ROOM / 4 };
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_pool_stat stat = {.size = sizeof(stat)};
    struct genlru_node *nodes[2];
    uint64_t capacity[2] = {ROOM, ROOM}, slabs = 0;
    struct genlru_pool *pool;
    struct genlru *lru[2];
    unsigned i, k;

    stress_context("two");
    STRESS_CHECK(genlru_pool_create(NULL, &pool) == 0, "pool");
    config.pool = pool;
    config.stripes = 1;
    for (k = 0; k < 2; k++) {
        config.capacity = ROOM;
        lru[k] = case_create(&config);
        nodes[k] = case_nodes(2 * ROOM, 1);
        fill(lru[k], nodes[k], 2 * ROOM, ROOM);
    }
    for (i = 0; i < 8; i++) {
        unsigned from = i % 2, to = 1 - from;

        genlru_set_capacity(lru[from], capacity[from] -= MOVED);
        evict_excess(lru[from]);
        genlru_set_capacity(lru[to], capacity[to] += MOVED);
        fill(lru[to], nodes[to], 2 * ROOM, capacity[to]);
        STRESS_CHECK(genlru_pool_stat(pool, &stat) == 0, "stat");
        STRESS_CHECK(i < 2 || stat.slabs == slabs, "%llu slabs, %llu before: room that was given is not used",
                     (unsigned long long)stat.slabs, (unsigned long long)slabs);
        slabs = stat.slabs;
    }
    for (k = 0; k < 2; k++) {
        (void)case_end(lru[k]);
        free(nodes[k]);
    }
    STRESS_CHECK(genlru_pool_destroy(pool) == 0, "pool destroy");
}

/* ---- little ------------------------------------------------------------------------------------------- */

static void test_little(const struct genlru_policy *policy)
{
    enum { NR = 50000, LITTLE = NR / 1000, REPORTS = 10 };
    struct genlru *lru = case_create_of(policy, NR, 1);
    struct genlru_node *nodes = case_nodes(NR, 1);
    unsigned i, r;

    stress_context("little, %s", policy->name);
    for (i = 0; i < NR; i++)
        case_add(lru, &nodes[i], 0);
    for (r = 1; r <= REPORTS; r++) {
        genlru_set_capacity(lru, NR - r * LITTLE);
        evict_excess(lru);
        STRESS_CHECK(genlru_charge(lru) == NR - r * LITTLE, "report %u: %llu are left", r,
                     (unsigned long long)genlru_charge(lru));
    }
    (void)case_end(lru);
    free(nodes);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    test_resize(&options);
    test_two();
    for (i = 0; i < CASE_NR_POLICIES; i++)
        test_little(case_policies[i]);
    return 0;
}
