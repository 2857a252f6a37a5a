/* SPDX-License-Identifier: MIT */
/*
 * belady: a trace by hand, capacity 2; and against the optimum found by trying every choice.
 *
 *      0 1       fill: next requests at 3 and 4               0 1
 *      2         1's is farther: out; 2 has none              0 2
 *      0         hit, next at 6
 *      1         2 is never asked for again: out              0 1
 *      3         0 at 6, 1 at 8: 1 out                        0 3
 *      0 3       hits, their last
 *      1         neither has a future: the one that became
 *                so last goes                                 0 1
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "golden.h"
#include "policy/all.h"

static const struct policy_config config = {.capacity = 2, .nr_ids = 4};

static const struct golden_step steps[] = {
    {POLICY_READ, 0, false, "belady: 0"},   {POLICY_READ, 1, false, "belady: 0 1"},
    {POLICY_READ, 2, false, "belady: 0 2"}, {POLICY_READ, 0, true, "belady: 0 2"},
    {POLICY_READ, 1, false, "belady: 0 1"}, {POLICY_READ, 3, false, "belady: 0 3"},
    {POLICY_READ, 0, true, "belady: 0 3"},  {POLICY_READ, 3, true, "belady: 0 3"},
    {POLICY_READ, 1, false, "belady: 0 1"},
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

Test(belady, golden)
{
    golden_run(&policy_belady, &config, steps, NR_STEPS);
}

Test(belady, replay_is_access)
{
    golden_replay(&policy_belady, &config, steps, NR_STEPS);
}

#define BRUTE_REQUESTS 14
#define BRUTE_IDS 5

/* Fewest misses of the requests from `at` on, when the ids of the bit set are resident. */
static int fewest_misses(const uint32_t *ids, int at, unsigned resident, int capacity)
{
    if (at == BRUTE_REQUESTS) {
        return 0;
    }
    unsigned asked = 1u << ids[at];

    if (resident & asked) {
        return fewest_misses(ids, at + 1, resident, capacity);
    }
    if (__builtin_popcount(resident) < capacity) {
        return 1 + fewest_misses(ids, at + 1, resident | asked, capacity);
    }
    int best = BRUTE_REQUESTS;

    for (unsigned id = 0; id < BRUTE_IDS; id++) {
        if (resident & 1u << id) {
            int misses = fewest_misses(ids, at + 1, (resident & ~(1u << id)) | asked, capacity);

            best = misses < best ? misses : best;
        }
    }
    return 1 + best;
}

/* Random requests; the seed is fixed, and the trial that fails is printed. */
Test(belady, is_the_optimum)
{
    uint64_t state = 4711;

    for (int trial = 0; trial < 300; trial++) {
        uint32_t ids[BRUTE_REQUESTS];

        for (int i = 0; i < BRUTE_REQUESTS; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            ids[i] = (uint32_t)(state >> 33) % BRUTE_IDS;
        }
        for (uint32_t capacity = 1; capacity < BRUTE_IDS; capacity++) {
            struct policy_config small = {.capacity = capacity, .nr_ids = BRUTE_IDS};
            struct policy *p = NULL;

            cr_assert_eq(policy_create(&policy_belady, &small, &p), 0);
            cr_assert_eq(policy_prepare(p, ids, BRUTE_REQUESTS), 0);
            cr_assert_eq(policy_replay(p, ids, BRUTE_REQUESTS), (uint64_t)fewest_misses(ids, 0, 0, (int)capacity),
                         "trial %d, capacity %u", trial, (unsigned)capacity);
            policy_destroy(p);
        }
    }
}

/* The same by the definition: look at all residents, and for each through the rest of the trace. */
static uint64_t obvious_misses(const uint32_t *ids, size_t n, uint32_t nr_ids, uint32_t capacity)
{
    bool *resident = calloc(nr_ids, sizeof(*resident));
    uint32_t nr_resident = 0;
    uint64_t misses = 0;

    cr_assert_not_null(resident);
    for (size_t i = 0; i < n; i++) {
        if (resident[ids[i]]) {
            continue;
        }
        misses++;
        if (nr_resident == capacity) {
            uint32_t victim = 0;
            size_t farthest = 0;

            for (uint32_t id = 0; id < nr_ids; id++) {
                size_t next = i + 1;

                while (resident[id] && next < n && ids[next] != id) {
                    next++;
                }
                if (resident[id] && next > farthest) {
                    farthest = next;
                    victim = id;
                }
            }
            resident[victim] = false;
            nr_resident--;
        }
        resident[ids[i]] = true;
        nr_resident++;
    }
    free(resident);
    return misses;
}

/* 5000 requests: the set of positions has three levels. */
Test(belady, many_positions)
{
    enum { NR_REQUESTS = 5000, NR_IDS = 200 };
    static uint32_t ids[NR_REQUESTS];
    static const uint32_t capacities[] = {1, 5, 20, 100, 199};
    uint64_t state = 815;

    for (int i = 0; i < NR_REQUESTS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t r = (uint32_t)(state >> 33);

        ids[i] = r % NR_IDS * (r / NR_IDS % NR_IDS) / NR_IDS;
    }
    for (size_t c = 0; c < sizeof(capacities) / sizeof(capacities[0]); c++) {
        struct policy_config some = {.capacity = capacities[c], .nr_ids = NR_IDS};
        struct policy *p = NULL;

        cr_assert_eq(policy_create(&policy_belady, &some, &p), 0);
        cr_assert_eq(policy_prepare(p, ids, NR_REQUESTS), 0);
        cr_assert_eq(policy_replay(p, ids, NR_REQUESTS), obvious_misses(ids, NR_REQUESTS, NR_IDS, capacities[c]));
        policy_destroy(p);
    }
}
