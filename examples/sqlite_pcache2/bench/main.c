/* SPDX-License-Identifier: MIT */
/* Options, the order of runs, and the table. bench.h draws the program. */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char db_path[512];

static void remove_db(void)
{
    if (*db_path)
        (void)remove(db_path);
}

_Noreturn void bench_die(const char *what, const char *why)
{
    fprintf(stderr, "genlru-sqlite-bench: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

uint64_t bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void metric_add(struct metrics *metrics, const char *name, const char *unit, double value)
{
    if (metrics->nr == MAX_METRICS)
        bench_die(name, "too many metrics");
    metrics->of[metrics->nr].name = name;
    metrics->of[metrics->nr].unit = unit;
    metrics->of[metrics->nr++].value = value;
}

static void run_one(const struct options *options, const struct workload *workload, enum subject subject,
                    struct metrics *metrics)
{
    metrics->nr = 0;
    subject_set(subject);
    latency_set(options->latency_us);
    workload->run(options, db_path, metrics);
}

static void prepare(const struct options *options, const struct workload *workload)
{
    if (!workload->prepare)
        return;
    snprintf(db_path, sizeof(db_path), "%s/genlru-sqlite-bench-%ld.db", options->folder, (long)getpid());
    remove_db();
    subject_set(SUBJECT_OWN);
    workload->prepare(options, db_path);
}

static void print_rows(const struct workload *workload, const struct metrics *shape, int nr_pairs,
                       double values[NR_SUBJECTS][MAX_METRICS][MAX_PAIRS])
{
    for (int i = 0; i < shape->nr; i++) {
        struct paired p = paired_summary(values[SUBJECT_OWN][i], values[SUBJECT_GENLRU][i], nr_pairs);

        printf("| %s | %s%s%s | %.4g | %.4g | %.3f | %.3f .. %.3f (%.0f %%) |\n", workload->name, shape->of[i].name,
               *shape->of[i].unit ? ", " : "", shape->of[i].unit, p.own, p.genlru, p.ratio, p.low, p.high,
               100 * p.confidence);
    }
    fflush(stdout);
}

static void measure(const struct options *options, const struct workload *workload)
{
    static double values[NR_SUBJECTS][MAX_METRICS][MAX_PAIRS];
    struct metrics metrics = {.nr = 0};

    prepare(options, workload);
    for (int pair = 0; pair < options->nr_pairs; pair++)
        for (int i = 0; i < NR_SUBJECTS; i++) { /* A B, B A, A B, ... */
            enum subject subject = (enum subject)((i + pair) % NR_SUBJECTS);

            run_one(options, workload, subject, &metrics);
            for (int j = 0; j < metrics.nr; j++)
                values[subject][j][pair] = metrics.of[j].value;
        }
    print_rows(workload, &metrics, options->nr_pairs, values);
    remove_db();
}

/* One run of one subject, for tools that count (valgrind, perf). */
static int run_once(const struct options *options, const char *subject, const char *name)
{
    for (int s = 0; s < NR_SUBJECTS; s++)
        for (size_t i = 0; i < nr_workloads; i++)
            if (strcmp(subject_names[s], subject) == 0 && strcmp(workloads[i].name, name) == 0) {
                struct metrics metrics = {.nr = 0};

                prepare(options, &workloads[i]);
                run_one(options, &workloads[i], (enum subject)s, &metrics);
                for (int j = 0; j < metrics.nr; j++)
                    printf("%s %s %s: %.4g %s\n", subject, name, metrics.of[j].name, metrics.of[j].value,
                           metrics.of[j].unit);
                return EXIT_SUCCESS;
            }
    bench_die(name, "no such subject or workload");
}

static int usage(FILE *to)
{
    fputs(
        "usage: genlru-sqlite-bench [--pairs N] [--latency-us N] [--scale N] [--folder DIR] [WORKLOAD...]\n"
        "       genlru-sqlite-bench [options] --once pcache1|genlru WORKLOAD\n\n"
        "Runs each workload on SQLite's own page cache and on genlru in pairs (A B, B A, ...), and prints medians and\n"
        "the ratio within pairs with its confidence interval. Less is better. Defaults: 8 pairs, page reads of\n"
        "80 us, scale 1, /tmp.\n\n",
        to);
    for (size_t i = 0; i < nr_workloads; i++)
        fprintf(to, "  %-10s %s\n", workloads[i].name, workloads[i].what);
    return to == stderr ? EXIT_FAILURE : EXIT_SUCCESS;
}

static unsigned number(const char *option, const char *text, unsigned min, unsigned max)
{
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;

    if (!text || *text < '0' || *text > '9' || *end || value < min || value > max)
        bench_die(option, "takes a number within its bounds");
    return (unsigned)value;
}

static bool is_chosen(const char *name, char **names, int nr)
{
    for (int i = 0; i < nr; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return nr == 0;
}

int main(int argc, char **argv)
{
    struct options options = {.nr_pairs = 8, .latency_us = 80, .scale = 1, .folder = "/tmp"};
    int i = 1;

    atexit(remove_db);
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--help") == 0)
            return usage(stdout);
        if (strcmp(argv[i], "--pairs") == 0)
            options.nr_pairs = (int)number(argv[i++], value, 1, MAX_PAIRS);
        else if (strcmp(argv[i], "--latency-us") == 0)
            options.latency_us = number(argv[i++], value, 0, 900000);
        else if (strcmp(argv[i], "--scale") == 0)
            options.scale = number(argv[i++], value, 1, 100);
        else if (strcmp(argv[i], "--folder") == 0 && value)
            options.folder = argv[++i];
        else if (strcmp(argv[i], "--once") == 0 && i + 2 < argc)
            return run_once(&options, argv[i + 1], argv[i + 2]);
        else
            return usage(stderr);
    }
    for (int j = i; j < argc; j++) {
        bool is_known = false;

        for (size_t w = 0; w < nr_workloads; w++)
            is_known |= strcmp(workloads[w].name, argv[j]) == 0;
        if (!is_known)
            return usage(stderr);
    }
    printf("SQLite %s, %d pairs, page reads of %u us, scale %u\n\n", sqlite3_libversion(), options.nr_pairs,
           options.latency_us, options.scale);
    printf("| workload | what | pcache1 | genlru | genlru / pcache1 | interval |\n|---|---|---|---|---|---|\n");
    for (size_t w = 0; w < nr_workloads; w++)
        if (is_chosen(workloads[w].name, argv + i, argc - i))
            measure(&options, &workloads[w]);
    return EXIT_SUCCESS;
}
