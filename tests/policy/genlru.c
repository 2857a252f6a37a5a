/* SPDX-License-Identifier: MIT */
/*
 * genlru behind the vtable: the presets' rules as algorithms and docs/design.md state them,
 * followed by hand through short traces.
 *
 * A state lists the generations from the youngest (0) to the oldest, in each the entries by id:
 * id.refs, w = working set, p = prefetched and not yet used, y = young bit, x = dear. The caches
 * are so small that one entry is evicted at a time. Nothing refaults often enough (64 times) for
 * the tiers to protect anything.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "golden.h"
#include "policy/all.h"
#include "policy/genlru.h"

static const struct policy_config four = {.capacity = 4, .nr_ids = 12};
static const struct policy_config two = {.capacity = 2, .nr_ids = 4};

#define RUN(ops, config, steps) golden_run(&ops, &config, steps, sizeof(steps) / sizeof(steps[0]))
#define REPLAY(ops, config, steps) golden_replay(&ops, &config, steps, sizeof(steps) / sizeof(steps[0]))

/*
 * Frequency guided promotion.
 *
 *   1  0    new, refs 1: oldest of the four generations
 *   2  1    the same
 *   3  0    second access in one of the two oldest: up by one
 *   4  0    third: up by one more
 *   5  0    fourth, in the second youngest: only counts
 *   6  2, 7 3
 *   8  4    evicts 1 (oldest; 0 hangs before it, but its word is younger)
 *   9  1    evicts 2; returns: its shadow says 1, this access makes 2, so it is warm: second oldest
 *  10-12 0  counts to 7
 *  13  0    overflow: up by one, refs 3
 *  14  5    evicts 3
 *  15  6    evicts 4
 *  16  5    deferred
 *  17  1    third access, in the second oldest: up
 *  18  6    deferred: the oldest generation is empty
 *  19  7    min_seq + 1, three generations; evicts 5; new ones go to the oldest there is
 *  20  8    evicts 6
 *  21  7    deferred
 *  22  8    deferred
 *  23  7    refs 3, the two oldest of three are 1 and 2: up
 *  24  1    fourth access, kept at 3: up
 *  25  9    the oldest is empty, two generations are left: a new one begins; evicts 8
 *  26  8    evicts 9; shadow 2, so 3: warm, second oldest of four is the oldest of three
 *  27 10    evicts 8
 *  28 11    prefetched: evicts 10; no access counted
 *  29 11    first access: refs 1, no deferral
 *  30 11    second access: up
 */
