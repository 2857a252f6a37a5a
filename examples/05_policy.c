/* SPDX-License-Identifier: MIT */
/*
 * A policy is data: copy a preset, change numbers, check it, run it. Three small workloads through every preset
 * and through a policy of our own that gives first uses a queue below the generations (probation).
 *
 * What wins here says nothing about your load: replay your own trace with build/release/bench/sim/genlru-sim.
 */
#include <genlru/genlru.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NR_KEYS = 4000, CAPACITY = 500, NR_REQUESTS = 30000 };

struct entry {
    struct genlru_node node;
    int key;
};

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "05_policy: %s\n", what);
    exit(EXIT_FAILURE);
}

static unsigned random_below(unsigned n)
{
    static uint64_t state = 1; /* n = 0 begins again: every policy sees the same requests */

    state = n ? state * 6364136223846793005u + 1442695040888963407u : 1;
    return n ? (unsigned)(state >> 33) % n : 0;
}

static int skewed(int i)
{
    (void)i;
    return (int)(random_below(NR_KEYS) * random_below(1000) / 1000 * random_below(1000) / 1000);
}

static int skewed_and_scan(int i) /* a reader of everything beside users of the frequent keys */
{
    return i % 3 ? skewed(i) / 4 : i / 3 % NR_KEYS;
}

static int loop(int i) /* a little more than fits */
{
    return i % (CAPACITY * 6 / 5);
}

static void shrink(struct genlru *lru, struct entry **index)
{
    struct genlru_victim victims[16];
    uint64_t excess;

    while ((excess = genlru_excess(lru)) > 0) {
        int nr = genlru_evict(lru, &(struct genlru_budget){.charge = excess}, victims, 16, NULL);

        check(nr > 0, "nothing to evict");
        for (int i = 0; i < nr; i++) {
            struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node);

            index[e->key] = NULL;
            free(e);
        }
    }
}

/* Misses per request. */
static double run(const struct genlru_policy *policy, int (*workload)(int))
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct entry **index = calloc(NR_KEYS, sizeof(*index));
    struct genlru *lru;
    int misses = 0;

    config.policy = policy; /* copied */
    config.capacity = CAPACITY;
    check(index && genlru_create(&config, &lru) == 0, "create");
    random_below(0);
    for (int i = 0; i < NR_REQUESTS; i++) {
        int key = workload(i);

        if (index[key]) {
            genlru_access(lru, &index[key]->node);
            continue;
        }
        misses++;
        index[key] = malloc(sizeof(struct entry));
        check(index[key] != NULL, "malloc");
        index[key]->key = key;
        check(genlru_node_init(&index[key]->node, 1, 0) == 0, "init");
        check(genlru_add(lru, &index[key]->node, NULL) == 0, "add");
        shrink(lru, index);
    }
    genlru_set_capacity(lru, 0);
    shrink(lru, index);
    check(genlru_destroy(lru) == 0, "destroy");
    free(index);
    return (double)misses / NR_REQUESTS;
}

int main(void)
{
    struct genlru_policy own = GENLRU_POLICY_DEFAULT;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru *lru;

    own.name = "own";
    own.probation.percent = 10; /* of the capacity */
    own.probation.fill_percent = 90;
    own.probation.promote_refs = 2; /* used again while it was there */
    own.probation.place = 1;        /* second oldest */
    own.probation.promoted_refs = 1;
    check(genlru_policy_check(&own, 4) == NULL, "own policy");

    struct genlru_policy broken = own;
    broken.tiers.base_gain = 0;
    printf("refused: %s\n", genlru_policy_check(&broken, 4));
    config.policy = &broken;
    check(genlru_create(&config, &lru) == -EINVAL, "a broken policy was accepted");

    const struct genlru_policy *policies[] = {&GENLRU_POLICY_MGLRU_OLD, &GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_FG,
                                              &GENLRU_POLICY_DEFAULT, &own};
    printf("%-10s %8s %15s %8s   (misses per request)\n", "policy", "skewed", "skewed + scan", "loop");
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        double a = run(policies[i], skewed), b = run(policies[i], skewed_and_scan), c = run(policies[i], loop);

        printf("%-10s %8.4f %15.4f %8.4f\n", policies[i]->name, a, b, c);
        check(a < 0.9 && b < 0.9, "a skewed load hardly hits");
        check(c >= (double)(CAPACITY * 6 / 5) / NR_REQUESTS && c <= 1, "fewer misses than keys");
    }
    return EXIT_SUCCESS;
}
