/* SPDX-License-Identifier: MIT */
/* README's table out of the JSON of a run: rows, columns, medians, what is missing, the last column. */
#define _GNU_SOURCE /* open_memstream */

#include "micro/results/caches.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void entry(FILE *file, const char *name, unsigned threads, double real, double cpu, const char *more)
{
    fprintf(file,
            "{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"threads\": %u, "
            "\"real_time\": %g, \"cpu_time\": %g%s},\n",
            name, name, threads, real, cpu, more);
}

static void read_some(struct runs *runs)
{
    char path[] = "/tmp/genlru-caches-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");

    cr_assert(file != NULL);
    fprintf(file, "{\"context\": {\"cpu\": \"some\"}, \"benchmarks\": [\n");
    entry(file, "hit_saturated/genlru/2M/one/threads:1", 1, 1, 1, "");
    entry(file, "cache_miss/genlru/1M/new/threads:1", 1, 7, 100, "");
    entry(file, "cache_miss/genlru/1M/new/threads:1", 1, 7, 300, "");
    entry(file, "cache_miss/genlru/1M/new/threads:1", 1, 7, 200, "");
    entry(file, "cache_miss/leveldb/1M/new/threads:1", 1, 7, 500, "");
    entry(file, "cache_miss/hyperclock/1M/new/threads:1", 1, 7, 400, "");
    entry(file, "cache_miss/genlru/1M/new/threads:2", 2, 30, 9, "");
    entry(file, "cache_hot/leveldb/1M/one/threads:2", 2, 30, 9, "");
    entry(file, "cache_mixed/genlru/1M/zipf/threads:1", 1, 7, 50, ", \"hit_percent\": 80.25");
    entry(file, "cache_mixed/libcuckoo/1M/zipf/threads:1", 1, 7, 25, ", \"hit_percent\": 90");
    fprintf(file, "{\"run_name\": \"x/y/1M\", \"run_type\": \"aggregate\", \"threads\": 1, \"cpu_time\": 99}]}\n");
    fclose(file);
    cr_assert(runs_read(runs, path) == 0);
    unlink(path);
}

Test(caches, table)
{
    static const char expected[] =
        "| miss, insert, evict, 1M, 1 thread | 200 | 400 | - | 500 | - | - | 2.00 |\n"
        "| miss, insert, evict, 1M, 2 threads | 60.0 | - | - | - | - | - | |\n"
        "| mixed, zipf 0.99 over ten times what fits, 1M, 1 thread | 50.0 | - | - | - | - | 25.0 | 0.50 |\n"
        "| ... of them hits, per cent, 1M, 1 thread | 80.2 | - | - | - | - | 90.0 | |\n";
    struct runs runs = {0};
    const char *rows;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    read_some(&runs);
    caches_print(out, &runs);
    fclose(out);
    rows = strstr(text, "|\n|---|---|---|---|---|---|---|---|\n");
    cr_assert(rows != NULL && !strncmp(text, "| | genlru-cache | HyperClockCache |", 30), "%s", text);
    cr_assert_str_eq(rows + strlen("|\n|---|---|---|---|---|---|---|---|\n"), expected);
    free(text);
    runs_fini(&runs);
}