static const struct golden_step fg[] = {
    {POLICY_READ, 0, false, "0: | 1: | 2: | 3: 0.1"},
    {POLICY_READ, 1, false, "0: | 1: | 2: | 3: 0.1 1.1"},
    {POLICY_READ, 0, true, "0: | 1: | 2: 0.2 | 3: 1.1"},
    {POLICY_READ, 0, true, "0: | 1: 0.3 | 2: | 3: 1.1"},
    {POLICY_READ, 0, true, "0: | 1: 0.4 | 2: | 3: 1.1"},
    {POLICY_READ, 2, false, "0: | 1: 0.4 | 2: | 3: 1.1 2.1"},
    {POLICY_READ, 3, false, "0: | 1: 0.4 | 2: | 3: 1.1 2.1 3.1"},
    {POLICY_READ, 4, false, "0: | 1: 0.4 | 2: | 3: 2.1 3.1 4.1"},
    {POLICY_READ, 1, false, "0: | 1: 0.4 | 2: 1.2 | 3: 3.1 4.1"},
    {POLICY_READ, 0, true, "0: | 1: 0.5 | 2: 1.2 | 3: 3.1 4.1"},
    {POLICY_READ, 0, true, "0: | 1: 0.6 | 2: 1.2 | 3: 3.1 4.1"},
    {POLICY_READ, 0, true, "0: | 1: 0.7 | 2: 1.2 | 3: 3.1 4.1"},
    {POLICY_READ, 0, true, "0: 0.3 | 1: | 2: 1.2 | 3: 3.1 4.1"},
    {POLICY_READ, 5, false, "0: 0.3 | 1: | 2: 1.2 | 3: 4.1 5.1"},
    {POLICY_READ, 6, false, "0: 0.3 | 1: | 2: 1.2 | 3: 5.1 6.1"},
    {POLICY_READ, 5, true, "0: 0.3 | 1: | 2: 1.2 5.2 | 3: 6.1"},
    {POLICY_READ, 1, true, "0: 0.3 | 1: 1.3 | 2: 5.2 | 3: 6.1"},
    {POLICY_READ, 6, true, "0: 0.3 | 1: 1.3 | 2: 5.2 6.2 | 3:"},
    {POLICY_READ, 7, false, "0: 0.3 | 1: 1.3 | 2: 6.2 7.1"},
    {POLICY_READ, 8, false, "0: 0.3 | 1: 1.3 | 2: 7.1 8.1"},
    {POLICY_READ, 7, true, "0: 0.3 | 1: 1.3 7.2 | 2: 8.1"},
    {POLICY_READ, 8, true, "0: 0.3 | 1: 1.3 7.2 8.2 | 2:"},
    {POLICY_READ, 7, true, "0: 0.3 7.3 | 1: 1.3 8.2 | 2:"},
    {POLICY_READ, 1, true, "0: 0.3 1.3 7.3 | 1: 8.2 | 2:"},
    {POLICY_READ, 9, false, "0: | 1: 0.3 1.3 7.3 | 2: 9.1"},
    {POLICY_READ, 8, false, "0: | 1: 0.3 1.3 7.3 | 2: 8.3"},
    {POLICY_READ, 10, false, "0: | 1: 0.3 1.3 7.3 | 2: 10.1"},
    {POLICY_PREFETCH, 11, false, "0: | 1: 0.3 1.3 7.3 | 2: 11.0p"},
    {POLICY_READ, 11, true, "0: | 1: 0.3 1.3 7.3 | 2: 11.1"},
    {POLICY_READ, 11, true, "0: | 1: 0.3 1.3 7.3 11.2 | 2:"},
};

Test(mglru_fg, golden_read)
{
    RUN(policy_mglru_fg, four, fg);
}

Test(mglru_fg, replay_is_access)
{
    golden_replay(&policy_mglru_fg, &four, fg, 27);
}

/*
 * genlru's default: as mglru-fg, but any generation except the youngest defers, at the third use,
 * keeping up to 4 refs; and a new generation begins each time a quarter of the capacity was evicted
 * (here: at every eviction), where the window is not full.
 *
 *   1 0, 2 1, 3 2   oldest of four
 *   4  0    second use: only counts
 *   5  0    third: up by one
 *   6  0    fourth: up by one
 *   7  0    fifth, kept at 4: up to the youngest
 *   8  0    counts there
 *   9  3
 *  10  4    evicts 1; the window is full: no new generation
 *  11  1    evicts 2; returns with 1, so 2: warm, second oldest
 *  12  1    third use: up
 *  13  3    counts
 *  14  3    third use: up
 *  15  5    evicts 4; 3 hangs before it, but its word is younger
 *  16  5    counts
 *  17  5    third use: up; the oldest is empty
 *  18  6    the oldest is skipped, three are left; evicts 3; then a new generation begins: all get
 *           older by one
 *  19  0    third use and more, in the second youngest: up, kept at 4
 *  20  3    evicts 5 (tier 2, which nothing protects); full; returns with 3, so 4: warm
 *  21  7    evicts 6
 *  22  8    evicts 7
 *  23  8    counts
 *  24  8    up; the oldest is empty
 *  25  9    the oldest is skipped; evicts 1, which came to that generation first; a new one begins
 */
