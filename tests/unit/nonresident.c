/* SPDX-License-Identifier: MIT */
/*
 * The nonresident table: sizes, keeping and taking, replacement of the oldest, seeds, and its false-positive rate,
 * measured.
 */
#include "unit.h"
#include "workingset/shadow.h"

static genlru_shadow shadow_at(const struct genlru *lru, uint32_t clock)
{
    struct genlru__shadow_fields fields = {clock, 7, true, 3, 2, 1, 0, lru->tag};

    return genlru__shadow_encode(&fields);
}

static struct genlru *lru_of(struct unit *unit)
{
    struct genlru_config config = unit_config(unit);

    return unit_create(&config);
}

Test(nonresident, sizes)
{
    struct unit unit;
    struct genlru *lru = lru_of(&unit);
    static const size_t slots[] = {1, 8, 9, 64, 1000, 4096};
    static const size_t want[] = {8, 8, 16, 64, 1000, 4096};
    struct genlru_nonresident *table = (struct genlru_nonresident *)(void *)&unit;
    uint64_t before = unit.bytes;
    unsigned i;

    for (i = 0; i < 6; i++) {
        cr_assert(genlru_nonresident_create(slots[i], 0, &unit.heap, &table) == 0);
        cr_assert(genlru_nonresident_bytes(table) == unit.bytes - before, "bytes that it uses");
        cr_assert(genlru_nonresident_bytes(table) >= want[i] * 8 &&
                  genlru_nonresident_bytes(table) < want[i] * 8 + 128);
        genlru_nonresident_destroy(table);
        cr_assert(unit.bytes == before);
    }
    table = (struct genlru_nonresident *)(void *)&unit;
    cr_assert(genlru_nonresident_create(0, 0, &unit.heap, &table) == -EINVAL);
    if (SIZE_MAX > UINT32_MAX)
        cr_assert(genlru_nonresident_create((size_t)(UINT64_C(1) << 32) + 1, 0, &unit.heap, &table) == -EINVAL);
    cr_assert(genlru_nonresident_create(8, 0, &unit.heap, NULL) == -EINVAL);
    for (i = 1; i <= 2; i++) {
        unit_fail_from(&unit, i);
        cr_assert(genlru_nonresident_create(8, 0, &unit.heap, &table) == -ENOMEM);
    }
    cr_assert(table == (struct genlru_nonresident *)(void *)&unit && unit.bytes == before, "output untouched");
    genlru_nonresident_destroy(NULL);
    cr_assert(genlru_nonresident_bytes(NULL) == 0);
    unit_end(&unit, lru, NULL, 0);
}

Test(nonresident, keep_and_take)
{
    struct unit unit;
    struct genlru *lru = lru_of(&unit);
    struct genlru_nonresident *table;
    uint64_t key;

    cr_assert(genlru_nonresident_create(1 << 14, 42, NULL, &table) == 0);
    for (key = 0; key < 1000; key++)
        genlru_nonresident_insert(table, lru, key, shadow_at(lru, (uint32_t)key));
    for (key = 0; key < 1000; key++)
        cr_assert(genlru_nonresident_take(table, lru, key) == shadow_at(lru, (uint32_t)key), "all of it, tag included");
    for (key = 0; key < 1000; key++)
        cr_assert(genlru_nonresident_take(table, lru, key) == 0, "taken out");
    genlru_nonresident_insert(table, lru, 5, shadow_at(lru, 1));
    genlru_nonresident_insert(table, lru, 5, shadow_at(lru, 2));
    cr_assert(genlru_nonresident_take(table, lru, 5) == shadow_at(lru, 2), "the newer of one key");
    cr_assert(genlru_nonresident_take(table, lru, 5) == 0, "a key has one slot");
    genlru_nonresident_insert(table, lru, 6, 0);
    cr_assert(genlru_nonresident_take(table, lru, 6) == 0, "a shadow of 0 is not kept");
    genlru_nonresident_insert(NULL, lru, 6, shadow_at(lru, 1));
    genlru_nonresident_insert(table, NULL, 6, shadow_at(lru, 1));
    cr_assert(genlru_nonresident_take(NULL, lru, 6) == 0 && genlru_nonresident_take(table, NULL, 6) == 0);
    genlru_nonresident_destroy(table);
    unit_end(&unit, lru, NULL, 0);
}

/* A table of any size uses all of its sets. */
Test(nonresident, every_slot_is_used)
{
    static const size_t slots[] = {8, 24, 1000, 1024};
    struct unit unit;
    struct genlru *lru = lru_of(&unit);
    unsigned i;

    for (i = 0; i < 4; i++) {
        struct genlru_nonresident *table;
        uint64_t random = unit_seed(), first = unit_random(&random), key, nr_taken = 0;

        cr_assert(genlru_nonresident_create(slots[i], random, NULL, &table) == 0);
        for (key = 0; key < 40 * slots[i]; key++)
            genlru_nonresident_insert(table, lru, first + key, shadow_at(lru, (uint32_t)key));
        for (key = 0; key < 40 * slots[i]; key++)
            nr_taken += genlru_nonresident_take(table, lru, first + key) != 0;
        cr_assert(nr_taken == slots[i], "%llu of %llu", (unsigned long long)nr_taken, (unsigned long long)slots[i]);
        genlru_nonresident_destroy(table);
    }
    unit_end(&unit, lru, NULL, 0);
}

