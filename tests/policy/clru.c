/* SPDX-License-Identifier: MIT */
/*
 * clru: two traces by hand, capacity 4 (so reclaim wants 1 entry at a time), one for each channel.
 *
 * Lists youngest first. r referenced, w workingset, y young, x executable. A = nonresident age. A
 * miss in a full cache reclaims first; its passes look at (list length >> priority) entries, so
 * with up to 4 entries a list of 4 starts at priority 2, one of 2 or 3 at priority 1, one of 1 at
 * priority 0.
 *
 * Read channel
 *   1   0   miss, marked once                                      active:        inactive: 0r  A 0
 *   2   1   miss                                                                     1r 0r        0
 *   3   0   second read: activated, A + 1                          0                 1r           1
 *   4   0   active and unreferenced: marked                        0r                1r           1
 *   5   2   miss                                                   0r                2r 1r        1
 *   6   3   miss, full now                                         0r                3r 2r 1r     1
 *   7   4   prio 1: evict 1 though referenced (shadow 1)           0r                4r 3r 2r     2
 *   8   1   evict 2 (shadow 2); d = 3 - 1 = 2 > |active| 1         0r                1r 4r 3r     3
 *   9   2   evict 3 (shadow 3); d = 4 - 2 = 2 > 1                  0r                2r 1r 4r     4
 *  10   1   activated                                              1 0r              2r 4r        5
 *  11   3   evict 4 (shadow 5); d = 6 - 3 = 3 > 2                  1 0r              3r 2r        6
 *  12   4   evict 2 (shadow 6); d = 7 - 5 = 2 ≤ 2: activated,
 *           A + 1, then marked                                     4r 1 0r           3r           8
 *  13   5   a refault activation since the last cycle: deactivate.
 *           prio 1: inactive 1 >> 1 = 0; active 3 >> 1 = 1: 0r
 *                                                                  4r 1              0rw 3r
 *           prio 0: evict 3 (shadow 8); active: 1                  4r                1w 0rw
 *           insert                                                 4r                5r 1w 0rw    9
 *  14   0   kept its r over deactivation: one read activates       0w 4r             5r 1w       10
 *  15   1   had none: marked only                                  0w 4r             5r 1rw      10
 *  16   6   no refault since, 2 < 2 is not low; evict 1 (shadow
 *           10, w)                                                 0w 4r             6r 5r       11
 *  17   1   evict 5 (shadow 11); d = 12 - 10 = 2 ≤ 2: activated,
 *           workingset restored                                    1rw 0w 4r         6r          13
 *  18   6   activated                                              6 1rw 0w 4r                   14
 *  19   7   refault since: prio 2: 4r; prio 1: 3 >> 1 = 1: 0w
 *                                                                  6 1rw             0w 4rw
 *           prio 0: evict 4 (shadow 14, w); active: 1rw            6                 7r 1rw 0w   15
 *  20   1   activated                                              1w 6              7r 0w       16
 *  21   7   activated                                              7 1w 6            0w          17
 *  22   8   no refault, but 1 < 3 is low. prio 1: 6 goes down      7 1w              6w 0w
 *           prio 0: 2 < 2 is not low any more; evict 0 (shadow 17) 7 1w              8r 6w       18
 *  23   9   prefetched: evict 6; not marked                        7 1w              9 8r        19
 *  24   9   first read: marked only                                7 1w              9r 8r       19
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "golden.h"
#include "policy/all.h"
#include "policy/clru.h"

static const struct policy_config config = {.capacity = 4, .nr_ids = 12};

static const struct golden_step reads[] = {
    {POLICY_READ, 0, false, "active: | inactive: 0r | age 0 refaults 0 restores 0"},
    {POLICY_READ, 1, false, "active: | inactive: 1r 0r | age 0 refaults 0 restores 0"},
    {POLICY_READ, 0, true, "active: 0 | inactive: 1r | age 1 refaults 0 restores 0"},
    {POLICY_READ, 0, true, "active: 0r | inactive: 1r | age 1 refaults 0 restores 0"},
    {POLICY_READ, 2, false, "active: 0r | inactive: 2r 1r | age 1 refaults 0 restores 0"},
    {POLICY_READ, 3, false, "active: 0r | inactive: 3r 2r 1r | age 1 refaults 0 restores 0"},
    {POLICY_READ, 4, false, "active: 0r | inactive: 4r 3r 2r | age 2 refaults 0 restores 0"},
    {POLICY_READ, 1, false, "active: 0r | inactive: 1r 4r 3r | age 3 refaults 0 restores 0"},
    {POLICY_READ, 2, false, "active: 0r | inactive: 2r 1r 4r | age 4 refaults 0 restores 0"},
    {POLICY_READ, 1, true, "active: 1 0r | inactive: 2r 4r | age 5 refaults 0 restores 0"},
    {POLICY_READ, 3, false, "active: 1 0r | inactive: 3r 2r | age 6 refaults 0 restores 0"},
    {POLICY_READ, 4, false, "active: 4r 1 0r | inactive: 3r | age 8 refaults 1 restores 0"},
    {POLICY_READ, 5, false, "active: 4r | inactive: 5r 1w 0rw | age 9 refaults 1 restores 0"},
    {POLICY_READ, 0, true, "active: 0w 4r | inactive: 5r 1w | age 10 refaults 1 restores 0"},
    {POLICY_READ, 1, true, "active: 0w 4r | inactive: 5r 1rw | age 10 refaults 1 restores 0"},
    {POLICY_READ, 6, false, "active: 0w 4r | inactive: 6r 5r | age 11 refaults 1 restores 0"},
    {POLICY_READ, 1, false, "active: 1rw 0w 4r | inactive: 6r | age 13 refaults 2 restores 1"},
    {POLICY_READ, 6, true, "active: 6 1rw 0w 4r | inactive: | age 14 refaults 2 restores 1"},
    {POLICY_READ, 7, false, "active: 6 | inactive: 7r 1rw 0w | age 15 refaults 2 restores 1"},
    {POLICY_READ, 1, true, "active: 1w 6 | inactive: 7r 0w | age 16 refaults 2 restores 1"},
    {POLICY_READ, 7, true, "active: 7 1w 6 | inactive: 0w | age 17 refaults 2 restores 1"},
    {POLICY_READ, 8, false, "active: 7 1w | inactive: 8r 6w | age 18 refaults 2 restores 1"},
    {POLICY_PREFETCH, 9, false, "active: 7 1w | inactive: 9 8r | age 19 refaults 2 restores 1"},
    {POLICY_READ, 9, true, "active: 7 1w | inactive: 9r 8r | age 19 refaults 2 restores 1"},
};

#define NR_READS (sizeof(reads) / sizeof(reads[0]))

Test(clru, golden_read)
{
    golden_run(&policy_clru, &config, reads, NR_READS);
}

/* All but the last two steps, which are no plain reads of the replay channel. */
Test(clru, replay_is_access)
{
    golden_replay(&policy_clru, &config, reads, NR_READS - 2);
}

