/* SPDX-License-Identifier: MIT */
/*
 * report.c - genlru-bench report: a page with a plot an operation, that needs nothing else: no network, no script
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro/commands.h"
#include "micro/results/plot.h"
#include "report/html.h"
#include "report/page.h"

static const char help[] =
    "Usage: genlru-bench report FILE … --html PAGE\n"
    "\n"
    "Draws what the JSON files of genlru-bench --benchmark_out hold. PAGE - is the standard output.\n";

/* In the order of the page; what is not here was not measured by us. */
static const struct {
    const char *operation;
    const char *text;
} sections[] = {
    {"hit_saturated", "Hits that change nothing any more, beside a load of the same line"},
    {"hit_first", "Hits that still count, beside a bare compare-and-swap"},
    {"evict_scan", "Evictions, 64 at a time, beside a walk over an array of pointers; per object evicted"},
    {"add", "Adds to an empty list, objects at random addresses"},
    {"insert_evict", "Steady state: evict a batch, add it again; per pair"},
    {"delete", "Deletes in a random order, beside one store"},
    {"mixed", "Look-ups with an index in front, and inserts; per operation"},
    {"insert_latency", "Inserts into a full cache, timed one by one; the mean"},
    {"lock_hold", "Steady state in a build that measures its locks; the mean of a pair"},
    {"growth_hit", "Saturated hits by the number of objects"},
    {"growth_pair", "Evict and add by the number of objects"},
};

static void write_origin(FILE *out, const struct runs *runs)
{
    for (size_t i = 0; i < runs->nr_files; i++) {
        const struct json *c = json_get(runs->files[i], "context");
        static const char *const keys[] = {"cpu", "system", "compiler", "build", "huge_pages", "genlru", "date"};

        fputs("<p class=\"dim\">", out);
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
            fputs(k ? "; " : "", out);
            html_text(out, json_string(c, keys[k], "?"));
        }
        fputs("</p>\n", out);
    }
}

static void write_page(FILE *out, const struct runs *runs)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>genlru-bench</title>\n<style>\n",
          out);
    page_write_style(out);
    fputs(
        "</style></head><body>\n<h1>genlru-bench</h1>\n<p>Nanoseconds of one thread, medians of interleaved repetitions, "
        "logarithmic.</p>\n",
        out);
    write_origin(out, runs);
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        bool is_growth = !strncmp(sections[i].operation, "growth_", 7);

        fputs("<article><h2>", out);
        html_text(out, sections[i].operation);
        fputs("</h2><p>", out);
        html_text(out, sections[i].text);
        fputs("</p>\n", out);
        (is_growth ? plot_curves : plot_dots)(out, runs, sections[i].operation);
        fputs("</article>\n", out);
    }
    fputs("</body></html>\n", out);
}

/* Under another name first, so that a failure leaves what was there. */
static int write_file(const char *path, const struct runs *runs)
{
    size_t length = strlen(path) + sizeof(".new");
    char *draft = malloc(length);
    FILE *out;
    int error = 0;

    if (!draft) {
        return -ENOMEM;
    }
    snprintf(draft, length, "%s.new", path);
    out = fopen(draft, "w");
    if (out) {
        write_page(out, runs);
        error = ferror(out) ? -EIO : 0;
        error = fclose(out) && !error ? -errno : error;
        error = !error && rename(draft, path) ? -errno : error;
        if (error) {
            (void)remove(draft);
        }
    } else {
        error = -errno;
    }
    free(draft);
    return error;
}

static int write_out(const char *path, const struct runs *runs)
{
    int error = 0;

    if (strcmp(path, "-") != 0) {
        error = write_file(path, runs);
    } else {
        write_page(stdout, runs);
        error = fflush(stdout) ? -EIO : 0;
    }
    if (error) {
        fprintf(stderr, "genlru-bench: %s: %s\n", path, strerror(-error));
    }
    return error;
}

int bench_report(int argc, char **argv)
{
    struct runs runs = {0};
    const char *path = NULL;
    int error = 0;

    for (int i = 1; i < argc && !error; i++) {
        if (!strcmp(argv[i], "--html") && i + 1 < argc) {
            path = argv[++i];
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            runs_fini(&runs);
            return EXIT_SUCCESS;
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "genlru-bench: no option %s\n", argv[i]);
            error = -EINVAL;
        } else {
            error = runs_read(&runs, argv[i]);
        }
    }
    if (!error && (!path || runs.nr_files == 0)) {
        fputs(help, stderr);
        error = -EINVAL;
    }
    error = error ? error : write_out(path, &runs);
    runs_fini(&runs);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
