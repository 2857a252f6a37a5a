/* SPDX-License-Identifier: MIT */
/*
 * lru: a trace by hand, capacity 3. Lists are written youngest first.
 *
 *      request   before     what happens
 *      0 1 2                fills the cache:             2 1 0
 *      0         2 1 0      hit, to the front:           0 2 1
 *      3         0 2 1      miss, 1 is oldest, goes:     3 0 2
 *      1         3 0 2      miss, 2 goes:                1 3 0
 *      0         1 3 0      hit:                         0 1 3
 *      0         0 1 3      hit, is first already:       0 1 3
 *      3         0 1 3      hit of the oldest:           3 0 1
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 3, .nr_ids = 4};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "lru: 0"},    {POLICY_READ, 1, false, "lru: 1 0"},   {POLICY_READ, 2, false, "lru: 2 1 0"},
    {POLICY_READ, 0, true, "lru: 0 2 1"}, {POLICY_READ, 3, false, "lru: 3 0 2"}, {POLICY_READ, 1, false, "lru: 1 3 0"},
    {POLICY_READ, 0, true, "lru: 0 1 3"}, {POLICY_READ, 0, true, "lru: 0 1 3"},  {POLICY_READ, 3, true, "lru: 3 0 1"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(lru, golden)
{
    golden_run(&policy_lru, &config, steps, NR_STEPS);
}

Test(lru, replay_is_access)
{
    golden_replay(&policy_lru, &config, steps, NR_STEPS);
}

/* A prefetch admits but is no access: the oldest stays the oldest, and 2 evicts 0 then. */
Test(lru, prefetch)
{
    static const struct golden_step prefetches[] = {
        {POLICY_PREFETCH, 0, false, "lru: 0"},  {POLICY_READ, 1, false, "lru: 1 0"},
        {POLICY_PREFETCH, 0, true, "lru: 1 0"}, {POLICY_PREFETCH, 2, false, "lru: 2 1"},
        {POLICY_WRITE, 1, true, "lru: 1 2"},    {POLICY_MAPPED, 2, true, "lru: 2 1"},
    };
    static const struct policy_config two = {.capacity = 2, .nr_ids = 3};

    golden_run(&policy_lru, &two, prefetches, sizeof(prefetches) / sizeof(prefetches[0]));
}

Test(lru, capacity_one)
{
    static const struct golden_step one[] = {
        {POLICY_READ, 0, false, "lru: 0"},
        {POLICY_READ, 0, true, "lru: 0"},
        {POLICY_READ, 1, false, "lru: 1"},
        {POLICY_READ, 0, false, "lru: 0"},
    };
    static const struct policy_config config_one = {.capacity = 1, .nr_ids = 2};

    golden_run(&policy_lru, &config_one, one, sizeof(one) / sizeof(one[0]));
}