/* In one set of 8 slots the shadow longest in the past makes room, also across the wrap of its clock. */
Test(nonresident, replaces_the_oldest)
{
    static const uint32_t bases[] = {1000, 20};
    unsigned b;

    for (b = 0; b < 2; b++) {
        struct unit unit;
        struct genlru *lru = lru_of(&unit);
        struct genlru_nonresident *table;
        uint64_t random = unit_seed(), key;
        uint32_t age[40], mask = (UINT32_C(1) << GENLRU__SHADOW_CLOCK_BITS) - 1;
        unsigned i, k, nr_kept = 0;

        lru->eviction_clock = (uint64_t)bases[b]
                              << lru->clock_shift; /* now; 20: most of what is kept lies before the wrap */
        for (i = 0; i < 40; i++)
            age[i] = i + 1;
        for (i = 39; i > 0; i--) {
            uint32_t t = age[i];

            k = (unsigned)(unit_random(&random) % (i + 1));
            age[i] = age[k];
            age[k] = t;
        }
        cr_assert(genlru_nonresident_create(8, 9, NULL, &table) == 0);
        for (key = 0; key < 8; key++)
            genlru_nonresident_insert(table, lru, key, shadow_at(lru, (bases[b] - age[key]) & mask));
        for (key = 8; key < 40; key++) {
            unsigned oldest = 0;

            /* keep a model: of the eight that are in, the new one replaces the oldest */
            genlru_nonresident_insert(table, lru, key, shadow_at(lru, (bases[b] - age[key]) & mask));
            for (i = 1; i < 8; i++)
                if (age[i] > age[oldest])
                    oldest = i;
            age[oldest] = age[key];
        }
        for (key = 0; key < 40; key++) {
            genlru_shadow shadow = genlru_nonresident_take(table, lru, key);
            struct genlru__shadow_fields fields;

            if (!shadow)
                continue;
            cr_assert(genlru__shadow_decode(shadow, &fields));
            nr_kept++;
            for (i = 0; i < 8; i++)
                if (((bases[b] - fields.clock) & mask) == age[i])
                    break;
            cr_assert(i < 8, "kept one that is %u old", (bases[b] - fields.clock) & mask);
        }
        cr_assert(nr_kept == 8, "%u", nr_kept);
        genlru_nonresident_destroy(table);
        lru->eviction_clock = 0;
        unit_end(&unit, lru, NULL, 0);
    }
}

/* A full table answers for strange keys at most as often as the header says: 8 * 2^-16. */
Test(nonresident, false_positives)
{
    enum { SLOTS = 1 << 14, LOOKS = 1 << 22 };
    struct unit unit;
    struct genlru *lru = lru_of(&unit);
    struct genlru_nonresident *table;
    uint64_t random = unit_seed(), key;
    unsigned wrong = 0, kept = 0, i;
    double want = 8.0 * LOOKS / 65536; /* 512 */

    cr_assert(genlru_nonresident_create(SLOTS, random, NULL, &table) == 0);
    for (key = 0; key < 4 * SLOTS; key++)
        genlru_nonresident_insert(table, lru, key, shadow_at(lru, (uint32_t)key));
    for (i = 0; i < LOOKS; i++) {
        genlru_shadow shadow;

        key = (UINT64_C(1) << 32) + i;
        shadow = genlru_nonresident_take(table, lru, key);
        if (shadow) { /* put back under the same key, so that the table stays full */
            wrong++;
            genlru_nonresident_insert(table, lru, key, shadow);
        }
    }
    fprintf(stderr, "%u wrong answers of %d, at most %.0f expected\n", wrong, LOOKS, want);
    cr_assert(wrong < want + 6 * 23, "beyond six standard deviations");
    cr_assert(wrong > want - 6 * 23, "far fewer: the table cannot have been full");
    for (key = 0; key < 4 * SLOTS; key++)
        kept += genlru_nonresident_take(table, lru, key) != 0;
    cr_assert(kept > SLOTS * 9 / 10 && kept <= SLOTS + wrong, "%u of %d slots in use", kept, SLOTS);
    genlru_nonresident_destroy(table);
    unit_end(&unit, lru, NULL, 0);
}

/* Which keys share a set, and so push each other out, is the seed's choice. */
Test(nonresident, seeds)
{
    enum { SLOTS = 1 << 9, KEYS = 4 * SLOTS };
    struct unit unit;
    struct genlru *lru = lru_of(&unit);
    struct genlru_nonresident *table[3];
    unsigned i, key, differ = 0, same = 0;

    for (i = 0; i < 3; i++) {
        cr_assert(genlru_nonresident_create(SLOTS, i / 2, NULL, &table[i]) == 0); /* seeds 0, 0, 1 */
        for (key = 0; key < KEYS; key++)
            genlru_nonresident_insert(table[i], lru, key, shadow_at(lru, 0));
    }
    for (key = 0; key < KEYS; key++) {
        bool has[3];

        for (i = 0; i < 3; i++)
            has[i] = genlru_nonresident_take(table[i], lru, key) != 0;
        same += has[0] == has[1];
        differ += has[0] != has[2];
    }
    cr_assert(same == KEYS, "one seed, one answer");
    cr_assert(differ > KEYS / 10, "two seeds lose different keys: %u", differ);
    for (i = 0; i < 3; i++)
        genlru_nonresident_destroy(table[i]);
    unit_end(&unit, lru, NULL, 0);
}