static const struct golden_step own[] = {
    {POLICY_READ, 0, false, "0: | 1: | 2: | 3: 0.1"},
    {POLICY_READ, 1, false, "0: | 1: | 2: | 3: 0.1 1.1"},
    {POLICY_READ, 2, false, "0: | 1: | 2: | 3: 0.1 1.1 2.1"},
    {POLICY_READ, 0, true, "0: | 1: | 2: | 3: 0.2 1.1 2.1"},
    {POLICY_READ, 0, true, "0: | 1: | 2: 0.3 | 3: 1.1 2.1"},
    {POLICY_READ, 0, true, "0: | 1: 0.4 | 2: | 3: 1.1 2.1"},
    {POLICY_READ, 0, true, "0: 0.4 | 1: | 2: | 3: 1.1 2.1"},
    {POLICY_READ, 0, true, "0: 0.5 | 1: | 2: | 3: 1.1 2.1"},
    {POLICY_READ, 3, false, "0: 0.5 | 1: | 2: | 3: 1.1 2.1 3.1"},
    {POLICY_READ, 4, false, "0: 0.5 | 1: | 2: | 3: 2.1 3.1 4.1"},
    {POLICY_READ, 1, false, "0: 0.5 | 1: | 2: 1.2 | 3: 3.1 4.1"},
    {POLICY_READ, 1, true, "0: 0.5 | 1: 1.3 | 2: | 3: 3.1 4.1"},
    {POLICY_READ, 3, true, "0: 0.5 | 1: 1.3 | 2: | 3: 3.2 4.1"},
    {POLICY_READ, 3, true, "0: 0.5 | 1: 1.3 | 2: 3.3 | 3: 4.1"},
    {POLICY_READ, 5, false, "0: 0.5 | 1: 1.3 | 2: 3.3 | 3: 5.1"},
    {POLICY_READ, 5, true, "0: 0.5 | 1: 1.3 | 2: 3.3 | 3: 5.2"},
    {POLICY_READ, 5, true, "0: 0.5 | 1: 1.3 | 2: 3.3 5.3 | 3:"},
    {POLICY_READ, 6, false, "0: | 1: 0.5 | 2: 1.3 | 3: 5.3 6.1"},
    {POLICY_READ, 0, true, "0: 0.4 | 1: | 2: 1.3 | 3: 5.3 6.1"},
    {POLICY_READ, 3, false, "0: 0.4 | 1: | 2: 1.3 3.4 | 3: 6.1"},
    {POLICY_READ, 7, false, "0: 0.4 | 1: | 2: 1.3 3.4 | 3: 7.1"},
    {POLICY_READ, 8, false, "0: 0.4 | 1: | 2: 1.3 3.4 | 3: 8.1"},
    {POLICY_READ, 8, true, "0: 0.4 | 1: | 2: 1.3 3.4 | 3: 8.2"},
    {POLICY_READ, 8, true, "0: 0.4 | 1: | 2: 1.3 3.4 8.3 | 3:"},
    {POLICY_READ, 9, false, "0: | 1: 0.4 | 2: | 3: 3.4 8.3 9.1"},
};

Test(tuned_fg, golden_read)
{
    RUN(policy_tuned_fg, four, own);
    REPLAY(policy_tuned_fg, four, own);
}

/*
 * The default begins with a duel; behind p: stands probation, for new nodes once the cache is full.
 *
 *   6   4   scans the oldest: 0 was used again and is kept, one up; evicts 1
 *   8   5   4 was used again: it contends with 2, the oldest, and wins; evicts 2
 *   9   6   5 was not; evicts it
 *   10  5   comes back with what its shadow counted, so used twice; evicts 6
 *   11  7   and contends: evicts 3
 */
