/* SPDX-License-Identifier: MIT */
/*
 * compare.c - see compare.h
 */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>

#include "report/html.h"

typedef double (*measure)(double misses, double base);

static double reduction(double misses, double base)
{
    return 1 - misses / base;
}

static double excess(double misses, double base)
{
    return misses / base - 1;
}

static double one(const struct results *r, measure f, uint32_t base, uint32_t policy, uint32_t workload, uint32_t size)
{
    const struct result *b = results_find(r, workload, base, size);
    const struct result *p = b ? results_find(r, workload, policy, size) : NULL;

    return p && b->miss_ratio > 0 ? f(p->miss_ratio, b->miss_ratio) : NAN;
}

static double mean(const struct results *r, measure f, uint32_t base, uint32_t policy, uint32_t workload, uint32_t size)
{
    uint32_t nr = workload == COMPARE_ALL ? r->workloads.nr : r->sizes.nr;
    double sum = 0;
    unsigned n = 0;

    if (workload != COMPARE_ALL && size != COMPARE_ALL) {
        return one(r, f, base, policy, workload, size);
    }
    for (uint32_t i = 0; i < nr; i++) {
        double value =
            workload == COMPARE_ALL ? mean(r, f, base, policy, i, size) : one(r, f, base, policy, workload, i);

        if (!isnan(value)) {
            sum += value;
            n++;
        }
    }
    return n ? sum / n : NAN;
}

double compare_reduction(const struct results *r, uint32_t base, uint32_t policy, uint32_t workload, uint32_t size)
{
    return mean(r, reduction, base, policy, workload, size);
}

double compare_excess(const struct results *r, uint32_t base, uint32_t policy, uint32_t workload, uint32_t size)
{
    return mean(r, excess, base, policy, workload, size);
}

/* ---- sizes of one workload ---- */

struct sized {
    uint64_t capacity;
    uint32_t size;
};

static int by_capacity(const void *a, const void *b)
{
    const struct sized *x = a;
    const struct sized *y = b;

    return x->capacity != y->capacity ? (x->capacity > y->capacity ? 1 : -1)
                                      : (x->size > y->size) - (x->size < y->size);
}

uint32_t *compare_sizes(const struct results *r, uint32_t workload, uint32_t *ret_nr)
{
    struct sized *all = calloc(r->sizes.nr + 1, sizeof(*all));
    uint32_t *ret = calloc(r->sizes.nr + 1, sizeof(*ret));
    char *seen = calloc(r->sizes.nr + 1, 1);
    uint32_t nr = 0;

    if (all && ret && seen) {
        for (size_t i = 0; i < r->nr; i++) {
            if (r->rows[i].workload == workload && !seen[r->rows[i].size]) {
                seen[r->rows[i].size] = 1;
                all[nr++] = (struct sized){r->rows[i].capacity, r->rows[i].size};
            }
        }
        qsort(all, nr, sizeof(*all), by_capacity);
        for (uint32_t i = 0; i < nr; i++) {
            ret[i] = all[i].size;
        }
        *ret_nr = nr;
    } else {
        free(ret);
        ret = NULL;
    }
    free(all);
    free(seen);
    return ret;
}

/* ---- tables ---- */

/* A row's name and what it is ordered by. */
struct ranked {
    uint32_t policy;
    double value; /* NaN = last */
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    if (isnan(x->value) || isnan(y->value)) {
        return isnan(x->value) - isnan(y->value);
    }
    return (x->value < y->value) - (x->value > y->value);
}

/*
 * A value in percent on a ground that tells it: blue is good, red bad, the stronger the farther from
 * 0; `full` is where it is strongest.
 */
static void write_cell(FILE *out, double value, double good, double full)
{
    if (isnan(value)) {
        fputs("<td class=\"none\">–</td>", out);
        return;
    }
    double strength = fabs(value) / full;
    double percent = 100 * value;

    strength = strength > 1 ? 1 : strength;
    fprintf(out, "<td style=\"background:rgba(%s,%.2f)\">%s%.1f</td>", value * good >= 0 ? "43,123,200" : "212,72,66",
            0.7 * strength,
            percent > -0.05 && percent < 0.05 ? ""
            : percent > 0                     ? "+"
                                              : "−",
            fabs(percent) < 0.05 ? 0.0 : fabs(percent));
}

