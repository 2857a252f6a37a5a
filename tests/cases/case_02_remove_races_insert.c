/* SPDX-License-Identifier: MIT */
/*
 * Case 2: remove() races look-up and insert of the same key under eviction pressure; "last reference dropped, so link again or
 * release" was decided before the lock was taken, and a node was linked twice.
 *
 * Few keys, half of which fit. Four threads get or create, hold for a moment, let go and remove the same key; a fifth evicts in
 * batches of 8. Each entry is heap memory, made once and freed once; a second add or del of a node is refused. 1, 2, 8 stripes.
 */
#include "cases.h"
#include "../stress/toy.h"
#include "base/check.h"

enum { NR_KEYS = 64, MEAN_CHARGE = 25, NR_WORKERS = 4, STEPS = 30000 };

struct race {
    struct toy toy;
    uint64_t seed;
    unsigned steps;
    unsigned nr_working;
};

static void play(void *ctx, unsigned nr)
{
    struct race *race = ctx;
    struct toy_thread thread = toy_thread(&race->toy, race->seed, nr);
    unsigned i;

    if (nr == NR_WORKERS) {
        while (__atomic_load_n(&race->nr_working, __ATOMIC_RELAXED) > 0) {
            struct genlru_budget budget = {.charge = genlru_excess(race->toy.lru)};

            if (budget.charge)
                (void)toy_evict(&thread, &budget, 8, NULL);
        }
        return;
    }
    for (i = 0; i < race->steps; i++) {
        unsigned key = stress_below(&thread.random, NR_KEYS);

        (void)toy_get(&thread, key);
        toy_touch(&thread, key); /* pins it, as often as not */
        if (stress_once_in(&thread.random, 2))
            toy_let_go(&thread);
        toy_delete(&thread, key); /* pinned by us or by others: freed by the last unpin, and on no list meanwhile */
    }
    toy_let_go(&thread);
    __atomic_fetch_sub(&race->nr_working, 1, __ATOMIC_RELAXED);
}

/* Misuse does not get through in the middle of it all: it is refused, and what it is told of is not touched. */
static void test_refused(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru *lru;
    struct genlru_node node;
    struct genlru_victim victim;

    stress_context("refused");
    config.on_error = NULL;
    STRESS_CHECK(genlru_create(&config, &lru) == 0, "create");
    STRESS_CHECK(genlru_node_init(&node, 1, 0) == 0, "init");
    case_add(lru, &node, 0);
    STRESS_CHECK(GENLRU__IS_CHECKED || genlru_add(lru, &node, NULL) == -EEXIST, "second add");
    STRESS_CHECK(genlru_del(lru, &node) == GENLRU_YOURS, "del");
    STRESS_CHECK(GENLRU__IS_CHECKED || genlru_del(lru, &node) == -ENOENT, "second del");
    case_add(lru, &node, 0);
    STRESS_CHECK(genlru_evict(lru, NULL, &victim, 1, NULL) == 1, "evict");
    STRESS_CHECK(GENLRU__IS_CHECKED || genlru_add(lru, &node, NULL) == -EBUSY, "add of an isolated node");
    STRESS_CHECK(genlru_charge(lru) == 0, "charge");
    stress_verify(lru);
    STRESS_CHECK(genlru_destroy(lru) == 0, "destroy");
}

int main(int argc, char **argv)
{
    static const unsigned stripes[] = {1, 2, 8};
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    test_refused();
    for (i = 0; i < 3; i++) {
        static struct race race;
        struct genlru_config config = GENLRU_CONFIG_INIT;

        stress_context("%u stripes", stripes[i]);
        memset(&race, 0, sizeof(race));
        config.capacity = NR_KEYS / 2 * MEAN_CHARGE;
        config.stripes = stripes[i];
        STRESS_CHECK(toy_create(&race.toy, &config, NR_KEYS) == 0, "create");
        race.seed = options.seed;
        race.steps = stress_scaled(&options, STEPS);
        race.nr_working = NR_WORKERS;
        stress_run(NR_WORKERS + 1, play, &race);
        printf("%u stripes: added %llu, deleted %llu, evicted %llu, handed over %llu\n", stripes[i],
               (unsigned long long)race.toy.nr_added, (unsigned long long)race.toy.nr_deleted,
               (unsigned long long)race.toy.nr_evicted, (unsigned long long)race.toy.nr_met);
        STRESS_CHECK(race.toy.nr_added > 0 && race.toy.nr_deleted > 0, "nothing raced");
        toy_destroy(&race.toy); /* each entry that was made was freed: nr_entries is 0 */
        STRESS_CHECK(race.toy.nr_entries == 0, "entries are left");
    }
    return 0;
}
