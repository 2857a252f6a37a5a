/* SPDX-License-Identifier: MIT */
/*
 * Case 20: weights that change or do not fit.
 *
 *   states    an entry grows and shrinks in every state that a node can be in; the counters follow at once
 *   extremes  weight 0, 1, the capacity, more than the capacity, 2^32 - 1, and 2^32, which is refused with nothing changed;
 *             a thousand entries of 2^32 - 1, 4 Ti units; no limit; capacities of 0, 1 and 2^64 - 2
 *   oversize  what does not fit is refused by its owner before anything is evicted: excess tells it
 */
#include "cases.h"

static const uint64_t weights[] = {0, 1, 2, 99, 100, 101, 65535, UINT32_MAX - 1, UINT32_MAX};
enum { NR_WEIGHTS = sizeof(weights) / sizeof(weights[0]) };

enum state { OFF, LISTED, LISTED_PINNED, PARKED, ISOLATED, PROBATION, CONDEMNED, NR_STATES };

/* What an evict that was to look at everything, and a pin, make of one node. */
static void bring_to(struct genlru *lru, struct genlru_node *node, enum state state)
{
    struct genlru_victim victim;
    struct genlru_evict_result result;

    if (state == OFF)
        return;
    case_add(lru, node, state == LISTED || state == ISOLATED || state == PROBATION ? 0 : GENLRU_ADD_PINNED);
    if (state == PARKED) {
        STRESS_CHECK(genlru_evict(lru, NULL, &victim, 1, &result) == 0 && result.parked == 1, "park");
    } else if (state == ISOLATED) {
        STRESS_CHECK(genlru_evict(lru, NULL, &victim, 1, NULL) == 1, "isolate");
    } else if (state == CONDEMNED) {
        STRESS_CHECK(genlru_del(lru, node) == 0, "del of a pinned node");
    }
}

static void test_states(void)
{
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;
    int state;

    policy.probation = (struct genlru_probation_rules){50, 0, 1, -2, 1, 1, 0, 0};
    for (state = 0; state < NR_STATES; state++) {
        struct genlru *lru =
            case_create_of(state == PROBATION ? &policy : &GENLRU_POLICY_DEFAULT, state == PROBATION ? 1000 : 100, 1);
        struct genlru_node node;
        bool counts = state == LISTED || state == LISTED_PINNED || state == PARKED || state == PROBATION;
        unsigned i, k;

        stress_context("state %d", state);
        STRESS_CHECK(genlru_node_init(&node, 7, 0) == 0, "init");
        bring_to(lru, &node, (enum state)state);
        for (i = 0; i < NR_WEIGHTS; i++)
            for (k = 0; k < NR_WEIGHTS; k++) {
                STRESS_CHECK(genlru_recharge(lru, &node, weights[i]) == 0, "recharge");
                STRESS_CHECK(genlru_charge(lru) == (counts ? weights[i] : 0), "counted at once");
                STRESS_CHECK(genlru_recharge(lru, &node, weights[k]) == 0, "recharge");
                STRESS_CHECK(genlru_charge(lru) == (counts ? weights[k] : 0), "counted at once");
                STRESS_CHECK(genlru_recharge(lru, &node, UINT64_C(1) << 32) == -ERANGE, "2^32 is too much");
                STRESS_CHECK(genlru_recharge(lru, &node, UINT64_MAX) == -ERANGE, "-1 is too much");
                STRESS_CHECK(genlru_node_charge(&node) == weights[k], "a refused charge changes nothing");
                stress_verify(lru);
            }
        STRESS_CHECK(case_stat(lru).pinned_charge == (state == PARKED ? genlru_node_charge(&node) : 0), "pinned");
        STRESS_CHECK(case_stat(lru).probation_charge == (state == PROBATION ? genlru_node_charge(&node) : 0),
                     "probation");
        if (genlru_node_is_pinned(&node))
            STRESS_CHECK(genlru_unpin(lru, &node) == (state == CONDEMNED ? GENLRU_YOURS : 0), "unpin");
        (void)case_end(lru);
    }
}

/* An isolated node that is recharged and put back: the eviction clock and the counters agree with what it weighs. */
static void test_putback(void)
{
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, 1000, 1);
    struct genlru_victim victim;
    struct genlru_node node;

    stress_context("putback");
    STRESS_CHECK(genlru_node_init(&node, 10, 0) == 0, "init");
    case_add(lru, &node, 0);
    STRESS_CHECK(genlru_evict(lru, NULL, &victim, 1, NULL) == 1, "evict");
    STRESS_CHECK(genlru_recharge(lru, &node, 500) == 0 && genlru_putback(lru, &victim) == 0, "putback");
    STRESS_CHECK(genlru_charge(lru) == 500, "charge");
    stress_verify(lru);
    (void)case_end(lru);
}

