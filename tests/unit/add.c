/* SPDX-License-Identifier: MIT */
/* genlru_add: where nodes go, what a shadow gives back, refusals that change nothing, and no memory. */
#include "gens/window.h"
#include "unit.h"

Test(add, refuses)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1), before = *node, alien;
    struct genlru_stat stat = unit_stat(lru), after;

    cr_assert(genlru_add(NULL, node, NULL) == -EINVAL);
    cr_assert(genlru_add(lru, NULL, NULL) == -EINVAL);
    cr_assert(unit_add(lru, node, GENLRU_ADD_COLD | GENLRU_ADD_HOT) == -EINVAL);
    cr_assert(unit_add(lru, node, 1u << 6) == -EINVAL);
    cr_assert(unit_add(lru, node, 1u << 31) == -EINVAL);
    cr_assert(genlru_node_init(&alien, 1, 1) == 0);
    cr_assert(genlru_add(lru, &alien, NULL) == -EINVAL, "a type that the lru does not have");
    cr_assert(memcmp(&before, node, sizeof(before)) == 0 && !alien.slot);
    after = unit_stat(lru);
    cr_assert(memcmp(&stat, &after, sizeof(stat)) == 0);
    unit_end(&unit, lru, node, 1);
}

/* The table's row of add, by state: the errno, nothing changed, and the hook told. */
Test(add, by_state)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    unsigned step, errors = 0;

    for (step = 0; step < 6; step++) {
        static const int want[] = {-EEXIST, -EEXIST, -EEXIST, -EBUSY, -EBUSY, -EBUSY};
        struct genlru_node before;
        struct genlru_stat stat, after;

        if (step == 0)
            cr_assert(genlru_add(lru, node, NULL) == 0); /* LISTED */
        if (step == 1)
            cr_assert(genlru_pin(lru, node) == 0); /* LISTED, PINNED */
        if (step == 2)
            cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 0); /* PARKED */
        if (step == 3)
            cr_assert(genlru_del(lru, node) == 0); /* CONDEMNED */
        if (step == 4) {
            cr_assert(genlru_unpin(lru, node) == GENLRU_YOURS);
            cr_assert(genlru_add(lru, node, NULL) == 0);
            cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1); /* ISOLATED */
        }
        if (step == 5)
            cr_assert(genlru_del(lru, node) == 0); /* ISOLATED, DEAD */
        before = *node;
        stat = unit_stat(lru);
        cr_assert(genlru_add(lru, node, NULL) == want[step], "step %u", step);
        cr_assert(memcmp(&before, node, sizeof(before)) == 0, "step %u changed the node", step);
        unit_verify(lru);
        after = unit_stat(lru);
        after.blocks = stat.blocks; /* an add may have opened a block */
        after.metadata_bytes = stat.metadata_bytes;
        cr_assert(memcmp(&stat, &after, sizeof(stat)) == 0, "step %u", step);
        cr_assert(unit.nr_errors == ++errors && unit.error == GENLRU_ERROR_MISUSE && unit.error_node == node);
    }
    cr_assert(genlru_release(lru, node) == GENLRU_YOURS);
    unit_end(&unit, lru, node, 1);
}

Test(add, places)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(6);
    struct genlru *lru;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    cr_assert(genlru_add(lru, &nodes[0], NULL) == 0);
    cr_assert(unit_age_of(lru, &nodes[0]) == 3 && genlru_node_refs(&nodes[0]) == 1);
    cr_assert(unit_add(lru, &nodes[1], GENLRU_ADD_PREFETCHED) == 0);
    cr_assert(unit_age_of(lru, &nodes[1]) == 3 && genlru_node_refs(&nodes[1]) == 0);
    genlru_access(lru, &nodes[1]);
    cr_assert(genlru_node_refs(&nodes[1]) == 1 && unit_age_of(lru, &nodes[1]) == 3,
              "the first access is still to come");
    cr_assert(unit_add(lru, &nodes[2], GENLRU_ADD_HOT) == 0 && unit_age_of(lru, &nodes[2]) == 1);
    cr_assert(unit_add(lru, &nodes[3], GENLRU_ADD_NOREUSE) == 0);
    genlru_access(lru, &nodes[3]);
    genlru_access(lru, &nodes[3]);
    cr_assert(genlru_node_refs(&nodes[3]) == 0 && unit_age_of(lru, &nodes[3]) == 3, "accesses never count");
    cr_assert(unit_add(lru, &nodes[4], GENLRU_ADD_PINNED) == 0 && genlru_node_is_pinned(&nodes[4]));
    cr_assert(unit_add(lru, &nodes[5], GENLRU_ADD_MAPPED) == 0 && genlru_node_refs(&nodes[5]) == 1);
    cr_assert(unit_stat(lru).nodes == 6);
    unit_end(&unit, lru, nodes, 6);
}

