/* SPDX-License-Identifier: MIT */
/*
 * chart.c - see chart.h
 */
#include "report/chart.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare.h"
#include "report/html.h"

/* Of the drawing, in its own units; at 360 pixels of a phone one is 0.7 pixels. */
#define WIDTH 520.0
#define HEIGHT 400.0
#define LEFT 46.0
#define RIGHT 134.0
#define TOP 12.0
#define BOTTOM 44.0
#define LABEL_GAP 16.0
#define TICK_GAP 56.0
#define LABEL_CHARS 14

struct scale {
    double x_low; /* logarithms */
    double x_high;
    double y_low;
    double y_high;
    double y_step;
};

struct label {
    uint32_t policy;
    double at; /* the curve's end */
    double y;  /* where the text stands */
};

static double to_x(const struct scale *s, uint64_t capacity)
{
    double width = WIDTH - LEFT - RIGHT;

    if (s->x_high <= s->x_low) {
        return LEFT + width / 2;
    }
    return LEFT + width * (log((double)capacity) - s->x_low) / (s->x_high - s->x_low);
}

static double to_y(const struct scale *s, double ratio)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (s->y_high - ratio) / (s->y_high - s->y_low);
}

/* 1, 2 or 5 times a power of ten, about a fifth of the span. */
static double nice_step(double span)
{
    double power = pow(10, floor(log10(span / 5)));
    double rest = span / 5 / power;

    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

static bool find_scale(const struct results *r, uint32_t w, struct scale *s)
{
    double low = 1;
    double high = 0;

    *s = (struct scale){.x_low = INFINITY, .x_high = -INFINITY};
    for (size_t i = 0; i < r->nr; i++) {
        const struct result *row = &r->rows[i];

        if (row->workload == w && row->capacity > 0) {
            s->x_low = fmin(s->x_low, log((double)row->capacity));
            s->x_high = fmax(s->x_high, log((double)row->capacity));
            low = fmin(low, row->miss_ratio);
            high = fmax(high, row->miss_ratio);
        }
    }
    if (s->x_high < s->x_low) {
        return false;
    }
    s->y_step = nice_step(high - low < 0.001 ? 0.001 : high - low);
    s->y_low = fmax(0, floor(low / s->y_step) * s->y_step);
    s->y_high = fmax(s->y_low + s->y_step, ceil(high / s->y_step - 1e-9) * s->y_step);
    return true;
}

static void write_axes(FILE *out, const struct results *r, uint32_t w, const struct scale *s, const uint32_t *sizes,
                       uint32_t nr)
{
    double last = -INFINITY;
    int decimals = s->y_step < 0.00099 ? 2 : s->y_step < 0.0099 ? 1 : 0;

    fputs("<g class=\"axis\">", out);
    for (int i = 0; s->y_low + i * s->y_step < s->y_high + s->y_step / 2; i++) {
        double ratio = s->y_low + i * s->y_step;
        double y = to_y(s, ratio);

        fprintf(out,
                "<path d=\"M%.0f %.1fH%.0f\"/><text x=\"%.0f\" y=\"%.1f\" "
                "text-anchor=\"end\">%.*f %%</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 5, y + 4, decimals, 100 * ratio);
    }
    for (uint32_t i = 0; i < nr; i++) {
        for (size_t k = 0; k < r->nr; k++) {
            const struct result *row = &r->rows[k];

            if (row->workload != w || row->size != sizes[i] || row->capacity == 0) {
                continue;
            }
            double x = to_x(s, row->capacity);

            if (x - last >= TICK_GAP) {
                fprintf(out,
                        "<path d=\"M%.1f %.0fv4\"/><text x=\"%.1f\" y=\"%.0f\" "
                        "text-anchor=\"middle\">",
                        x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 17);
                html_text(out, r->sizes.text[sizes[i]]);
                fputs("</text>\n", out);
                last = x;
            }
            break;
        }
    }
    fprintf(out,
            "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">"
            "cache size, logarithmic</text></g>\n",
            LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 8);
}

/*
 * What the page is about stands out; the two ends of the scale have the colour of the text; the
 * rest tell by hue and dashes, since colours alone are lost in print.
 */
static void write_look(FILE *out, const char *policy, uint32_t index)
{
    static const char *const dashes[] = {"none", "7 3", "2 2.5", "9 3 2 3"};

    if (strcmp(policy, "lru") == 0 || strcmp(policy, "belady") == 0) {
        fprintf(out, "class=\"line end\" style=\"--d:%s\"", *policy == 'l' ? "6 3" : "1.5 3");
    } else if (strncmp(policy, "genlru", 6) == 0) {
        fputs("class=\"line own\" style=\"--h:8;--d:none\"", out);
    } else if (strncmp(policy, "mglru", 5) == 0) {
        fprintf(out, "class=\"line kin\" style=\"--h:%d;--d:%s\"", policy[5] ? 280 : 225,
                policy[5] == '-' && policy[6] == 'o' ? "7 3" : "none");
    } else {
        /* Neighbours far apart (steps of the golden ratio), within the hues ours leave free. */
        double hue = fmod(index * 0.6180339887, 1) * 215;

        fprintf(out, "class=\"line\" style=\"--h:%.0f;--d:%s\"", hue < 180 ? 30 + hue : 125 + hue, dashes[index % 4]);
    }
}

/* At most LABEL_CHARS bytes, cut between characters. */
static void write_label(FILE *out, const char *name)
{
    char text[LABEL_CHARS + 1];
    size_t len = strlen(name);

    if (len <= LABEL_CHARS) {
        html_text(out, name);
        return;
    }
    len = LABEL_CHARS - 1;
    while (len && ((unsigned char)name[len] & 0xC0) == 0x80) {
        len--;
    }
    memcpy(text, name, len);
    text[len] = '\0';
    html_text(out, text);
    fputs("…", out);
}

static void write_curve(FILE *out, const struct results *r, uint32_t w, const struct scale *s,
                        const struct label *label, const uint32_t *sizes, uint32_t nr)
{
    const char *name = r->policies.text[label->policy];
    double end = LEFT;
    char command = 'M';

    fputs("<g ", out);
    write_look(out, name, label->policy);
    fputs("><title>", out);
    html_text(out, name);
    fputs("</title><path d=\"", out);
    for (uint32_t i = 0; i < nr; i++) {
        const struct result *row = results_find(r, w, label->policy, sizes[i]);

        if (row && row->capacity > 0) {
            end = to_x(s, row->capacity);
            fprintf(out, "%c%.1f %.1f", command, end, to_y(s, row->miss_ratio));
            command = 'L';
        }
    }
    fputs("\"/>", out);
    for (uint32_t i = 0; i < nr; i++) {
        const struct result *row = results_find(r, w, label->policy, sizes[i]);

        if (row && row->capacity > 0) {
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"><title>", to_x(s, row->capacity),
                    to_y(s, row->miss_ratio));
            html_text(out, name);
            fputs(", ", out);
            html_text(out, r->sizes.text[sizes[i]]);
            fprintf(out, ": %.2f %%</title></circle>", 100 * row->miss_ratio);
        }
    }
    fprintf(out, "<path class=\"lead\" d=\"M%.1f %.1fL%.0f %.1f\"/><text x=\"%.0f\" y=\"%.1f\">", end + 3, label->at,
            WIDTH - RIGHT + 16, label->y, WIDTH - RIGHT + 19, label->y + 4);
    write_label(out, name);
    fputs("</text></g>\n", out);
}

static int by_end(const void *a, const void *b)
{
    const struct label *x = a;
    const struct label *y = b;

    return x->at != y->at ? (x->at > y->at ? 1 : -1) : (x->policy > y->policy) - (x->policy < y->policy);
}

/* The ends of the curves there are, top down, their texts apart. Returns how many. */
static uint32_t place_labels(const struct results *r, uint32_t w, const struct scale *s, const uint32_t *sizes,
                             uint32_t nr_sizes, struct label *labels)
{
    uint32_t nr = 0;

    for (uint32_t p = 0; p < r->policies.nr; p++) {
        const struct result *last = NULL;

        for (uint32_t i = 0; i < nr_sizes; i++) {
            const struct result *row = results_find(r, w, p, sizes[i]);

            last = row && row->capacity > 0 ? row : last;
        }
        if (last) {
            labels[nr++] = (struct label){p, to_y(s, last->miss_ratio), 0};
        }
    }
    qsort(labels, nr, sizeof(*labels), by_end);
    double room = HEIGHT - BOTTOM - TOP;
    double gap = nr > 1 && room / (nr - 1) < LABEL_GAP ? room / (nr - 1) : LABEL_GAP;

    for (uint32_t i = 0; i < nr; i++) {
        labels[i].y = i ? fmax(labels[i].at, labels[i - 1].y + gap) : labels[i].at;
    }
    for (uint32_t i = nr; i-- > 0;) { /* what was pushed out comes back from the bottom */
        double most = i + 1 < nr ? labels[i + 1].y - gap : HEIGHT - BOTTOM;

        labels[i].y = fmin(labels[i].y, most);
    }
    return nr;
}

int chart_write(FILE *out, const struct results *r, uint32_t w)
{
    struct label *labels = calloc(r->policies.nr + 1, sizeof(*labels));
    uint32_t nr_sizes = 0;
    uint32_t *sizes = compare_sizes(r, w, &nr_sizes);
    struct scale s;

    if (!labels || !sizes) {
        free(labels);
        free(sizes);
        return -ENOMEM;
    }
    if (!find_scale(r, w, &s)) {
        fputs("<p>No cache that holds anything.</p>\n", out);
    } else {
        fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Miss ratios of ", WIDTH, HEIGHT);
        html_text(out, r->workloads.text[w]);
        fputs(" by cache size\">\n", out);
        write_axes(out, r, w, &s, sizes, nr_sizes);
        uint32_t nr = place_labels(r, w, &s, sizes, nr_sizes, labels);

        for (uint32_t i = 0; i < nr; i++) {
            write_curve(out, r, w, &s, &labels[i], sizes, nr_sizes);
        }
        fputs("</svg>\n", out);
    }
    free(labels);
    free(sizes);
    return 0;
}

void chart_write_style(FILE *out)
{
    fputs("svg{display:block;width:100%;height:auto;font-size:12px}"
          "@media (max-width:36rem){svg{font-size:14.5px}}\n"
          ".axis path{stroke:var(--rule);fill:none}.axis text{fill:var(--dim)}\n"
          ".line path{stroke:hsl(var(--h) 65% var(--l));stroke-dasharray:var(--d);fill:none;"
          "stroke-width:1.4;stroke-linejoin:round}\n"
          ".line circle,.line text{fill:hsl(var(--h) 65% var(--l))}\n"
          ".line.kin path{stroke-width:2}.line.own path{stroke-width:3}\n"
          ".line.own text,.line.kin text{font-weight:700}\n"
          ".line.end path{stroke:var(--ink);stroke-width:1.8}"
          ".line.end circle,.line.end text{fill:var(--ink)}\n"
          ".line path.lead{stroke-width:.6;stroke-dasharray:none;opacity:.6}\n"
          "svg:hover .line:not(:hover){opacity:.45}.line:hover path:not(.lead){stroke-width:4}\n",
          out);
}
