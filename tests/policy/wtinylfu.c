/* SPDX-License-Identifier: MIT */
/*
 * wtinylfu: a trace by hand, capacity 5: window 1, main 4, of which 3 protected. Youngest first,
 * behind the id what the sketch says, which is exact for so few ids.
 *
 *      0 … 4     through the window into probation               w: 4 | probation: 3 2 1 0
 *      0         up                                              probation: 3 2 1 | protected: 0.2
 *      4         hit in the window                               w: 4.2
 *      5         4 with 2 against 1 with 1: 1 out                w: 5 | probation: 4.2 3 2
 *      6         5 with 1 against 2 with 1: a draw, 5 out        w: 6
 *      5         6 with 1 against 2 with 1: 6 out                w: 5.2
 *      4 3       up                                              probation: 2 | protected: 3.2 4.3 0.2
 *      2         up, 4 > 3: the oldest, 0, down                  probation: 0.2 | protected: 2.2 3.2 4.3
 *      0         up, 4 down                                      probation: 4.3 | protected: 0.3 2.2 3.2
 *      7         5 with 2 against 4 with 3: 5 out                w: 7
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 5, .nr_ids = 8};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "w: 0.1 | probation: | protected: | window 1"},
    {POLICY_READ, 1, false, "w: 1.1 | probation: 0.1 | protected: | window 1"},
    {POLICY_READ, 2, false, "w: 2.1 | probation: 1.1 0.1 | protected: | window 1"},
    {POLICY_READ, 3, false, "w: 3.1 | probation: 2.1 1.1 0.1 | protected: | window 1"},
    {POLICY_READ, 4, false, "w: 4.1 | probation: 3.1 2.1 1.1 0.1 | protected: | window 1"},
    {POLICY_READ, 0, true, "w: 4.1 | probation: 3.1 2.1 1.1 | protected: 0.2 | window 1"},
    {POLICY_READ, 4, true, "w: 4.2 | probation: 3.1 2.1 1.1 | protected: 0.2 | window 1"},
    {POLICY_READ, 5, false, "w: 5.1 | probation: 4.2 3.1 2.1 | protected: 0.2 | window 1"},
    {POLICY_READ, 6, false, "w: 6.1 | probation: 4.2 3.1 2.1 | protected: 0.2 | window 1"},
    {POLICY_READ, 5, false, "w: 5.2 | probation: 4.2 3.1 2.1 | protected: 0.2 | window 1"},
    {POLICY_READ, 4, true, "w: 5.2 | probation: 3.1 2.1 | protected: 4.3 0.2 | window 1"},
    {POLICY_READ, 3, true, "w: 5.2 | probation: 2.1 | protected: 3.2 4.3 0.2 | window 1"},
    {POLICY_READ, 2, true, "w: 5.2 | probation: 0.2 | protected: 2.2 3.2 4.3 | window 1"},
    {POLICY_READ, 0, true, "w: 5.2 | probation: 4.3 | protected: 0.3 2.2 3.2 | window 1"},
    {POLICY_READ, 7, false, "w: 7.1 | probation: 4.3 | protected: 0.3 2.2 3.2 | window 1"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(wtinylfu, golden)
{
    golden_run(&policy_wtinylfu, &config, steps, NR_STEPS);
}

Test(wtinylfu, replay_is_access)
{
    golden_replay(&policy_wtinylfu, &config, steps, NR_STEPS);
}

static void expect(const struct policy *p, const char *state)
{
    char *is = golden_state(p);

    cr_assert_str_eq(is, state);
    free(is);
}

static void read_times(struct policy *p, uint32_t id, int times)
{
    for (int i = 0; i < times; i++) {
        policy_access(p, id, POLICY_READ);
    }
}

/*
 * Capacity 5: a step each 50 requests, of 1 entry; the sketch forgets at the same time. 0 … 4 and 45
 * hits of 4, more than the none before: the window grows to 2, main has 3 of its 4 left, so the
 * oldest of probation changes sides. Of 4 the sketch counted 15 + 1 and keeps 7.
 *
 * Then 50 requests with 49 hits: more, so on to 3; main has room for 2 and protects 1. Then 50 with
 * fewer: back to 2, the window's oldest goes to probation.
 */
Test(wtinylfu, climbs)
{
    static const struct policy_config five = {.capacity = 5, .nr_ids = 8};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_wtinylfu_adaptive, &five, &p), 0);
    for (uint32_t id = 0; id < 5; id++) {
        policy_access(p, id, POLICY_READ);
    }
    read_times(p, 4, 44);
    expect(p, "w: 4.16 | probation: 3.1 2.1 1.1 0.1 | protected: | window 1");
    read_times(p, 4, 1);
    expect(p, "w: 0.0 4.7 | probation: 3.0 2.0 1.0 | protected: | window 2");

    /* 5: 4, with 7, wins against 1. */
    read_times(p, 5, 1);
    expect(p, "w: 5.1 0.0 | probation: 4.7 3.0 2.0 | protected: | window 2");
    read_times(p, 4, 49);
    expect(p, "w: 2.0 5.0 0.0 | probation: 3.0 | protected: 4.7 | window 3");

    /* 0 hits; 6 pushes 5 out of the window and 1 does 2: both lose, draws of nothing. */
    read_times(p, 0, 1);
    expect(p, "w: 0.1 2.0 5.0 | probation: 3.0 | protected: 4.7 | window 3");
    read_times(p, 6, 1);
    expect(p, "w: 6.1 0.1 2.0 | probation: 3.0 | protected: 4.7 | window 3");
    read_times(p, 1, 1);
    expect(p, "w: 1.1 6.1 0.1 | probation: 3.0 | protected: 4.7 | window 3");
    read_times(p, 1, 47);
    expect(p, "w: 1.7 6.0 | probation: 0.0 3.0 | protected: 4.3 | window 2");
    policy_destroy(p);
}
