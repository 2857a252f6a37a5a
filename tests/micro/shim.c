/* SPDX-License-Identifier: MIT */
/*
 * The shim from a C program: names with arguments and threads, ranges, setup before every thread's run and teardown after,
 * counters of each kind, several groups in one file, the filter, runs that fail. What happened is read back from the JSON.
 */
#include "shim/shim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "micro/results/json.h"

#define check(condition)                                                  \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "shim: line %d: " #condition "\n", __LINE__); \
            exit(EXIT_FAILURE);                                           \
        }                                                                 \
    } while (0)

struct seen {
    int is_set_up; /* plain: the shim orders setup before run, and run before teardown */
    int was_missing;
    unsigned setups;
    unsigned teardowns;
    uint64_t iterations;
    int64_t arg;
};

static int setup(struct shim_state *state, void *user)
{
    struct seen *seen = user;

    usleep(1000); /* the other threads are there before it is done */
    seen->is_set_up = 1;
    seen->setups++;
    seen->iterations = 0;
    seen->arg = shim_arg(state, 0);
    check(shim_thread(state) == 0);
    return 0;
}

static void run(struct shim_state *state, void *user)
{
    struct seen *seen = user;
    uint64_t done = 0;

    if (!seen->is_set_up) {
        __atomic_store_n(&seen->was_missing, 1, __ATOMIC_RELAXED);
    }
    while (shim_next(state, 10)) {
        done += 10;
    }
    check(done >= shim_iterations(state));
    __atomic_fetch_add(&seen->iterations, done, __ATOMIC_RELAXED);
    shim_counter(state, "sum", 3, SHIM_SUM);
    shim_counter(state, "mean", 3, SHIM_MEAN);
    shim_counter(state, "thread", shim_thread(state), SHIM_SUM);
}

static void teardown(struct shim_state *state, void *user)
{
    struct seen *seen = user;

    check(seen->is_set_up);
    check(seen->iterations >= shim_iterations(state) * shim_threads(state)); /* all threads are through */
    seen->is_set_up = 0;
    seen->teardowns++;
    shim_counter(state, "late", 7, SHIM_SUM);
}

static int setup_fails(struct shim_state *state, void *user)
{
    (void)state;
    (void)user;
    return -ENOMEM;
}

static void run_never(struct shim_state *state, void *user)
{
    (void)state;
    (void)user;
    check(!"run after a setup that failed");
}

static void run_fails(struct shim_state *state, void *user)
{
    (void)user;
    while (shim_next(state, 10)) {
        if (shim_thread(state) == 1) {
            shim_fail(state, "on purpose");
            shim_fail(state, "and again");
        }
    }
}

static void run_forgets(struct shim_state *state, void *user)
{
    (void)user;
    (void)shim_next(state, 10);
}

static struct shim_bench bench_of(const char *name, struct seen *seen)
{
    return (struct shim_bench){.name = name, .setup = setup, .run = run, .teardown = teardown, .user = seen};
}

static const struct json *find(const struct json *root, const char *name)
{
    const struct json *entry = json_get(root, "benchmarks")->child;

    while (entry && strcmp(json_string(entry, "name", ""), name) != 0) {
        entry = entry->next;
    }
    return entry;
}

static void add_all(struct seen *seen)
{
    struct shim_bench b = bench_of("plain/one", &seen[0]);

    shim_group();
    b.threads[0] = 1;
    b.threads[1] = 4;
    check(shim_add(&b) == 0);
    b = bench_of("range", &seen[1]);
    b.nr_args = 1;
    b.args[0] = 5;
    b.iterations = 100;
    check(shim_add_range(&b, 2, 50, 4) == 0); /* 2, 8, 32, 50 */
    check(shim_add_range(&b, 0, 50, 4) == -EINVAL && shim_add_range(&b, 1, 50, 1) == -EINVAL);
    b.name = NULL;
    check(shim_add(&b) == -EINVAL);
    check(shim_run() == 6);

    shim_group();
    b = bench_of("failing/setup", NULL);
    b.setup = setup_fails;
    b.run = run_never;
    b.threads[0] = 2;
    check(shim_add(&b) == 0);
    b = (struct shim_bench){.name = "failing/run", .run = run_fails, .threads = {2}};
    check(shim_add(&b) == 0);
    b = (struct shim_bench){.name = "failing/forgets", .run = run_forgets, .threads = {2}};
    check(shim_add(&b) == 0);
    b = bench_of("left_out", &seen[2]);
    check(shim_add(&b) == 0);
    check(shim_run() == 3);
}

static struct json *parse_file(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    unsigned line;
    size_t n;

    check(file);
    n = fread(text, 1, sizeof(text) - 1, file);
    text[n] = '\0';
    fclose(file);
    return json_parse(text, &line);
}

static void check_file(const char *path)
{
    struct json *root = parse_file(path);
    const struct json *entry;

    check(root);
    check(!strcmp(json_string(json_get(root, "context"), "key", ""), "value"));
    check(find(root, "plain/one/threads:1"));
    entry = find(root, "plain/one/threads:4");
    check(entry && json_number(entry, "sum", 0) == 12 && json_number(entry, "mean", 0) == 3);
    check(json_number(entry, "thread", 0) == 0 + 1 + 2 + 3 && json_number(entry, "late", 0) == 7);
    check(find(root, "range/2/5/iterations:100/threads:1") && find(root, "range/8/5/iterations:100/threads:1"));
    check(find(root, "range/32/5/iterations:100/threads:1") && find(root, "range/50/5/iterations:100/threads:1"));
    entry = find(root, "failing/setup/threads:2");
    check(entry && json_get(entry, "error_occurred")->type == JSON_TRUE);
    check(strstr(json_string(entry, "error_message", ""), strerror(ENOMEM)));
    entry = find(root, "failing/run/threads:2");
    check(entry && !strcmp(json_string(entry, "error_message", ""), "on purpose"));
    entry = find(root, "failing/forgets/threads:2");
    check(entry && json_get(entry, "error_occurred")->type == JSON_TRUE);
    check(!find(root, "left_out/threads:1"));
    json_free(root);
}

int main(void)
{
    static const char *const defaults[] = {"--benchmark_min_time=3", "--benchmark_filter=nothing", NULL};
    static struct seen seen[3];
    char path[] = "/tmp/genlru-shim-XXXXXX", out[64];
    char program[] = "shim", min_time[] = "--benchmark_min_time=0.001",
         filter[] = "--benchmark_filter=[^t]/|^range|ing";
    char *argv[] = {program, min_time, filter, out, NULL};
    int argc = 4, fd = mkstemp(path);

    check(fd >= 0);
    close(fd);
    snprintf(out, sizeof(out), "--benchmark_out=%s", path);
    check(shim_init(&argc, argv, defaults) == 0 && argc == 1);
    shim_context("key", "value");
    add_all(seen);
    check(shim_finish() == -ECANCELED);
    check_file(path);
    unlink(path);
    check(seen[0].setups >= 2 && seen[0].setups == seen[0].teardowns && !seen[0].was_missing);
    check(seen[1].setups == 4 && seen[1].arg == 50);
    check(seen[2].setups == 0);
    return EXIT_SUCCESS;
}
