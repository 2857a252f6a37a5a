/* SPDX-License-Identifier: MIT */
/*
 * fifo: a trace by hand, capacity 3; then one in bytes, capacity 10. Youngest first.
 *
 *      0 1 2     fill                         2 1 0
 *      0         hit, changes nothing         2 1 0
 *      3         0 is oldest, goes            3 2 1
 *      0         1 goes                       0 3 2
 *      2         hit                          0 3 2
 *      4         2 goes, hit or not           4 0 3
 */
#include <criterion/criterion.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 3, .nr_ids = 5};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "fifo: 0"},     {POLICY_READ, 1, false, "fifo: 1 0"},
    {POLICY_READ, 2, false, "fifo: 2 1 0"}, {POLICY_READ, 0, true, "fifo: 2 1 0"},
    {POLICY_READ, 3, false, "fifo: 3 2 1"}, {POLICY_READ, 0, false, "fifo: 0 3 2"},
    {POLICY_READ, 2, true, "fifo: 0 3 2"},  {POLICY_READ, 4, false, "fifo: 4 0 3"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(fifo, golden)
{
    golden_run(&policy_fifo, &config, steps, NR_STEPS);
}

Test(fifo, replay_is_access)
{
    golden_replay(&policy_fifo, &config, steps, NR_STEPS);
}

/*
 * Sizes 4 3 5 11 0 10 of ids 0 … 5:
 *
 *      0 1       7 bytes                                  1 0
 *      2         12 > 10: 0 goes, 8 bytes                 2 1
 *      3         11 > 10: refused, nothing changes        2 1
 *      4         an empty object always fits              4 2 1
 *      5         1 and 2 go, the empty one need not       5 4
 *      1         5 would do, but 4 is older: both go      1
 */
static const uint64_t sizes[] = {4, 3, 5, 11, 0, 10};
static const struct policy_config bytes = {.capacity = 10, .nr_ids = 6, .sizes = sizes};

static const struct golden_step byte_steps[] = {
    {POLICY_READ, 0, false, "fifo: 0"},   {POLICY_READ, 1, false, "fifo: 1 0"},   {POLICY_READ, 2, false, "fifo: 2 1"},
    {POLICY_READ, 3, false, "fifo: 2 1"}, {POLICY_READ, 4, false, "fifo: 4 2 1"}, {POLICY_READ, 5, false, "fifo: 5 4"},
    {POLICY_READ, 1, false, "fifo: 1"},   {POLICY_READ, 1, true, "fifo: 1"},
};

#define NR_BYTE_STEPS (sizeof(byte_steps) / sizeof(byte_steps[0]))

Test(fifo, bytes)
{
    golden_run(&policy_fifo, &bytes, byte_steps, NR_BYTE_STEPS);
    golden_replay(&policy_fifo, &bytes, byte_steps, NR_BYTE_STEPS);
}

/* Misses: 0 1 2 3 4 5 1 = 4 + 3 + 5 + 11 + 0 + 10 + 3 bytes; one was refused; 1 is resident. */
Test(fifo, bytes_are_counted)
{
    static const uint32_t ids[] = {0, 1, 2, 3, 4, 5, 1, 1};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_fifo, &bytes, &p), 0);
    cr_assert_eq(policy_replay(p, ids, 8), 7);
    cr_assert_eq(p->missed_bytes, 36);
    cr_assert_eq(p->nr_refused, 1);
    cr_assert_eq(p->used, 3);
    policy_destroy(p);
}
