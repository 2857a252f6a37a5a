/* SPDX-License-Identifier: MIT */
/*
 * Case 4: all, or nearly all, is pinned, and each insert looks at all of it again; or the error does not say why.
 *
 * With every node pinned, then all but one in 10000, a hard limit that asks evict for room on each insert: the looks of all of
 * them together are bounded by one look at each node (which parks it) and a few for each insert. The reason tells "all is
 * pinned" from "nothing is there" and from "the budget was used up". And victims that their owner refuses to let go.
 */
#include "cases.h"

enum { NR_NODES = 100000, NR_INSERTS = 5000, RARE = 10000 };

static void test_pinned(const struct stress_options *options, const struct genlru_policy *policy, bool all)
{
    unsigned nr_nodes = stress_scaled(options, NR_NODES), nr_free = 0, nr_refused = 0, i;
    struct genlru *lru = case_create_of(policy, nr_nodes, 1);
    struct genlru_node *nodes = case_nodes(nr_nodes + NR_INSERTS, 1);
    uint64_t scanned = 0, worst = 0;

    stress_context("%s pinned, %s", all ? "all" : "nearly all", policy->name);
    for (i = 0; i < nr_nodes; i++) {
        bool is_free = !all && i % RARE == RARE / 2;

        case_add(lru, &nodes[i], is_free ? 0 : GENLRU_ADD_PINNED);
        nr_free += is_free;
    }
    for (i = nr_nodes; i < nr_nodes + NR_INSERTS; i++) {
        struct genlru_evict_result result;
        struct genlru_victim victim;
        int nr = genlru_evict(lru, &(struct genlru_budget){.scanned = 256}, &victim, 1, &result);

        scanned += result.scanned;
        worst = result.scanned > worst ? result.scanned : worst;
        if (nr == 1) {
            STRESS_CHECK(result.reason == GENLRU_EVICT_MET, "reason %d", (int)result.reason);
            STRESS_CHECK(!genlru_node_is_pinned(victim.node), "a pinned victim");
            case_add(lru, &nodes[i], GENLRU_ADD_PINNED);
            nr_free--;
            continue;
        }
        STRESS_CHECK(nr == 0, "evict: %d", nr);
        STRESS_CHECK(result.reason == (result.scanned >= 256 ? GENLRU_EVICT_BUDGET : GENLRU_EVICT_PINNED) ||
                         result.reason == GENLRU_EVICT_PINNED,
                     "reason %d after %llu looks", (int)result.reason, (unsigned long long)result.scanned);
        nr_refused++;
    }
    STRESS_CHECK(worst <= 256 + 60, "%llu looks of one insert", (unsigned long long)worst);
    STRESS_CHECK(scanned <= nr_nodes + 2 * NR_INSERTS, "%llu looks of all inserts", (unsigned long long)scanned);
    STRESS_CHECK(nr_free == 0, "%u nodes that nobody pinned were not found", nr_free);
    STRESS_CHECK(nr_refused >= NR_INSERTS - nr_nodes / RARE - 1 - nr_nodes / 256, "%u refused", nr_refused);
    for (i = 0; i < nr_nodes + NR_INSERTS; i++)
        if (genlru_node_is_pinned(&nodes[i]))
            STRESS_CHECK(genlru_unpin(lru, &nodes[i]) == 0, "unpin");
    (void)case_end(lru);
    free(nodes);
}

/* Every victim is refused by its owner: each call ends, and gives what it is asked for as long as it is asked. */
static void test_refused(void)
{
    enum { NR = 1000 };
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, NR, 1);
    struct genlru_node *nodes = case_nodes(NR, 1);
    struct genlru_victim victims[64];
    unsigned i, round;

    stress_context("refused by the owner");
    for (i = 0; i < NR; i++)
        case_add(lru, &nodes[i], 0);
    for (round = 0; round < 200; round++) {
        struct genlru_evict_result result;
        int nr = genlru_evict(lru, NULL, victims, 64, &result);

        STRESS_CHECK(nr == 64 && result.reason == GENLRU_EVICT_MET, "evict: %d", nr);
        STRESS_CHECK(result.scanned <= 16 * (NR + 4096), "%llu looks", (unsigned long long)result.scanned);
        while (nr-- > 0)
            STRESS_CHECK(genlru_putback(lru, &victims[nr]) == 0, "putback");
    }
    STRESS_CHECK(case_stat(lru).eviction_clock == 0 && case_stat(lru).nodes == NR, "refused victims count for nothing");
    STRESS_CHECK(case_end(lru) == NR, "nodes were lost");
    free(nodes);
}

static void test_reasons(void)
{
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, 10, 1);
    struct genlru_node *nodes = case_nodes(2, 1);
    struct genlru_evict_result result;
    struct genlru_victim victims[2];

    stress_context("reasons");
    STRESS_CHECK(genlru_evict(lru, NULL, victims, 2, &result) == 0 && result.reason == GENLRU_EVICT_NOTHING, "empty");
    case_add(lru, &nodes[0], GENLRU_ADD_PINNED);
    STRESS_CHECK(genlru_evict(lru, NULL, victims, 2, &result) == 0 && result.reason == GENLRU_EVICT_PINNED, "pinned");
    case_add(lru, &nodes[1], 0);
    STRESS_CHECK(genlru_evict(lru, &(struct genlru_budget){.deadline_ns = 1}, victims, 2, &result) == 0 &&
                     result.reason == GENLRU_EVICT_BUDGET,
                 "past its deadline");
    STRESS_CHECK(genlru_evict(lru, &(struct genlru_budget){.nodes = 1}, victims, 2, &result) == 1 &&
                     result.reason == GENLRU_EVICT_MET,
                 "met");
    STRESS_CHECK(genlru_evict(lru, NULL, victims, 2, &result) == 0 && result.reason == GENLRU_EVICT_PINNED, "again");
    STRESS_CHECK(genlru_unpin(lru, &nodes[0]) == 0, "unpin");
    (void)case_end(lru);
    free(nodes);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    for (i = 0; i < CASE_NR_POLICIES; i++) {
        test_pinned(&options, case_policies[i], true);
        test_pinned(&options, case_policies[i], false);
    }
    test_refused();
    test_reasons();
    return 0;
}
