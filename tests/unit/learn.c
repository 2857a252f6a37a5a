/* SPDX-License-Identifier: MIT */
/*
 * Learning as an owner sees it: when it is on, which keys it samples, that it finds the rule a load needs and finds back, that
 * it is deterministic, and that a failure to set it up leaves nothing behind.
 */
#include "learn/learn.h"

#include "base/bits.h"
#include "unit.h"

/* An owner with an index by key: keys are small numbers, and each has its node. */
struct owner {
    struct genlru *lru;
    struct genlru_node *nodes;
    genlru_shadow *shadows;
    uint64_t nr_keys;
    uint64_t nr_hashed; /* calls of hash_of */
    uint64_t nr_missed;
    uint64_t victims; /* hash of their order */
};

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    struct owner *owner = ctx;

    owner->nr_hashed++;
    return (uint64_t)(node - owner->nodes);
}

static void begin(struct owner *owner, struct unit *unit, uint64_t nr_keys, uint64_t capacity, uint64_t seed,
                  bool learn)
{
    struct genlru_config config = unit_config(unit);

    memset(owner, 0, sizeof(*owner));
    owner->nr_keys = nr_keys;
    owner->nodes = calloc(nr_keys, sizeof(*owner->nodes));
    owner->shadows = calloc(nr_keys, sizeof(*owner->shadows));
    cr_assert(owner->nodes && owner->shadows);
    config.capacity = capacity;
    config.hash_of = learn ? hash_of : NULL;
    config.hash_ctx = owner;
    config.sample_seed = seed;
    owner->lru = unit_create(&config);
}

static void end(struct owner *owner, struct unit *unit)
{
    uint64_t key;

    unit_verify(owner->lru);
    for (key = 0; key < owner->nr_keys; key++)
        if (genlru_node_is_listed(&owner->nodes[key]))
            cr_assert(genlru_del(owner->lru, &owner->nodes[key]) == GENLRU_YOURS);
    cr_assert(genlru_destroy(owner->lru) == 0);
    cr_assert(unit->bytes == 0 && unit->nr_errors == 0);
    free(owner->nodes);
    free(owner->shadows);
}

static void use(struct owner *owner, uint64_t key)
{
    struct genlru_node *node = &owner->nodes[key];
    struct genlru_victim victim;

    cr_assert(key < owner->nr_keys);
    if (genlru_node_is_listed(node)) {
        genlru_access(owner->lru, node);
        return;
    }
    owner->nr_missed++;
    cr_assert(genlru_node_init(node, 1, 0) == 0);
    cr_assert(genlru_add(owner->lru, node, &(struct genlru_add){.shadow = owner->shadows[key]}) == 0);
    while (genlru_excess(owner->lru) > 0 && genlru_evict(owner->lru, NULL, &victim, 1, NULL) == 1) {
        owner->shadows[victim.node - owner->nodes] = victim.shadow;
        owner->victims = genlru__mix(owner->victims ^ (uint64_t)(victim.node - owner->nodes));
    }
}

static struct genlru_stat stat_of(const struct owner *owner)
{
    struct genlru_stat stat = {.size = sizeof(stat)};

    cr_assert(genlru_stat(owner->lru, &stat) == 0);
    return stat;
}

Test(learn, off_without_hash_or_capacity)
{
    struct unit unit;
    struct owner owner;
    struct genlru_config config;
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;
    struct genlru *lru;

    begin(&owner, &unit, 10, 1000, 0, false);
    cr_assert(!owner.lru->learn && stat_of(&owner).is_learning == 0 && stat_of(&owner).learn_bytes == 0);
    cr_assert(genlru__policy(owner.lru)->hit.refs_max == GENLRU_POLICY_DEFAULT.hit.refs_max);
    use(&owner, 3);
    end(&owner, &unit);
    config = unit_config(&unit);
    config.hash_of = hash_of;
    config.hash_ctx = &owner;
    lru = unit_create(&config);
    cr_assert(!lru->learn, "no capacity");
    cr_assert(genlru_destroy(lru) == 0);
    config.capacity = 1000;
    policy.learn = 0;
    config.policy = &policy;
    lru = unit_create(&config);
    cr_assert(!lru->learn, "switched off");
    cr_assert(genlru_destroy(lru) == 0);
    policy.learn = 1;
    lru = unit_create(&config);
    cr_assert(lru->learn != NULL, "and on");
    cr_assert(genlru_destroy(lru) == 0 && unit.bytes == 0);
}

