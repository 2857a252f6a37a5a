/* SPDX-License-Identifier: MIT */
/*
 * slru: a trace by hand, capacity 5, of which the protected segment (1) may have 80 % = 4. Youngest
 * first. Then s4lru, capacity 4: four segments of 1; and its deviation.
 *
 *      0 1 2     into probation                       0: 2 1 0 | 1:
 *      0 1 2     hits: up                             0: | 1: 2 1 0
 *      3 4                                            0: 4 3 | 1: 2 1 0
 *      3         up, 4 protected                      0: 4 | 1: 3 2 1 0
 *      4         up, 5 > 4: the oldest, 0, down       0: 0 | 1: 4 3 2 1
 *      5         0 out                                0: 5 | 1: 4 3 2 1
 *      1         hit at the top                       0: 5 | 1: 1 4 3 2
 *      6         5 out, protected is never asked      0: 6 | 1: 1 4 3 2
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 5, .nr_ids = 7};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "0: 0 | 1:"},         {POLICY_READ, 1, false, "0: 1 0 | 1:"},
    {POLICY_READ, 2, false, "0: 2 1 0 | 1:"},     {POLICY_READ, 0, true, "0: 2 1 | 1: 0"},
    {POLICY_READ, 1, true, "0: 2 | 1: 1 0"},      {POLICY_READ, 2, true, "0: | 1: 2 1 0"},
    {POLICY_READ, 3, false, "0: 3 | 1: 2 1 0"},   {POLICY_READ, 4, false, "0: 4 3 | 1: 2 1 0"},
    {POLICY_READ, 3, true, "0: 4 | 1: 3 2 1 0"},  {POLICY_READ, 4, true, "0: 0 | 1: 4 3 2 1"},
    {POLICY_READ, 5, false, "0: 5 | 1: 4 3 2 1"}, {POLICY_READ, 1, true, "0: 5 | 1: 1 4 3 2"},
    {POLICY_READ, 6, false, "0: 6 | 1: 1 4 3 2"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(slru, golden)
{
    golden_run(&policy_slru, &config, steps, NR_STEPS);
}

Test(slru, replay_is_access)
{
    golden_replay(&policy_slru, &config, steps, NR_STEPS);
}

/*
 *      0 0 1       0 one up                                 0: 1 | 1: 0 | 2: | 3:
 *      1           into 1, where 0 has to leave              0: 0 | 1: 1 | 2: | 3:
 *      1 1 1       up to the top, and stays                  0: 0 | 1: | 2: | 3: 1
 *      2 3 0       full; 0 one up                            0: 3 2 | 1: 0 | 2: | 3: 1
 *      2           into 1, 0 down again                      0: 0 3 | 1: 2 | 2: | 3: 1
 *      4           3 out                                     0: 4 0 | 1: 2 | 2: | 3: 1
 *      2 2         to the top, 1 one down                    0: 4 0 | 1: | 2: 1 | 3: 2
 *      0 1 0 4     each pushes another one down; at the last:
 *                  4 up, 2 down                              0: 2 | 1: 4 | 2: 0 | 3: 1
 */
Test(slru, four_segments)
{
    static const struct policy_config four = {.capacity = 4, .nr_ids = 5};
    static const struct golden_step s4[] = {
        {POLICY_READ, 0, false, "0: 0 | 1: | 2: | 3:"},       {POLICY_READ, 0, true, "0: | 1: 0 | 2: | 3:"},
        {POLICY_READ, 1, false, "0: 1 | 1: 0 | 2: | 3:"},     {POLICY_READ, 1, true, "0: 0 | 1: 1 | 2: | 3:"},
        {POLICY_READ, 1, true, "0: 0 | 1: | 2: 1 | 3:"},      {POLICY_READ, 1, true, "0: 0 | 1: | 2: | 3: 1"},
        {POLICY_READ, 1, true, "0: 0 | 1: | 2: | 3: 1"},      {POLICY_READ, 2, false, "0: 2 0 | 1: | 2: | 3: 1"},
        {POLICY_READ, 3, false, "0: 3 2 0 | 1: | 2: | 3: 1"}, {POLICY_READ, 0, true, "0: 3 2 | 1: 0 | 2: | 3: 1"},
        {POLICY_READ, 2, true, "0: 0 3 | 1: 2 | 2: | 3: 1"},  {POLICY_READ, 4, false, "0: 4 0 | 1: 2 | 2: | 3: 1"},
        {POLICY_READ, 2, true, "0: 4 0 | 1: | 2: 2 | 3: 1"},  {POLICY_READ, 2, true, "0: 4 0 | 1: | 2: 1 | 3: 2"},
        {POLICY_READ, 0, true, "0: 4 | 1: 0 | 2: 1 | 3: 2"},  {POLICY_READ, 1, true, "0: 4 | 1: 0 | 2: 2 | 3: 1"},
        {POLICY_READ, 0, true, "0: 4 | 1: 2 | 2: 0 | 3: 1"},  {POLICY_READ, 4, true, "0: 2 | 1: 4 | 2: 0 | 3: 1"},
    };

    golden_run(&policy_s4lru, &four, s4, sizeof(s4) / sizeof(s4[0]));
    golden_replay(&policy_s4lru, &four, s4, sizeof(s4) / sizeof(s4[0]));
}

/* The deviation: misses alone reach the top, and a loop hits there what no hit ever led to. */
Test(slru, filled_from_below)
{
    static const struct policy_config four = {.capacity = 4, .nr_ids = 5};
    static const struct golden_step s4[] = {
        {POLICY_READ, 0, false, "0: 0 | 1: | 2: | 3:"},       {POLICY_READ, 1, false, "0: 0 | 1: 1 | 2: | 3:"},
        {POLICY_READ, 2, false, "0: 0 | 1: 1 | 2: 2 | 3:"},   {POLICY_READ, 3, false, "0: 0 | 1: 1 | 2: 2 | 3: 3"},
        {POLICY_READ, 4, false, "0: 4 | 1: 1 | 2: 2 | 3: 3"}, {POLICY_READ, 0, false, "0: 0 | 1: 1 | 2: 2 | 3: 3"},
        {POLICY_READ, 1, true, "0: 0 | 1: 2 | 2: 1 | 3: 3"},
    };

    golden_run(&policy_s4lru_filled, &four, s4, sizeof(s4) / sizeof(s4[0]));
}
