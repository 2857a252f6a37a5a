/* SPDX-License-Identifier: MIT */
/*
 * Hash flooding of the nonresident table (SECURITY.md): keys whose hashes collide, chosen by somebody who knows how the table
 * works, and does not know its seed.
 *
 *   spread   families of hashes that fall into one set, or look alike, in a table without a seed: with a seed they spread like
 *            any others
 *   bounded  even with the seed known: an insert looks at one set of eight and costs what any other does, and what the flood
 *            drives out are shadows of the same set; another set's are untouched
 *   crash    all hashes equal, all zero, all ones; any shadow, any order: answers are shadows that were put there, or none
 */
#include "base/bits.h"
#include "cases.h"

enum { SLOTS = 4096, SETS = SLOTS / 8, NR_FLOOD = 4096, NR_OF_SET = 200, NR_OTHERS = 100 };

static struct genlru *lru;

/* A shadow of this lru that tells of `nr` evictions ago: made by evicting. */
static genlru_shadow make_shadow(unsigned charge)
{
    struct genlru_victim victim;
    struct genlru_node node;

    STRESS_CHECK(genlru_node_init(&node, charge, 0) == 0, "init");
    case_add(lru, &node, 0);
    STRESS_CHECK(genlru_evict(lru, NULL, &victim, 1, NULL) == 1, "evict");
    return victim.shadow;
}

static struct genlru_nonresident *create(uint64_t seed)
{
    struct genlru_nonresident *table;

    STRESS_CHECK(genlru_nonresident_create(SLOTS, seed, NULL, &table) == 0, "table");
    return table;
}

/* How many of the flood are still there, after all of them were inserted: what a set of eight each would keep. */
static unsigned survivors(uint64_t seed, uint64_t (*hash)(unsigned i))
{
    struct genlru_nonresident *table = create(seed);
    unsigned i, nr = 0;

    for (i = 0; i < NR_FLOOD / 2; i++)
        genlru_nonresident_insert(table, lru, hash(i), make_shadow(1));
    for (i = 0; i < NR_FLOOD / 2; i++)
        nr += genlru_nonresident_take(table, lru, hash(i)) != 0;
    genlru_nonresident_destroy(table);
    return nr;
}

static uint64_t high_bits(unsigned i)
{
    return (uint64_t)i << 48;
}
static uint64_t low_bits(unsigned i)
{
    return i;
}
static uint64_t strides(unsigned i)
{
    return (uint64_t)i * SLOTS;
}
static uint64_t wide_strides(unsigned i)
{
    return (uint64_t)i << 32 | 0x1234;
}
static uint64_t golden(unsigned i) /* undoes a multiplication by the usual constant */
{
    return (uint64_t)i * UINT64_C(0xf1de83e19937733d);
}

static void test_spread(uint64_t seed)
{
    uint64_t (*const families[])(unsigned) = {high_bits, low_bits, strides, wide_strides, golden};
    struct stress_random random = stress_random(seed, 1);
    unsigned f, k;

    for (f = 0; f < sizeof(families) / sizeof(families[0]); f++)
        for (k = 0; k < 4; k++) {
            unsigned nr = survivors(stress_next(&random), families[f]);

            stress_context("spread, family %u", f);
            /* half as many keys as slots: with four a set in the mean, some 96 % of them find room */
            STRESS_CHECK(nr > NR_FLOOD / 2 * 85 / 100, "%u of %u are left: the flood went into few sets", nr,
                         (unsigned)NR_FLOOD / 2);
        }
}

/* The set of a key, as only who knows the seed can tell. */
static uint64_t set_of(uint64_t seed, uint64_t hash)
{
    return (uint64_t)(uint32_t)genlru__mix(genlru__mix(hash ^ seed) + seed) * SETS >> 32;
}

static void test_bounded(uint64_t seed)
{
    struct genlru_nonresident *table = create(seed);
    uint64_t flood[NR_OF_SET], others[NR_OTHERS], hash = 0;
    size_t bytes = genlru_nonresident_bytes(table);
    unsigned nr_flood = 0, nr_others = 0, nr_left = 0, i;

    stress_context("bounded");
    for (hash = 1; nr_flood < NR_OF_SET; hash++) {
        if (set_of(seed, hash) == 7)
            flood[nr_flood++] = hash;
        else if (nr_others < NR_OTHERS)
            others[nr_others++] = hash;
    }
    for (i = 0; i < NR_OTHERS; i++)
        genlru_nonresident_insert(table, lru, others[i], make_shadow(1));
    for (i = 0; i < 100 * NR_OF_SET; i++)
        genlru_nonresident_insert(table, lru, flood[i % NR_OF_SET], make_shadow(1));
    for (i = 0; i < NR_OF_SET; i++)
        nr_left += genlru_nonresident_take(table, lru, flood[i]) != 0;
    STRESS_CHECK(nr_left <= 8 && nr_left >= 7, "%u of one set are left", nr_left); /* two may have the same print */
    for (i = 0; i < NR_OTHERS; i++)
        STRESS_CHECK(genlru_nonresident_take(table, lru, others[i]) != 0, "another set's shadow was driven out");
    STRESS_CHECK(genlru_nonresident_bytes(table) == bytes, "the table grew");
    genlru_nonresident_destroy(table);
}

static void test_crash(uint64_t seed)
{
    static const uint64_t hashes[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 0xffff, UINT64_C(0xffff) << 48};
    struct genlru_nonresident *table = create(seed);
    struct stress_random random = stress_random(seed, 2);
    unsigned i;

    stress_context("any");
    for (i = 0; i < 200000; i++) {
        uint64_t hash = hashes[stress_below(&random, 6)];
        genlru_shadow shadow =
            stress_once_in(&random, 4) ? stress_next(&random) : make_shadow(stress_below(&random, 5));
        genlru_shadow found;
        struct genlru_shadow_info info;

        if (stress_once_in(&random, 2)) {
            genlru_nonresident_insert(table, lru, hash, shadow);
            continue;
        }
        found = genlru_nonresident_take(table, lru, hash);
        STRESS_CHECK(!found || genlru_shadow_read(lru, found, &info) == 0, "%llx is no shadow",
                     (unsigned long long)found);
    }
    genlru_nonresident_destroy(table);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    lru = case_create_of(&GENLRU_POLICY_DEFAULT, 1000, 1);
    test_spread(options.seed);
    test_bounded(options.seed);
    test_crash(options.seed);
    (void)case_end(lru);
    return 0;
}
