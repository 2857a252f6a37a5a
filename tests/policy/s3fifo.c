/* SPDX-License-Identifier: MIT */
/*
 * s3fifo: a trace by hand, capacity 4: S has a share of 1, G of 3. Youngest first, behind the id
 * its uses.
 *
 *      0 1 2 3   fill S                                          s: 3 2 1 0
 *      0 0 1     uses                                            s: 3.0 2.0 1.1 0.2
 *      4         0, used twice, to M; 1, used once, a ghost      s: 4 3 2 | m: 0 | g: 1
 *      1         2 makes room; 1 is a ghost: into M              s: 4 3 | m: 1 0 | g: 2
 *      5                                                         s: 5 4 | m: 1 0 | g: 3 2
 *      0         a use in M                                      m: 1.0 0.1
 *      3         4 makes room                                    s: 5 | m: 3 1 0.1 | g: 4 2
 *      4         5 makes room, S is empty                        s: | m: 4 3 1 0.1 | g: 5 2
 *      6         S below its share: M; 0 goes round, 1 is out    s: 6 | m: 0 4 3 | g: 5 2
 *      7                                                         s: 7 | m: 0 4 3 | g: 6 5 2
 *      8         a fourth ghost: 2 is forgotten                  s: 8 | m: 0 4 3 | g: 7 6 5
 *      5         8 makes room and pushes 5 out of G, so it is
 *                new when G is looked at                         s: 5 | m: 0 4 3 | g: 8 7 6
 *      5 5 5 5   uses, counted up to 3                           s: 5.3
 *      9         5 to M, S is empty; M's oldest, 3, is out       s: 9 | m: 5 0 4 | g: 8 7 6
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 4, .nr_ids = 10};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "s: 0.0 | m: | g:"},
    {POLICY_READ, 1, false, "s: 1.0 0.0 | m: | g:"},
    {POLICY_READ, 2, false, "s: 2.0 1.0 0.0 | m: | g:"},
    {POLICY_READ, 3, false, "s: 3.0 2.0 1.0 0.0 | m: | g:"},
    {POLICY_READ, 0, true, "s: 3.0 2.0 1.0 0.1 | m: | g:"},
    {POLICY_READ, 0, true, "s: 3.0 2.0 1.0 0.2 | m: | g:"},
    {POLICY_READ, 1, true, "s: 3.0 2.0 1.1 0.2 | m: | g:"},
    {POLICY_READ, 4, false, "s: 4.0 3.0 2.0 | m: 0.0 | g: 1"},
    {POLICY_READ, 1, false, "s: 4.0 3.0 | m: 1.0 0.0 | g: 2"},
    {POLICY_READ, 5, false, "s: 5.0 4.0 | m: 1.0 0.0 | g: 3 2"},
    {POLICY_READ, 0, true, "s: 5.0 4.0 | m: 1.0 0.1 | g: 3 2"},
    {POLICY_READ, 3, false, "s: 5.0 | m: 3.0 1.0 0.1 | g: 4 2"},
    {POLICY_READ, 4, false, "s: | m: 4.0 3.0 1.0 0.1 | g: 5 2"},
    {POLICY_READ, 6, false, "s: 6.0 | m: 0.0 4.0 3.0 | g: 5 2"},
    {POLICY_READ, 7, false, "s: 7.0 | m: 0.0 4.0 3.0 | g: 6 5 2"},
    {POLICY_READ, 8, false, "s: 8.0 | m: 0.0 4.0 3.0 | g: 7 6 5"},
    {POLICY_READ, 5, false, "s: 5.0 | m: 0.0 4.0 3.0 | g: 8 7 6"},
    {POLICY_READ, 5, true, "s: 5.1 | m: 0.0 4.0 3.0 | g: 8 7 6"},
    {POLICY_READ, 5, true, "s: 5.2 | m: 0.0 4.0 3.0 | g: 8 7 6"},
    {POLICY_READ, 5, true, "s: 5.3 | m: 0.0 4.0 3.0 | g: 8 7 6"},
    {POLICY_READ, 5, true, "s: 5.3 | m: 0.0 4.0 3.0 | g: 8 7 6"},
    {POLICY_READ, 9, false, "s: 9.0 | m: 5.0 0.0 4.0 | g: 8 7 6"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(s3fifo, golden)
{
    golden_run(&policy_s3fifo, &config, steps, NR_STEPS);
}

Test(s3fifo, replay_is_access)
{
    golden_replay(&policy_s3fifo, &config, steps, NR_STEPS);
}
