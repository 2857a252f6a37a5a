/* SPDX-License-Identifier: MIT */
/*
 * Case 1: a counter and the list it describes disagree, and "while (used > limit) move one" never ends, a lock held.
 *
 *   sums     a random program of every call that moves charge, with capacities of 0, 1, exactly full and others: the counters
 *            are what a walk finds, all along
 *   faults   a counter is made wrong by one, on each kind of list, too high and too low: evict ends within a look at each
 *            node, says so (once to the hook), and the lru goes on
 */
#include "cases.h"
#include "gens/sizes.h"

enum { NR_NODES = 3000, STEPS = 400000, VERIFY_EVERY = 10000 };

/* ---- sums --------------------------------------------------------------------------------------------- */

static void step(struct genlru *lru, struct genlru_node *nodes, uint64_t *isolated_charge, struct stress_random *random)
{
    static const uint64_t capacities[] = {0, 1, 500, 50000, GENLRU_NO_LIMIT};
    struct genlru_node *node = &nodes[stress_below(random, NR_NODES)];
    struct genlru_budget budget = {.charge = genlru_excess(lru)};
    struct genlru_victim victims[16];
    int nr;

    switch (stress_below(random, 16)) {
    case 0:
        if (genlru_node_is_listed(node) && !genlru_node_is_pinned(node))
            STRESS_CHECK(genlru_del(lru, node) == GENLRU_YOURS, "del");
        break;
    case 1:
        STRESS_CHECK(genlru_recharge(lru, node, stress_below(random, 100)) == 0, "recharge");
        break;
    case 2: /* another type: only off the lru */
        if (!genlru_node_is_listed(node) && !genlru_node_is_pinned(node))
            STRESS_CHECK(genlru_node_init(node, stress_below(random, 100), stress_below(random, 3)) == 0, "init");
        break;
    case 3: /* exactly full, or another capacity */
        genlru_set_capacity(lru, stress_once_in(random, 2) ? genlru_charge(lru) : capacities[stress_below(random, 5)]);
        break;
    case 4:
        if (genlru_pin(lru, node) != 0 && genlru_node_is_pinned(node))
            STRESS_CHECK(genlru_unpin(lru, node) == 0, "unpin");
        break;
    case 5:
        (void)genlru_advise(lru, node, (enum genlru_advice)stress_below(random, 7));
        break;
    case 6:
        (void)genlru_age(lru, stress_below(random, 100));
        break;
    case 7:
    case 8:
        genlru_access(lru, node);
        break;
    case 9:
    case 10:
        nr = genlru_evict(lru, &budget, victims, 16, NULL);
        while (nr-- > 0) {
            if (stress_once_in(random, 4)) {
                STRESS_CHECK(genlru_putback(lru, &victims[nr]) == 0, "putback");
                continue;
            }
            *isolated_charge += genlru_node_charge(victims[nr].node);
            STRESS_CHECK(genlru_node_init(victims[nr].node, stress_below(random, 100), 0) == 0, "init");
        }
        break;
    default:
        if (!genlru_node_is_listed(node) && !genlru_node_is_pinned(node))
            STRESS_CHECK(genlru_add(lru, node, NULL) == 0, "add");
        break;
    }
}

static uint64_t charge_of(const struct genlru_node *nodes)
{
    uint64_t charge = 0;
    unsigned i;

    for (i = 0; i < NR_NODES; i++)
        charge += genlru_node_is_listed(&nodes[i]) ? genlru_node_charge(&nodes[i]) : 0;
    return charge;
}

static void test_sums(const struct stress_options *options, const struct genlru_policy *policy)
{
    struct stress_random random = stress_random(options->seed, 1);
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_node *nodes = case_nodes(NR_NODES, 1);
    uint64_t isolated_charge = 0;
    struct genlru *lru;
    unsigned i, steps = stress_scaled(options, STEPS);

    stress_context("sums, %s", policy->name);
    config.policy = policy;
    config.nr_types = 3;
    config.capacity = 0;
    config.stripes = 1;
    config.now_ns = case_clock;
    lru = case_create(&config);
    for (i = 0; i < steps; i++) {
        step(lru, nodes, &isolated_charge, &random);
        if (i % VERIFY_EVERY == VERIFY_EVERY - 1) {
            stress_verify(lru);
            STRESS_CHECK(genlru_charge(lru) == charge_of(nodes), "charge");
            STRESS_CHECK(case_stat(lru).eviction_clock == isolated_charge, "eviction clock");
        }
    }
    for (i = 0; i < NR_NODES; i++)
        if (genlru_node_is_pinned(&nodes[i]))
            STRESS_CHECK(genlru_unpin(lru, &nodes[i]) == 0, "unpin");
    (void)case_end(lru);
    free(nodes);
}