/*
 * Mapped channel: an access only sets y, reclaim looks at it.
 *
 *   1-4 0 1 2 3  faults, plain inactive, then the access sets y    active:          3y 2y 1y 0y A 0
 *   5   4   prio 2: 0y is young: second chance, r, to the head                       0r 3y 2y 1y
 *           prio 1: 1y, 2y the same                                                  2r 1r 0r 3y
 *           prio 0: 3y the same, then 0r: not young, evict (0)                       4y 3r 2r 1r  1
 *   6   2   sets y                                                                   4y 3r 2ry 1r 1
 *   7   5   prio 2: evict 1 (shadow 1)                                               5y 4y 3r 2ry 2
 *   8   6   prio 2: 2 is young and referenced: activated (no A)    2r                5y 4y 3r
 *           prio 1: evict 3 (shadow 2)                             2r                6y 5y 4y     3
 *   9   7x  prio 1: 4y kept; prio 0: 5y, 6y kept, then evict 4
 *           (shadow 3)                                             2r                7yx 6r 5r    4
 *  10   8   prio 1: evict 5 (shadow 4)                             2r                8y 7yx 6r    5
 *  11   5   prio 1: evict 6 (shadow 5); d = 6 - 4 = 2 > 1          2r                5y 8y 7yx    6
 *  12   6   prio 1: 7 is young and executable: activated at once   7rx 2r            5y 8y
 *           prio 0: 8y, 5y kept: nothing evicted in this round     7rx 2r            5r 8r
 *           again, prio 1: evict 8 (shadow 6); d = 7 - 5 = 2 ≤ 2:
 *           inserted active, A + 1                                 6y 7rx 2r         5r           8
 *  13   7x  sets y                                                 6y 7ryx 2r        5r           8
 *  14   9   refault since. prio 1: 2r down                         6y 7ryx           2rw 5r
 *           prio 0: evict 5 (shadow 8); 7: young and executable,
 *           rotates                                                7rx 6y            9y 2rw       9
 *  15  10   no refault since, 2 < 2 not low. evict 2 (shadow 9, w) 7rx 6y            10y 9y      10
 *  16   2   prio 1: 9y kept; prio 0: 10y kept, evict 9 (shadow 10);
 *           d = 11 - 9 = 2 ≤ 2: active, restored                   2wy 7rx 6y        10r         12
 *  17  11   refault since. prio 1: 6 is young but not executable:
 *           down, without y                                        2wy 7rx           6w 10r
 *           prio 0: evict 10 (shadow 12); 7 is not young: down     2wy               11y 7rwx 6w 13
 */