static const struct golden_step duel[] = {
    {POLICY_READ, 0, false, "0: | 1: | 2: | 3: 0.1"},
    {POLICY_READ, 1, false, "0: | 1: | 2: | 3: 0.1 1.1"},
    {POLICY_READ, 2, false, "0: | 1: | 2: | 3: 0.1 1.1 2.1"},
    {POLICY_READ, 3, false, "0: | 1: | 2: | 3: 0.1 1.1 2.1 3.1"},
    {POLICY_READ, 0, true, "0: | 1: | 2: | 3: 0.2 1.1 2.1 3.1"},
    {POLICY_READ, 4, false, "0: | 1: | 2: 0.1 | 3: 2.1 3.1 | p: 4.1"},
    {POLICY_READ, 4, true, "0: | 1: | 2: 0.1 | 3: 2.1 3.1 | p: 4.2"},
    {POLICY_READ, 5, false, "0: | 1: | 2: 0.1 | 3: 3.1 4.2 | p: 5.1"},
    {POLICY_READ, 6, false, "0: | 1: | 2: 0.1 | 3: 3.1 4.2 | p: 6.1"},
    {POLICY_READ, 5, false, "0: | 1: | 2: 0.1 | 3: 3.1 4.2 | p: 5.2"},
    {POLICY_READ, 7, false, "0: | 1: | 2: 0.1 | 3: 4.2 5.2 | p: 7.1"},
};

Test(genlru, golden_read)
{
    RUN(policy_genlru, four, duel);
    REPLAY(policy_genlru, four, duel);
}

/*
 * The mapped channel of mglru-fg. Evict looks at the young bit of what it isolates: such a node is
 * reported and put back into the second youngest generation with at most 2 refs.
 *
 *   1-4  0 1 2 3  faults: refs 1, oldest of four
 *   5    4        0, 1, 2, 3 in turn are isolated, found young, put back. The two oldest are
 *                 empty then and skipped, a new generation begins: what was second youngest is the
 *                 oldest of three. Evicts 0, not young any more. (Aging harvests nothing.)
 *   6    1        sets y
 *   7    5        1 is put back; evicts 2
 *   8    2        evicts 3; 2 returns with 2 refs, so of the working set, by a fault: youngest;
 *                 this access makes 3
 *   9    6x       4 and 5 are put back; the oldest is empty, a new generation begins; evicts 1.
 *                 Aging harvests 2: a second access, so youngest, and kept at 3 refs
 *  10    6x       sets y (it is)
 *  11    7        evicts 4
 *  12    8        evicts 5
 *  13    9        6, 7, 8 are put back, a new generation begins; evicts 6
 */
Test(mglru_fg, golden_mapped)
{
    static const struct golden_step steps[] = {
        {POLICY_MAPPED, 0, false, "0: | 1: | 2: | 3: 0.1y"},
        {POLICY_MAPPED, 1, false, "0: | 1: | 2: | 3: 0.1y 1.1y"},
        {POLICY_MAPPED, 2, false, "0: | 1: | 2: | 3: 0.1y 1.1y 2.1y"},
        {POLICY_MAPPED, 3, false, "0: | 1: | 2: | 3: 0.1y 1.1y 2.1y 3.1y"},
        {POLICY_MAPPED, 4, false, "0: | 1: | 2: 1.2 2.2 3.2 4.1y"},
        {POLICY_MAPPED, 1, true, "0: | 1: | 2: 1.2y 2.2 3.2 4.1y"},
        {POLICY_MAPPED, 5, false, "0: | 1: 1.2 | 2: 3.2 4.1y 5.1y"},
        {POLICY_MAPPED, 2, false, "0: 2.3y | 1: 1.2 | 2: 4.1y 5.1y"},
        {POLICY_EXEC, 6, false, "0: 2.3 | 1: | 2: 4.2 5.2 6.1yx"},
        {POLICY_EXEC, 6, true, "0: 2.3 | 1: | 2: 4.2 5.2 6.1yx"},
        {POLICY_MAPPED, 7, false, "0: 2.3 | 1: | 2: 5.2 6.1yx 7.1y"},
        {POLICY_MAPPED, 8, false, "0: 2.3 | 1: | 2: 6.1yx 7.1y 8.1y"},
        {POLICY_MAPPED, 9, false, "0: | 1: 2.3 | 2: 7.2 8.2 9.1y"},
    };

    RUN(policy_mglru_fg, four, steps);
}