/* The share is what was asked for, the same keys are sampled on each return, and another seed samples others. */
Test(learn, samples_keys)
{
    enum { NR_KEYS = 300000, CAPACITY = 100000 };
    struct unit units[2];
    struct owner owners[2];
    uint64_t key, nr[2] = {0, 0}, both = 0;
    unsigned i;

    for (i = 0; i < 2; i++)
        begin(&owners[i], &units[i], NR_KEYS, CAPACITY, i, true);
    for (key = 0; key < NR_KEYS; key++) {
        bool is[2];

        for (i = 0; i < 2; i++) {
            use(&owners[i], key);
            is[i] = (unit_word(&owners[i].nodes[key]) & GENLRU_SAMPLED) != 0;
            nr[i] += is[i];
        }
        both += is[0] && is[1];
    }
    cr_assert(stat_of(&owners[0]).sample_entries == 512);
    for (i = 0; i < 2; i++) /* one in 195; standard deviation 39 */
        cr_assert(nr[i] > 1340 && nr[i] < 1740, "%llu", (unsigned long long)nr[i]);
    cr_assert(both < 40, "%llu", (unsigned long long)both);
    for (key = 0; key < NR_KEYS; key += 7)
        if (!genlru_node_is_listed(&owners[0].nodes[key])) {
            bool was = (unit_word(&owners[0].nodes[key]) & GENLRU_SAMPLED) != 0;

            use(&owners[0], key);
            cr_assert(((unit_word(&owners[0].nodes[key]) & GENLRU_SAMPLED) != 0) == was);
        }
    for (i = 0; i < 2; i++)
        end(&owners[i], &units[i]);
}

/* Hits of nodes that are not of the sample go by without a store once they are saturated, and never ask for the hash. */
Test(learn, leaves_the_others_alone)
{
    enum { NR_KEYS = 60000 };
    struct unit unit;
    struct owner owner;
    uint64_t key, hashed, nr_sampled = 0;
    unsigned i;

    begin(&owner, &unit, NR_KEYS, NR_KEYS, 5, true);
    for (key = 0; key < NR_KEYS; key++)
        use(&owner, key);
    for (key = 0; key < NR_KEYS; key++) {
        struct genlru_node *node = &owner.nodes[key];
        bool is_sampled = unit_word(node) & GENLRU_SAMPLED;

        hashed = owner.nr_hashed;
        for (i = 0; i < 20; i++)
            genlru_access(owner.lru, node);
        cr_assert(owner.nr_hashed - hashed == (is_sampled ? 20 : 0));
        cr_assert(genlru_impl_is_saturated(unit_word(node), owner.lru->view.saturated) == !is_sampled);
        nr_sampled += is_sampled;
    }
    cr_assert(nr_sampled > 400 && nr_sampled < 620);
    end(&owner, &unit);
}

/* Three loads that ask for different rules. */
static void working_sets(struct owner *owner, uint64_t capacity, unsigned nr, uint64_t *random)
{
    uint64_t i, set;

    for (set = 0; set < nr; set++) /* another 0.9 of the capacity every 5 capacities: recency */
        for (i = 0; i < 5 * capacity; i++) {
            *random = genlru__mix(*random + 1);
            use(owner, (set % 8 * capacity + *random % (capacity * 9 / 10)) % owner->nr_keys);
        }
}

static void loop(struct owner *owner, uint64_t capacity, unsigned nr)
{
    uint64_t i;

    for (i = 0; i < nr * capacity; i++)
        use(owner, i % (capacity * 11 / 10));
}

static bool is_rule_of_recency(uint32_t rule)
{
    return rule == 2 || rule == 5 || rule == 0;
}