/* A node that an access by its old owner counted beyond what this lru counts to (invariant 11). */
Test(add, node_of_a_policy_that_counts_further)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy far = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *node = unit_nodes(1);
    struct genlru *a, *b;
    unsigned i;

    far.hit.refs_max = 15;
    far.hit.defer_gens = 0;
    config.policy = &far;
    a = unit_create(&config);
    config.policy = &GENLRU_POLICY_MGLRU;
    b = unit_create(&config);
    cr_assert(genlru_add(a, node, NULL) == 0);
    for (i = 0; i < 13; i++)
        genlru_access(a, node);
    cr_assert(genlru_node_refs(node) == 14);
    cr_assert(genlru_del(a, node) == GENLRU_YOURS);
    cr_assert(unit_add(b, node, GENLRU_ADD_PREFETCHED) == 0);
    cr_assert(genlru_node_refs(node) <= 4);
    unit_verify(b);
    cr_assert(genlru_destroy(a) == 0);
    unit_end(&unit, b, node, 1);
}

/* A returning node gets refs back from its shadow, and is counted; a strange one does not. */
Test(add, refault)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *node = unit_nodes(1);
    struct genlru_victim victim;
    struct genlru_add how = {0};
    struct genlru_stat stat;
    struct genlru *lru, *other;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    lru = unit_create(&config);
    other = unit_create(&config);
    cr_assert(unit_add(lru, node, GENLRU_ADD_HOT) == 0);
    genlru_access(lru, node);
    genlru_access(lru, node);
    cr_assert(genlru_node_refs(node) == 3);
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1 && victim.shadow);
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    how.shadow = victim.shadow;
    cr_assert(genlru_add(lru, node, &how) == 0);
    cr_assert(genlru_node_refs(node) == 4, "three of the shadow and the access itself: %u", genlru_node_refs(node));
    cr_assert(unit_age_of(lru, node) + 2 <= unit_stat(lru).max_seq - unit_stat(lru).min_seq[0] + 1 ||
              unit_age_of(lru, node) == 2);
    stat = unit_stat(lru);
    cr_assert(stat.refaulted == 1 && stat.refaulted_workingset == 1 && stat.tier[0][2].refaulted == 1);
    cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    how.shadow = victim.shadow;
    cr_assert(genlru_add(other, node, &how) == 0 && genlru_node_refs(node) == 1, "a shadow of another lru");
    cr_assert(unit_stat(other).refaulted == 0);
    cr_assert(genlru_del(other, node) == GENLRU_YOURS);
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    how.shadow = 12345; /* no shadow at all */
    cr_assert(genlru_add(lru, node, &how) == 0 && genlru_node_refs(node) == 1 && unit_stat(lru).refaulted == 1);
    cr_assert(genlru_destroy(other) == 0);
    unit_end(&unit, lru, node, 1);
}

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    return (uint64_t)(node - (const struct genlru_node *)ctx) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The lru's own table of shadows: kept for victims, found at add, not lost when the add fails. */
Test(add, nonresident)
{
    enum { NR = 300 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[NR];
    struct genlru_nonresident *table;
    struct genlru *lru;
    size_t i;

    cr_assert(genlru_nonresident_create(4096, 1, NULL, &table) == 0);
    config.nonresident = table;
    config.hash_of = hash_of;
    config.hash_ctx = nodes;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, NR, 0);
    cr_assert(genlru_evict(lru, NULL, victims, NR, NULL) == NR);
    genlru_trim(lru);
    for (i = 0; i < NR; i++) {
        struct genlru_add how = {.key_hash = hash_of(nodes, &nodes[i]), .has_key_hash = i % 2};

        cr_assert(genlru_node_init(&nodes[i], 1, 0) == 0);
        cr_assert(genlru_add(lru, &nodes[i], &how) == 0);
        cr_assert(genlru_node_refs(&nodes[i]) == 1 + i % 2, "node %zu", i);
        if (i % 2) {
            unsigned errors = unit.nr_errors;

            genlru_nonresident_insert(table, lru, how.key_hash, victims[i].shadow);
            cr_assert(genlru_add(lru, &nodes[i], &how) == -EEXIST && unit.nr_errors == errors + 1);
            cr_assert(genlru_nonresident_take(table, lru, how.key_hash), "a failed add keeps the shadow");
        }
    }
    cr_assert(unit_stat(lru).refaulted == NR / 2);
    unit_end(&unit, lru, nodes, NR);
    genlru_nonresident_destroy(table);
}

