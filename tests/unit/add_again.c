/* SPDX-License-Identifier: MIT */
/* genlru_add's short way, which repeats the stripe's last add: what it remembers, and when it must forget. */
#include "gens/window.h"
#include "unit.h"

/* An add remembers the last one's answer: whatever came before, the word is what the transition says. */
Test(add_again, remembers_nothing_wrong)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    static const unsigned flags[] = {0, 0, GENLRU_ADD_COLD, 0, GENLRU_ADD_HOT, GENLRU_ADD_MAPPED, GENLRU_ADD_NOREUSE};
    static const struct genlru__past no_past = {false, 0, 0, false, false};
    uint64_t random = unit_seed();
    struct genlru_node *node = unit_nodes(1);
    struct genlru *lru;
    unsigned i;

    config.policy = &GENLRU_POLICY_DEFAULT;
    lru = unit_create(&config);
    for (i = 0; i < 20000; i++) {
        unsigned how = flags[unit_random(&random) % (sizeof(flags) / sizeof(flags[0]))];
        struct genlru__context context;
        uint32_t before, want;

        cr_assert(genlru_node_init(node, unit_random(&random) % 3, 0) == 0);
        if (unit_random(&random) % 4 == 0)
            genlru_access(lru, node); /* a node that was used before it was added */
        if (unit_random(&random) % 8 == 0)
            cr_assert(genlru_node_set_owner_bits(node, (unsigned)(unit_random(&random) % 8)) == 0);
        if (unit_random(&random) % 64 == 0)
            cr_assert(genlru_age(lru, 0) == 0);
        before = unit_word(node);
        context = genlru__context(lru);
        cr_assert(genlru__word_add(before, &context, how, &no_past, false, &want) == 0);
        cr_assert(unit_add(lru, node, how) == 0);
        cr_assert(unit_word(node) == want, "%u: %08x became %08x, not %08x", i, (unsigned)before,
                  (unsigned)unit_word(node), (unsigned)want);
        cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
    }
    unit_end(&unit, lru, node, 1);
}

/* An owner that adds, evicts, deletes, hits and ages by chance; the same chance, the same calls. */
struct storm {
    struct unit unit;
    struct genlru *lru;
    struct genlru_node *nodes;
    genlru_shadow *shadows;
    uint64_t random;
};

enum { STORM_NODES = 700 };

static void storm_begin(struct storm *s, const struct genlru_policy *policy, uint64_t seed)
{
    struct genlru_config config;

    memset(s, 0, sizeof(*s));
    config = unit_config(&s->unit);
    config.policy = policy;
    config.capacity = 400;
    config.nr_gens = 4;
    s->lru = unit_create(&config);
    s->nodes = unit_nodes(STORM_NODES);
    s->shadows = calloc(STORM_NODES, sizeof(*s->shadows));
    s->random = seed;
}

static void storm_evict(struct storm *s)
{
    struct genlru_budget budget = {.nodes = 1 + unit_random(&s->random) % 40};
    struct genlru_victim victims[40];
    int nr = genlru_evict(s->lru, &budget, victims, 40, NULL), i;

    for (i = 0; i < nr; i++) {
        s->shadows[victims[i].node - s->nodes] = victims[i].shadow;
        cr_assert(genlru_node_init(victims[i].node, 1, 0) == 0);
    }
}

/* `dud`: a shadow that says nothing, for adds without one. It has them take the long way. */
static void storm_step(struct storm *s, genlru_shadow dud)
{
    unsigned what = (unsigned)(unit_random(&s->random) % 100), i = (unsigned)(unit_random(&s->random) % STORM_NODES);
    unsigned random = (unsigned)unit_random(&s->random);
    struct genlru_node *node = &s->nodes[i];

    if (genlru_node_is_listed(node)) {
        if (what < 30)
            genlru_access(s->lru, node);
        else if (what < 40 && genlru_del(s->lru, node) == GENLRU_YOURS)
            s->shadows[i] = 0;
        return;
    }
    if (genlru_excess(s->lru) || genlru_charge(s->lru) >= 400)
        storm_evict(s);
    if (what == 99)
        cr_assert(genlru_age(s->lru, 0) == 0);
    if (what == 98)
        genlru_trim(s->lru);
    cr_assert(genlru_add(s->lru, node,
                         &(struct genlru_add){.shadow = s->shadows[i] && random % 2 ? s->shadows[i] : dud,
                                              .flags = random % 64 == 0 ? GENLRU_ADD_COLD : 0}) == 0);
    s->shadows[i] = 0;
}

