/* SPDX-License-Identifier: MIT */
/*
 * sketch: what it counts, where it saturates, what is left after its reset; and that it never
 * counts too little.
 */
#include "policy/sketch.h"

#include <criterion/criterion.h>

static unsigned after(struct sketch *s, uint32_t id, int additions)
{
    for (int i = 0; i < additions; i++) {
        sketch_add(s, id);
    }
    return sketch_estimate(s, id);
}

/* Capacity 1: a sample of 10. The first request is the doorkeeper's, the others the counters'. */
Test(sketch, counts_and_halves)
{
    struct sketch s;

    cr_assert_eq(sketch_init(&s, 1), 0);
    cr_assert_eq(sketch_estimate(&s, 7), 0);
    cr_assert_eq(after(&s, 7, 1), 1);
    cr_assert_eq(after(&s, 7, 8), 9);
    /* The tenth: 9 in the counters, halved 4, and the doorkeeper knows nobody. */
    cr_assert_eq(after(&s, 7, 1), 4);
    cr_assert_eq(after(&s, 7, 1), 5);
    sketch_fini(&s);
}

/* Capacity 2: a sample of 20; counters end at 15, so the estimate at 16. 15 halved is 7. */
Test(sketch, saturates)
{
    struct sketch s;

    cr_assert_eq(sketch_init(&s, 2), 0);
    cr_assert_eq(after(&s, 3, 16), 16);
    cr_assert_eq(after(&s, 3, 3), 16);
    cr_assert_eq(after(&s, 3, 1), 7);
    sketch_fini(&s);
}

/* 3 ids an entry: 4096 counters a row for 3000 ids, so that (1 - e^-0.73)^4 = 7 % share all four. */
Test(sketch, never_too_little_and_seldom_too_much)
{
    enum { CAPACITY = 1000, IDS = 3000 };
    static unsigned exact[IDS];
    struct sketch s;
    uint64_t state = 12345;
    int too_much = 0;

    cr_assert_eq(sketch_init(&s, CAPACITY), 0);
    for (int i = 0; i < CAPACITY * 10 - 1; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t id = (uint32_t)(state >> 33) % IDS;

        sketch_add(&s, id);
        exact[id]++;
    }
    for (uint32_t id = 0; id < IDS; id++) {
        unsigned estimate = sketch_estimate(&s, id);

        cr_assert_geq(estimate, exact[id] < 16 ? exact[id] : 16, "id %u", (unsigned)id);
        too_much += estimate > exact[id];
    }
    cr_assert_leq(too_much, IDS / 10);
    sketch_fini(&s);
}
