/* SPDX-License-Identifier: MIT */
/*
 * Case 3: an update that replaces an entry while aging moves it leaves the old node on a list.
 *
 * Four threads replace (the same key, a new node) over 128 keys, a fifth begins generations, a sixth evicts the oldest. Freed
 * nodes are filled with 0xDD and stay so until the threads have met: whatever writes to one afterwards is seen, as is any
 * of them that a list still leads to.
 */
#include "cases.h"

enum { NR_KEYS = 128, NR_REPLACERS = 4, NR_THREADS = NR_REPLACERS + 2, ROUNDS = 12, PER_ROUND = 2500, POISON = 0xdd };
enum { PAYLOAD = 0x5eed };

struct entry {
    struct genlru_node node;
    unsigned key;
    unsigned payload;
};

struct world {
    struct genlru *lru;
    struct entry *index[NR_KEYS]; /* atomic */
    struct stress_barrier barrier;
    uint64_t seed;
    unsigned rounds;
    unsigned nr_replacing;
    uint64_t nr_made;
    struct entry *freed[NR_THREADS][3 * PER_ROUND + 4096]; /* poisoned, and checked at the end of the round */
    unsigned nr_freed[NR_THREADS];
    uint64_t nr_checked;
};

static void poison(struct world *world, unsigned thread, struct entry *e)
{
    STRESS_CHECK(e->payload == PAYLOAD, "an entry that was freed is freed again");
    memset(e, POISON, sizeof(*e));
    STRESS_CHECK(world->nr_freed[thread] < sizeof(world->freed[0]) / sizeof(world->freed[0][0]), "too many");
    world->freed[thread][world->nr_freed[thread]++] = e;
}

static void check_poison(struct world *world)
{
    unsigned thread, i;
    size_t k;

    for (thread = 0; thread < NR_THREADS; thread++) {
        for (i = 0; i < world->nr_freed[thread]; i++) {
            const unsigned char *bytes = (const unsigned char *)world->freed[thread][i];

            for (k = 0; k < sizeof(struct entry); k++)
                STRESS_CHECK(bytes[k] == POISON, "byte %zu of a freed entry was written", k);
            free(world->freed[thread][i]);
            world->nr_checked++;
        }
        world->nr_freed[thread] = 0;
    }
}

static void replace(struct world *world, unsigned thread, unsigned key)
{
    struct genlru_add how = {.flags = GENLRU_ADD_PINNED};
    struct entry *e = malloc(sizeof(*e)), *old;
    int result;

    STRESS_CHECK(e, "no memory");
    e->key = key;
    e->payload = PAYLOAD;
    STRESS_CHECK(genlru_node_init(&e->node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(world->lru, &e->node, &how) == 0, "add");
    __atomic_fetch_add(&world->nr_made, 1, __ATOMIC_RELAXED);
    old = __atomic_exchange_n(&world->index[key], e, __ATOMIC_ACQ_REL);
    if (old) {
        result = genlru_del(world->lru, &old->node);
        STRESS_CHECK(result >= 0, "del: %d", result);
        if (result == GENLRU_YOURS)
            poison(world, thread, old);
    }
    if (genlru_unpin(world->lru, &e->node) == GENLRU_YOURS)
        poison(world, thread, e);
}

static void evict(struct world *world, unsigned thread, unsigned max)
{
    struct genlru_victim victims[16];
    int nr = genlru_evict(world->lru, NULL, victims, max, NULL), i;

    for (i = 0; i < nr; i++) {
        struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node), *expected = e;

        STRESS_CHECK(e->payload == PAYLOAD, "a victim that was freed");
        if (__atomic_compare_exchange_n(&world->index[e->key], &expected, NULL, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED) ||
            genlru_release(world->lru, &e->node) == GENLRU_YOURS)
            poison(world, thread, e);
    }
}

/* Quiescent: every node of the index is on the lists, and the lists have no other. */
static void check_round(struct world *world)
{
    struct genlru_stat stat = case_stat(world->lru);
    unsigned key, nr = 0;

    stress_verify(world->lru);
    for (key = 0; key < NR_KEYS; key++) {
        const struct entry *e = world->index[key];

        if (!e)
            continue;
        STRESS_CHECK(e->payload == PAYLOAD && e->key == key && genlru_node_is_listed(&e->node), "key %u", key);
        nr++;
    }
    STRESS_CHECK(stat.nodes == nr, "%llu nodes listed, %u in the index", (unsigned long long)stat.nodes, nr);
    check_poison(world);
    world->nr_replacing = NR_REPLACERS;
}

static void play(void *ctx, unsigned thread)
{
    struct world *world = ctx;
    struct stress_random random = stress_random(world->seed, thread);
    unsigned round, i;

    for (round = 0; round < world->rounds; round++) {
        if (thread < NR_REPLACERS) {
            for (i = 0; i < PER_ROUND; i++)
                replace(world, thread, stress_below(&random, NR_KEYS));
            __atomic_fetch_sub(&world->nr_replacing, 1, __ATOMIC_RELAXED);
        }
        for (i = 0;
             thread >= NR_REPLACERS && i < PER_ROUND && __atomic_load_n(&world->nr_replacing, __ATOMIC_RELAXED) > 0;
             i++) {
            if (thread == NR_REPLACERS)
                (void)genlru_age(world->lru, stress_below(&random, 3) * 30);
            else
                evict(world, thread, 1 + stress_below(&random, 4));
        }
        stress_wait(&world->barrier);
        if (thread == 0)
            check_round(world);
        stress_wait(&world->barrier);
    }
}

int main(int argc, char **argv)
{
    static const unsigned stripes[] = {1, 2, 8};
    struct stress_options options = stress_begin(argc, argv);
    static struct world world;
    unsigned i;

    for (i = 0; i < 3; i++) {
        memset(&world, 0, sizeof(world));
        stress_context("%u stripes", stripes[i]);
        world.lru = case_create_of(case_policies[i + 1], NR_KEYS, stripes[i]);
        world.seed = options.seed + i;
        world.rounds = stress_scaled(&options, ROUNDS);
        world.nr_replacing = NR_REPLACERS;
        stress_barrier_init(&world.barrier, NR_THREADS);
        stress_run(NR_THREADS, play, &world);
        for (unsigned key = 0; key < NR_KEYS; key++) {
            struct entry *e = world.index[key];

            if (e) {
                STRESS_CHECK(genlru_del(world.lru, &e->node) == GENLRU_YOURS, "del");
                poison(&world, 0, e);
            }
        }
        check_poison(&world);
        STRESS_CHECK(world.nr_checked == world.nr_made, "%llu nodes made, %llu freed",
                     (unsigned long long)world.nr_made, (unsigned long long)world.nr_checked);
        STRESS_CHECK(case_end(world.lru) == 0, "nodes are left");
        printf("%u stripes: %llu nodes made and freed\n", stripes[i], (unsigned long long)world.nr_made);
    }
    return 0;
}
