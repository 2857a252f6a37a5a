/* SPDX-License-Identifier: MIT */
/*
 * Case 7: the limit drops by a tenth in one step, and one call works it off for a minute.
 *
 * set_capacity evicts nothing. Four threads go on; each insert evicts what it adds and a little more, a slice. Checked: no
 * call looks at more nodes than its slice allows, the overshoot is gone after the number of inserts that the slices give, and
 * the lru is not emptied beyond it. The longest pauses are printed, not judged (--scale 1000: ten million entries).
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "cases.h"

enum { NR_NODES = 1000000, WEIGHT = 100, NR_THREADS = 4, SLICE = 16, SLICE_SCANNED = 1024 };

struct world {
    struct genlru *lru;
    struct genlru_node *nodes;
    unsigned nr_nodes;
    uint64_t seed;
    uint64_t nr_inserts;  /* until the excess was gone */
    uint64_t worst_scan;  /* relaxed atomics: a race loses a figure that is only printed, or checked as a bound */
    uint64_t worst_ns[2]; /* hit, insert */
    struct genlru_node *spare[NR_THREADS]; /* each thread's own nodes to insert */
    unsigned nr_spare;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void raise_to(uint64_t *figure, uint64_t value)
{
    uint64_t was = __atomic_load_n(figure, __ATOMIC_RELAXED);

    while (was < value && !__atomic_compare_exchange_n(figure, &was, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void insert(struct world *world, struct genlru_node *node)
{
    struct genlru_budget budget = {.nodes = SLICE, .scanned = SLICE_SCANNED};
    struct genlru_victim victims[SLICE];
    struct genlru_evict_result result;
    uint64_t start = now_ns(), excess;
    int nr;

    case_add(world->lru, node, 0);
    excess = genlru_excess(world->lru);
    if (excess) {
        uint64_t wanted = (excess + WEIGHT - 1) / WEIGHT;

        budget.nodes = wanted < SLICE ? wanted : SLICE;
        nr = genlru_evict(world->lru, &budget, victims, SLICE, &result);
        STRESS_CHECK(nr >= 0 && nr <= (int)budget.nodes, "evict: %d", nr);
        raise_to(&world->worst_scan, result.scanned);
        __atomic_fetch_add(&world->nr_inserts, 1, __ATOMIC_RELAXED);
    }
    raise_to(&world->worst_ns[1], now_ns() - start);
}

static void play(void *ctx, unsigned thread)
{
    struct world *world = ctx;
    struct stress_random random = stress_random(world->seed, thread);
    unsigned i;

    for (i = 0; i < world->nr_spare; i++) {
        struct genlru_node *hit = &world->nodes[stress_below(&random, world->nr_nodes)];
        uint64_t start = now_ns();

        genlru_access(world->lru, hit); /* nodes are never freed here: any of them may be hit */
        raise_to(&world->worst_ns[0], now_ns() - start);
        insert(world, &world->spare[thread][i]);
    }
}

static void run(const struct stress_options *options, const struct genlru_policy *policy)
{
    static struct world world;
    struct genlru_stat before, after;
    uint64_t capacity;
    unsigned i;

    memset(&world, 0, sizeof(world));
    stress_context("%s", policy->name);
    world.nr_nodes = stress_scaled(options, NR_NODES / 10);
    world.seed = options->seed;
    capacity = (uint64_t)world.nr_nodes * WEIGHT;
    world.lru = case_create_of(policy, capacity, 4);
    world.nodes = case_nodes(world.nr_nodes, WEIGHT);
    /* A tenth of the nodes, worked off SLICE - 1 a time; and as much again at the bound. */
    world.nr_spare = 2 * (world.nr_nodes / 10) / (SLICE - 1) / NR_THREADS + 64;
    for (i = 0; i < NR_THREADS; i++)
        world.spare[i] = case_nodes(world.nr_spare, WEIGHT);
    for (i = 0; i < world.nr_nodes; i++)
        case_add(world.lru, &world.nodes[i], 0);
    before = case_stat(world.lru);
    genlru_set_capacity(world.lru, capacity / 10 * 9);
    after = case_stat(world.lru);
    STRESS_CHECK(after.evicted == before.evicted && after.charge == before.charge, "set_capacity evicted");
    STRESS_CHECK(genlru_excess(world.lru) == capacity - capacity / 10 * 9, "the overshoot is told");
    stress_run(NR_THREADS, play, &world);
    STRESS_CHECK(world.worst_scan <= SLICE_SCANNED + 60 + 128, "an insert looked at %llu nodes",
                 (unsigned long long)world.worst_scan);
    STRESS_CHECK(genlru_excess(world.lru) <= NR_THREADS * WEIGHT, "%llu are left of the overshoot",
                 (unsigned long long)genlru_excess(world.lru));
    /* Not beyond: threads that saw the same excess may each take a slice. */
    STRESS_CHECK(genlru_charge(world.lru) + NR_THREADS * SLICE * WEIGHT >= capacity / 10 * 9, "emptied to %llu",
                 (unsigned long long)genlru_charge(world.lru));
    printf(
        "%-10s %u nodes: longest hit %llu us, longest insert %llu us, worked off in %llu inserts of at most %llu looks\n",
        policy->name, world.nr_nodes, (unsigned long long)world.worst_ns[0] / 1000,
        (unsigned long long)world.worst_ns[1] / 1000, (unsigned long long)world.nr_inserts,
        (unsigned long long)world.worst_scan);
    (void)case_end(world.lru);
    for (i = 0; i < NR_THREADS; i++)
        free(world.spare[i]);
    free(world.nodes);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    for (i = 0; i < CASE_NR_POLICIES; i++)
        run(&options, case_policies[i]);
    return 0;
}
