/* SPDX-License-Identifier: MIT */
/* Counters: which one a word belongs to, differences singly and in batches, stripes, clamping, lagging words. */
#include "gens/sizes.h"

#include "gens/window.h"
#include "unit.h"

Test(sizes, counter_of_a_word)
{
    unsigned gen, flags;

    for (gen = 0; gen < 128; gen++)
        for (flags = 0; flags < 512; flags++) {
            uint32_t word = gen | (uint32_t)flags << GENLRU_FLAGS_SHIFT;
            int want = gen ? (int)gen : -1;

            if (gen == 0 && (word & GENLRU_PINNED) && !(word & (GENLRU_DEAD | GENLRU_ISOLATED)))
                want = 0; /* parked */
            if (word & GENLRU_PROBATION) {
                if (!gen)
                    continue; /* no transition makes that */
                want = GENLRU__PROBATION_INDEX;
            }
            if (gen == 0 && (word & GENLRU_PINNED) && (word & GENLRU_ISOLATED))
                continue;
            unit_check(genlru__counter_index(word) == want, "%08x: %d", (unsigned)word, genlru__counter_index(word));
        }
}

/*
 * Random differences, singly or in a batch of few places, over all types: the same sums as an array that one adds up.
 */
Test(sizes, differences)
{
    enum { STEPS = 200000 };
    static uint64_t nodes[4][GENLRU__NR_COUNTERS], charge[4][GENLRU__NR_COUNTERS];
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru__batch batch = {.nr = 0};
    uint64_t random = unit_seed();
    struct genlru *lru;
    unsigned step, type, i;

    config.nr_types = 4;
    config.stripes = 8;
    lru = unit_create(&config);
    for (step = 0; step < STEPS; step++) {
        uint64_t r = unit_random(&random);
        uint32_t before_word = (uint32_t)(r % 3 ? 1 + r / 3 % 127 : 0),
                 after_word = (uint32_t)(r % 5 ? 1 + r / 5 % 127 : 0);
        uint64_t before, after;
        int from, to;

        type = r >> 60 & 3;
        if (r >> 40 & 1 && !before_word)
            before_word = GENLRU_PINNED;
        if (r >> 41 & 1 && after_word)
            after_word = 1 | GENLRU_PROBATION;
        before = genlru_impl_state(before_word | type << GENLRU_TYPE_SHIFT, (uint32_t)unit_random(&random));
        after = genlru_impl_state(after_word | type << GENLRU_TYPE_SHIFT,
                                  r >> 42 & 1 ? genlru_impl_charge(before) : (uint32_t)unit_random(&random));
        from = genlru__counter_index(genlru_impl_word(before));
        to = genlru__counter_index(genlru_impl_word(after));
        if (from >= 0) {
            nodes[type][from]--;
            charge[type][from] -= genlru_impl_charge(before);
        }
        if (to >= 0) {
            nodes[type][to]++;
            charge[type][to] += genlru_impl_charge(after);
        }
        if (r >> 43 & 1)
            genlru__account(lru, before, after);
        else
            genlru__batch_account(lru, &batch, before, after);
        if (step % 1000 == 0)
            genlru__batch_flush(lru, &batch);
    }
    genlru__batch_flush(lru, &batch);
    cr_assert(batch.nr == 0);
    for (type = 0; type < 4; type++)
        for (i = 0; i < GENLRU__NR_COUNTERS; i++) {
            struct genlru__counter raw = genlru__sum_raw(lru, type, i), clamped = genlru__sum(lru, type, i);

            cr_assert(raw.nodes == nodes[type][i] && raw.charge == charge[type][i]);
            cr_assert(clamped.nodes == ((int64_t)raw.nodes < 0 ? 0 : raw.nodes));
            cr_assert(clamped.charge == ((int64_t)raw.charge < 0 ? 0 : raw.charge));
            genlru__stripe(lru, 0)->counter[type * GENLRU__NR_COUNTERS + i].nodes -= nodes[type][i];
            genlru__stripe(lru, 0)->counter[type * GENLRU__NR_COUNTERS + i].charge -= charge[type][i];
        }
    unit_end(&unit, lru, NULL, 0);
}

/* Stripes may be negative one by one; only their sum counts. */
Test(sizes, stripes_add_up)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru;
    unsigned i;

    config.stripes = 8;
    lru = unit_create(&config);
    for (i = 0; i < 8; i++) {
        genlru__stripe(lru, i)->counter[3].nodes = i % 2 ? 100 : (uint64_t)-99;
        genlru__stripe(lru, i)->counter[3].charge = i % 2 ? 5 : (uint64_t)-6;
    }
    cr_assert(genlru__sum(lru, 0, 3).nodes == 4 && genlru__sum(lru, 0, 3).charge == 0);
    cr_assert(genlru__sum_type(lru, 0).nodes == 4 && genlru__nr_nodes(lru) == 4);
    cr_assert(genlru_charge(lru) == 0, "clamped");
    for (i = 0; i < 8; i++)
        genlru__stripe(lru, i)->counter[3] = (struct genlru__counter){0, 0};
    unit_end(&unit, lru, NULL, 0);
}

/* The oldest generation's figure includes every code that lies behind the window. */
Test(sizes, oldest_includes_lagging_codes)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    uint64_t window = lru->view.window;
    unsigned age, i;

    for (i = 1; i <= 127; i++)
        genlru__stripe(lru, 0)->counter[i].nodes = 1;
    for (age = 0; age < 4; age++)
        cr_assert(genlru__sum_age(lru, window, 0, age).nodes == (age == 3 ? 124 : 1));
    for (i = 1; i <= 127; i++)
        genlru__stripe(lru, 0)->counter[i].nodes = 0;
    unit_end(&unit, lru, NULL, 0);
}
