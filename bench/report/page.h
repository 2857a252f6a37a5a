/* SPDX-License-Identifier: MIT */
/*
 * page.h - results as one HTML page that needs nothing else: no network, no script, no font
 */
#ifndef GENLRU_BENCH_REPORT_PAGE_H
#define GENLRU_BENCH_REPORT_PAGE_H

#include <stdio.h>

#include "report/results.h"

struct page_options {
    const char *title;
    const char *metric; /* what the ratios are: a column of the rows */
};

/* The rules of the page and its charts, for another page that looks alike: inside a <style>. */
void page_write_style(FILE *out);

/* 0 or -ENOMEM; whether the stream took it all is for the caller to ask. */
int page_write(FILE *out, const struct results *results, const struct page_options *options);

#endif
