/* SPDX-License-Identifier: MIT */
/* Plots: see plot.h. The classes and their colours are those of report/chart.c. */
#include "micro/results/plot.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "report/html.h"

#define WIDTH 620.0
#define LEFT 170.0
#define RIGHT 30.0
#define ROW 30.0
#define TOP 10.0
#define BOTTOM 40.0
#define CURVES_HEIGHT 320.0

/* Logarithmic, whole powers of ten. */
struct axis {
    double low;
    double high;
    double from;
    double to;
};

static double place(const struct axis *axis, double value)
{
    double share = (log10(value) - axis->low) / (axis->high - axis->low);

    return axis->from + share * (axis->to - axis->from);
}

static void widen(struct axis *axis, double value)
{
    if (value > 0) {
        axis->low = fmin(axis->low, floor(log10(value)));
        axis->high = fmax(axis->high, ceil(log10(value) + 1e-9));
    }
}

static double time_of(const struct run *run)
{
    return run->threads == 1 ? runs_median(run->cpu_ns, run->repetitions)
                             : run->threads * runs_median(run->real_ns, run->repetitions);
}

/* Limits have the colour of the text, genlru its own, each peer a hue by its name: the same in every plot. */
static void write_look(FILE *out, const char *subject)
{
    static const char *const limits[] = {"load", "cmpxchg", "array", "lookup", "index", "spin"};
    static const char *const peers[] = {"lru", "clru", "arc", "clock", "lru16"};

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (!strcmp(subject, limits[i])) {
            fputs("class=\"line end\" style=\"--d:2 2\"", out);
            return;
        }
    }
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        if (!strcmp(subject, peers[i])) {
            fprintf(out, "class=\"line\" style=\"--h:%u;--d:none\"", 45 + (unsigned)i * 55);
            return;
        }
    }
    fputs("class=\"line own\" style=\"--h:8;--d:none\"", out); /* genlru, however it is called */
}

static void write_time_axis(FILE *out, const struct axis *axis, double top, double bottom)
{
    fputs("<g class=\"axis\">", out);
    for (double power = axis->low; power <= axis->high; power++) {
        double x = place(axis, pow(10, power));

        fprintf(out, "<path d=\"M%.1f %.0fV%.0f\"/><text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%g ns</text>\n",
                x, top, bottom, x, bottom + 16, pow(10, power));
    }
    fputs("</g>\n", out);
}

static bool is_same_row(const struct run *a, const struct run *b)
{
    return a->threads == b->threads && !strcmp(a->operation, b->operation) && !strcmp(a->size, b->size) &&
           !strcmp(a->variant, b->variant);
}

/* Whether this run is the first of its row. */
static bool begins_row(const struct runs *runs, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (is_same_row(runs->run[k], runs->run[i])) {
            return false;
        }
    }
    return true;
}

static void write_dot(FILE *out, const struct run *run, const struct axis *axis, double y)
{
    double ns = time_of(run), x = place(axis, ns);

    fputs("<g ", out);
    write_look(out, run->subject);
    fprintf(out, "><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>", x, y, strcmp(run->subject, "genlru") ? "3" : "5");
    html_text(out, run->subject);
    fprintf(out, ": %.3g ns</title></circle><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"9\">", ns, x,
            y - 6);
    html_text(out, run->subject);
    fputs("</text></g>\n", out);
}

static void write_row(FILE *out, const struct runs *runs, const struct run *first, const struct axis *axis, double y)
{
    fprintf(out, "<g class=\"axis\"><path d=\"M%.0f %.1fH%.0f\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">",
            LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4);
    html_text(out, first->size);
    fputs(" ", out);
    html_text(out, first->variant);
    fprintf(out, ", %u thread%s</text></g>\n", first->threads, first->threads == 1 ? "" : "s");
    for (size_t i = 0; i < runs->nr; i++) {
        if (is_same_row(runs->run[i], first)) {
            write_dot(out, runs->run[i], axis, y);
        }
    }
}

