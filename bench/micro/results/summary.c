/* SPDX-License-Identifier: MIT */
/*
 * summary.c - genlru-bench summary: every row with its limit, its peers, the ratio, the bar
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro/commands.h"
#include "micro/results/rules.h"

enum { ROWS_MAX = 256, CELL = 160 };

static const char help[] =
    "Usage: genlru-bench summary FILE … [--markdown]\n"
    "\n"
    "Prints what the JSON files of genlru-bench --benchmark_out say about every bar: medians in ns of\n"
    "one thread, the ratio with the interval that 95 % of resampled ratios are in, and whether the bar\n"
    "is met (\"unsure\": the interval is on both sides of it). What other files add (another build, more\n"
    "repetitions of the same) is taken together.\n"
    "\n"
    "  --markdown   as a table for docs/performance.md\n";

static const char *const verdicts[] = {"met", "NOT met", "unsure", "-"};

static void print_number(char *text, double value)
{
    if (isnan(value)) {
        strcpy(text, "-");
    } else {
        snprintf(text, CELL,
                 fabs(value) >= 99.95 || value == 0 ? "%.0f"
                 : fabs(value) >= 9.995             ? "%.1f"
                                                    : "%.2f",
                 value);
    }
}

/* "array 9.5": what the ratio is to. */
static void print_other(char *text, const struct row *row)
{
    char number[CELL];

    if (!row->rule->other) {
        strcpy(text, "-");
        return;
    }
    print_number(number, rule_figure(row->rule, row->other));
    snprintf(text, CELL, "%.32s %.32s", row->rule->other, number);
}

/* All others of the same operation, size, variant and threads. */
static void print_peers(char *text, const struct runs *runs, const struct row *row)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < runs->nr; i++) {
        const struct run *run = runs->run[i];
        char number[CELL];

        if (run == row->own || run == row->other || run->threads != row->own->threads ||
            strcmp(run->operation, row->own->operation) != 0 || strcmp(run->size, row->own->size) != 0 ||
            strcmp(run->variant, row->own->variant) != 0 || isnan(rule_figure(row->rule, run))) {
            continue;
        }
        print_number(number, rule_figure(row->rule, run));
        used += (size_t)snprintf(text + used, CELL - used, "%s%.24s %.24s", used ? ", " : "", run->subject, number);
        if (used >= CELL - 1) {
            break;
        }
    }
    if (!used) {
        strcpy(text, "-");
    }
}

static void print_ratio(char *text, const struct row *row)
{
    char value[CELL], low[CELL], high[CELL];

    print_number(value, row->value);
    print_number(low, row->low);
    print_number(high, row->high);
    if (isnan(row->low)) {
        snprintf(text, CELL, "%.64s", value);
    } else {
        snprintf(text, CELL, "%.40s [%.40s, %.40s]", value, low, high);
    }
}

static void print_bar(char *text, const struct rule *rule)
{
    char bar[CELL];

    print_number(bar, rule->bar);
    if (isinf(rule->bar)) {
        snprintf(text, CELL, "%.64s", rule->text);
    } else {
        snprintf(text, CELL, "%s %.40s %.64s", rule->at_most ? "≤" : "≥", bar, rule->text);
    }
}

static void print_line(const struct runs *runs, const struct row *row, bool is_markdown)
{
    char own[CELL], other[CELL], peers[CELL], ratio[CELL], bar[CELL];
    const struct run *run = row->own;

    print_number(own, rule_figure(row->rule, run));
    print_other(other, row);
    print_peers(peers, runs, row);
    print_ratio(ratio, row);
    print_bar(bar, row->rule);
    printf(is_markdown ? "| `%s` %s%s%s, %u thread%s | %s | %s | %s | %s | %s | %s |\n"
                       : "%s\t%s%s%s\t%u thread%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
           run->operation, run->size, *run->variant ? " " : "", run->variant, run->threads,
           run->threads == 1 ? "" : "s", own, other, peers, ratio, bar, verdicts[row_verdict(row)]);
}

/* Of each file: when, where, with what. */
static void print_origin(const struct runs *runs, bool is_markdown)
{
    for (size_t i = 0; i < runs->nr_files; i++) {
        const struct json *c = json_get(runs->files[i], "context");

        printf("%s%s, %.0f processors at %.0f MHz (%s), family/model %s; %s; %s; huge pages %s; "
               "genlru %s, locks measured: %s; %s\n",
               is_markdown ? "" : "# ", json_string(c, "cpu", "?"), json_number(c, "num_cpus", 0),
               json_number(c, "mhz_per_cpu", 0), json_string(c, "system", "?"), json_string(c, "cpu_family_model", "?"),
               json_string(c, "build", "?"), json_string(c, "compiler", "?"), json_string(c, "huge_pages", "?"),
               json_string(c, "genlru", "?"), json_string(c, "genlru_locks_measured", "?"),
               json_string(c, "date", "?"));
    }
    if (runs->nr_errors) {
        printf("%s%zu repetitions failed and are left out\n", is_markdown ? "" : "# ", runs->nr_errors);
    }
}

static void print_all(const struct runs *runs, bool is_markdown)
{
    static struct row rows[ROWS_MAX];
    unsigned count[4] = {0};

    print_origin(runs, is_markdown);
    if (is_markdown) {
        puts("\n| operation | genlru | beside it | peers | ratio | bar | |\n|---|---|---|---|---|---|---|");
    } else {
        puts("operation\tsize\tthreads\tgenlru\tbeside\tpeers\tratio\tbar\tverdict");
    }
    for (size_t i = 0; i < nr_rules; i++) {
        size_t n = rules_apply(&rules[i], runs, rows, ROWS_MAX);

        for (size_t k = 0; k < n && k < ROWS_MAX; k++) {
            print_line(runs, &rows[k], is_markdown);
            count[row_verdict(&rows[k])]++;
        }
    }
    printf("%s%u met, %u not met, %u unsure\n", is_markdown ? "\n" : "# ", count[VERDICT_MET], count[VERDICT_MISSED],
           count[VERDICT_UNSURE]);
}

int bench_summary(int argc, char **argv)
{
    struct runs runs = {0};
    bool is_markdown = false;
    int error = 0;

    for (int i = 1; i < argc && !error; i++) {
        if (!strcmp(argv[i], "--markdown")) {
            is_markdown = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            runs_fini(&runs);
            return EXIT_SUCCESS;
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "genlru-bench: no option %s\n%s", argv[i], help);
            error = -EINVAL;
        } else {
            error = runs_read(&runs, argv[i]);
        }
    }
    if (!error && runs.nr_files == 0) {
        fputs(help, stderr);
        error = -EINVAL;
    }
    if (!error) {
        print_all(&runs, is_markdown);
        error = fflush(stdout);
    }
    runs_fini(&runs);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
