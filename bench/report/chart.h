/* SPDX-License-Identifier: MIT */
/*
 * chart.h - a workload's miss-ratio curves as one inline SVG
 *
 *      100 % ┤╲__
 *            │╲  ╲___ ── fifo        each curve's name stands at its end, moved apart where they
 *       50 % ┤ ╲____ ──── lru        would overlap, a thin line leading to it
 *            │      ╲ ─── genlru
 *            └┬──┬──┬             cache size, logarithmic
 */
#ifndef GENLRU_BENCH_REPORT_CHART_H
#define GENLRU_BENCH_REPORT_CHART_H

#include <stdio.h>

#include "report/results.h"

/* Rows of capacity 0 are left out. Without any row a sentence is written. 0 or -ENOMEM. */
int chart_write(FILE *out, const struct results *results, uint32_t workload);

/* The rules the SVG's classes need, once a page. */
void chart_write_style(FILE *out);

#endif
