/* SPDX-License-Identifier: MIT */
/*
 * caches.c - genlru-bench caches: see caches.h
 *
 *      | | genlru-cache | HyperClockCache | ... | best of the others / genlru |
 *      | miss, insert, evict, 1M, 1 thread | 370 | 591 | ... | 1.60 |
 */
#include "micro/results/caches.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "micro/commands.h"
#include "micro/results/rules.h"

static const struct {
    const char *subject;
    const char *title;
} columns[] = {
    {"genlru", "genlru-cache"}, /* the first: what others are divided by */
    {"hyperclock", "HyperClockCache"},
    {"rocksdb_lru", "RocksDB LRU"},
    {"leveldb", "LevelDB LRU"},
    {"list_map_16", "list + map, 16 locks"},
    {"libcuckoo", "libcuckoo + CLOCK (no handles)"},
};

enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]), SIZES_MAX = 16, CELL = 32 };

static const struct {
    const char *operation;
    const char *counter; /* NULL = ns */
    const char *title;
    unsigned threads;
    bool is_cost; /* less is better: the others' best over genlru's says something */
} lines[] = {
    {"cache_get", NULL, "hit, zipf 0.99, with a handle", 1, true},
    {"cache_get", NULL, "", 2, true},
    {"cache_get_section", NULL, "hit, zipf 0.99, in a read section", 1, true},
    {"cache_get_section", NULL, "", 2, true},
    {"cache_hot", NULL, "hit, one key, with a handle", 2, true},
    {"cache_hot_section", NULL, "hit, one key, in a read section", 2, true},
    {"cache_miss", NULL, "miss, insert, evict", 1, true},
    {"cache_miss", NULL, "", 2, true},
    {"cache_mixed", NULL, "mixed, zipf 0.99 over ten times what fits", 1, true},
    {"cache_mixed", NULL, "", 2, true},
    {"cache_mixed", "hit_percent", "... of them hits, per cent", 1, false},
    {"cache_insert_latency", "p99_ns", "p99 of one insert that evicts", 1, true},
    {"cache_insert_latency", "p99_ns", "", 2, true},
    {"cache_memory", "bytes_churned", "bytes an entry, from outside, key and pointer included", 1, true},
};

enum { NR_LINES = sizeof(lines) / sizeof(lines[0]) };

/* Sizes that caches were measured with, in order of appearance. */
static unsigned find_sizes(const struct runs *runs, const char **sizes)
{
    unsigned nr = 0, k;

    for (size_t i = 0; i < runs->nr; i++) {
        if (strncmp(runs->run[i]->operation, "cache_", 6) != 0) {
            continue;
        }
        for (k = 0; k < nr && strcmp(sizes[k], runs->run[i]->size) != 0; k++) {
        }
        if (k == nr && nr < SIZES_MAX) {
            sizes[nr++] = runs->run[i]->size;
        }
    }
    return nr;
}

static double figure_of(const struct runs *runs, unsigned line, const char *size, const char *subject)
{
    const struct rule rule = {.operation = lines[line].operation, .counter = lines[line].counter};

    for (size_t i = 0; i < runs->nr; i++) {
        const struct run *run = runs->run[i];

        if (!strcmp(run->operation, rule.operation) && !strcmp(run->subject, subject) && !strcmp(run->size, size) &&
            run->threads == lines[line].threads) {
            return rule_figure(&rule, run);
        }
    }
    return NAN;
}

static void print_cell(FILE *out, double value, const char *after)
{
    if (isnan(value)) {
        fprintf(out, " - |%s", after);
    } else {
        fprintf(out, value < 100 ? " %.1f |%s" : " %.0f |%s", value, after);
    }
}

static const char *title_of(unsigned line)
{
    return *lines[line].title ? lines[line].title : title_of(line - 1);
}

static void print_line(FILE *out, const struct runs *runs, unsigned line, const char *size)
{
    double own = figure_of(runs, line, size, columns[0].subject), best = INFINITY;

    if (isnan(own)) {
        return;
    }
    fprintf(out, "| %s, %s%s |", title_of(line), size,
            strcmp(lines[line].operation, "cache_memory") == 0 ? ""
            : lines[line].threads == 1                         ? ", 1 thread"
                                                               : ", 2 threads");
    print_cell(out, own, "");
    for (unsigned c = 1; c < NR_COLUMNS; c++) {
        double other = figure_of(runs, line, size, columns[c].subject);

        print_cell(out, other, "");
        best = other < best ? other : best;
    }
    if (lines[line].is_cost && !isinf(best) && own > 0) {
        fprintf(out, " %.2f |\n", best / own);
    } else {
        fputs(" |\n", out);
    }
}

void caches_print(FILE *out, const struct runs *runs)
{
    const char *sizes[SIZES_MAX];
    unsigned nr_sizes = find_sizes(runs, sizes);

    fputs("| |", out);
    for (unsigned c = 0; c < NR_COLUMNS; c++) {
        fprintf(out, " %s |", columns[c].title);
    }
    fputs(" best of the others / genlru |\n|---|", out);
    for (unsigned c = 0; c <= NR_COLUMNS; c++) {
        fputs("---|", out);
    }
    fputc('\n', out);
    for (unsigned s = 0; s < nr_sizes; s++) {
        for (unsigned line = 0; line < NR_LINES; line++) {
            print_line(out, runs, line, sizes[s]);
        }
    }
}

/* When, where, with what. */
static void print_origin(FILE *out, const struct runs *runs)
{
    for (size_t i = 0; i < runs->nr_files; i++) {
        const struct json *c = json_get(runs->files[i], "context");

        fprintf(out, "%s, %.0f processors (%s); %s; %s; huge pages %s; genlru %s; %s. ns of one thread, medians.\n\n",
                json_string(c, "cpu", "?"), json_number(c, "num_cpus", 0), json_string(c, "system", "?"),
                json_string(c, "build", "?"), json_string(c, "compiler", "?"), json_string(c, "huge_pages", "?"),
                json_string(c, "genlru", "?"), json_string(c, "date", "?"));
    }
}

int bench_caches(int argc, char **argv)
{
    static const char usage[] = "Usage: genlru-bench caches FILE …\n\n"
                                "Prints the cache_ benchmarks of JSON files as README's table, in Markdown.\n";
    struct runs runs = {0};
    int error = 0;

    for (int i = 1; i < argc && !error; i++) {
        if (argv[i][0] == '-') {
            bool is_help = !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");

            fputs(usage, is_help ? stdout : stderr);
            runs_fini(&runs);
            return is_help ? EXIT_SUCCESS : EXIT_FAILURE;
        }
        error = runs_read(&runs, argv[i]);
    }
    if (!error && runs.nr_files == 0) {
        fputs(usage, stderr);
        error = -EINVAL;
    }
    if (!error) {
        print_origin(stdout, &runs);
        caches_print(stdout, &runs);
        error = fflush(stdout);
    }
    runs_fini(&runs);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
