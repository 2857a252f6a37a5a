/* SPDX-License-Identifier: MIT */
/*
 * lirs: a trace by hand, capacity 3: 2 LIR, 1 HIR; S holds at most 6. S from the top (l LIR, h HIR
 * resident, n HIR gone), Q from its end.
 *
 *   #   req  what                                                 S                       Q
 *   1   0    LIR as long as there is room                         0l
 *   2   1                                                         1l 0l
 *   3   2    HIR                                                  2h 1l 0l                2
 *   4   0    LIR hit, was bottom: up, nothing to prune            0l 2h 1l                2
 *   5   3    2 is Q's front: out, stays in S                      3h 0l 2n 1l             3
 *   6   2    3 out; 2 is in S: LIR; the bottom, 1, becomes HIR    2l 3n 0l                1
 *   7   1    HIR hit, not in S: into S, stays HIR                 1h 2l 3n 0l             1
 *   8   1    HIR hit in S: LIR; 0 becomes HIR; 3 is pruned        1l 2l                   0
 *   9   4    0 out, not in S: forgotten                           4h 1l 2l                4
 *  10   2    bottom LIR hit: up                                   2l 4h 1l                4
 *  11   1    the same; 4 at the bottom is pruned, still in Q      1l 2l                   4
 *  12   4    HIR hit, not in S                                    4h 1l 2l                4
 *  13   5    4 gone                                               5h 4n 1l 2l             5
 *  14   6                                                         6h 5n 4n 1l 2l          6
 *  15   7                                                         7h 6n 5n 4n 1l 2l       7
 *  16   8    7 in S > 6: 4, gone longest, is forgotten            8h 7n 6n 5n 1l 2l       8
 *  17   4    so it is new: HIR; now 5 is forgotten                4h 8n 7n 6n 1l 2l       4
 *  18   6    4 gone; 6 is in S: LIR; 2 becomes HIR                6l 4n 8n 7n 1l          2
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 3, .nr_ids = 9};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "s: 0l | q:"},
    {POLICY_READ, 1, false, "s: 1l 0l | q:"},
    {POLICY_READ, 2, false, "s: 2h 1l 0l | q: 2"},
    {POLICY_READ, 0, true, "s: 0l 2h 1l | q: 2"},
    {POLICY_READ, 3, false, "s: 3h 0l 2n 1l | q: 3"},
    {POLICY_READ, 2, false, "s: 2l 3n 0l | q: 1"},
    {POLICY_READ, 1, true, "s: 1h 2l 3n 0l | q: 1"},
    {POLICY_READ, 1, true, "s: 1l 2l | q: 0"},
    {POLICY_READ, 4, false, "s: 4h 1l 2l | q: 4"},
    {POLICY_READ, 2, true, "s: 2l 4h 1l | q: 4"},
    {POLICY_READ, 1, true, "s: 1l 2l | q: 4"},
    {POLICY_READ, 4, true, "s: 4h 1l 2l | q: 4"},
    {POLICY_READ, 5, false, "s: 5h 4n 1l 2l | q: 5"},
    {POLICY_READ, 6, false, "s: 6h 5n 4n 1l 2l | q: 6"},
    {POLICY_READ, 7, false, "s: 7h 6n 5n 4n 1l 2l | q: 7"},
    {POLICY_READ, 8, false, "s: 8h 7n 6n 5n 1l 2l | q: 8"},
    {POLICY_READ, 4, false, "s: 4h 8n 7n 6n 1l 2l | q: 4"},
    {POLICY_READ, 6, false, "s: 6l 4n 8n 7n 1l | q: 2"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(lirs, golden)
{
    golden_run(&policy_lirs, &config, steps, NR_STEPS);
}

Test(lirs, replay_is_access)
{
    golden_replay(&policy_lirs, &config, steps, NR_STEPS);
}
