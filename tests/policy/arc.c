/* SPDX-License-Identifier: MIT */
/*
 * arc: a trace by hand that goes through every branch of figure 4 of the paper, capacity c = 3.
 *
 * Lists youngest first; "→ B1" = REPLACE made a ghost of it; L1 = T1 ∪ B1. Cases as in the paper.
 *
 *   #  req  case                                              T1      T2      B1      B2      p
 *   1   0   IV, not full                                      0                               0
 *   2   1   IV, not full                                      1 0                             0
 *   3   0   I: hit in T1, to T2                               1       0                       0
 *   4   2   IV, not full                                      2 1     0                       0
 *   5   3   IV B: |L1| = 2 < c, 3 cached: |T1| 2 > p, 1 → B1  3 2     0       1               0
 *   6   4   IV A: |L1| = 3, |T1| < c: forget 1; 2 → B1        4 3     0       2               0
 *   7   2   II: step 1, p = 1; |T1| 2 > 1: 3 → B1             4       2 0     3               1
 *   8   3   II: step 1, p = 2; |T1| 1 ≤ 2: 0 → B2             4       3 2             0       2
 *   9   5   IV B: |T1| 1 ≤ 2: 2 → B2                          5 4     3               2 0     2
 *  10   6   IV B: |T1| 2 ≤ 2: 3 → B2                          6 5 4                   3 2 0   2
 *  11   7   IV A: |T1| = c: 4 leaves, no ghost                7 6 5                   3 2 0   2
 *  12   0   III: step 1, p = 1; |T1| 3 > 1: 5 → B1            7 6     0       5       3 2     1
 *  13   2   III: step 1, p = 0; |T1| 2 > 0: 6 → B1            7       2 0     6 5     3       0
 *  14   8   IV A: forget 5; |T1| 1 > 0: 7 → B1                8       2 0     7 6     3       0
 *  15   3   III: step 2/1, p stays 0; |T1| 1 > 0: 8 → B1              3 2 0   8 7 6           0
 *  16   9   IV A: forget 6; T1 empty: 0 → B2                  9       3 2     8 7     0       0
 *  17   8   II: step 1, p = 1; |T1| 1 ≤ 1: 2 → B2             9       8 3     7       2 0     1
 *  18   7   II: step 2/1, p = 3; 3 → B2                       9       7 8             3 2 0   3
 *  19   0   III: step 1, p = 2; |T1| 1 < 2: 8 → B2            9       0 7             8 3 2   2
 *  20   2   III: step 1, p = 1; |T1| = p and in B2: 9 → B1            2 0 7   9       8 3     1
 *  21  10   IV B: 2c known: forget 3; T1 empty: 7 → B2        10      2 0     9       7 8     1
 *  22   2   I: hit in T2, is first already                    10      2 0     9       7 8     1
 *  23   0   I: hit in T2                                      10      0 2     9       7 8     1
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 3, .nr_ids = 11};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "t1: 0 | t2: | b1: | b2: | p 0"},
    {POLICY_READ, 1, false, "t1: 1 0 | t2: | b1: | b2: | p 0"},
    {POLICY_READ, 0, true, "t1: 1 | t2: 0 | b1: | b2: | p 0"},
    {POLICY_READ, 2, false, "t1: 2 1 | t2: 0 | b1: | b2: | p 0"},
    {POLICY_READ, 3, false, "t1: 3 2 | t2: 0 | b1: 1 | b2: | p 0"},
    {POLICY_READ, 4, false, "t1: 4 3 | t2: 0 | b1: 2 | b2: | p 0"},
    {POLICY_READ, 2, false, "t1: 4 | t2: 2 0 | b1: 3 | b2: | p 1"},
    {POLICY_READ, 3, false, "t1: 4 | t2: 3 2 | b1: | b2: 0 | p 2"},
    {POLICY_READ, 5, false, "t1: 5 4 | t2: 3 | b1: | b2: 2 0 | p 2"},
    {POLICY_READ, 6, false, "t1: 6 5 4 | t2: | b1: | b2: 3 2 0 | p 2"},
    {POLICY_READ, 7, false, "t1: 7 6 5 | t2: | b1: | b2: 3 2 0 | p 2"},
    {POLICY_READ, 0, false, "t1: 7 6 | t2: 0 | b1: 5 | b2: 3 2 | p 1"},
    {POLICY_READ, 2, false, "t1: 7 | t2: 2 0 | b1: 6 5 | b2: 3 | p 0"},
    {POLICY_READ, 8, false, "t1: 8 | t2: 2 0 | b1: 7 6 | b2: 3 | p 0"},
    {POLICY_READ, 3, false, "t1: | t2: 3 2 0 | b1: 8 7 6 | b2: | p 0"},
    {POLICY_READ, 9, false, "t1: 9 | t2: 3 2 | b1: 8 7 | b2: 0 | p 0"},
    {POLICY_READ, 8, false, "t1: 9 | t2: 8 3 | b1: 7 | b2: 2 0 | p 1"},
    {POLICY_READ, 7, false, "t1: 9 | t2: 7 8 | b1: | b2: 3 2 0 | p 3"},
    {POLICY_READ, 0, false, "t1: 9 | t2: 0 7 | b1: | b2: 8 3 2 | p 2"},
    {POLICY_READ, 2, false, "t1: | t2: 2 0 7 | b1: 9 | b2: 8 3 | p 1"},
    {POLICY_READ, 10, false, "t1: 10 | t2: 2 0 | b1: 9 | b2: 7 8 | p 1"},
    {POLICY_READ, 2, true, "t1: 10 | t2: 2 0 | b1: 9 | b2: 7 8 | p 1"},
    {POLICY_READ, 0, true, "t1: 10 | t2: 0 2 | b1: 9 | b2: 7 8 | p 1"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(arc, golden)
{
    golden_run(&policy_arc, &config, steps, NR_STEPS);
}

Test(arc, replay_is_access)
{
    golden_replay(&policy_arc, &config, steps, NR_STEPS);
}

/*
 * p is a real number: c = 5, brought to |B1| = 2, |B2| = 3, then a hit in B1 must add 3/2.
 *
 *   0 1 2 3 4       T1: 4 3 2 1 0
 *   0 1 2 3 4       all hits, T2: 4 3 2 1 0
 *   5               IV B, 5 cached: T1 empty, 0 → B2. T1: 5 | T2: 4 3 2 1 | B2: 0
 *   6               |T1| 1 > p = 0: 5 → B1.            T1: 6 | T2: 4 3 2 1 | B1: 5 | B2: 0
 *   7               6 → B1.                            T1: 7 | T2: 4 3 2 1 | B1: 6 5 | B2: 0
 *   5               II: |B1| 2 ≥ 1: p = 1; |T1| 1 ≤ 1: 1 → B2.
 *                                                      T1: 7 | T2: 5 4 3 2 | B1: 6 | B2: 1 0
 *   8               IV B: |T1| 1 ≤ 1: 2 → B2.          T1: 8 7 | T2: 5 4 3 | B1: 6 | B2: 2 1 0
 *   9               IV B: |L1| = 3; |T1| 2 > 1: 7 → B1 T1: 9 8 | T2: 5 4 3 | B1: 7 6 | B2: 2 1 0
 *   6               II: |B1| 2 < |B2| 3: p = 1 + 3/2 = 2.5; |T1| 2 ≤ 2.5: 3 → B2.
 *                                                      T1: 9 8 | T2: 6 5 4 | B1: 7 | B2: 3 2 1 0
 */
Test(arc, p_is_real)
{
    static const uint32_t ids[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 5, 8, 9};
    static const struct policy_config five = {.capacity = 5, .nr_ids = 10};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_arc, &five, &p), 0);
    cr_assert_eq(policy_replay(p, ids, sizeof(ids) / sizeof(ids[0])), 11);

    char *before = golden_state(p);
    cr_assert_str_eq(before, "t1: 9 8 | t2: 5 4 3 | b1: 7 6 | b2: 2 1 0 | p 1");
    cr_assert_not(policy_access(p, 6, POLICY_READ));
    char *after = golden_state(p);
    cr_assert_str_eq(after, "t1: 9 8 | t2: 6 5 4 | b1: 7 | b2: 3 2 1 0 | p 2.5");
    free(before);
    free(after);
    policy_destroy(p);
}
