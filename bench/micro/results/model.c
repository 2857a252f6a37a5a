/* SPDX-License-Identifier: MIT */
/*
 * model.c - genlru-bench model: what more processors would do, where the lru's lock limits
 *
 *      an operation is a look-up, and for a share m of them an insert and an eviction:
 *
 *      Z = look-up + m · (pair - held)          without the lock      pair, held: measured, one thread
 *      D = m · (held + 2/64 · h)                under it              h: a hold's change of hands, twice in 64 pairs
 *
 * One queue with n customers: exact mean value analysis (Reiser, Lavenberg 1980), which takes times at the lock as
 * exponentially distributed: a little too much waiting, as holds are more alike. From n = (Z + D) / D on the lock is
 * what limits: 1 / D operations a second, however many processors there are. What the memory's own bandwidth
 * limits is not in it.
 *
 * h is 0 where nobody waits. With two threads that do nothing else, a batch of 64 appends under one mutex costs
 * 360 ns more for each thread than with one (notes of a prototype: 6.3 against 0.65 ns an append): the worst there is.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro/commands.h"
#include "micro/results/model.h"
#include "micro/results/runs.h"

static const char help[] =
    "Usage: genlru-bench model FILE …\n"
    "\n"
    "From JSON files that hold lock_hold/genlru/SIZE/pair, insert_evict/genlru/SIZE/64 and\n"
    "mixed/lookup/SIZE, all with one thread: operations a microsecond with 1 to 64 processors, by the\n"
    "share of operations that insert, with changes of hands of the lock for nothing and at their worst;\n"
    "and beside what was measured with two threads.\n";

double model_rate(const struct model *model, double misses, unsigned processors, double handover_ns)
{
    double under_lock = misses * (model->held_ns + 2.0 / 64 * handover_ns);
    double outside = model->lookup_ns + misses * (model->pair_ns - model->held_ns);
    double queue = 0, rate = 0;

    for (unsigned n = 1; n <= processors; n++) {
        double stay = under_lock * (1 + queue);

        rate = n / (outside + stay);
        queue = rate * stay;
    }
    return rate;
}

double model_limit(const struct model *model, double misses, double handover_ns)
{
    double under_lock = misses * (model->held_ns + 2.0 / 64 * handover_ns);

    return (model->lookup_ns + misses * (model->pair_ns - model->held_ns) + under_lock) / under_lock;
}

static double time_of(const struct runs *runs, const char *operation, const char *subject, const char *size,
                      const char *variant)
{
    const struct run *run = runs_find(runs, operation, subject, size, variant, 1);

    return run ? runs_median(run->cpu_ns, run->repetitions) : NAN;
}

static double rate_of_two(const struct runs *runs, const char *operation, const char *size, const char *variant)
{
    const struct run *run = runs_find(runs, operation, "genlru", size, variant, 2);

    return run ? 1000 / runs_median(run->real_ns, run->repetitions) : NAN;
}

static void print_table(const struct model *model)
{
    static const double shares[] = {1, 0.5, 0.1, 0.05, 0.01};

    printf("| operations that insert |");
    for (unsigned n = 1; n <= 64; n *= 2) {
        printf(" %u |", n);
    }
    puts(" the lock limits from |\n|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        printf("| %.0f %% |", 100 * shares[i]);
        for (unsigned n = 1; n <= 64; n *= 2) {
            printf(" %.1f to %.1f |", 1000 * model_rate(model, shares[i], n, MODEL_HANDOVER_NS),
                   1000 * model_rate(model, shares[i], n, 0));
        }
        printf(" %.0f to %.0f |\n", model_limit(model, shares[i], MODEL_HANDOVER_NS), model_limit(model, shares[i], 0));
    }
}

/* Pairs alone: no look-up at all. */
static void print_check(const struct runs *runs, const char *size, const struct model *model)
{
    struct model alone = {0, model->pair_ns, model->held_ns};

    printf("\nTwo threads, insert_evict/genlru/%s/64: %.1f to %.1f by the model, %.1f measured.\n", size,
           1000 * model_rate(&alone, 1, 2, MODEL_HANDOVER_NS), 1000 * model_rate(&alone, 1, 2, 0),
           rate_of_two(runs, "insert_evict", size, "64"));
    printf("Two threads, mixed/genlru/%s/zipf:0.99/90:10: %.1f to %.1f by the model, %.1f measured.\n", size,
           1000 * model_rate(model, 0.1, 2, MODEL_HANDOVER_NS), 1000 * model_rate(model, 0.1, 2, 0),
           rate_of_two(runs, "mixed", size, "zipf:0.99/90:10"));
}

static int print_size(const struct runs *runs, const struct run *hold)
{
    const double *held = run_counter(hold, "held_ns");
    struct model model = {time_of(runs, "mixed", "lookup", hold->size, "zipf:0.99/90:10"),
                          time_of(runs, "insert_evict", "genlru", hold->size, "64"),
                          held ? runs_median(held, hold->repetitions) : NAN};

    if (isnan(model.lookup_ns) || isnan(model.pair_ns) || isnan(model.held_ns)) {
        fprintf(stderr, "genlru-bench: %s: the model needs lock_hold, insert_evict and mixed\n", hold->size);
        return -ENOENT;
    }
    if (model.held_ns > model.pair_ns) { /* whoever held it was interrupted */
        fprintf(stderr, "genlru-bench: %s: the lock was held for longer than it all took: too noisy a run\n",
                hold->size);
        return -ERANGE;
    }
    printf("%s objects: a look-up %.1f ns, an insert and eviction %.1f ns, %.1f of these under the lock.\n"
           "Operations a microsecond with 1 to 64 processors:\n\n",
           hold->size, model.lookup_ns, model.pair_ns, model.held_ns);
    print_table(&model);
    print_check(runs, hold->size, &model);
    putchar('\n');
    return 0;
}

static int print_all(const struct runs *runs)
{
    unsigned nr = 0;
    int error = 0;

    for (size_t i = 0; i < runs->nr && !error; i++) {
        const struct run *run = runs->run[i];

        if (!strcmp(run->operation, "lock_hold") && !strcmp(run->variant, "pair") && run->threads == 1) {
            error = print_size(runs, run);
            nr++;
        }
    }
    if (nr == 0) {
        fputs("genlru-bench: no lock_hold in these files: it takes a build with GENLRU_LOCK_STATS\n", stderr);
        return -ENOENT;
    }
    return error ? error : fflush(stdout);
}

int bench_model(int argc, char **argv)
{
    struct runs runs = {0};
    int error = argc < 2 ? -EINVAL : 0;

    for (int i = 1; i < argc && !error; i++) {
        error = argv[i][0] == '-' ? -EINVAL : runs_read(&runs, argv[i]);
    }
    if (error == -EINVAL && runs.nr_files == 0) {
        fputs(help, stderr);
    }
    error = error ? error : print_all(&runs);
    runs_fini(&runs);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
