/* SPDX-License-Identifier: MIT */
/*
 * Paired runs: each pair's ratio is one observation, since what disturbs a shared machine disturbs both runs of a pair.
 * The interval for the median is that of order statistics, which asks for no distribution: of n sorted ratios the
 * median lies between the k-th from below and the k-th from above with probability 1 - 2 * P(Binomial(n, 1/2) < k).
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *sorted, size_t nr)
{
    return nr % 2 ? sorted[nr / 2] : (sorted[nr / 2 - 1] + sorted[nr / 2]) / 2;
}

double paired_median(double *values, size_t nr)
{
    qsort(values, nr, sizeof(double), compare);
    return median(values, nr);
}

/* Probability that a binomial(n, 1/2) is below k. */
static double below(int n, int k)
{
    double sum = 0, term = pow(0.5, n);

    for (int i = 0; i < k; i++) {
        sum += term;
        term = term * (n - i) / (i + 1);
    }
    return sum;
}

struct paired paired_summary(const double *own, const double *genlru, int nr)
{
    double sorted[3][MAX_PAIRS];
    struct paired result;
    int k = 1;

    memcpy(sorted[0], own, (size_t)nr * sizeof(double));
    memcpy(sorted[1], genlru, (size_t)nr * sizeof(double));
    for (int i = 0; i < nr; i++)
        sorted[2][i] = own[i] > 0 ? genlru[i] / own[i] : genlru[i] > 0 ? HUGE_VAL : 1;
    for (int i = 0; i < 3; i++)
        qsort(sorted[i], (size_t)nr, sizeof(double), compare);
    while (1 - 2 * below(nr, k + 1) >= 0.95)
        k++; /* as narrow as 95 % allow */
    result.own = median(sorted[0], (size_t)nr);
    result.genlru = median(sorted[1], (size_t)nr);
    result.ratio = median(sorted[2], (size_t)nr);
    result.low = sorted[2][k - 1];
    result.high = sorted[2][nr - k];
    result.confidence = 1 - 2 * below(nr, k);
    return result;
}
