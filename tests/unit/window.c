/* SPDX-License-Identifier: MIT */
/* The window: what hits read of it, ages and codes against sequence numbers, lists, and when it may move. */
#include "gens/window.h"

#include "gens/stripe.h"
#include "lru/create.h"
#include "unit.h"

/* Codes of all ages, round the wrap: age and code are each other's inverse, and clamp behind the window. */
Test(window, codes_and_ages)
{
    unsigned nr_gens;
    uint64_t max_seq;

    for (nr_gens = 3; nr_gens <= 64; nr_gens += nr_gens < 5 ? 1 : 59)
        for (max_seq = 63; max_seq < 63 + 127 * 2; max_seq++) {
            struct unit unit;
            struct genlru_config config = unit_config(&unit);
            struct genlru__start start = {max_seq, 0, 0};
            struct genlru *lru;
            uint64_t window;
            unsigned age;

            config.nr_gens = nr_gens;
            cr_assert(genlru__create_at(&config, &start, &lru) == 0);
            window = lru->view.window;
            cr_assert(genlru_impl_window_youngest(window) == 1 + max_seq % 127);
            cr_assert(genlru_impl_window_width(window, 0) == nr_gens && genlru_impl_window_seq16(window) == max_seq);
            for (age = 0; age < 127; age++) {
                unsigned code = genlru_impl_gen_of_age(window, age);

                cr_assert(code >= 1 && code <= 127);
                if (age <= max_seq)
                    cr_assert(code == 1 + (max_seq - age) % 127);
                cr_assert(genlru_impl_age(window, 0, code) == (age < nr_gens ? age : nr_gens - 1));
                cr_assert(genlru__seq_of_word(lru, code) == max_seq - (age < nr_gens ? age : nr_gens - 1));
                cr_assert(genlru__list_of_word(lru, code) ==
                          genlru__list_of_seq(lru, 0, max_seq - (age < nr_gens ? age : nr_gens - 1)));
            }
            cr_assert(genlru__list_of_word(lru, 1 | GENLRU_PROBATION) == genlru__list_of_probation(lru, 0));
            cr_assert(genlru_destroy(lru) == 0);
        }
}

/* Lists of all types, generations in the window, probation and parked are distinct. */
Test(window, lists_are_distinct)
{
    unsigned nr_gens, type, i;

    for (nr_gens = 3; nr_gens <= 64; nr_gens++) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        unsigned char seen[4 * 66] = {0};
        struct genlru *lru;

        config.nr_gens = nr_gens;
        config.nr_types = 4;
        lru = unit_create(&config);
        cr_assert(genlru__nr_lists(lru) <= sizeof(seen));
        for (type = 0; type < 4; type++) {
            for (i = 0; i < nr_gens; i++)
                seen[genlru__list_of_seq(lru, type, lru->min_seq[type] + i)]++;
            seen[genlru__list_of_probation(lru, type)]++;
            seen[genlru__list_of_parked(lru, type)]++;
        }
        for (i = 0; i < genlru__nr_lists(lru); i++)
            cr_assert(seen[i] <= 1);
        cr_assert(genlru_destroy(lru) == 0);
    }
}

Test(window, moves)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru;
    unsigned i;

    config.nr_types = 2;
    config.nr_gens = 5;
    lru = unit_create(&config);
    genlru__mutex_lock(&lru->lock);
    cr_assert(!genlru__may_age(lru), "both windows are full");
    cr_assert(genlru__is_oldest_empty(lru, 0));
    genlru__advance_min(lru, 0);
    cr_assert(!genlru__may_age(lru), "type 1's still is");
    for (i = 0; i < 3; i++)
        genlru__advance_min(lru, 1);
    cr_assert(genlru__width(lru, 1) == GENLRU__MIN_WIDTH && genlru__may_age(lru));
    unit.now = 77;
    genlru__begin_gen(lru);
    cr_assert(genlru__width(lru, 0) == 5 && genlru__width(lru, 1) == 3 && lru->max_seq == 5);
    cr_assert(lru->birth_ns[5 & lru->gen_mask] == GENLRU__NOT_STAMPED);
    genlru__stamp_birth(lru, 5);
    cr_assert(lru->birth_ns[5 & lru->gen_mask] == 77);
    cr_assert(genlru_impl_window_width(lru->view.window, 0) == 5 && genlru_impl_window_width(lru->view.window, 1) == 3);
    genlru__begin_epoch(lru);
    cr_assert(genlru_impl_window_epoch(lru->view.window) == 1);
    genlru__mutex_unlock(&lru->lock);
    unit_end(&unit, lru, NULL, 0);
}

/* A chain with blocks, linked or open, keeps min_seq where it is. */
Test(window, oldest_is_not_empty)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);

    cr_assert(genlru__is_oldest_empty(lru, 0));
    cr_assert(unit_add(lru, node, GENLRU_ADD_COLD) == 0);
    cr_assert(!genlru__is_oldest_empty(lru, 0), "an open block");
    genlru__flush(lru, genlru__nr_lists(lru));
    cr_assert(!genlru__is_oldest_empty(lru, 0), "a linked one");
    unit_end(&unit, lru, node, 1);
}

/* min_seq passes a generation that has open blocks: they become the next one's, and nothing is lost. */
Test(window, open_blocks_follow_min_seq)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *node = unit_nodes(1);
    unsigned next = genlru__list_of_seq(lru, 0, lru->min_seq[0] + 1);

    cr_assert(unit_add(lru, node, GENLRU_ADD_COLD) == 0);
    genlru__mutex_lock(&lru->lock);
    genlru__advance_min(lru, 0);
    genlru__mutex_unlock(&lru->lock);
    unit_verify(lru);
    cr_assert(lru->chain[next].nr_open == 1 && genlru__seq_of_word(lru, unit_word(node)) == lru->min_seq[0]);
    genlru__flush(lru, next);
    cr_assert(lru->chain[next].nr_open == 0 && lru->chain[next].nr_blocks == 1);
    unit_verify(lru);
    unit_end(&unit, lru, node, 1);
}
