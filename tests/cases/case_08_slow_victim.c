/* SPDX-License-Identifier: MIT */
/*
 * Case 8: one slow victim, or one slow callback, blocks the rest.
 *
 * The owner's code runs in six places: with victims in hand, in alloc, free, now_ns, hash_of and on_error. In each of them one
 * thread is stopped, for as long as it takes two other threads to do thousands of adds, hits, deletions, evictions and agings on
 * the same lru. If the library held a lock meanwhile, they would never get there, and the test's watchdog would say so.
 */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "../stress/toy.h"

enum { NR_OTHERS = 2, OPS = 4000, NR_NODES = 6000, WATCHDOG_SECONDS = 240 };

enum place { IN_HAND, IN_ALLOC, IN_FREE, IN_CLOCK, IN_HASH, IN_HOOK, NR_PLACES };
static const char *const names[NR_PLACES] = {"victims in hand", "alloc", "free", "now_ns", "hash_of", "on_error"};

struct world {
    struct genlru *lru;
    struct genlru_pool *pool;
    struct genlru_nonresident *table;
    enum place place;
    unsigned is_stuck; /* atomic: the stopped thread is where it should be */
    unsigned others_left;
    uint64_t seed;
    struct genlru_node *nodes[NR_OTHERS];
    struct genlru_node *own;
};

static struct world world;
static _Thread_local bool may_be_stopped; /* the one thread, in the one call */

static void stop_here(enum place place)
{
    if (!may_be_stopped || world.place != place)
        return;
    may_be_stopped = false;
    __atomic_store_n(&world.is_stuck, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&world.others_left, __ATOMIC_ACQUIRE) > 0)
        sched_yield();
}

static void *allocate(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    stop_here(IN_ALLOC);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void deallocate(void *ctx, void *memory, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    stop_here(IN_FREE);
    free(memory);
}

static uint64_t slow_clock(void *ctx)
{
    (void)ctx;
    stop_here(IN_CLOCK);
    return 1;
}

static uint64_t slow_hash(void *ctx, const struct genlru_node *node)
{
    (void)ctx;
    stop_here(IN_HASH);
    return (uint64_t)(uintptr_t)node;
}

static void slow_hook(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    STRESS_CHECK(error == GENLRU_ERROR_MISUSE && world.place == IN_HOOK, "%s", what);
    stop_here(IN_HOOK);
}

/* Everything that takes a lock somewhere. */
static void work(unsigned nr)
{
    struct stress_random random = stress_random(world.seed, nr);
    struct genlru_node *nodes = world.nodes[nr];
    struct genlru_victim victims[8];
    unsigned i;

    for (i = 0; i < OPS; i++) {
        struct genlru_node *node = &nodes[stress_below(&random, NR_NODES)];
        int got;

        if (!genlru_node_is_listed(node) && !genlru_node_is_isolated(node)) {
            case_add(world.lru, node, 0);
        } else if (stress_once_in(&random, 4)) {
            genlru_access(world.lru, node);
        }
        if (i % 16 == 0) { /* whoever's node it is: put back, since two threads may not own one */
            got = genlru_evict(world.lru, NULL, victims, 8, NULL);
            while (got-- > 0)
                STRESS_CHECK(genlru_putback(world.lru, &victims[got]) == 0, "putback");
        }
        if (i % 500 == 0)
            (void)genlru_age(world.lru, 100);
        if (i % 700 == 0)
            (void)genlru_trim(world.lru);
    }
}

/* The call that comes to the place. */
static void get_stuck(void)
{
    struct genlru_victim victims[64];
    struct genlru_budget budget = {.nodes = 4, .deadline_ns = UINT64_MAX};
    struct genlru *other;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    unsigned i;
    int nr;

    may_be_stopped = true;
    switch (world.place) {
    case IN_HAND:
        nr = genlru_evict(world.lru, NULL, victims, 4, NULL);
        STRESS_CHECK(nr == 4, "evict: %d", nr);
        stop_here(IN_HAND);
        while (nr-- > 0)
            STRESS_CHECK(genlru_putback(world.lru, &victims[nr]) == 0, "putback");
        break;
    case IN_ALLOC:
        for (i = 0; i < NR_NODES && may_be_stopped; i++)
            case_add(world.lru, &world.own[i], 0);
        break;
    case IN_FREE: /* another lru of the same pool ends */
        config.pool = world.pool;
        config.allocator = &(struct genlru_allocator){allocate, deallocate, NULL};
        other = case_create(&config);
        STRESS_CHECK(genlru_destroy(other) == 0, "destroy");
        break;
    case IN_HOOK: /* a refused call */
        STRESS_CHECK(genlru_unpin(world.lru, &world.own[0]) == -EPERM, "unpin of what is not pinned");
        break;
    default: /* the clock is looked at for the deadline, the hash taken for victims */
        nr = genlru_evict(world.lru, &budget, victims, 4, NULL);
        STRESS_CHECK(nr == 4, "evict: %d", nr);
        while (nr-- > 0)
            STRESS_CHECK(genlru_putback(world.lru, &victims[nr]) == 0, "putback");
        break;
    }
    STRESS_CHECK(!may_be_stopped, "the call did not come there");
}

static void play(void *ctx, unsigned thread)
{
    (void)ctx;
    if (thread == NR_OTHERS) {
        get_stuck();
        return;
    }
    while (!__atomic_load_n(&world.is_stuck, __ATOMIC_ACQUIRE))
        sched_yield();
    work(thread);
    __atomic_fetch_sub(&world.others_left, 1, __ATOMIC_RELEASE);
}

static void run(const struct stress_options *options, enum place place)
{
    struct genlru_allocator allocator = {allocate, deallocate, NULL};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    unsigned i;

    stress_context("stopped: %s", names[place]);
    memset(&world, 0, sizeof(world));
    world.place = place;
    world.seed = options->seed;
    world.others_left = NR_OTHERS;
    STRESS_CHECK(genlru_pool_create(&allocator, &world.pool) == 0, "pool");
    STRESS_CHECK(genlru_nonresident_create(4096, 1, NULL, &world.table) == 0, "table");
    config.pool = world.pool;
    config.allocator = &allocator;
    config.now_ns = slow_clock;
    config.hash_of = slow_hash;
    config.nonresident = world.table;
    config.on_error = slow_hook;
    config.capacity = 3 * NR_NODES;
    config.stripes = 2;
    world.lru = case_create(&config);
    world.own = case_nodes(NR_NODES, 1);
    for (i = 0; i < NR_OTHERS; i++)
        world.nodes[i] = case_nodes(NR_NODES, 1);
    for (i = 0; i < 2000 && place != IN_ALLOC; i++)
        case_add(world.lru, &world.own[i], 0);
    stress_run(NR_OTHERS + 1, play, &world);
    (void)case_end(world.lru);
    genlru_nonresident_destroy(world.table);
    STRESS_CHECK(genlru_pool_destroy(world.pool) == 0, "pool destroy");
    for (i = 0; i < NR_OTHERS; i++)
        free(world.nodes[i]);
    free(world.own);
    printf("stopped in %s: the others went on\n", names[place]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    int place;

    alarm(WATCHDOG_SECONDS); /* of a deadlock, not of slowness */
    for (place = 0; place < NR_PLACES; place++)
        run(&options, (enum place)place);
    return 0;
}