/*
 * Before frequency guided promotion: a hit only counts, to 4, and then marks the working set;
 * nothing moves until a scan meets it. A node read once enters the second oldest generation.
 *
 *   1      0   refs 1: second oldest
 *   2-5    0   counts to 4, then w
 *   6-10   1   the same
 *  11      2   the empty oldest is skipped: three. 0 and 1, saturated and w, are moved up with refs
 *              0; that generation is empty, too, two are left, a new one begins. Evicts 0, which
 *              leaves w in its shadow
 *  12      0   evicts 1; w is restored
 */
Test(mglru, golden_read)
{
    static const struct golden_step steps[] = {
        {POLICY_READ, 0, false, "0: | 1: | 2: 0.1 | 3:"},     {POLICY_READ, 0, true, "0: | 1: | 2: 0.2 | 3:"},
        {POLICY_READ, 0, true, "0: | 1: | 2: 0.3 | 3:"},      {POLICY_READ, 0, true, "0: | 1: | 2: 0.4 | 3:"},
        {POLICY_READ, 0, true, "0: | 1: | 2: 0.4w | 3:"},     {POLICY_READ, 1, false, "0: | 1: | 2: 0.4w 1.1 | 3:"},
        {POLICY_READ, 1, true, "0: | 1: | 2: 0.4w 1.2 | 3:"}, {POLICY_READ, 1, true, "0: | 1: | 2: 0.4w 1.3 | 3:"},
        {POLICY_READ, 1, true, "0: | 1: | 2: 0.4w 1.4 | 3:"}, {POLICY_READ, 1, true, "0: | 1: | 2: 0.4w 1.4w | 3:"},
        {POLICY_READ, 2, false, "0: | 1: | 2: 1.0w 2.1"},     {POLICY_READ, 0, false, "0: | 1: | 2: 0.1w 2.1"},
    };

    RUN(policy_mglru, two, steps);
    REPLAY(policy_mglru, two, steps);
}

/*
 * The same with room for four, where not all are saturated.
 *
 *   1      0   second oldest
 *   2-5    0   counts to 4, then w
 *   6 1, 7 2, 8 3
 *   9      4   the empty oldest is skipped. 0 is moved up, refs 0; evicts 1; 4 goes to the oldest
 *              of three
 *  10      0   counts
 *  11      1   evicts 2; returns without w: refs start at this access
 *  12      3   counts: tier 1, which nothing protects
 *  13      5   evicts 3
 *  14      6   evicts 4
 */
Test(mglru, golden_four)
{
    static const struct golden_step steps[] = {
        {POLICY_READ, 0, false, "0: | 1: | 2: 0.1 | 3:"},
        {POLICY_READ, 0, true, "0: | 1: | 2: 0.2 | 3:"},
        {POLICY_READ, 0, true, "0: | 1: | 2: 0.3 | 3:"},
        {POLICY_READ, 0, true, "0: | 1: | 2: 0.4 | 3:"},
        {POLICY_READ, 0, true, "0: | 1: | 2: 0.4w | 3:"},
        {POLICY_READ, 1, false, "0: | 1: | 2: 0.4w 1.1 | 3:"},
        {POLICY_READ, 2, false, "0: | 1: | 2: 0.4w 1.1 2.1 | 3:"},
        {POLICY_READ, 3, false, "0: | 1: | 2: 0.4w 1.1 2.1 3.1 | 3:"},
        {POLICY_READ, 4, false, "0: | 1: 0.0w | 2: 2.1 3.1 4.1"},
        {POLICY_READ, 0, true, "0: | 1: 0.1w | 2: 2.1 3.1 4.1"},
        {POLICY_READ, 1, false, "0: | 1: 0.1w | 2: 1.1 3.1 4.1"},
        {POLICY_READ, 3, true, "0: | 1: 0.1w | 2: 1.1 3.2 4.1"},
        {POLICY_READ, 5, false, "0: | 1: 0.1w | 2: 1.1 4.1 5.1"},
        {POLICY_READ, 6, false, "0: | 1: 0.1w | 2: 1.1 5.1 6.1"},
    };

    RUN(policy_mglru, four, steps);
    REPLAY(policy_mglru, four, steps);
}

