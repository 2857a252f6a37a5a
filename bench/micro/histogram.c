/* SPDX-License-Identifier: MIT */
/* Quantiles of times: see histogram.h. */
#include "micro/histogram.h"

uint64_t histogram_value(unsigned bucket)
{
    unsigned exponent = bucket >> HISTOGRAM_SUB_BITS;

    if (exponent < 2) {
        return bucket;
    }
    exponent--;
    return ((((uint64_t)bucket & ((1u << HISTOGRAM_SUB_BITS) - 1)) + (1u << HISTOGRAM_SUB_BITS) + 1) << exponent) - 1;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        to->count[i] += from->count[i];
    }
    to->max = from->max > to->max ? from->max : to->max;
}

uint64_t histogram_quantile(const struct histogram *histogram, double quantile)
{
    uint64_t total = 0, seen = 0;
    double wanted;

    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        total += histogram->count[i];
    }
    wanted = quantile * (double)total;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->count[i];
        if (seen > 0 && (double)seen >= wanted) {
            return histogram_value(i) < histogram->max ? histogram_value(i) : histogram->max;
        }
    }
    return 0;
}
