/* SPDX-License-Identifier: MIT */
/* Runs out of files, and rules on them: names cut up, medians, each kind of ratio by hand, verdicts. */
#include "micro/results/rules.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];
static FILE *file;
static int nr_entries;

static void begin_file(void)
{
    int fd;

    strcpy(path, "/tmp/genlru-rules-XXXXXX");
    fd = mkstemp(path);
    cr_assert(fd >= 0);
    file = fdopen(fd, "w");
    fprintf(file, "{\"context\": {\"cpu\": \"some\"}, \"benchmarks\": [\n");
    nr_entries = 0;
}

static void entry(const char *name, unsigned threads, double real, double cpu, const char *more)
{
    fprintf(file,
            "%s{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"threads\": %u, "
            "\"real_time\": %g, \"cpu_time\": %g%s}",
            nr_entries++ ? ",\n" : "", name, name, threads, real, cpu, more);
}

static void read_file(struct runs *runs)
{
    fprintf(file, "]}\n");
    fclose(file);
    cr_assert(runs_read(runs, path) == 0);
    unlink(path);
}

static const struct rule *rule_of(const char *operation, enum rule_kind kind, unsigned threads, const char *counter)
{
    for (size_t i = 0; i < nr_rules; i++) {
        if (!strcmp(rules[i].operation, operation) && rules[i].kind == kind && rules[i].threads == threads &&
            (!counter || (rules[i].counter && !strcmp(rules[i].counter, counter)))) {
            return &rules[i];
        }
    }
    cr_assert_fail("no rule for %s", operation);
    abort();
}

static struct row only_row(const struct rule *rule, const struct runs *runs)
{
    struct row rows[4];

    cr_assert_eq(rules_apply(rule, runs, rows, 4), 1);
    return rows[0];
}

Test(rules, names_and_medians)
{
    struct runs runs = {0};
    const struct run *run;

    begin_file();
    entry("add/genlru/1M/iterations:1024/threads:1", 1, 1, 5, "");
    entry("add/genlru/1M/iterations:1024/threads:1", 1, 1, 3, ", \"allocations\": 7, \"iterations\": 3");
    entry("add/genlru/1M/iterations:1024/threads:1", 1, 1, 4, "");
    entry("mixed/lru/10k/zipf:0.99/99:1/threads:2", 2, 8, 9, "");
    fprintf(file, ", {\"run_name\": \"add/genlru/1M\", \"run_type\": \"aggregate\", \"threads\": 1, \"cpu_time\": 99}");
    fprintf(file, ", {\"run_name\": \"add/lru/1M\", \"run_type\": \"iteration\", \"error_occurred\": true}");
    read_file(&runs);

    cr_assert_eq(runs.nr, 2, "aggregates and failures are none");
    cr_assert_eq(runs.nr_errors, 1);
    run = runs_find(&runs, "add", "genlru", "1M", "", 1);
    cr_assert(run && run->repetitions == 3);
    cr_assert_eq(runs_median(run->cpu_ns, 3), 4);
    cr_assert_eq(run->cpu_ns[0], 5, "the order is left");
    cr_assert_eq(run_counter(run, "allocations")[1], 7);
    cr_assert_null(run_counter(run, "iterations"), "theirs, no counter");
    cr_assert(runs_find(&runs, "mixed", "lru", "10k", "zipf:0.99/99:1", 2));
    cr_assert_null(runs_find(&runs, "mixed", "lru", "10k", "zipf:0.99/99:1", 1));
    cr_assert_eq(runs_size("10M"), 1e7);
    cr_assert_eq(runs_size("50k"), 5e4);
    cr_assert_eq(runs_size("1000"), 1000);
    runs_fini(&runs);
}

Test(rules, one_thread_is_processor_time_two_are_wall_time)
{
    struct runs runs = {0};
    struct row row;

    begin_file();
    entry("hit_first/genlru/1M/once", 1, 100, 20, "");
    entry("hit_first/cmpxchg/1M/once", 1, 100, 10, "");
    entry("insert_evict/genlru/1M/16", 2, 30, 1, "");
    entry("insert_evict/lru/1M/16", 2, 300, 1, "");
    read_file(&runs);
    row = only_row(rule_of("hit_first", RULE_TIMES, 0, NULL), &runs);
    cr_assert_float_eq(row.value, 2, 1e-9);
    cr_assert_eq(row_verdict(&row), VERDICT_MISSED);
    row = only_row(rule_of("insert_evict", RULE_TIMES, 0, NULL), &runs);
    cr_assert_float_eq(row.value, 0.1, 1e-9);
    cr_assert_float_eq(rule_figure(row.rule, row.own), 60, 1e-9, "of one thread");
    cr_assert_eq(row_verdict(&row), VERDICT_MET);
    runs_fini(&runs);
}

