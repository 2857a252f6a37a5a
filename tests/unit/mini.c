/* SPDX-License-Identifier: MIT */
/*
 * Miniatures: what they must always hold, and that one as large as the lru misses what the lru misses. The second
 * is the reason to believe them.
 */
#include "learn/mini.h"

#include "base/bits.h"
#include "reclaim/plain.h"
#include "unit.h"

static struct genlru__minis *minis_of(uint32_t entries, uint64_t capacity, unsigned nr_gens)
{
    static struct genlru__rule rules[GENLRU__NR_RULES];
    size_t bytes = (genlru__minis_bytes(entries) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    unsigned i;

    cr_assert(memory);
    memset(memory, 0x5a, bytes);
    for (i = 0; i < GENLRU__NR_RULES; i++)
        genlru__rule_init(&rules[i], &genlru__rules[i], 1 + i);
    return genlru__minis_init(memory, entries, capacity, nr_gens, rules);
}

Test(mini, fits_a_mebibyte)
{
    cr_assert(genlru__minis_bytes(512) < 1u << 20, "%zu", genlru__minis_bytes(512));
}

/* The first access misses, the next hits, in all of them. */
Test(mini, remembers)
{
    struct genlru__minis *minis = minis_of(100, 100, 4);
    uint32_t key;

    for (key = 0; key < 100; key++)
        cr_assert(genlru__minis_access(minis, 1 + key * 7, 1, false) == 0xff);
    for (key = 0; key < 100; key++)
        cr_assert(genlru__minis_access(minis, 1 + key * 7, 1, false) == 0);
    free(minis);
}

/* Keys of all weights, at random: no miniature ever holds more than it may, nor counts wrongly. */
Test(mini, never_exceeds)
{
    struct genlru__minis *minis = minis_of(64, 6400, 4);
    uint64_t random = 42, i, clock = 0;
    bool differ = false;
    unsigned rule;

    printf("seed %llu\n", (unsigned long long)random);
    for (i = 0; i < 100000; i++) {
        uint32_t key, charge;

        random = genlru__mix(random + 1);
        key = (uint32_t)(random % 16 ? random % 100 : random % 5000) * 2 + 1;
        charge = (uint32_t)(genlru__mix(key) % 256);
        if (i % 777 == 0)
            charge = 7000; /* more than there is room: a miss for all, and nothing is evicted for it */
        if (genlru__minis_access(minis, key, charge, false) != 0xff)
            cr_assert(charge != 7000);
        for (rule = 0; rule < GENLRU__NR_RULES; rule++) {
            struct genlru__mini_stat stat = genlru__minis_stat(minis, rule);

            cr_assert(stat.charge <= 6400, "rule %u holds %llu", rule, (unsigned long long)stat.charge);
            cr_assert(stat.probation_charge <= stat.charge && stat.nodes <= 64 * 4 + 16);
            cr_assert(genlru__minis_epoch(minis, rule) == stat.clock / (5 * 6400),
                      "rule %u: epochs by its own evictions", rule);
            differ = differ || genlru__minis_epoch(minis, rule) != genlru__minis_epoch(minis, 0);
            clock += stat.clock;
        }
    }
    cr_assert(clock && differ);
    free(minis);
}

/* The load of the comparison: Zipf-like, with a scan through it every now and then, which reads ahead. */
enum { SCANNED = 1000000 };

static uint64_t key_of(uint64_t i, uint64_t *random)
{
    double u;

    *random = genlru__mix(*random + 1);
    if (i / 3000 % 4 == 3)
        return SCANNED + i % 30000;
    u = (double)(*random >> 11) / 9007199254740992.0;
    return (uint64_t)(20000.0 * u * u * u * u);
}

enum { NR_KEYS = 1600000, CAPACITY = 2000, NR_ACCESSES = 400000 };

/* Misses of an lru that runs on the rule, evicting one at a time. */
static uint64_t misses_of_lru(unsigned rule)
{
    static struct genlru_node nodes[NR_KEYS];
    static genlru_shadow shadows[NR_KEYS];
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_victim victim;
    struct genlru_add how;
    uint64_t random = 1, i, nr_missed = 0;
    struct genlru *lru;

    config.policy = genlru_policy_rule(rule);
    config.capacity = CAPACITY;
    lru = unit_create(&config);
    memset(nodes, 0, sizeof(nodes));
    memset(shadows, 0, sizeof(shadows));
    for (i = 0; i < NR_ACCESSES; i++) {
        uint64_t key = key_of(i, &random);

        if (genlru_node_is_listed(&nodes[key])) {
            genlru_access(lru, &nodes[key]);
            continue;
        }
        nr_missed++;
        while (genlru_charge(lru) >= CAPACITY) {
            cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
            shadows[victim.node - nodes] = victim.shadow;
        }
        cr_assert(genlru_node_init(&nodes[key], 1, 0) == 0);
        how = (struct genlru_add){.shadow = shadows[key], .flags = key >= SCANNED ? GENLRU_ADD_PREFETCHED : 0};
        cr_assert(genlru_add(lru, &nodes[key], &how) == 0);
        if (key >= SCANNED)
            genlru_access(lru, &nodes[key]);
    }
    unit_verify(lru);
    for (i = 0; i < NR_KEYS; i++)
        if (genlru_node_is_listed(&nodes[i]))
            cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
    cr_assert(genlru_destroy(lru) == 0);
    return nr_missed;
}

/*
 * The lists of an lru are blocks of 60 that open stripes fill and scans do not see at once, its shadows count in
 * steps, and a miniature's directory forgets some shadows: so the two differ, but by little.
 */
Test(mini, misses_what_the_lru_misses, .timeout = 300)
{
    struct genlru__minis *minis = minis_of(CAPACITY, CAPACITY, 4);
    uint64_t random = 1, i, nr_missed[GENLRU__NR_RULES] = {0};
    unsigned rule;

    for (i = 0; i < NR_ACCESSES; i++) {
        uint64_t key = key_of(i, &random);
        uint32_t missed = genlru__minis_access(minis, (uint32_t)key, 1, key >= SCANNED);

        for (rule = 0; rule < GENLRU__NR_RULES; rule++)
            nr_missed[rule] += missed >> rule & 1u;
    }
    for (rule = 0; rule < GENLRU__NR_RULES; rule++) {
        uint64_t lru = misses_of_lru(rule);
        double ratio = (double)nr_missed[rule] / (double)lru;

        printf("rule %u: %llu in miniature, %llu\n", rule, (unsigned long long)nr_missed[rule],
               (unsigned long long)lru);
        cr_assert(ratio > 0.97 && ratio < 1.03, "rule %u: %f", rule, ratio);
    }
    free(minis);
}