/*
 * mglru-old: only the working set enters above the oldest generation.
 *
 *   1 0, 2 1   the oldest of four
 *   3-6    0   counts to 4, then w
 *   7      2   0 is moved up, refs 0; evicts 1
 *   8      1   evicts 2; no w in the shadow: oldest
 *   9-12   1   counts to 4, then w
 *  13      3   1 is moved up behind 0; the empty oldest is skipped; evicts 0
 *  14      0   evicts 1; w restored, so it is warm: the second oldest of four, the oldest of three
 */
Test(mglru_old, golden_read)
{
    static const struct golden_step steps[] = {
        {POLICY_READ, 0, false, "0: | 1: | 2: | 3: 0.1"},      {POLICY_READ, 1, false, "0: | 1: | 2: | 3: 0.1 1.1"},
        {POLICY_READ, 0, true, "0: | 1: | 2: | 3: 0.2 1.1"},   {POLICY_READ, 0, true, "0: | 1: | 2: | 3: 0.3 1.1"},
        {POLICY_READ, 0, true, "0: | 1: | 2: | 3: 0.4 1.1"},   {POLICY_READ, 0, true, "0: | 1: | 2: | 3: 0.4w 1.1"},
        {POLICY_READ, 2, false, "0: | 1: | 2: 0.0w | 3: 2.1"}, {POLICY_READ, 1, false, "0: | 1: | 2: 0.0w | 3: 1.1"},
        {POLICY_READ, 1, true, "0: | 1: | 2: 0.0w | 3: 1.2"},  {POLICY_READ, 1, true, "0: | 1: | 2: 0.0w | 3: 1.3"},
        {POLICY_READ, 1, true, "0: | 1: | 2: 0.0w | 3: 1.4"},  {POLICY_READ, 1, true, "0: | 1: | 2: 0.0w | 3: 1.4w"},
        {POLICY_READ, 3, false, "0: | 1: | 2: 1.0w 3.1"},      {POLICY_READ, 0, false, "0: | 1: | 2: 0.1w 3.1"},
    };

    RUN(policy_mglru_old, two, steps);
    REPLAY(policy_mglru_old, two, steps);
}

/* 32 at a time from 512 entries on: the kernel's request. */
Test(mglru_fg, evicts_in_chunks)
{
    static const struct policy_config big = {.capacity = 1024, .nr_ids = 1100};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_mglru_fg, &big, &p), 0);
    for (uint32_t id = 0; id < 1024; id++) {
        cr_assert_not(policy_access(p, id, POLICY_READ));
    }
    cr_assert_eq(p->evictions, 0);
    cr_assert_not(policy_access(p, 1024, POLICY_READ));
    cr_assert_eq(p->evictions, 32);
    cr_assert_eq(p->nr_resident, 993);
    cr_assert_not(policy_is_resident(p, 31));
    cr_assert(policy_is_resident(p, 32));
    policy_destroy(p);
}

/*
 * Bytes: a victim's size is its charge. Capacity 100, so that a chunk is what the request needs (up
 * to 6 bytes more would be one).
 *
 *   0 … 9    10 bytes each, the cache is full
 *   10       35 bytes: 0 1 2 3 make room, 95 are used
 *   11       5 bytes fit
 *   12       1 byte: 4 has to go, and no more
 *   13       101 bytes: refused, and nothing goes for it
 *   14       0 bytes always fit
 */
