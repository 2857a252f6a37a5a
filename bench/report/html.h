/* SPDX-License-Identifier: MIT */
/*
 * html.h - text into a page without its becoming markup
 */
#ifndef GENLRU_BENCH_REPORT_HTML_H
#define GENLRU_BENCH_REPORT_HTML_H

#include <stdio.h>

/*
 * Escapes & < > " ' for elements and quoted attributes. Control characters and what is no UTF-8
 * become U+FFFD, as do the marks that reverse the direction of the text behind them.
 */
void html_text(FILE *out, const char *text);

#endif
