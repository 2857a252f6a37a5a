/* SPDX-License-Identifier: MIT */
/*
 * clock: a trace by hand, capacity 3. Youngest first, r = referenced.
 *
 *      0 1 2     fill, unmarked                          2 1 0
 *      0         hit                                     2 1 0r
 *      3         0 loses its mark and goes round, 1 out  3 0 2
 *      2 0       hits                                    3 0r 2r
 *      4         2, then 0 go round; 3 out               4 0 2
 *      4 0 2     hits                                    4r 0r 2r
 *      5         all go round, 2 is first again: out     5 4 0
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 3, .nr_ids = 6};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "clock: 0"},       {POLICY_READ, 1, false, "clock: 1 0"},
    {POLICY_READ, 2, false, "clock: 2 1 0"},   {POLICY_READ, 0, true, "clock: 2 1 0r"},
    {POLICY_READ, 3, false, "clock: 3 0 2"},   {POLICY_READ, 2, true, "clock: 3 0 2r"},
    {POLICY_READ, 0, true, "clock: 3 0r 2r"},  {POLICY_READ, 4, false, "clock: 4 0 2"},
    {POLICY_READ, 4, true, "clock: 4r 0 2"},   {POLICY_READ, 0, true, "clock: 4r 0r 2"},
    {POLICY_READ, 2, true, "clock: 4r 0r 2r"}, {POLICY_READ, 5, false, "clock: 5 4 0"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(clock, golden)
{
    golden_run(&policy_clock, &config, steps, NR_STEPS);
}

Test(clock, replay_is_access)
{
    golden_replay(&policy_clock, &config, steps, NR_STEPS);
}