Test(clru, golden_mapped)
{
    static const struct golden_step steps[] = {
        {POLICY_MAPPED, 0, false, "active: | inactive: 0y | age 0 refaults 0 restores 0"},
        {POLICY_MAPPED, 1, false, "active: | inactive: 1y 0y | age 0 refaults 0 restores 0"},
        {POLICY_MAPPED, 2, false, "active: | inactive: 2y 1y 0y | age 0 refaults 0 restores 0"},
        {POLICY_MAPPED, 3, false, "active: | inactive: 3y 2y 1y 0y | age 0 refaults 0 restores 0"},
        {POLICY_MAPPED, 4, false, "active: | inactive: 4y 3r 2r 1r | age 1 refaults 0 restores 0"},
        {POLICY_MAPPED, 2, true, "active: | inactive: 4y 3r 2ry 1r | age 1 refaults 0 restores 0"},
        {POLICY_MAPPED, 5, false, "active: | inactive: 5y 4y 3r 2ry | age 2 refaults 0 restores 0"},
        {POLICY_MAPPED, 6, false, "active: 2r | inactive: 6y 5y 4y | age 3 refaults 0 restores 0"},
        {POLICY_EXEC, 7, false, "active: 2r | inactive: 7yx 6r 5r | age 4 refaults 0 restores 0"},
        {POLICY_MAPPED, 8, false, "active: 2r | inactive: 8y 7yx 6r | age 5 refaults 0 restores 0"},
        {POLICY_MAPPED, 5, false, "active: 2r | inactive: 5y 8y 7yx | age 6 refaults 0 restores 0"},
        {POLICY_MAPPED, 6, false, "active: 6y 7rx 2r | inactive: 5r | age 8 refaults 1 restores 0"},
        {POLICY_EXEC, 7, true, "active: 6y 7ryx 2r | inactive: 5r | age 8 refaults 1 restores 0"},
        {POLICY_MAPPED, 9, false, "active: 7rx 6y | inactive: 9y 2rw | age 9 refaults 1 restores 0"},
        {POLICY_MAPPED, 10, false, "active: 7rx 6y | inactive: 10y 9y | age 10 refaults 1 restores 0"},
        {POLICY_MAPPED, 2, false, "active: 2wy 7rx 6y | inactive: 10r | age 12 refaults 2 restores 1"},
        {POLICY_MAPPED, 11, false, "active: 2wy | inactive: 11y 7rwx 6w | age 13 refaults 2 restores 1"},
    };

    golden_run(&policy_clru, &config, steps, sizeof(steps) / sizeof(steps[0]));
}

/*
 * Capacity 1024: the request is 32. 1024 inactive entries, read once each; one more miss makes
 * passes at 1024 >> 10 = 1, 1023 >> 9 = 1, 1022 >> 8 = 3, 1019 >> 7 = 7, 1012 >> 6 = 15 (27 so
 * far), and at 997 >> 5 = 31: the chunk that reaches the 32 is scanned to its end, as the kernel
 * does. 58 go, 1 comes.
 */
Test(clru, reclaims_in_chunks)
{
    static const struct policy_config big = {.capacity = 1024, .nr_ids = 2000};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_clru, &big, &p), 0);
    for (uint32_t id = 0; id < 1024; id++) {
        cr_assert_not(policy_access(p, id, POLICY_READ));
    }
    cr_assert_eq(p->nr_resident, 1024);
    cr_assert_eq(p->evictions, 0);
    cr_assert_not(policy_access(p, 1024, POLICY_READ));
    cr_assert_eq(p->evictions, 58);
    cr_assert_eq(p->nr_resident, 967);
    cr_assert_not(policy_is_resident(p, 57));
    cr_assert(policy_is_resident(p, 58));
    policy_destroy(p);
}

/* With every entry young in every reclaim, something must still be freed. */
Test(clru, all_young_still_evicts)
{
    static const struct policy_config big = {.capacity = 600, .nr_ids = 5000};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_clru, &big, &p), 0);
    for (uint32_t id = 0; id < 5000; id++) {
        for (uint32_t other = 0; other < id; other++) {
            if (policy_is_resident(p, other)) {
                policy_access(p, other, other % 3 ? POLICY_MAPPED : POLICY_EXEC);
            }
        }
        cr_assert_not(policy_access(p, id, id % 3 ? POLICY_MAPPED : POLICY_EXEC));
        cr_assert_leq(p->nr_resident, 600);
    }
    cr_assert_eq(p->evictions, 5000 - p->nr_resident);
    policy_destroy(p);
}

/* The kernel's own table: 1 GiB 3, 10 GiB 10, 16 GiB 12, 40 GiB 20; below 1 GiB 1. */
Test(clru, inactive_ratio)
{
    const uint64_t gib = (uint64_t)1 << 18;

    cr_assert_eq(clru_inactive_ratio(0), 1);
    cr_assert_eq(clru_inactive_ratio(gib - 1), 1);
    cr_assert_eq(clru_inactive_ratio(gib), 3);
    cr_assert_eq(clru_inactive_ratio(10 * gib - 1), 9);
    cr_assert_eq(clru_inactive_ratio(10 * gib), 10);
    cr_assert_eq(clru_inactive_ratio(16 * gib), 12);
    cr_assert_eq(clru_inactive_ratio(40 * gib), 20);
}