/* In steady state nothing is allocated; without memory an add changes nothing and the next one may succeed. */
Test(add, memory)
{
    enum { NR = 60 * 50 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR), *more = unit_nodes(200), before;
    struct genlru_victim victims[64];
    struct genlru_stat stat, after;
    uint64_t allocs;
    size_t i, k;
    int result = 0;

    unit_add_all(lru, nodes, NR, 0);
    for (i = 0; i < 10; i++) { /* warm: spare blocks */
        cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) == 64);
        for (k = 0; k < 64; k++) {
            cr_assert(genlru_node_init(victims[k].node, 1, 0) == 0);
            cr_assert(genlru_add(lru, victims[k].node, NULL) == 0);
        }
    }
    allocs = unit.nr_allocs;
    for (i = 0; i < 1000; i++) {
        cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) == 64);
        for (k = 0; k < 64; k++) {
            cr_assert(genlru_node_init(victims[k].node, 1, 0) == 0);
            cr_assert(genlru_add(lru, victims[k].node, NULL) == 0);
        }
    }
    cr_assert(unit.nr_allocs == allocs, "%llu allocations in steady state",
              (unsigned long long)(unit.nr_allocs - allocs));

    unit_fail_from(&unit, 1);
    for (i = 0; i < 200 && result == 0; i++) {
        before = more[i];
        stat = unit_stat(lru);
        result = genlru_add(lru, &more[i], NULL);
    }
    if (result) {
        cr_assert(result == -ENOMEM && memcmp(&before, &more[i - 1], sizeof(before)) == 0);
        after = unit_stat(lru);
        cr_assert(stat.nodes == after.nodes && stat.charge == after.charge);
        unit_verify(lru);
        unit.fail_nr = 0;
        cr_assert(genlru_add(lru, &more[i - 1], NULL) == 0);
    }
    unit_verify(lru);
    unit_del_all(lru, more, 200);
    free(more);
    unit_end(&unit, lru, nodes, NR);
}

/* Probation: new nodes pass through it once the lru is full enough; hot ones and refaults do not. */
Test(add, probation)
{
    enum { CAPACITY = 6000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(2 * CAPACITY);
    struct genlru_victim victim;
    struct genlru *lru;
    size_t i, nr = 0;

    policy.probation = (struct genlru_probation_rules){10, 50, 2, 1, 2, 1, 0, 0};
    config.policy = &policy;
    config.capacity = CAPACITY;
    lru = unit_create(&config);
    for (i = 0; i < CAPACITY; i++) {
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
        nr += (unit_word(&nodes[i]) & GENLRU_PROBATION) != 0;
    }
    cr_assert(nr > CAPACITY / 2 - 200 && nr < CAPACITY / 2 + 200, "from half full on: %zu", nr);
    cr_assert(unit_stat(lru).probation_nodes == nr && unit_stat(lru).probation_charge == nr);
    unit_verify(lru);
    cr_assert(unit_add(lru, &nodes[CAPACITY], GENLRU_ADD_HOT) == 0);
    cr_assert(!(unit_word(&nodes[CAPACITY]) & GENLRU_PROBATION));
    cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
    cr_assert(victim.node >= &nodes[CAPACITY / 2 - 200], "probation is more than its share: it gives the victims");
    genlru_access(lru, victim.node + 1);
    for (i = 0; i < 1000; i++) { /* ... and who was used there graduates */
        struct genlru_node *first = victim.node;

        cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
        if (i == 0)
            cr_assert(victim.node == first + 2 && !(unit_word(first + 1) & GENLRU_PROBATION));
    }
    unit_verify(lru);
    unit_end(&unit, lru, nodes, 2 * CAPACITY);
}

/* An add remembers the last one's answer: whatever came before, the word is what the transition says. */
Test(add, remembers_nothing_wrong)
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
Test(add, short_and_long_way)
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
Test(add, probation_begins_where_it_should)
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
Test(add, remembers_no_block_that_was_handed_over)
{
    enum { NR = 500, REFAULTS = GENLRU__SLOTS + 1 };
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
    for (nr = REFAULTS; nr < 4 * GENLRU__SLOTS || genlru__stripe(lru, 0)->open[0].block->fill < GENLRU__SLOTS; nr++)
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