Test(genlru, evicts_by_charge)
{
    static const uint64_t sizes[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 35, 5, 1, 101, 0};
    static const uint32_t residents[] = {7, 8, 8, 8, 9};
    static const uint64_t used[] = {95, 100, 91, 91, 91};
    static const struct policy_config bytes = {.capacity = 100, .nr_ids = 15, .sizes = sizes};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_genlru, &bytes, &p), 0);
    for (uint32_t id = 0; id < 10; id++) {
        cr_assert_not(policy_access(p, id, POLICY_READ));
    }
    cr_assert_eq(p->used, 100);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_not(policy_access(p, 10 + i, POLICY_READ));
        cr_assert_eq(p->nr_resident, residents[i], "%u", (unsigned)(10 + i));
        cr_assert_eq(p->used, used[i], "%u", (unsigned)(10 + i));
    }
    cr_assert_eq(p->nr_refused, 1);
    cr_assert_not(policy_is_resident(p, 13));
    for (uint32_t id = 0; id < 10; id++) {
        cr_assert_eq(policy_is_resident(p, id), id > 4, "%u", (unsigned)id);
    }
    policy_destroy(p);
}

/*
 * Objects of 8 bytes in a cache of 320 are entries in one of 40, when one goes at a time: every rule
 * of every preset that speaks of shares of the capacity counts charge.
 */
Test(genlru, equal_sizes_are_entries)
{
    enum { NR_IDS = 200, NR_REQUESTS = 20000 };
    static const struct policy_ops *const presets[] = {&policy_mglru, &policy_mglru_old, &policy_mglru_fg,
                                                       &policy_tuned_fg, &policy_genlru};
    static uint32_t ids[NR_REQUESTS];
    static uint64_t sizes[NR_IDS];
    uint64_t state = 99;

    for (uint32_t id = 0; id < NR_IDS; id++) {
        sizes[id] = 8;
    }
    for (int i = 0; i < NR_REQUESTS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t r = (uint32_t)(state >> 33);

        ids[i] = r % NR_IDS * (r / NR_IDS % NR_IDS) / NR_IDS;
    }
    for (size_t k = 0; k < sizeof(presets) / sizeof(presets[0]); k++) {
        struct genlru_variant one = {.policy = *policy_genlru_preset(presets[k]), .chunk = 1};
        struct policy_config entries = {.capacity = 40, .nr_ids = NR_IDS, .variant = &one};
        struct policy_config bytes = {
            .capacity = 320,
            .nr_ids = NR_IDS,
            .sizes = sizes,
            .variant = &one,
        };
        struct policy *p = NULL;
        struct policy *q = NULL;

        cr_assert_eq(policy_create(presets[k], &entries, &p), 0);
        cr_assert_eq(policy_create(presets[k], &bytes, &q), 0);
        cr_assert_eq(policy_replay(p, ids, NR_REQUESTS), policy_replay(q, ids, NR_REQUESTS), "%s", presets[k]->name);
        cr_assert_lt(p->nr_resident, 41);
        policy_destroy(p);
        policy_destroy(q);
    }
}

/* The charge of a node has 32 bits. What is refused anyway may be larger. */
Test(genlru, too_large_to_count)
{
    static const uint64_t sizes[] = {UINT64_C(1) << 32};
    struct policy_config config = {.capacity = UINT64_C(1) << 32, .nr_ids = 1, .sizes = sizes};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(&policy_genlru, &config, &p), -EFBIG);
    cr_assert_null(p);
    config.capacity--;
    cr_assert_eq(policy_create(&policy_genlru, &config, &p), 0);
    cr_assert_not(policy_access(p, 0, POLICY_READ));
    cr_assert_eq(p->nr_refused, 1);
    policy_destroy(p);
}
