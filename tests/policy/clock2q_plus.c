/* SPDX-License-Identifier: MIT */
/*
 * clock2q+: a trace by hand, capacity 20: S has a share of 2, of which the younger half, 1 entry,
 * is the correlation window; G holds 10. Youngest first, r = referenced; k…j = k k-1 … j.
 *
 *      0 … 19    fill S                                          s: 19…0
 *      19        in the window: does not count
 *      18 0      hits                                            s: 19 18r 17…1 0r
 *      20        0 to M; 1 a ghost                               s: 20 19 18r 17…2 | m: 0 | g: 1
 *      19        no longer in the window                         s: 20 19r 18r 17…2
 *      1         a ghost: 2 makes room, 1 to M                   s: 20 19r 18r 17…3 | m: 1 0 | g: 2
 *      2 … 16    the same for each                               s: 20 19r 18r | m: 16…0 | g: 17
 *      17        18, 19 to M, 20 a ghost; 17 to M                s: | m: 17 19 18 16…0 | g: 20
 *      0         a hit in M                                      m: 17 19 18 16…1 0r
 *      21        S below its share: M; 0 goes round, 1 is out    s: 21 | m: 0 17 19 18 16…2 | g: 20
 *      22        the same, 2 is out                              s: 22 21 | m: 0 17 19 18 16…3
 *      23        S has its share: 21 a ghost                     s: 23 22 | m: … | g: 21 20
 *      23 22     in the window; not in the window                s: 23 22r
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 20, .nr_ids = 24};

static void read(struct policy *p, uint32_t id, bool hit, const char *state)
{
    cr_assert_eq(policy_access(p, id, POLICY_READ), hit, "%u", (unsigned)id);
    char *is = golden_state(p);

    cr_assert_str_eq(is, state, "%u:\n  is      %s\n  must be %s", (unsigned)id, is, state);
    free(is);
}

#define OLD_17_TO_3 "17 16 15 14 13 12 11 10 9 8 7 6 5 4 3"
#define M_16_TO_3 "16 15 14 13 12 11 10 9 8 7 6 5 4 3"

Test(clock2q_plus, golden)
{
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_clock2q_plus, &config, &p), 0);
    for (uint32_t id = 0; id < 19; id++) {
        cr_assert_not(policy_access(p, id, POLICY_READ));
    }
    read(p, 19, false, "s: 19 18 " OLD_17_TO_3 " 2 1 0 | m: | g:");
    read(p, 19, true, "s: 19 18 " OLD_17_TO_3 " 2 1 0 | m: | g:");
    read(p, 18, true, "s: 19 18r " OLD_17_TO_3 " 2 1 0 | m: | g:");
    read(p, 0, true, "s: 19 18r " OLD_17_TO_3 " 2 1 0r | m: | g:");
    read(p, 20, false, "s: 20 19 18r " OLD_17_TO_3 " 2 | m: 0 | g: 1");
    read(p, 19, true, "s: 20 19r 18r " OLD_17_TO_3 " 2 | m: 0 | g: 1");
    read(p, 1, false, "s: 20 19r 18r " OLD_17_TO_3 " | m: 1 0 | g: 2");
    for (uint32_t id = 2; id < 16; id++) {
        cr_assert_not(policy_access(p, id, POLICY_READ));
    }
    read(p, 16, false, "s: 20 19r 18r | m: " M_16_TO_3 " 2 1 0 | g: 17");
    read(p, 17, false, "s: | m: 17 19 18 " M_16_TO_3 " 2 1 0 | g: 20");
    read(p, 0, true, "s: | m: 17 19 18 " M_16_TO_3 " 2 1 0r | g: 20");
    read(p, 21, false, "s: 21 | m: 0 17 19 18 " M_16_TO_3 " 2 | g: 20");
    read(p, 22, false, "s: 22 21 | m: 0 17 19 18 " M_16_TO_3 " | g: 20");
    read(p, 23, false, "s: 23 22 | m: 0 17 19 18 " M_16_TO_3 " | g: 21 20");
    read(p, 23, true, "s: 23 22 | m: 0 17 19 18 " M_16_TO_3 " | g: 21 20");
    read(p, 22, true, "s: 23 22r | m: 0 17 19 18 " M_16_TO_3 " | g: 21 20");
    policy_destroy(p);
}

/* G is bounded: of 13 that leave S unused after one another, it knows the last 10. */
Test(clock2q_plus, ghosts)
{
    struct policy *p = NULL;
    static const struct policy_config many = {.capacity = 20, .nr_ids = 33};

    cr_assert_eq(policy_create(&policy_clock2q_plus, &many, &p), 0);
    for (uint32_t id = 0; id < 33; id++) {
        cr_assert_not(policy_access(p, id, POLICY_READ));
    }
    char *state = golden_state(p);

    cr_assert_not_null(strstr(state, "| m: | g: 12 11 10 9 8 7 6 5 4 3"), "%s", state);
    free(state);
    policy_destroy(p);
}
