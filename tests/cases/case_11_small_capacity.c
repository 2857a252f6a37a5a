/* SPDX-License-Identifier: MIT */
/*
 * Case 11: batch eviction empties a small cache; hidden minimum sizes.
 *
 * Every capacity from 0 to 300, entries of weight 1 and of 7, every preset, one and eight stripes, 3, 4 and 64 generations: fill,
 * then insert one more at a time. Evicting the excess leaves the cache as full as it can be: no more goes than was needed.
 */
#include "cases.h"

enum { MAX_CAPACITY = 300, MORE = 700 };

static unsigned evict_excess(struct genlru *lru)
{
    struct genlru_victim victims[64];
    struct genlru_budget budget = {.charge = genlru_excess(lru)};
    int nr;

    if (!budget.charge)
        return 0;
    nr = genlru_evict(lru, &budget, victims, 64, NULL);
    STRESS_CHECK(nr > 0, "evict of an excess of %llu: %d", (unsigned long long)budget.charge, nr);
    return (unsigned)nr;
}

static void run(const struct genlru_policy *policy, unsigned nr_gens, unsigned stripes, uint64_t weight,
                uint64_t capacity)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_node *nodes = case_nodes(MORE, weight);
    uint64_t fit = capacity / weight, nr = 0;
    struct genlru *lru;
    unsigned i;

    stress_context("%s, %u generations, %u stripes, weight %llu, capacity %llu", policy->name, nr_gens, stripes,
                   (unsigned long long)weight, (unsigned long long)capacity);
    config.policy = policy;
    config.nr_gens = nr_gens;
    config.stripes = stripes;
    config.capacity = capacity;
    config.now_ns = case_clock;
    lru = case_create(&config);
    for (i = 0; i < MORE && i < 2 * fit + 20; i++) {
        unsigned nr_evicted;

        case_add(lru, &nodes[i], 0);
        if (i % 3 == 0)
            genlru_access(lru, &nodes[i]);
        nr_evicted = evict_excess(lru);
        nr = nr + 1 - nr_evicted;
        STRESS_CHECK(nr_evicted <= 1, "%u evicted for one that came", nr_evicted);
        STRESS_CHECK(nr == (i + 1 < fit ? i + 1 : fit), "%llu entries of %llu that fit", (unsigned long long)nr,
                     (unsigned long long)fit);
        STRESS_CHECK(genlru_charge(lru) == nr * weight, "charge");
    }
    STRESS_CHECK(case_end(lru) == fit, "survivors");
    free(nodes);
}

int main(int argc, char **argv)
{
    static const unsigned gens[] = {3, 4, 64};
    struct stress_options options = stress_begin(argc, argv);
    unsigned i, k, capacity, step = options.scale < 100 ? 7 : 1;

    for (i = 0; i < CASE_NR_POLICIES; i++)
        for (k = 0; k < 3; k++)
            for (capacity = 0; capacity <= MAX_CAPACITY; capacity += step) {
                run(case_policies[i], gens[k], 1, 1, capacity);
                if (capacity % 4 == 0) {
                    run(case_policies[i], gens[k], 8, 1, capacity);
                    run(case_policies[i], gens[k], 1, 7, capacity);
                }
            }
    return 0;
}