static void begin_svg(FILE *out, const char *operation, double height)
{
    fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Times of ", WIDTH, height);
    html_text(out, operation);
    fputs("\">\n", out);
}

void plot_dots(FILE *out, const struct runs *runs, const char *operation)
{
    struct axis axis = {INFINITY, -INFINITY, LEFT, WIDTH - RIGHT};
    double y = TOP + ROW / 2;
    unsigned nr_rows = 0;

    for (size_t i = 0; i < runs->nr; i++) {
        if (!strcmp(runs->run[i]->operation, operation)) {
            widen(&axis, time_of(runs->run[i]));
            nr_rows += begins_row(runs, i);
        }
    }
    if (!(axis.low < axis.high)) {
        return;
    }
    begin_svg(out, operation, TOP + nr_rows * ROW + BOTTOM);
    write_time_axis(out, &axis, TOP, TOP + nr_rows * ROW);
    for (size_t i = 0; i < runs->nr; i++) {
        if (!strcmp(runs->run[i]->operation, operation) && begins_row(runs, i)) {
            write_row(out, runs, runs->run[i], &axis, y);
            y += ROW;
        }
    }
    fputs("</svg>\n", out);
}

/* A subject's times by size; runs come in rising sizes. */
static void write_curve(FILE *out, const struct runs *runs, const struct run *first, const struct axis *xs,
                        const struct axis *ys)
{
    double x = 0, y = 0;
    char command = 'M';

    fputs("<g ", out);
    write_look(out, first->subject);
    fputs("><path d=\"", out);
    for (size_t i = 0; i < runs->nr; i++) {
        const struct run *run = runs->run[i];

        if (!strcmp(run->operation, first->operation) && !strcmp(run->subject, first->subject)) {
            x = place(xs, runs_size(run->size));
            y = place(ys, time_of(run));
            fprintf(out, "%c%.1f %.1f", command, x, y);
            command = 'L';
        }
    }
    fprintf(out, "\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x, y - 6);
    html_text(out, first->subject);
    fputs("</text></g>\n", out);
}

static void write_curve_axes(FILE *out, const struct axis *xs, const struct axis *ys)
{
    fputs("<g class=\"axis\">", out);
    for (double power = xs->low; power <= xs->high; power++) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%g</text>\n", place(xs, pow(10, power)),
                CURVES_HEIGHT - BOTTOM + 16, pow(10, power));
    }
    for (double power = ys->low; power <= ys->high; power++) {
        double y = place(ys, pow(10, power));

        fprintf(out, "<path d=\"M%.0f %.1fH%.0f\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%g ns</text>\n",
                xs->from, y, xs->to, xs->from - 6, y + 4, pow(10, power));
    }
    fputs("</g>\n", out);
}

static bool begins_subject(const struct runs *runs, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (!strcmp(runs->run[k]->operation, runs->run[i]->operation) &&
            !strcmp(runs->run[k]->subject, runs->run[i]->subject)) {
            return false;
        }
    }
    return true;
}

void plot_curves(FILE *out, const struct runs *runs, const char *operation)
{
    struct axis xs = {INFINITY, -INFINITY, 70, WIDTH - RIGHT}, ys = {INFINITY, -INFINITY, CURVES_HEIGHT - BOTTOM, TOP};

    for (size_t i = 0; i < runs->nr; i++) {
        if (!strcmp(runs->run[i]->operation, operation)) {
            widen(&xs, runs_size(runs->run[i]->size));
            widen(&ys, time_of(runs->run[i]));
        }
    }
    if (!(xs.low < xs.high && ys.low < ys.high)) {
        return;
    }
    begin_svg(out, operation, CURVES_HEIGHT);
    write_curve_axes(out, &xs, &ys);
    for (size_t i = 0; i < runs->nr; i++) {
        if (!strcmp(runs->run[i]->operation, operation) && begins_subject(runs, i)) {
            write_curve(out, runs, runs->run[i], &xs, &ys);
        }
    }
    fputs("</svg>\n", out);
}
