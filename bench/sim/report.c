/* SPDX-License-Identifier: MIT */
/*
 * report.c - genlru-sim report: rows to one HTML page
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/page.h"
#include "sim/commands.h"

struct report_options {
    struct page_options page;
    const char *html;    /* "-" = standard output */
    const char *command; /* of the command line; NULL = as the rows' comments say */
    const char *commit;
    bool help;
};

static const char help[] =
    "Usage: genlru-sim report ROWS.tsv … --html PAGE.html [option …]\n"
    "\n"
    "Writes one self-contained page with what `genlru-sim run` or `curve` printed (- for standard\n"
    "input): misses saved against lru, miss-ratio curves, the distance to belady where it is there.\n"
    "\n"
    "  --html FILE      where to; replaced if it is there, and only when the page is complete;\n"
    "                   - for the standard output\n"
    "  --title TEXT     heading; default: Cache policies compared\n"
    "  --metric COLUMN  the ratio to show: miss_ratio (default), byte_miss_ratio, refault_ratio\n"
    "  --command TEXT   what made the rows; default: their `# command: ` lines (run --comment)\n"
    "  --commit TEXT    of the simulator that made them; default: their `# commit: ` lines\n"
    "\n"
    "A malformed line is told with file and line number; no page is written then.\n";

/* 0, or -EINVAL after saying why. */
static int parse(int argc, char **argv, struct report_options *o)
{
    static const struct option all[] = {
        {"html", required_argument, NULL, 'o'},
        {"title", required_argument, NULL, 't'},
        {"metric", required_argument, NULL, 'm'},
        {"command", required_argument, NULL, 'c'},
        {"commit", required_argument, NULL, 'C'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    static char program[] = "genlru-sim";
    int option;

    argv[0] = program;
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", all, NULL)) != -1) {
        switch (option) {
        case 'o':
            o->html = optarg;
            break;
        case 't':
            o->page.title = optarg;
            break;
        case 'm':
            o->page.metric = optarg;
            break;
        case 'c':
            o->command = optarg;
            break;
        case 'C':
            o->commit = optarg;
            break;
        case 'h':
            o->help = true;
            return 0;
        default:
            return -EINVAL; /* getopt_long has said why */
        }
    }
    if (optind == argc || !o->html) {
        fprintf(stderr, "genlru-sim: %s is missing\n", optind == argc ? "ROWS.tsv" : "--html FILE");
        return -EINVAL;
    }
    return 0;
}

static int write_page(FILE *out, const struct results *r, const struct page_options *o)
{
    int rc = page_write(out, r, o);

    errno = 0;
    if (!rc && (fflush(out) || ferror(out))) {
        rc = errno ? -errno : -EIO;
    }
    return rc;
}

/* Under another name first, so that a failure leaves what was there. */
static int write_file(const char *path, const struct results *r, const struct page_options *o)
{
    char *draft;

    if (asprintf(&draft, "%s.new", path) < 0) {
        return -ENOMEM;
    }
    FILE *out = fopen(draft, "w");
    int rc = out ? write_page(out, r, o) : -errno;

    if (out && fclose(out) && !rc) {
        rc = -errno;
    }
    if (!rc && rename(draft, path)) {
        rc = -errno;
    }
    if (rc && out) {
        unlink(draft);
    }
    free(draft);
    return rc;
}

/* What the command line says instead of the comments; `with` outlives the results' use. */
static void replace(struct names *names, const char **with)
{
    if (*with) {
        names->text = (char **)with;
        names->nr = 1;
    }
}

static int report(int nr_files, char **files, struct report_options *o)
{
    struct results r = {0};
    struct trace_error error;
    int rc = 0;

    for (int i = 0; i < nr_files && !rc; i++) {
        rc = results_read(files[i], o->page.metric, &r, &error);
    }
    if (rc) {
        fprintf(stderr, "genlru-sim: %s\n", error.text);
        results_fini(&r);
        return rc;
    }
    struct results shown = r;

    replace(&shown.commands, &o->command);
    replace(&shown.commits, &o->commit);
    rc = strcmp(o->html, "-") ? write_file(o->html, &shown, &o->page) : write_page(stdout, &shown, &o->page);
    if (rc) {
        fprintf(stderr, "genlru-sim: %s: %s\n", o->html, strerror(-rc));
    }
    results_fini(&r);
    return rc;
}

int sim_report(int argc, char **argv)
{
    struct report_options o = {.page = {.title = "Cache policies compared", .metric = "miss_ratio"}};
    int rc = parse(argc, argv, &o);

    if (rc) {
        return sim_exit_parse(rc, "report");
    }
    if (o.help) {
        fputs(help, stdout);
        return sim_exit_output(0);
    }
    return sim_exit_output(report(argc - optind, argv + optind, &o));
}
