/* SPDX-License-Identifier: MIT */
/*
 * lfu: a trace by hand, capacity 2, too short for counts to age; then the aging. By id, behind it
 * the count.
 *
 *      0 1       counts equal, 0 is older                  next 0
 *      0         2 to 1                                    next 1
 *      2         1 out                                     next 2
 *      2         2 to 2, 0 was not used for longer         next 0
 *      3         0 out, whatever it once counted           next 3
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 2, .nr_ids = 4};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "lfu: 0.1 | next 0"},    {POLICY_READ, 1, false, "lfu: 0.1 1.1 | next 0"},
    {POLICY_READ, 0, true, "lfu: 0.2 1.1 | next 1"}, {POLICY_READ, 2, false, "lfu: 0.2 2.1 | next 2"},
    {POLICY_READ, 2, true, "lfu: 0.2 2.2 | next 0"}, {POLICY_READ, 3, false, "lfu: 2.2 3.1 | next 3"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(lfu, golden)
{
    golden_run(&policy_lfu_plain, &config, steps, NR_STEPS);
}

Test(lfu, replay_is_access)
{
    golden_replay(&policy_lfu_plain, &config, steps, NR_STEPS);
}

static void expect(const struct policy *p, const char *state)
{
    char *is = golden_state(p);

    cr_assert_str_eq(is, state);
    free(is);
}

/*
 * 2 entries: their counts are halved when the sum goes beyond 20. 0 and 1, then 0 18 times: 19 + 1
 * = 20. Once more: 20 and 1 become 10 and 1. After 10 more, 20 + 1 = 21, the same again. 2 takes
 * 1's place; its hits count from 1 on.
 */
Test(lfu, aging)
{
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_lfu, &config, &p), 0);
    policy_access(p, 0, POLICY_READ);
    policy_access(p, 1, POLICY_READ);
    for (int i = 0; i < 18; i++) {
        policy_access(p, 0, POLICY_READ);
    }
    expect(p, "lfu: 0.19 1.1 | next 1");
    policy_access(p, 0, POLICY_READ);
    expect(p, "lfu: 0.10 1.1 | next 1");
    for (int i = 0; i < 9; i++) {
        policy_access(p, 0, POLICY_READ);
    }
    expect(p, "lfu: 0.19 1.1 | next 1");
    policy_access(p, 0, POLICY_READ);
    expect(p, "lfu: 0.10 1.1 | next 1");
    cr_assert_not(policy_access(p, 2, POLICY_READ));
    expect(p, "lfu: 0.10 2.1 | next 2");
    policy_destroy(p);
}

/* The same without aging: 31 uses, and the count says so. */
Test(lfu, no_aging)
{
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_lfu_plain, &config, &p), 0);
    for (int i = 0; i < 31; i++) {
        policy_access(p, 0, POLICY_READ);
    }
    expect(p, "lfu: 0.31 | next 0");
    policy_destroy(p);
}

/* Equal counts after halving are ordered by their last use again: 3 and 4 both become 2. */
Test(lfu, order_after_aging)
{
    static const struct policy_config three = {.capacity = 3, .nr_ids = 4};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_lfu, &three, &p), 0);
    for (int i = 0; i < 4; i++) {
        policy_access(p, 0, POLICY_READ);
    }
    for (int i = 0; i < 3; i++) {
        policy_access(p, 1, POLICY_READ);
    }
    for (int i = 0; i < 23; i++) {
        policy_access(p, 2, POLICY_READ);
    }
    expect(p, "lfu: 0.4 1.3 2.23 | next 1");
    policy_access(p, 2, POLICY_READ);
    expect(p, "lfu: 0.2 1.2 2.12 | next 0");
    policy_destroy(p);
}