static void test_extremes(const struct genlru_policy *policy)
{
    enum { NR = 1000 };
    static const uint64_t capacities[] = {0, 1, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX - 1, GENLRU_NO_LIMIT};
    struct genlru_node *nodes = case_nodes(NR, UINT32_MAX), odd;
    unsigned i, k;

    for (k = 0; k < sizeof(capacities) / sizeof(capacities[0]); k++) {
        struct genlru *lru = case_create_of(policy, capacities[k], 1);
        struct genlru_victim victims[64];
        struct genlru_evict_result result;
        const uint64_t all = (uint64_t)NR * UINT32_MAX;

        stress_context("extremes, %s, capacity %llu", policy->name, (unsigned long long)capacities[k]);
        for (i = 0; i < NR; i++) {
            STRESS_CHECK(genlru_node_init(&nodes[i], UINT32_MAX, 0) == 0, "init");
            case_add(lru, &nodes[i], 0);
        }
        STRESS_CHECK(genlru_charge(lru) == all, "charge");
        STRESS_CHECK(genlru_excess(lru) == (capacities[k] < all ? all - capacities[k] : 0), "excess");
        STRESS_CHECK(genlru_evict(lru, &(struct genlru_budget){.charge = 10}, victims, 64, &result) == 1 &&
                         result.charge == UINT32_MAX,
                     "one is more than enough");
        STRESS_CHECK(genlru_evict(lru, &(struct genlru_budget){.charge = UINT64_MAX}, victims, 64, &result) == 64,
                     "a goal beyond what there is");
        stress_verify(lru);
        STRESS_CHECK(case_end(lru) == NR - 65, "nodes were lost");
    }
    STRESS_CHECK(genlru_node_init(&odd, UINT64_C(1) << 32, 0) == -ERANGE, "2^32");
    STRESS_CHECK(genlru_node_init(&odd, UINT64_MAX, 0) == -ERANGE, "2^64 - 1");
    free(nodes);
}

/* Weight 0 is a weight: it brings a goal of charge no nearer, and does not keep evict from ending. */
static void test_zero(const struct genlru_policy *policy)
{
    enum { NR = 300 };
    struct genlru *lru = case_create_of(policy, 10, 1);
    struct genlru_node *nodes = case_nodes(NR, 0);
    struct genlru_victim victims[NR];
    struct genlru_evict_result result;
    int nr;

    stress_context("zero, %s", policy->name);
    for (unsigned i = 0; i < NR; i++) {
        STRESS_CHECK(genlru_node_init(&nodes[i], i == NR / 2, 0) == 0, "init"); /* one weighs 1 */
        case_add(lru, &nodes[i], 0);
    }
    STRESS_CHECK(genlru_charge(lru) == 1 && genlru_excess(lru) == 0, "charge");
    nr = genlru_evict(lru, &(struct genlru_budget){.charge = 1}, victims, NR, &result);
    STRESS_CHECK(nr > 0 && result.charge == 1 && result.reason == GENLRU_EVICT_MET, "the goal is met: %d", nr);
    STRESS_CHECK(genlru_charge(lru) == 0, "charge");
    nr = genlru_evict(lru, &(struct genlru_budget){.charge = 1}, victims, NR, &result);
    STRESS_CHECK(nr == NR - NR / 2 - 1 && result.reason != GENLRU_EVICT_MET, "what weighs nothing meets no goal: %d",
                 nr);
    STRESS_CHECK(case_end(lru) == 0, "nodes are left");
    free(nodes);
}

/* An owner asks before it adds: nothing is evicted for what cannot fit. */
static void test_oversize(void)
{
    enum { NR = 100 };
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, NR, 1);
    struct genlru_node *nodes = case_nodes(NR, 1), big;

    stress_context("oversize");
    for (unsigned i = 0; i < NR; i++)
        case_add(lru, &nodes[i], 0);
    STRESS_CHECK(genlru_node_init(&big, NR + 1, 0) == 0, "init");
    STRESS_CHECK(genlru_node_charge(&big) > case_stat(lru).capacity, "told before the add");
    STRESS_CHECK(case_stat(lru).evicted == 0 && genlru_charge(lru) == NR, "nothing was evicted");
    case_add(lru, &big, GENLRU_ADD_HOT); /* kept beyond the bound, by choice */
    STRESS_CHECK(genlru_excess(lru) == NR + 1, "the overshoot is told");
    (void)case_end(lru);
    free(nodes);
}

int main(int argc, char **argv)
{
    unsigned i;

    (void)stress_begin(argc, argv);
    test_states();
    test_putback();
    for (i = 0; i < CASE_NR_POLICIES; i++) {
        test_extremes(case_policies[i]);
        test_zero(case_policies[i]);
    }
    test_oversize();
    return 0;
}