/* The short way of an add, which repeats the last one, and the long way come to the same: words, places, counters. */
Test(add_again, short_and_long_way)
{
    uint64_t seed = unit_seed();
    unsigned round, i;

    for (round = 0; round < 12; round++) {
        struct genlru_policy policy = round % 2 ? GENLRU_POLICY_DEFAULT : GENLRU_POLICY_MGLRU_FG;
        struct storm a, b;

        if (round % 3 == 2)
            policy.probation =
                (struct genlru_probation_rules){.percent = 10, .fill_percent = 60, .promote_refs = 2, .place = 1};
        if (round % 4 == 3)
            policy.epoch_percent = 30, policy.hit.freq_max = 15;
        storm_begin(&a, &policy, seed + round);
        storm_begin(&b, &policy, seed + round);
        b.lru->tag = a.lru->tag; /* of the address, else: shadows would differ */
        for (i = 0; i < 20000; i++) {
            unsigned k;

            storm_step(&a, 0);
            storm_step(&b, 1);
            if (i % 500)
                continue;
            for (k = 0; k < STORM_NODES; k++) {
                cr_assert(unit_word(&a.nodes[k]) == unit_word(&b.nodes[k]), "round %u step %u node %u: %08x, %08x",
                          round, i, k, (unsigned)unit_word(&a.nodes[k]), (unsigned)unit_word(&b.nodes[k]));
                cr_assert(!a.nodes[k].slot == !b.nodes[k].slot);
            }
            unit_verify(a.lru);
        }
        free(a.shadows);
        free(b.shadows);
        unit_end(&a.unit, a.lru, a.nodes, STORM_NODES);
        unit_end(&b.unit, b.lru, b.nodes, STORM_NODES);
    }
}

/* A memo outlives neither the block it names nor the threshold that its answer depends on. */
Test(add_again, probation_begins_where_it_should)
{
    enum { NR = 1000 };
    unsigned way, first[2] = {0, 0};

    for (way = 0; way < 2; way++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru_policy policy = GENLRU_POLICY_DEFAULT;
        struct genlru_node *nodes = unit_nodes(NR);
        struct genlru *lru;
        unsigned i;

        policy.probation =
            (struct genlru_probation_rules){.percent = 10, .fill_percent = 50, .promote_refs = 2, .place = 1};
        config.policy = &policy;
        config.capacity = NR;
        lru = unit_create(&config);
        for (i = 0; i < NR; i++) {
            cr_assert(genlru_add(lru, &nodes[i], &(struct genlru_add){.shadow = way}) == 0);
            if (!first[way] && unit_word(&nodes[i]) & GENLRU_PROBATION)
                first[way] = i;
        }
        unit_end(&unit, lru, nodes, NR);
    }
    cr_assert(first[0] && first[0] == first[1], "%u, the long way %u", first[0], first[1]);
}

/*
 * The remembered block was handed over by an add that is not remembered (a refault), and compaction has made room in it
 * since: the next plain add must not go there.
 */
Test(add_again, remembers_no_block_that_was_handed_over)
{
    enum { NR = 500, REFAULTS = 3 * GENLRU__SLOTS + 1 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[REFAULTS];
    struct genlru_budget budget = {.nodes = REFAULTS};
    const struct genlru__block *last;
    struct genlru *lru;
    unsigned i, nr;

    policy.place.warm = policy.place.cold; /* so that refaults go to the same list */
    config.policy = &policy;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, REFAULTS, 0);
    cr_assert(genlru_evict(lru, &budget, victims, REFAULTS, NULL) == REFAULTS);
    for (nr = REFAULTS; nr < REFAULTS + GENLRU__SLOTS; nr++) /* one block, the oldest of its list from now on */
        cr_assert(genlru_add(lru, &nodes[nr], NULL) == 0);
    last = genlru__block_of(nodes[nr - 1].slot);
    for (i = 0; i < REFAULTS; i++) { /* the first has `last` handed over, the others fill another */
        cr_assert(genlru_node_init(victims[i].node, 1, 0) == 0);
        cr_assert(genlru_add(lru, victims[i].node, &(struct genlru_add){.shadow = victims[i].shadow}) == 0);
    }
    for (i = 0; i < GENLRU__NR_OPEN; i++)
        cr_assert(last != genlru__stripe(lru, 0)->open[i].block, "not handed over");
    cr_assert(unit_stat(lru).refaulted == REFAULTS);
    for (i = 0; i < nr; i++)
        if (i % 16)
            cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
    cr_assert(genlru_add(lru, &nodes[nr], NULL) == 0);
    cr_assert(genlru__block_of(nodes[nr].slot) == genlru__stripe(lru, 0)->open[0].block, "not in an open block");
    unit_verify(lru);
    unit_end(&unit, lru, nodes, NR);
}
