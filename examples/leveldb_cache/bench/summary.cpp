/* SPDX-License-Identifier: MIT */
/* See summary.h. */
#include "summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench
{

namespace
{

/* Probability that a binomial(n, 1/2) is below k. */
double below(size_t n, size_t k)
{
    double sum = 0, term = std::pow(0.5, static_cast<double>(n));

    for (size_t i = 0; i < k; i++) {
        sum += term;
        term = term * static_cast<double>(n - i) / static_cast<double>(i + 1);
    }
    return sum;
}

} // namespace

Interval interval_of(std::vector<double> values)
{
    size_t n = values.size(), k = 1;

    std::sort(values.begin(), values.end());
    while (2 * (k + 1) <= n && 1 - 2 * below(n, k + 1) >= 0.95)
        k++; /* as narrow as 95 % allow */
    return {n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2, values[k - 1], values[n - k],
            1 - 2 * below(n, k)};
}

Interval ratio_of(const std::vector<double> &a, const std::vector<double> &b)
{
    std::vector<double> ratios;

    for (size_t i = 0; i < a.size(); i++)
        ratios.push_back(b[i] > 0 ? a[i] / b[i] : a[i] > 0 ? std::numeric_limits<double>::infinity() : 1);
    return interval_of(std::move(ratios));
}

} // namespace bench
