/* SPDX-License-Identifier: MIT */
/*
 * gdsf: a trace by hand in bytes, capacity 10, sizes 2 4 1 8 20 of ids 0 … 4. By id: uses and
 * priority L + uses / size; then L and the next victim.
 *
 *      0 1 2     1/2, 1/4, 1; 7 bytes                         next 1
 *      1         2/4, a draw with 0, which is older           next 0
 *      4         20 > 10: refused
 *      3         15 > 10: 0 out, 13 > 10: 1 out, L = 1/2;
 *                1/2 + 1/8                                    next 3
 *      2         1/2 + 2/1                                    next 3
 *      0         11 > 10: 3 out, L = 5/8; its uses start
 *                over: 5/8 + 1/2                              next 0
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const uint64_t sizes[] = {2, 4, 1, 8, 20};
static const struct policy_config config = {.capacity = 10, .nr_ids = 5, .sizes = sizes};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "gdsf: 0.1=0.5 | L 0 next 0"},
    {POLICY_READ, 1, false, "gdsf: 0.1=0.5 1.1=0.25 | L 0 next 1"},
    {POLICY_READ, 2, false, "gdsf: 0.1=0.5 1.1=0.25 2.1=1 | L 0 next 1"},
    {POLICY_READ, 1, true, "gdsf: 0.1=0.5 1.2=0.5 2.1=1 | L 0 next 0"},
    {POLICY_READ, 4, false, "gdsf: 0.1=0.5 1.2=0.5 2.1=1 | L 0 next 0"},
    {POLICY_READ, 3, false, "gdsf: 2.1=1 3.1=0.625 | L 0.5 next 3"},
    {POLICY_READ, 2, true, "gdsf: 2.2=2.5 3.1=0.625 | L 0.5 next 3"},
    {POLICY_READ, 0, false, "gdsf: 0.1=1.125 2.2=2.5 | L 0.625 next 0"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(gdsf, golden)
{
    golden_run(&policy_gdsf, &config, steps, NR_STEPS);
}

Test(gdsf, replay_is_access)
{
    golden_replay(&policy_gdsf, &config, steps, NR_STEPS);
}
