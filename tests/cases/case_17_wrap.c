/* SPDX-License-Identifier: MIT */
/*
 * Case 17: a sequence number, a clock or a counter comes to its width and wraps.
 *
 * A life of a cache (misses with shadows kept in a nonresident table, scans between, two types, deletions, recharges, pins) is
 * lived from a start just below each boundary, past it, and from one far away: the victims must be the same, and the invariants
 * hold all along. What is moved to the boundary:
 *
 *   seq       max_seq and min_seq: 2^8 (a shadow's), 127 (a word's), 2^16 (a hit's second look), 2^24, 2^32, 2^64
 *   clock     the eviction clock: 2^26 steps (a shadow's), 2^32, 2^64
 *   epoch     of the frequency: 8 (a word's), 256 (the window's), 2^32
 *   charge    a stripe's sums: 2^32, 2^63, 2^64; another stripe holds what brings the sum of both back
 *   nodes     the same, and where a counter's number of nodes ends, and that of its changes begins: 2^39, 2^40
 *   del       the count of deletions that tells whether one is under way
 *
 * A monotonic clock of 64 bits of nanoseconds, and a count of generations, do not come to their end in 584 years.
 * refs do not wrap, they saturate: tests/unit/transition.c goes through every word. tests/model runs most of these against the
 * model, too.
 */
#include "cases.h"
#include "gens/lru.h"
#include "lru/create.h"

enum { NR_NODES = 1200, KEPT = 300, REQUESTS = 12000, GENS = 5 };

struct start {
    const char *name;
    struct genlru__start near, far;
    uint64_t charge; /* what stripe 0's sums begin with, less what is added soon */
    uint64_t dels;
};

#define SEQ(bits) ((UINT64_C(1) << (bits)) - GENS)
/* The same place within 64 generations, since lists are found by seq modulo a power of two. */
#define FAR_SEQ(bits) (SEQ(bits) + 64 * 1001)

static const struct start starts[] = {
    {"seq 2^8", {SEQ(8), 0, 0}, {FAR_SEQ(8), 0, 0}, 0, 0},
    {"seq 127", {127 * 1000 - GENS, 0, 0}, {127 * 1000 - GENS + 64 * 1001, 0, 0}, 0, 0},
    {"seq 2^16", {SEQ(16), 0, 0}, {FAR_SEQ(16), 0, 0}, 0, 0},
    {"seq 2^24", {SEQ(24), 0, 0}, {FAR_SEQ(24), 0, 0}, 0, 0},
    {"seq 2^32", {SEQ(32), 0, 0}, {FAR_SEQ(32), 0, 0}, 0, 0},
    {"seq 2^64", {UINT64_MAX - (1 << 22), 0, 0}, {UINT64_MAX - (1 << 22) - 64 * 1001, 0, 0}, 0, 0},
    {"clock 2^26", {0, (UINT64_C(1) << 26) - KEPT, 0}, {0, (UINT64_C(1) << 25) - KEPT, 0}, 0, 0},
    {"clock 2^32", {0, (UINT64_C(1) << 32) - KEPT, 0}, {0, (UINT64_C(1) << 32) - KEPT - (1 << 25), 0}, 0, 0},
    {"clock 2^64", {0, UINT64_MAX - KEPT, 0}, {0, UINT64_MAX - KEPT - (1 << 25), 0}, 0, 0},
    {"epoch 8", {0, 0, 6}, {0, 0, 6 + 96}, 0, 0},
    {"epoch 256", {0, 0, 254}, {0, 0, 254 - 8 * 16}, 0, 0},
    {"epoch 2^32", {0, 0, UINT32_MAX - 1}, {0, 0, 254 - 8 * 16}, 0, 0},
    {"charge 2^32", {0, 0, 0}, {0, 0, 0}, (UINT64_C(1) << 32) - KEPT, 0},
    {"nodes 2^39", {0, 0, 0}, {0, 0, 0}, (UINT64_C(1) << 39) - KEPT, 0},
    {"nodes 2^40", {0, 0, 0}, {0, 0, 0}, (UINT64_C(1) << 40) - KEPT, 0},
    {"charge 2^63", {0, 0, 0}, {0, 0, 0}, (UINT64_C(1) << 63) - KEPT, 0},
    {"charge 2^64", {0, 0, 0}, {0, 0, 0}, UINT64_MAX - KEPT, 0},
    {"del 2^64", {0, 0, 0}, {0, 0, 0}, 0, UINT64_MAX - 63}, /* every 64th compacts: the same place in 64 */
};