Test(rules, kinds)
{
    struct runs runs = {0};
    struct row row;

    begin_file();
    entry("evict_scan/genlru/1M/half", 1, 0, 60, ", \"scanned\": 2");
    entry("evict_scan/array/1M/half", 1, 0, 15, ", \"scanned\": 1");
    entry("evict_scan/clru/1M/half", 1, 0, 900, ", \"scanned\": 2");
    entry("hit_saturated/genlru/1M/one", 1, 1, 1, "");
    entry("hit_saturated/genlru/1M/one", 2, 0.5, 1, "");
    entry("hit_saturated/load/1M/one", 1, 1, 1, "");
    entry("hit_saturated/load/1M/one", 2, 1, 1, "");
    entry("mixed/genlru/1M/zipf:0.99/99:1", 1, 0, 62, "");
    entry("mixed/genlru/1M/zipf:0.99/99:1", 2, 33, 0, "");
    entry("mixed/index/1M/zipf:0.99/99:1", 1, 0, 56, "");
    entry("mixed/lookup/1M/zipf:0.99/99:1", 1, 0, 50, "");
    entry("lock_hold/genlru/1M/evict", 1, 0, 1, ", \"p50_ns\": 1600");
    read_file(&runs);
    cr_assert_float_eq(only_row(rule_of("evict_scan", RULE_TIMES, 1, NULL), &runs).value, 2, 1e-9);
    cr_assert_float_eq(only_row(rule_of("evict_scan", RULE_FASTER, 1, NULL), &runs).value, 15, 1e-9);
    /* genlru: 1 ns to 2 x 0.5 ns of each thread, twice the load's own */
    cr_assert_float_eq(only_row(rule_of("hit_saturated", RULE_SCALING, 2, NULL), &runs).value, 2, 1e-9);
    row = only_row(rule_of("lock_hold", RULE_VALUE, 0, "p50_ns"), &runs);
    cr_assert_eq(row.value, 1600);
    cr_assert_eq(row_verdict(&row), VERDICT_MISSED);
    cr_assert_float_eq(only_row(rule_of("mixed", RULE_SPEEDUP, 2, NULL), &runs).value, 62 / 33.0, 1e-9);
    struct row rows[2];
    cr_assert_eq(rules_apply(rule_of("mixed", RULE_SHARE, 0, NULL), &runs, rows, 2), 2);
    cr_assert_float_eq(rows[0].value, 0.12, 1e-9);
    cr_assert(isnan(rows[1].value), "no look-up with two threads was measured");
    cr_assert_eq(row_verdict(&rows[1]), VERDICT_UNKNOWN);
    runs_fini(&runs);
}

Test(rules, unsure_where_the_interval_has_the_bar_in_it)
{
    struct runs runs = {0};
    struct row row;

    begin_file();
    for (int i = 0; i < 7; i++) {
        entry("hit_first/genlru/1M/once", 1, 0, 9 + i, ""); /* median 12, bar 12.5 */
        entry("hit_first/cmpxchg/1M/once", 1, 0, 10, "");
        entry("hit_first/genlru/10M/once", 1, 0, 11 + i / 10.0, "");
        entry("hit_first/cmpxchg/10M/once", 1, 0, 10, "");
    }
    read_file(&runs);
    struct row rows[2];
    cr_assert_eq(rules_apply(rule_of("hit_first", RULE_TIMES, 0, NULL), &runs, rows, 2), 2);
    row = rows[0];
    cr_assert_float_eq(row.value, 1.2, 1e-9);
    cr_assert(row.low >= 0.9 && row.low < 1.2 && row.high > 1.25 && row.high <= 1.5, "%g %g", row.low, row.high);
    cr_assert_eq(row_verdict(&row), VERDICT_UNSURE);
    cr_assert_eq(row_verdict(&rows[1]), VERDICT_MET);
    runs_fini(&runs);
}

Test(rules, files_that_are_none)
{
    struct runs runs = {0};

    cr_assert(runs_read(&runs, "/nonexistent/file") < 0);
    begin_file();
    fprintf(file, "]}");
    fclose(file);
    file = fopen(path, "w");
    fprintf(file, "{\"benchmarks\": 3}");
    fclose(file);
    cr_assert(runs_read(&runs, path) < 0);
    unlink(path);
    runs_fini(&runs);
}
