/* SPDX-License-Identifier: MIT */
/*
 * sample: all requests of the picked keys and no others, in order, with what belongs to them.
 */
#include "sim/sample.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include "trace/sink.h"

#define KEYS 5000
#define REQUESTS 40000

/* Keys in a fixed disorder; every seventh request is a prefetch; the size tells the key. */
static struct trace *make_trace(void)
{
    struct sink *sink = sink_create();
    struct trace *t;
    uint64_t x = 1;

    sink_has_sizes(sink);
    for (int i = 0; i < REQUESTS; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t key = (x >> 33) % KEYS;

        cr_assert_eq(sink_number(sink, key, key + 1, i % 7 ? POLICY_READ : POLICY_PREFETCH), 0);
    }
    cr_assert_eq(sink_finish(sink, "made", &t), 0);
    sink_destroy(sink);
    return t;
}

/* Walks both side by side; sizes tell the keys. Returns how many keys were picked. */
static uint32_t check(const struct trace *t, const struct sample *s)
{
    char *picked = calloc(KEYS + 2, 1);
    uint64_t at = 0;
    uint64_t nr_prefetches = 0;
    uint32_t nr = 0;

    for (uint32_t id = 0; id < s->trace->nr_ids; id++) {
        cr_assert_not(picked[s->trace->sizes[id]]);
        picked[s->trace->sizes[id]] = 1;
        nr++;
    }
    for (uint64_t i = 0; i < t->nr_requests; i++) {
        if (picked[t->sizes[t->ids[i]]]) {
            cr_assert_lt(at, s->trace->nr_requests);
            cr_assert_eq(s->trace->sizes[s->trace->ids[at]], t->sizes[t->ids[i]]);
            cr_assert_eq(s->trace->channels[at], t->channels[i]);
            nr_prefetches += t->channels[i] == POLICY_PREFETCH;
            at++;
        }
    }
    cr_assert_eq(at, s->trace->nr_requests);
    cr_assert_eq(nr_prefetches, s->trace->nr_prefetches);
    free(picked);
    return nr;
}

Test(sample, keys_as_a_whole)
{
    static const double rates[] = {0.01, 0.1, 0.5, 1};
    struct trace *t = make_trace();

    for (size_t i = 0; i < 4; i++) {
        struct sample s;

        cr_assert_eq(sample_create(t, rates[i], &s), 0);
        double nr = check(t, &s);
        double want = rates[i] * t->nr_ids;

        /* Four standard deviations. */
        cr_assert((nr - want) * (nr - want) <= 16 * want * (1 - rates[i]), "%g of %g", nr, want);
        cr_assert_float_eq(s.rate, rates[i], 1e-7);
        sample_destroy(&s);
    }
    trace_destroy(t);
}

Test(sample, all_is_the_trace)
{
    struct trace *t = make_trace();
    struct sample s;

    cr_assert_eq(sample_create(t, 1, &s), 0);
    cr_assert_eq(s.trace->nr_ids, t->nr_ids);
    cr_assert_eq(s.trace->nr_requests, t->nr_requests);
    cr_assert_eq(s.trace->nr_first_touch, t->nr_first_touch);
    cr_assert_eq(s.trace->nr_prefetches, t->nr_prefetches);
    cr_assert_arr_eq(s.trace->ids, t->ids, t->nr_requests * sizeof(*t->ids));
    cr_assert_eq(sample_capacity(&s, 4711), 4711);
    sample_destroy(&s);
    trace_destroy(t);
}

Test(sample, sizes_and_rates)
{
    struct sample s = {.rate = 0.25};

    cr_assert_eq(sample_capacity(&s, 0), 0);
    cr_assert_eq(sample_capacity(&s, 1), 1, "what holds something still does");
    cr_assert_eq(sample_capacity(&s, 1000), 250);
    cr_assert_float_eq(sample_fit(10000, 1000000), 0.0256, 1e-9);
    cr_assert_float_eq(sample_fit(1e6, 81920), 0.1, 1e-9, "enough keys");
    cr_assert_eq(sample_fit(100, 1000000), 1);
    cr_assert_eq(sample_fit(0, 1000000), 1, "no cache that holds anything");
    cr_assert_eq(sample_fit(1e12, UINT32_MAX), 8192.0 / UINT32_MAX);
}