struct life {
    uint64_t agings, epochs, evicted, added, dels;
    size_t nr_victims;
    uint32_t victim[4 * REQUESTS];
};

static uint64_t now;

static uint64_t ticking(void *ctx)
{
    (void)ctx;
    return now++;
}

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    return (uint64_t)(node - (const struct genlru_node *)ctx) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Two stripes' sums, each near the boundary, together as before. */
static void shift_sums(struct genlru *lru, uint64_t charge, uint64_t dels)
{
    struct genlru__stripe *own = genlru__stripe(lru, 0), *other = genlru__stripe(lru, 1);
    unsigned i;

    own->held_charge += charge;
    other->free_charge -= charge;
    for (i = 0; i < 2 * lru->nr_types * GENLRU__NR_COUNTERS; i++) {
        own->counter[i].charge += charge;
        other->counter[i].charge -= charge;
        own->counter[i].nodes += charge;
        other->counter[i].nodes -= charge;
    }
    for (i = 0; i < 2; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);

        stripe->held_dels += dels;
        stripe->free_dels += dels;
    }
}

static unsigned choose(struct stress_random *random, unsigned i)
{
    if (i / 300 % 3 == 2) /* a scan */
        return i % NR_NODES;
    return stress_below(random, stress_once_in(random, 3) ? NR_NODES : NR_NODES / 6);
}

static void request(struct genlru *lru, struct genlru_node *nodes, unsigned at, struct life *life)
{
    struct genlru_add how = {.key_hash = hash_of(nodes, &nodes[at]), .has_key_hash = 1};

    if (genlru_node_is_listed(&nodes[at])) {
        genlru_access(lru, &nodes[at]);
        return;
    }
    STRESS_CHECK(genlru_node_init(&nodes[at], 1 + at % 3, at % 2) == 0, "init");
    STRESS_CHECK(genlru_add(lru, &nodes[at], &how) == 0, "add");
    life->added += 1 + at % 3;
}

static void make_room(struct genlru *lru, struct genlru_node *nodes, unsigned i, struct life *life)
{
    struct genlru_budget budget = {.charge = genlru_excess(lru), .deadline_ns = i % 5 ? 0 : now + (1u << 20)};
    struct genlru_victim victims[16];
    int nr, k;

    if (!budget.charge)
        return;
    nr = genlru_evict(lru, &budget, victims, 16, NULL);
    for (k = 0; k < nr; k++) {
        struct genlru_shadow_info info;

        STRESS_CHECK(genlru_shadow_read(lru, victims[k].shadow, &info) == 0 && info.distance <= 64 && !info.is_foreign,
                     "a fresh shadow is %llu away", (unsigned long long)info.distance);
        life->victim[life->nr_victims++] = (uint32_t)(victims[k].node - nodes);
        life->evicted += genlru_node_charge(victims[k].node);
    }
}