/* One table: f against base, `good` = +1 where more is better, −1 where less is. */
static void write_table(FILE *out, const struct results *r, measure f, uint32_t base, double good)
{
    bool by_size = r->workloads.nr == 1;
    uint32_t nr = 0;
    uint32_t *sizes = compare_sizes(r, 0, &nr);
    struct ranked *rank = calloc(r->policies.nr + 1, sizeof(*rank));
    double full = good > 0 ? 0.3 : 1;

    if (!sizes || !rank) {
        fputs("<p>Out of memory.</p>\n", out);
        free(sizes);
        free(rank);
        return;
    }
    fputs("<div class=\"wide\"><table class=\"heat\"><thead><tr><th scope=\"col\">policy</th>"
          "<th scope=\"col\">mean</th>",
          out);
    nr = by_size ? nr : r->workloads.nr;
    for (uint32_t i = 0; i < nr; i++) {
        const char *name = by_size ? r->sizes.text[sizes[i]] : r->workloads.text[i];

        fputs("<th scope=\"col\"><span title=\"", out);
        html_text(out, name); /* in full: the column cuts long ones */
        fputs("\">", out);
        html_text(out, name);
        fputs("</span></th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (uint32_t p = 0; p < r->policies.nr; p++) {
        rank[p] = (struct ranked){p, good * mean(r, f, base, p, COMPARE_ALL, COMPARE_ALL)};
    }
    qsort(rank, r->policies.nr, sizeof(*rank), by_value);
    for (uint32_t k = 0; k < r->policies.nr; k++) {
        fputs("<tr><th scope=\"row\">", out);
        html_text(out, r->policies.text[rank[k].policy]);
        fputs("</th>", out);
        write_cell(out, good * rank[k].value, good, full);
        for (uint32_t i = 0; i < nr; i++) {
            double value = by_size ? one(r, f, base, rank[k].policy, 0, sizes[i])
                                   : mean(r, f, base, rank[k].policy, i, COMPARE_ALL);

            write_cell(out, value, good, full);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    free(sizes);
    free(rank);
}

void compare_write_heat_map(FILE *out, const struct results *r)
{
    uint32_t lru = names_find(&r->policies, "lru");

    fputs("<h2>Misses saved against LRU</h2>\n", out);
    if (lru == UINT32_MAX) {
        fputs("<p>There are no rows of <code>lru</code> to compare with.</p>\n", out);
        return;
    }
    fprintf(out,
            "<p>In percent of the misses of LRU of the same size%s; best first. Blue saves, "
            "red costs.</p>\n",
            r->workloads.nr > 1 ? ", the mean of all sizes" : "");
    write_table(out, r, reduction, lru, 1);
}

void compare_write_distance(FILE *out, const struct results *r)
{
    uint32_t belady = names_find(&r->policies, "belady");

    fputs("<h2>Distance to the optimum</h2>\n", out);
    if (belady == UINT32_MAX) {
        fputs("<p>There are no rows of <code>belady</code> to compare with.</p>\n", out);
        return;
    }
    fprintf(out,
            "<p>Misses in excess of Belady’s optimum, which knows the future, in percent of "
            "its own%s; nearest first.</p>\n",
            r->workloads.nr > 1 ? ", the mean of all sizes" : "");
    write_table(out, r, excess, belady, -1);
}

void compare_write_rows(FILE *out, const struct results *r, uint32_t w)
{
    uint32_t nr = 0;
    uint32_t *sizes = compare_sizes(r, w, &nr);

    if (!sizes) {
        fputs("<p>Out of memory.</p>\n", out);
        return;
    }
    fputs("<div class=\"wide\"><table><thead><tr><th scope=\"col\">misses, %</th>", out);
    for (uint32_t i = 0; i < nr; i++) {
        fputs("<th scope=\"col\">", out);
        html_text(out, r->sizes.text[sizes[i]]);
        for (size_t k = 0; k < r->nr; k++) {
            if (r->rows[k].workload == w && r->rows[k].size == sizes[i]) {
                fprintf(out, "<small>%llu</small>", (unsigned long long)r->rows[k].capacity);
                break;
            }
        }
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (uint32_t p = 0; p < r->policies.nr; p++) {
        fputs("<tr><th scope=\"row\">", out);
        html_text(out, r->policies.text[p]);
        fputs("</th>", out);
        for (uint32_t i = 0; i < nr; i++) {
            const struct result *row = results_find(r, w, p, sizes[i]);

            if (row) {
                fprintf(out, "<td>%.2f</td>", 100 * row->miss_ratio);
            } else {
                fputs("<td class=\"none\">–</td>", out);
            }
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    free(sizes);
}
