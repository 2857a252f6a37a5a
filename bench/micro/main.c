/* SPDX-License-Identifier: MIT */
/*
 * genlru-bench: each operation beside its limit and its peers, in one process. See bench/README.md.
 *
 *      genlru-bench [options]                        measures
 *      genlru-bench summary FILE … [--markdown]      rows and bars, from the JSON of earlier runs
 *      genlru-bench caches FILE …                    whole caches, as README's table
 *      genlru-bench model FILE …                     what more processors would do
 *      genlru-bench report FILE … --html PAGE        a page with a plot an operation
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GENLRU_BENCH_HAS_CACHE
#include "cache/cache.h"
#endif
#include "micro/commands.h"
#include "micro/fixture.h"
#include "micro/machine.h"
#include "micro/micro.h"
#include "micro/objects.h"
#include "shim/shim.h"

/* The repetitions of a group take turns, and their median counts. */
static const char *const defaults[] = {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=7",
                                       "--benchmark_min_time=0.1", NULL};

static const char help[] = "Usage: genlru-bench [OPTION …]\n"
                           "       genlru-bench summary FILE … [--markdown]\n"
                           "       genlru-bench caches FILE …\n"
                           "       genlru-bench model FILE …\n"
                           "       genlru-bench report FILE … --html PAGE\n"
                           "\n"
                           "Measures genlru, its peers and the machine's limits, operation by operation.\n"
                           "\n"
                           "  --nodes=N,…              sizes, in objects of 64 bytes; default 1M,10M\n"
                           "  --growth=N               how far growth goes; default the largest of these; at most 50M\n"
                           "  --pin                    thread i on the i-th processor allowed\n"
                           "  --benchmark_filter=RE    what to run: operation/subject/size/variant/threads:N\n"
                           "  --benchmark_list_tests   names it\n"
                           "  --benchmark_out=FILE     JSON, for summary, report and compare.py\n"
                           "  --benchmark_…            as in any program of Google Benchmark; defaults here:\n"
                           "                           random interleaving, 7 repetitions, min_time 0.1 s\n";

const char *micro_size_text(size_t nodes, char *text)
{
    if (nodes >= 1000000 && nodes % 1000000 == 0) {
        snprintf(text, MICRO_SIZE_TEXT, "%zuM", nodes / 1000000);
    } else if (nodes >= 1000 && nodes % 1000 == 0) {
        snprintf(text, MICRO_SIZE_TEXT, "%zuk", nodes / 1000);
    } else {
        snprintf(text, MICRO_SIZE_TEXT, "%zu", nodes);
    }
    return text;
}

/* "10M"; 0 = no such number, or out of bounds. */
static size_t parse_size(const char *text, char **end)
{
    unsigned long n = strtoul(text, end, 10);
    size_t unit = 1;

    if (*end == text || *text == '-') {
        return 0;
    }
    if (**end == 'k' || **end == 'M') {
        unit = **end == 'k' ? 1000 : 1000000;
        ++*end;
    }
    return n >= 1 && n <= OBJECTS_MAX / unit && n * unit >= MICRO_NODES_MIN ? n * unit : 0;
}

static int parse_nodes(const char *text, struct micro_options *options)
{
    char *end;

    options->nr_nodes = 0;
    do {
        size_t nr = parse_size(text, &end);

        if (nr == 0 || options->nr_nodes == MICRO_SIZES_MAX || (*end != ',' && *end != '\0')) {
            return -EINVAL;
        }
        options->nodes[options->nr_nodes++] = nr;
        text = end + 1;
    } while (*end == ',');
    return 0;
}

/* Takes our options out of argv. 0, or -EINVAL after a message. */
static int parse(int *argc, char **argv, struct micro_options *options)
{
    int left = 1, error = 0;
    char *end;

    for (int i = 1; i < *argc && !error; i++) {
        if (!strncmp(argv[i], "--nodes=", 8)) {
            error = parse_nodes(argv[i] + 8, options);
        } else if (!strncmp(argv[i], "--growth=", 9)) {
            options->growth_nodes = parse_size(argv[i] + 9, &end);
            error = options->growth_nodes == 0 || *end ? -EINVAL : 0;
        } else {
            argv[left++] = argv[i];
        }
        if (error) {
            fprintf(stderr, "genlru-bench: %s: sizes are numbers such as 100k or 10M, from %d to 50M\n", argv[i],
                    (int)MICRO_NODES_MIN);
        }
    }
    argv[left] = NULL;
    *argc = left;
    for (unsigned i = 0; i < options->nr_nodes && !options->growth_nodes; i++) {
        size_t largest = options->nodes[i];

        for (unsigned k = 0; k < options->nr_nodes; k++) {
            largest = options->nodes[k] > largest ? options->nodes[k] : largest;
        }
        options->growth_nodes = largest;
    }
    return error;
}

static int measure(const struct micro_options *options)
{
    static int (*const operations[])(const struct micro_options *) = {
        micro_hits,       micro_evict,   micro_add,       micro_insert_evict, micro_delete,
        micro_mixed,      micro_latency, micro_lock_hold, micro_growth,
#ifdef GENLRU_BENCH_HAS_CACHE
        cache_benchmarks,
#endif
    };
    int error = 0;

    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]) && !error; i++) {
        error = operations[i](options);
    }
    fixture_clear();
    if (error) {
        fprintf(stderr, "genlru-bench: %s\n", strerror(-error));
    }
    return error;
}

int main(int argc, char **argv)
{
    struct micro_options options = {{1000000, 10000000}, 2, 0};
    int error;

    if (argc > 1 && !strcmp(argv[1], "summary")) {
        return bench_summary(argc - 1, argv + 1);
    }
    if (argc > 1 && !strcmp(argv[1], "caches")) {
        return bench_caches(argc - 1, argv + 1);
    }
    if (argc > 1 && !strcmp(argv[1], "model")) {
        return bench_model(argc - 1, argv + 1);
    }
    if (argc > 1 && !strcmp(argv[1], "report")) {
        return bench_report(argc - 1, argv + 1);
    }
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    error = parse(&argc, argv, &options);
    error = error ? error : shim_init(&argc, argv, defaults);
    if (error) {
        return EXIT_FAILURE;
    }
    machine_describe();
    error = measure(&options);
    error = shim_finish() || error;
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