static void live(const struct genlru_policy *policy, const struct genlru__start *start, const struct start *where,
                 bool is_near, uint64_t seed, struct life *life)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct stress_random random = stress_random(seed, 3);
    struct genlru_node *nodes = case_nodes(NR_NODES, 1);
    struct genlru_nonresident *table;
    struct genlru *lru;
    unsigned i;

    memset(life, 0, sizeof(*life));
    now = 1;
    STRESS_CHECK(genlru_nonresident_create(4 * NR_NODES, 5, NULL, &table) == 0, "table");
    config.policy = policy;
    config.capacity = KEPT;
    config.nr_types = 2;
    config.stripes = 2;
    config.nonresident = table;
    config.hash_of = hash_of;
    config.hash_ctx = nodes;
    config.now_ns = ticking;
    config.on_error = case_no_error;
    STRESS_CHECK(genlru__create_at(&config, start, &lru) == 0, "create");
    if (is_near)
        shift_sums(lru, where->charge, where->dels);
    stress_verify(lru);
    for (i = 0; i < REQUESTS; i++) {
        unsigned at = choose(&random, i);
        struct genlru_gen_stat gens[8];

        request(lru, nodes, at, life);
        make_room(lru, nodes, i, life);
        at = stress_below(&random, NR_NODES);
        if (i % 7 == 0 && genlru_node_is_listed(&nodes[at])) {
            STRESS_CHECK(genlru_del(lru, &nodes[at]) == GENLRU_YOURS, "del");
            life->dels++;
        }
        if (i % 11 == 0)
            STRESS_CHECK(genlru_recharge(lru, &nodes[at], 1 + i % 4) == 0, "recharge");
        if (i % 400 == 0) {
            STRESS_CHECK(genlru_age(lru, 0) == 0, "age");
            stress_verify(lru);
            STRESS_CHECK(genlru_stat_gens(lru, 0, gens, 8) >= 2 && gens[0].age_ns <= 1u << 20, "age in ns");
        }
    }
    life->agings = case_stat(lru).aged;
    life->epochs = lru->epoch - start->epoch;
    (void)case_end(lru);
    genlru_nonresident_destroy(table);
    free(nodes);
}

/* The life came to the boundary. */
static void check_passed(const struct start *start, const struct life *life)
{
    STRESS_CHECK(!start->near.max_seq || life->agings > GENS, "%llu agings", (unsigned long long)life->agings);
    STRESS_CHECK(!start->near.eviction_clock || life->evicted > 2 * KEPT, "%llu evicted",
                 (unsigned long long)life->evicted);
    STRESS_CHECK(!start->near.epoch || life->epochs > 2, "%llu epochs", (unsigned long long)life->epochs);
    STRESS_CHECK(!start->charge || life->added > 2 * KEPT, "%llu added", (unsigned long long)life->added);
    STRESS_CHECK(!start->dels || life->dels > 64, "%llu deleted", (unsigned long long)life->dels);
}

int main(int argc, char **argv)
{
    static struct life near, far;
    struct stress_options options = stress_begin(argc, argv);
    struct genlru_policy own = GENLRU_POLICY_DEFAULT;
    unsigned i, p;

    own.name = "everything";
    own.hit.freq_max = 15;
    own.refault.keep_freq = 1;
    own.refault.distance_percent = 100;
    own.probation = (struct genlru_probation_rules){10, 50, 1, -2, 1, 1, 0, 0};
    own.age_percent = 10;
    own.epoch_percent = 20;
    own.learn = 0; /* which has epochs of its own */
    for (p = 0; p <= CASE_NR_POLICIES; p++)
        for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
            const struct genlru_policy *policy = p < CASE_NR_POLICIES ? case_policies[p] : &own;
            const struct start *start = &starts[i];

            if (start->near.epoch && !policy->epoch_percent)
                continue;
            stress_context("%s, %s", start->name, policy->name);
            live(policy, &start->near, start, true, options.seed, &near);
            live(policy, &start->far, start, false, options.seed, &far);
            check_passed(start, &near);
            STRESS_CHECK(near.nr_victims == far.nr_victims && near.nr_victims > KEPT, "%zu victims near, %zu far",
                         near.nr_victims, far.nr_victims);
            STRESS_CHECK(memcmp(near.victim, far.victim, near.nr_victims * sizeof(near.victim[0])) == 0,
                         "other victims near the boundary");
        }
    return 0;
}
