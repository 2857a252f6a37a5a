/* SPDX-License-Identifier: MIT */
/* Medians and their intervals, of runs and of ratios within pairs of runs. */
#ifndef GENLRU_LEVELDB_SUMMARY_H
#define GENLRU_LEVELDB_SUMMARY_H

#include <vector>

namespace bench
{

struct Interval {
    double median, low, high;
    double confidence; /* of low .. high; at least 0.95 from 6 values on */
};

/*
 * Of order statistics, which ask for no distribution: of n sorted values the median lies between the k-th from below and the
 * k-th from above with probability 1 - 2 * P(Binomial(n, 1/2) < k). At least one value.
 */
Interval interval_of(std::vector<double> values);
/* Of a[i] / b[i]: runs that followed each other closely. Where both are 0 the ratio is 1. */
Interval ratio_of(const std::vector<double> &a, const std::vector<double> &b);

} // namespace bench

#endif
