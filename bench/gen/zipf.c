/* SPDX-License-Identifier: MIT */
/*
 * zipf.c - rejection-inversion (W. Hörmann, G. Derflinger: Rejection-inversion to generate variates
 * from monotone discrete distributions, ACM TOMACS 6(3), 1996)
 *
 * The continuous law x^-theta is inverted and rounded; the few draws that fall between the curve and
 * its steps are repeated. No table, so n may be anything, and theta = 1 is no exception: integral and
 * inverse are written with expm1 and log1p, which are smooth there.
 */
#include "gen/zipf.h"

#include <math.h>

static double density(const struct zipf *z, double x)
{
    return exp(-z->theta * log(x));
}

/* (exp(t) - 1) / t and log(1 + t) / t, also near 0. */
static double expm1_by(double t)
{
    return fabs(t) > 1e-8 ? expm1(t) / t : 1 + t * 0.5;
}

static double log1p_by(double t)
{
    return fabs(t) > 1e-8 ? log1p(t) / t : 1 - t * 0.5;
}

/* Integral of the density from 1 to x. */
static double integral(const struct zipf *z, double x)
{
    double log_x = log(x);

    return expm1_by((1 - z->theta) * log_x) * log_x;
}

static double inverse(const struct zipf *z, double area)
{
    double t = area * (1 - z->theta);

    return exp(log1p_by(t < -1 ? -1 : t) * area); /* rounding may come out below -1 */
}

void zipf_init(struct zipf *z, double theta, uint64_t n)
{
    *z = (struct zipf){.n = (double)n, .theta = theta};
    z->bottom = integral(z, 1.5) - 1;
    z->top = integral(z, z->n + 0.5);
    z->shortcut = 2 - inverse(z, integral(z, 2.5) - density(z, 2));
}

uint64_t zipf_next(const struct zipf *z, struct random *random)
{
    for (;;) {
        double area = z->top + random_unit(random) * (z->bottom - z->top);
        double x = inverse(z, area);
        double k = floor(x + 0.5);

        k = k < 1 ? 1 : k > z->n ? z->n : k;
        if (k - x <= z->shortcut || area >= integral(z, k + 0.5) - density(z, k)) {
            return (uint64_t)k - 1;
        }
    }
}
