/* SPDX-License-Identifier: MIT */
/*
 * page.c - see page.h
 *
 * The frame. Charts come from chart.c, tables from compare.c. Light and dark follow the reader's
 * setting, print is always light; everything wide scrolls in a box of its own, so that the page
 * itself never does on a phone.
 */
#include "report/page.h"

#include <string.h>

#include "report/chart.h"
#include "report/compare.h"
#include "report/html.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--dim:#5b6570;--rule:#d9dee3;--ground:#fff;"
    "--l:40%}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e8ebee;--dim:#a3adb8;--rule:#38414b;"
    "--ground:#14181c;--l:66%}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--ground);color:var(--ink);"
    "font:16px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.6rem;margin:.3rem 0}h2{font-size:1.25rem;margin:2rem 0 .3rem}"
    "h3{font-size:1rem;margin:.2rem 0;overflow-wrap:anywhere}\n"
    "p{margin:.3rem 0;max-width:46rem}.dim{color:var(--dim)}\n"
    ".charts{display:grid;gap:1.5rem 2rem;grid-template-columns:"
    "repeat(auto-fit,minmax(min(100%,30rem),1fr))}\n"
    "article{min-width:0;max-width:44rem}details{margin:.4rem 0}summary{cursor:pointer}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;"
    "margin:.5rem 0}\n"
    "th,td{padding:.2rem .5rem;text-align:right;white-space:nowrap}\n"
    "th{font-weight:600}tbody th,th:first-child{text-align:left}\n"
    "tbody th,thead th:first-child{position:sticky;left:0;background:var(--ground)}\n"
    "thead th{vertical-align:bottom;border-bottom:1px solid var(--rule)}"
    "tbody tr+tr>*{border-top:1px solid var(--rule)}\n"
    ".heat thead span{display:inline-block;max-width:9rem;overflow:hidden;text-overflow:ellipsis;"
    "vertical-align:bottom}\n"
    "small{display:block;font-weight:400;color:var(--dim)}.none{color:var(--dim)}\n"
    "pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--rule);"
    "padding:.6rem;font-size:.85rem}\n"
    "@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--rule:#ccc;--ground:#fff;"
    "--l:36%}h2{break-after:avoid}details:not([open]){display:none}"
    ".charts{gap:.8rem 1.2rem;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr))}\n"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "article,svg,tr{break-inside:avoid}body{max-width:none}.wide{overflow:visible}"
    "table{font-size:.6rem}th,td{padding:.1rem .25rem}.heat thead span{writing-mode:vertical-rl;"
    "transform:rotate(180deg);max-height:9rem;max-width:none}}\n";

static void write_count(FILE *out, uint32_t n, const char *one, const char *more)
{
    fprintf(out, "%u %s", (unsigned)n, n == 1 ? one : more);
}

void page_write_style(FILE *out)
{
    fputs(style, out);
    chart_write_style(out);
}

static void write_head(FILE *out, const struct results *r, const struct page_options *o)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    html_text(out, o->title);
    fputs("</title>\n<style>\n", out);
    page_write_style(out);
    fputs("</style></head><body>\n<h1>", out);
    html_text(out, o->title);
    fputs("</h1>\n<p class=\"dim\">", out);
    write_count(out, r->workloads.nr, "workload", "workloads");
    fputs(", ", out);
    write_count(out, r->policies.nr, "policy", "policies");
    fputs(", ", out);
    write_count(out, r->sizes.nr, "cache size", "cache sizes");
    fputs("; every cache starts empty. Ratios are the column <code>", out);
    html_text(out, o->metric);
    fputs("</code>.</p>\n", out);
}

/* The least and greatest rate of the workload's rows. */
static void find_rates(const struct results *r, uint32_t w, double *low, double *high)
{
    *low = 1;
    *high = 0;
    for (size_t i = 0; i < r->nr; i++) {
        if (r->rows[i].workload == w) {
            *low = r->rows[i].rate < *low ? r->rows[i].rate : *low;
            *high = r->rows[i].rate > *high ? r->rows[i].rate : *high;
        }
    }
}

static int write_workload(FILE *out, const struct results *r, uint32_t w)
{
    unsigned long long requests = 0;
    double low;
    double high;

    for (size_t i = 0; i < r->nr && !requests; i++) {
        requests = r->rows[i].workload == w ? r->rows[i].requests : 0;
    }
    find_rates(r, w, &low, &high);
    fputs("<article><h3>", out);
    html_text(out, r->workloads.text[w]);
    fprintf(out, "</h3><p class=\"dim\">%llu requests", requests);
    if (low < 1) {
        fprintf(out, "; %sestimated from %.3g %% of the keys", high < 1 ? "" : "in part ", 100 * low);
    }
    fputs("</p>\n", out);
    int rc = chart_write(out, r, w);

    fprintf(out, "<details%s><summary>the figures</summary>\n", r->workloads.nr == 1 ? " open" : "");
    compare_write_rows(out, r, w);
    fputs("</details></article>\n", out);
    return rc;
}

static void write_origin(FILE *out, const struct results *r)
{
    fputs("<h2>How this came about</h2>\n", out);
    if (r->commands.nr) {
        fputs("<pre>", out);
        for (uint32_t i = 0; i < r->commands.nr; i++) {
            html_text(out, r->commands.text[i]);
            fputc('\n', out);
        }
        fputs("</pre>\n", out);
    } else {
        fputs("<p>The command is not recorded (<code>genlru-sim run --comment</code> does).</p>\n", out);
    }
    fputs("<p>Commit: ", out);
    for (uint32_t i = 0; i < r->commits.nr; i++) {
        fputs(i ? ", <code>" : "<code>", out);
        html_text(out, r->commits.text[i]);
        fputs("</code>", out);
    }
    fputs(r->commits.nr ? ".</p>\n" : "not recorded.</p>\n", out);
}

int page_write(FILE *out, const struct results *r, const struct page_options *o)
{
    int rc = 0;

    write_head(out, r, o);
    compare_write_heat_map(out, r);
    fputs("<h2>Miss-ratio curves</h2>\n<div class=\"charts\">\n", out);
    for (uint32_t w = 0; w < r->workloads.nr && !rc; w++) {
        rc = write_workload(out, r, w);
    }
    fputs("</div>\n", out);
    compare_write_distance(out, r);
    write_origin(out, r);
    fputs("</body></html>\n", out);
    return rc;
}
