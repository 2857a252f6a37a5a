/* SPDX-License-Identifier: MIT */
/*
 * reuse: distances against counting by hand on random traces, and against LRU itself: a cache of c
 * entries hits exactly the requests with a distance below c.
 */
#include "sim/reuse.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "policy/policy.h"

/* Other keys since the last request for the same one; -1 = none. O(n). */
static int64_t by_hand(const struct trace *t, uint64_t at)
{
    bool *seen = calloc(t->nr_ids, sizeof(*seen));
    int64_t distance = 0;

    for (uint64_t i = at; i-- > 0;) {
        if (t->ids[i] == t->ids[at]) {
            free(seen);
            return distance;
        }
        distance += !seen[t->ids[i]];
        seen[t->ids[i]] = true;
    }
    free(seen);
    return -1;
}

static struct trace *load(const char *spec)
{
    struct trace_error error = {""};
    struct trace *t = NULL;

    cr_assert_eq(gen_load(spec, NULL, &t, &error), 0, "%s", error.text);
    return t;
}

/* Few keys and many requests, so that the slots move together many times. */
Test(reuse, against_counting)
{
    static const char *const specs[] = {
        "zipf:keys=50,requests=2000", "zipf:keys=300,theta=0.6,requests=3000", "loop:keys=70,requests=1000",
        "loop:keys=1,requests=500",   "uniform:keys=9,requests=2000",          "phase:keys=20,length=100,requests=2000",
    };

    for (size_t s = 0; s < sizeof(specs) / sizeof(specs[0]); s++) {
        struct trace *t = load(specs[s]);
        uint64_t *want = calloc(t->nr_ids, sizeof(*want));
        uint64_t *got = calloc(t->nr_ids, sizeof(*got));

        for (uint64_t i = 0; i < t->nr_requests; i++) {
            int64_t d = by_hand(t, i);

            if (d >= 0) {
                want[d]++;
            }
        }
        cr_assert_eq(reuse_count(t, got, NULL, NULL), 0);
        cr_assert_eq(memcmp(want, got, t->nr_ids * sizeof(*want)), 0, "%s", specs[s]);
        free(want);
        free(got);
        trace_destroy(t);
    }
}

Test(reuse, against_lru)
{
    struct trace *t = load("zipf:keys=20k,theta=0.9,requests=300k");
    uint64_t *counts = calloc(t->nr_ids, sizeof(*counts));

    cr_assert_eq(reuse_count(t, counts, NULL, NULL), 0);
    for (uint32_t capacity = 1; capacity < t->nr_ids; capacity = capacity * 3 + 1) {
        struct policy_config config = {.capacity = capacity, .nr_ids = t->nr_ids};
        struct policy *p = NULL;
        uint64_t hits = 0;

        for (uint32_t d = 0; d < capacity; d++) {
            hits += counts[d];
        }
        cr_assert_eq(policy_create(policy_find("lru"), &config, &p), 0);
        cr_assert_eq(policy_replay(p, t->ids, t->nr_requests), t->nr_requests - hits);
        policy_destroy(p);
    }
    free(counts);
    trace_destroy(t);
}

Test(reuse, quantiles)
{
    static const uint64_t counts[] = {5, 0, 3, 2};

    cr_assert_eq(reuse_quantile(counts, 4, 10, 100), 0);
    cr_assert_eq(reuse_quantile(counts, 4, 10, 500), 0);
    cr_assert_eq(reuse_quantile(counts, 4, 10, 501), 2);
    cr_assert_eq(reuse_quantile(counts, 4, 10, 800), 2);
    cr_assert_eq(reuse_quantile(counts, 4, 10, 801), 3);
    cr_assert_eq(reuse_quantile(counts, 4, 10, 1000), 3);
}
