/* SPDX-License-Identifier: MIT */
/* Buckets hold what they say, and quantiles are within a 16th of the sorted values. */
#include "micro/histogram.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "gen/random.h"

Test(histogram, buckets)
{
    uint64_t last = 0;

    for (unsigned i = 1; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t upper = histogram_value(i);

        cr_assert(upper > last);
        cr_assert_eq(histogram_bucket(upper), i);
        cr_assert_eq(histogram_bucket(last + 1), i, "bucket %u begins behind the last one", i);
        last = upper;
    }
    cr_assert_eq(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

Test(histogram, quantiles)
{
    enum { NR = 10000 };
    static struct histogram h, sum;
    static uint64_t values[NR];
    struct random random = {1};

    cr_assert_eq(histogram_quantile(&h, 0.5), 0);
    for (size_t i = 0; i < NR; i++) {
        values[i] = random_next(&random) >> (24 + random_below(&random, 36));
        histogram_count(&h, values[i]);
    }
    histogram_merge(&sum, &h);
    qsort(values, NR, sizeof(values[0]), compare);
    cr_assert_eq(sum.max, values[NR - 1]);
    for (unsigned p = 1; p <= 100; p++) {
        uint64_t exact = values[p * NR / 100 - 1], got = histogram_quantile(&sum, p / 100.0);

        cr_assert(got >= exact && got <= exact + exact / 16 + 1, "%u %%: %lu, exactly %lu", p, got, exact);
    }
}