/* ---- faults ------------------------------------------------------------------------------------------- */

static unsigned nr_told;

static void count_errors(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    STRESS_CHECK(error == GENLRU_ERROR_INCONSISTENT && what[0], "hook: %d", (int)error);
    nr_told++;
}

/* Index of a counter that has nodes: a generation's, the parked, probation's. */
static unsigned busy_counter(struct genlru *lru, unsigned kind)
{
    unsigned index;

    if (kind > 0)
        return kind == 1 ? 0 : GENLRU__PROBATION_INDEX;
    for (index = 1; index < GENLRU__PROBATION_INDEX; index++)
        if (genlru__sum(lru, 0, index).nodes)
            return index;
    STRESS_CHECK(0, "no generation has nodes");
    return 0;
}

static void test_fault(unsigned kind, int fault)
{
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_node *nodes = case_nodes(NR_NODES, 1);
    struct genlru_victim victims[64];
    struct genlru_evict_result result;
    struct genlru__counter *counter;
    uint64_t scanned = 0, nr_calls = 0;
    struct genlru *lru;
    unsigned i, nr = 0;
    int got;

    stress_context("fault of %d, list %u", fault, kind);
    policy.probation = (struct genlru_probation_rules){20, 10, 1, -2, 1, 1, 0, 0};
    config.policy = &policy;
    config.capacity = NR_NODES;
    config.stripes = 1;
    config.on_error = count_errors;
    lru = case_create(&config);
    for (i = 0; i < NR_NODES; i++)
        case_add(lru, &nodes[i], i % 10 == 0 ? GENLRU_ADD_PINNED : 0);
    (void)genlru_evict(lru, &(struct genlru_budget){.scanned = 500}, victims, 1, NULL); /* some are parked */
    nr_told = 0;
    counter = &genlru__stripe(lru, 0)->counter[busy_counter(lru, kind)];
    counter->nodes += (uint64_t)(int64_t)fault;
    counter->charge += (uint64_t)(int64_t)fault;
    do {
        got = genlru_evict(lru, NULL, victims, 64, &result);
        STRESS_CHECK(got >= 0, "evict: %d", got);
        nr += (unsigned)got;
        scanned += result.scanned;
        STRESS_CHECK(++nr_calls <= NR_NODES, "evict does not end");
    } while (got > 0);
    STRESS_CHECK(scanned <= 4 * NR_NODES, "%llu nodes looked at", (unsigned long long)scanned);
    STRESS_CHECK(nr >= NR_NODES - NR_NODES / 10 - 1, "%u nodes evicted", nr);
    STRESS_CHECK(genlru_verify(lru, NULL, 0) == 4, "verify finds the fault"); /* invariant 4: counters */
    if (fault > 0 && kind != 1)
        STRESS_CHECK(result.reason == GENLRU_EVICT_INCONSISTENT && nr_told == 1, "reason %d, told %u times",
                     (int)result.reason, nr_told);
    else
        STRESS_CHECK(result.reason == GENLRU_EVICT_PINNED && nr_told == 0, "reason %d", (int)result.reason);
    /* It goes on, and is not told again and again. */
    for (i = 0; i < NR_NODES; i++)
        if (!genlru_node_is_pinned(&nodes[i])) {
            STRESS_CHECK(genlru_node_init(&nodes[i], 1, 0) == 0, "init");
            case_add(lru, &nodes[i], 0);
        }
    while (genlru_evict(lru, NULL, victims, 64, &result) > 0)
        ;
    STRESS_CHECK(nr_told <= 1, "told %u times of one fault", nr_told);
    counter->nodes -= (uint64_t)(int64_t)fault;
    counter->charge -= (uint64_t)(int64_t)fault;
    for (i = 0; i < NR_NODES; i++)
        if (genlru_node_is_pinned(&nodes[i]))
            STRESS_CHECK(genlru_unpin(lru, &nodes[i]) == 0, "unpin");
    (void)case_end(lru);
    free(nodes);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    for (i = 0; i < CASE_NR_POLICIES; i++)
        test_sums(&options, case_policies[i]);
    for (i = 0; i < 3; i++) {
        test_fault(i, 1);
        test_fault(i, -1);
    }
    return 0;
}
