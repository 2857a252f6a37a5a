/* SPDX-License-Identifier: MIT */
/*
 * fork, as docs/locking.md promises:
 *
 *   one thread    the child has an lru of its own, a copy: it goes on with it, verifies it, empties and destroys it, while the
 *                 parent goes on with its own; both find the same victims
 *   idle          a process with several threads, none of which is in a call of genlru at that moment: the same
 *   busy          others are in calls: the child may read its nodes and statistics, take no lock, and leave by _exit
 */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "../stress/toy.h"
#include "cases.h"

enum { NR_NODES = 5000, NR_KEYS = 500, NR_FORKS = 20, WATCHDOG_SECONDS = 240 };

static void expect_success(pid_t child)
{
    int status = 0;

    STRESS_CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    STRESS_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %x", (unsigned)status);
}

/* What parent and child both do with their copies; a figure that tells whether they did the same. */
static uint64_t go_on(struct genlru *lru, struct genlru_node *nodes)
{
    struct genlru_victim victims[64];
    uint64_t digest = 0;
    unsigned i;
    int nr;

    for (i = 0; i < NR_NODES; i += 3)
        genlru_access(lru, &nodes[i]);
    STRESS_CHECK(genlru_age(lru, 0) == 0, "age");
    for (i = 0; i < 10; i++) {
        nr = genlru_evict(lru, NULL, victims, 64, NULL);
        while (nr-- > 0) {
            digest = digest * 31 + (uint64_t)(victims[nr].node - nodes);
            STRESS_CHECK(genlru_node_init(victims[nr].node, 1, 0) == 0, "init");
            if (nr % 2)
                case_add(lru, victims[nr].node, 0);
        }
        (void)genlru_trim(lru);
    }
    stress_verify(lru);
    return digest;
}

static void test_one_thread(void)
{
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, NR_NODES, 1);
    struct genlru_node *nodes = case_nodes(NR_NODES, 1);
    uint64_t digest = 0, own;
    int ends[2];
    pid_t child;
    unsigned i;

    stress_context("one thread");
    for (i = 0; i < NR_NODES; i++)
        case_add(lru, &nodes[i], i % 9 == 0 ? GENLRU_ADD_HOT : 0);
    STRESS_CHECK(pipe(ends) == 0, "pipe");
    child = fork();
    if (child == 0) {
        own = go_on(lru, nodes);
        if (write(ends[1], &own, sizeof(own)) != sizeof(own))
            _exit(2);
        (void)case_end(lru); /* empties and destroys its copy */
        free(nodes);
        _exit(0);
    }
    own = go_on(lru, nodes);
    STRESS_CHECK(read(ends[0], &digest, sizeof(digest)) == sizeof(digest), "the child said nothing");
    expect_success(child);
    STRESS_CHECK(own == digest, "parent and child evicted other nodes");
    close(ends[0]);
    close(ends[1]);
    (void)case_end(lru);
    free(nodes);
}

struct world {
    struct toy toy;
    uint64_t seed;
    unsigned is_over; /* relaxed atomic */
    struct stress_barrier barrier;
};

static void fork_idle(struct world *world)
{
    pid_t child;

    stress_wait(&world->barrier); /* the others are between two calls, and wait here */
    child = fork();
    if (child == 0) {
        struct toy_thread thread = toy_thread(&world->toy, 1, 9);
        unsigned i;

        toy_check(&world->toy);
        for (i = 0; i < 2000; i++)
            toy_step(&thread);
        toy_let_go(&thread);
        toy_destroy(&world->toy);
        _exit(0);
    }
    expect_success(child);
    stress_wait(&world->barrier);
}

/* Locks may be held by threads that are not there: nothing that takes one. */
static void fork_busy(struct world *world)
{
    pid_t child = fork();

    if (child == 0) {
        struct genlru_stat stat = {.size = sizeof(stat)};
        char text[4096];

        if (genlru_stat(world->toy.lru, &stat) != 0 || stat.nodes > 10 * NR_KEYS ||
            genlru_dump(world->toy.lru, text, sizeof(text)) == 0 || genlru_excess(world->toy.lru) > 100 * NR_KEYS)
            _exit(3);
        _exit(0);
    }
    expect_success(child);
}

static void play(void *ctx, unsigned thread_nr)
{
    struct world *world = ctx;
    struct toy_thread thread = toy_thread(&world->toy, world->seed, thread_nr);
    unsigned i, k;

    for (k = 0; k < 5; k++) {
        for (i = 0; i < 1000; i++)
            toy_step(&thread);
        toy_let_go(&thread);
        if (thread_nr == 0) {
            fork_idle(world);
        } else {
            stress_wait(&world->barrier);
            stress_wait(&world->barrier);
        }
    }
    if (thread_nr == 0) {
        for (i = 0; i < NR_FORKS; i++)
            fork_busy(world);
        __atomic_store_n(&world->is_over, 1, __ATOMIC_RELAXED);
    }
    while (!__atomic_load_n(&world->is_over, __ATOMIC_RELAXED))
        toy_step(&thread);
    toy_let_go(&thread);
}

static void test_threads(uint64_t seed)
{
    enum { NR_THREADS = 3 };
    static struct world world;
    struct genlru_config config = GENLRU_CONFIG_INIT;

    stress_context("threads");
    config.capacity = NR_KEYS * 12;
    config.stripes = 2;
    STRESS_CHECK(toy_create(&world.toy, &config, NR_KEYS) == 0, "create");
    world.seed = seed;
    stress_barrier_init(&world.barrier, NR_THREADS);
    stress_run(NR_THREADS, play, &world);
    toy_check(&world.toy);
    toy_destroy(&world.toy);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    alarm(WATCHDOG_SECONDS); /* of a lock that nobody gives back */
    test_one_thread();
    test_threads(options.seed);
    return 0;
}