Test(learn, finds_the_rule_and_back, .timeout = 120)
{
    enum { CAPACITY = 4000 };
    struct unit unit;
    struct owner owner;
    uint64_t random = 11, missed;
    struct genlru_stat stat;

    begin(&owner, &unit, 8 * CAPACITY, CAPACITY, 0, true);
    stat = stat_of(&owner);
    cr_assert(stat.is_learning == 1 && stat.rule == GENLRU__RULE_AT_START && stat.rule_changes == 0);
    working_sets(&owner, CAPACITY, 16, &random);
    stat = stat_of(&owner);
    cr_assert(is_rule_of_recency(stat.rule) && stat.rule_changes >= 1, "rule %u", stat.rule);
    missed = owner.nr_missed;
    working_sets(&owner, CAPACITY, 8, &random); /* each set has 3600 first uses: an LRU misses hardly more */
    cr_assert(owner.nr_missed - missed < 8 * 3600 * 13 / 10, "%llu", (unsigned long long)(owner.nr_missed - missed));
    loop(&owner, CAPACITY, 30);
    stat = stat_of(&owner);
    cr_assert(!is_rule_of_recency(stat.rule) || stat.rule == 0, "rule %u", stat.rule);
    missed = owner.nr_missed;
    loop(&owner, CAPACITY, 11); /* an LRU misses all of it, 44,000; the optimum a tenth */
    cr_assert(owner.nr_missed - missed < 44000 / 2, "%llu", (unsigned long long)(owner.nr_missed - missed));
    missed = stat.rule_changes;
    working_sets(&owner, CAPACITY, 16, &random);
    stat = stat_of(&owner);
    cr_assert(is_rule_of_recency(stat.rule), "rule %u", stat.rule);
    cr_assert(stat.samples > 1000 && stat.samples_lost == 0);
    end(&owner, &unit);
}

Test(learn, is_deterministic)
{
    enum { CAPACITY = 1000 };
    uint64_t victims[3];
    unsigned i;

    for (i = 0; i < 3; i++) {
        struct unit unit;
        struct owner owner;
        uint64_t random = 7;

        begin(&owner, &unit, 8 * CAPACITY, CAPACITY, i == 2, true);
        working_sets(&owner, CAPACITY, 4, &random);
        loop(&owner, CAPACITY, 5);
        victims[i] = owner.victims;
        end(&owner, &unit);
    }
    cr_assert(victims[0] == victims[1], "the same calls, the same victims");
    cr_assert(victims[0] != victims[2], "another sample learns at other moments");
}

/* A prefetch is no access: the miniatures hear of the key at its first use. */
Test(learn, prefetches_are_no_accesses)
{
    struct unit unit;
    struct owner owner;
    uint64_t key;

    begin(&owner, &unit, 400, 400, 0, true); /* so small that every key is sampled */
    for (key = 0; key < 320; key++) {
        cr_assert(genlru_node_init(&owner.nodes[key], 1, 0) == 0);
        cr_assert(genlru_add(owner.lru, &owner.nodes[key], &(struct genlru_add){.flags = GENLRU_ADD_PREFETCHED}) == 0);
    }
    cr_assert(stat_of(&owner).samples == 0);
    for (key = 0; key < 320; key++)
        use(&owner, key);
    cr_assert(stat_of(&owner).samples == 320);
    end(&owner, &unit);
}

/* Each allocation of create in turn fails: -ENOMEM, and nothing is left. */
Test(learn, fails_cleanly)
{
    unsigned fail, nr_failed = 0;

    for (fail = 1; fail < 10; fail++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct owner owner;
        struct genlru *lru = NULL;
        int error;

        config.capacity = 1000;
        config.hash_of = hash_of;
        config.hash_ctx = &owner;
        unit_fail_from(&unit, fail);
        error = genlru_create(&config, &lru);
        if (error == 0) {
            cr_assert(genlru_destroy(lru) == 0);
        } else {
            cr_assert(error == -ENOMEM && !lru);
            nr_failed++;
        }
        cr_assert(unit.bytes == 0);
    }
    cr_assert(nr_failed >= 3);
}
