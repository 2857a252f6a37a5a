/* SPDX-License-Identifier: MIT */
/*
 * sieve: a trace by hand, capacity 3. Youngest first, v = visited, < = the hand (none: it starts
 * at the tail).
 *
 *      0 1 2     fill                                                2 1 0
 *      0         hit                                                 2 1 0v
 *      3         0 loses its mark, 1 is out, the hand is at 2        3 2< 0
 *      0 2       hits                                                3 2v< 0v
 *      4         from the hand: 2 loses its mark, 3 is out and was   4 2 0v
 *                the head, so the hand starts over
 *      5         0 loses its mark, 2 is out, the hand is at 4        5 4< 0
 *      5 4 0     hits                                                5v 4v< 0v
 *      6         4, 5, round the end 0 lose their marks, 4 is out    6 5< 0
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 3, .nr_ids = 7};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "sieve: 0"},       {POLICY_READ, 1, false, "sieve: 1 0"},
    {POLICY_READ, 2, false, "sieve: 2 1 0"},   {POLICY_READ, 0, true, "sieve: 2 1 0v"},
    {POLICY_READ, 3, false, "sieve: 3 2< 0"},  {POLICY_READ, 0, true, "sieve: 3 2< 0v"},
    {POLICY_READ, 2, true, "sieve: 3 2v< 0v"}, {POLICY_READ, 4, false, "sieve: 4 2 0v"},
    {POLICY_READ, 5, false, "sieve: 5 4< 0"},  {POLICY_READ, 5, true, "sieve: 5v 4< 0"},
    {POLICY_READ, 4, true, "sieve: 5v 4v< 0"}, {POLICY_READ, 0, true, "sieve: 5v 4v< 0v"},
    {POLICY_READ, 6, false, "sieve: 6 5< 0"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(sieve, golden)
{
    golden_run(&policy_sieve, &config, steps, NR_STEPS);
}

Test(sieve, replay_is_access)
{
    golden_replay(&policy_sieve, &config, steps, NR_STEPS);
}
