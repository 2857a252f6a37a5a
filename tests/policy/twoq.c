/* SPDX-License-Identifier: MIT */
/*
 * 2q: a trace by hand, capacity 4: Kin = 1, Kout = 2. Youngest first.
 *
 *      0 1 2 3   fill A1in                                        am: | in: 3 2 1 0 | out:
 *      0         hit in A1in: nothing
 *      4         |A1in| 4 > 1: 0 becomes a ghost                  am: | in: 4 3 2 1 | out: 0
 *      0         a ghost: 1 makes room, 0 into Am                 am: 0 | in: 4 3 2 | out: 1
 *      5                                                          am: 0 | in: 5 4 3 | out: 2 1
 *      6         3 ghosts > 2: 1 is forgotten                     am: 0 | in: 6 5 4 | out: 3 2
 *      1         so it is new                                     am: 0 | in: 1 6 5 | out: 4 3
 *      3         a ghost; 5 makes room and pushes 3 out of the
 *                ghosts, but it was one when it was asked for     am: 3 0 | in: 1 6 | out: 5 4
 *      4         the same                                         am: 4 3 0 | in: 1 | out: 6 5
 *      0         hit in Am: to the front                          am: 0 4 3 | in: 1 | out: 6 5
 *      7         |A1in| 1 = Kin: Am's oldest goes, no ghost       am: 0 4 | in: 7 1 | out: 6 5
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 4, .nr_ids = 8};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "am: | in: 0 | out:"},           {POLICY_READ, 1, false, "am: | in: 1 0 | out:"},
    {POLICY_READ, 2, false, "am: | in: 2 1 0 | out:"},       {POLICY_READ, 3, false, "am: | in: 3 2 1 0 | out:"},
    {POLICY_READ, 0, true, "am: | in: 3 2 1 0 | out:"},      {POLICY_READ, 4, false, "am: | in: 4 3 2 1 | out: 0"},
    {POLICY_READ, 0, false, "am: 0 | in: 4 3 2 | out: 1"},   {POLICY_READ, 5, false, "am: 0 | in: 5 4 3 | out: 2 1"},
    {POLICY_READ, 6, false, "am: 0 | in: 6 5 4 | out: 3 2"}, {POLICY_READ, 1, false, "am: 0 | in: 1 6 5 | out: 4 3"},
    {POLICY_READ, 3, false, "am: 3 0 | in: 1 6 | out: 5 4"}, {POLICY_READ, 4, false, "am: 4 3 0 | in: 1 | out: 6 5"},
    {POLICY_READ, 0, true, "am: 0 4 3 | in: 1 | out: 6 5"},  {POLICY_READ, 7, false, "am: 0 4 | in: 7 1 | out: 6 5"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(twoq, golden)
{
    golden_run(&policy_2q, &config, steps, NR_STEPS);
}

Test(twoq, replay_is_access)
{
    golden_replay(&policy_2q, &config, steps, NR_STEPS);
}
