/* SPDX-License-Identifier: MIT */
/*
 * lock_hold.c - how long genlru's lock is held, by the library's own histogram (GENLRU_LOCK_STATS; without it there
 * is nothing to run)
 *
 *      evict   two fifths of a full lru, 64 at a time, and nothing else: every hold is that of a batch
 *      pair    steady state, evict 64 and add them again: blocks handed over, too
 *
 * held_ns is the time the lock was held for each operation: what cannot be done by two threads at a time.
 */
#include <errno.h>
#include <stdio.h>

#include "base/lock_stats.h"
#include "micro/churn.h"
#include "micro/fixture.h"
#include "micro/histogram.h"
#include "micro/micro.h"
#include "shim/shim.h"

enum { BATCH = 64, THREADS_MAX = 2 };

struct hold {
    size_t nr;
    bool is_pair;
    struct subject *subject;
};

static int setup(struct shim_state *state, void *user)
{
    struct hold *hold = user;

    (void)state;
    hold->subject = fixture_get(&subject_genlru, hold->nr, FIXTURE_ADDED);
    genlru__lock_stats_reset();
    return hold->subject ? 0 : -ENOMEM;
}

static void run(struct shim_state *state, void *user)
{
    const struct hold *hold = user;
    struct object *objects = objects_get(hold->nr);
    uint32_t ids[BATCH];
    uint64_t scanned = 0;

    while (shim_next(state, BATCH)) {
        size_t n = subject_genlru.evict(hold->subject, objects, ids, BATCH, &scanned);

        if (hold->is_pair) {
            churn_rename(objects, ids, n);
        }
        if (n < BATCH || (hold->is_pair && subject_genlru.add(hold->subject, objects, ids, n) != 0)) {
            shim_fail(state, "nothing to evict, or no memory");
        }
    }
}

/* Returns the sum in ns, each by the upper end of its bucket: an eighth too much at most. */
static double read_times(enum genlru__lock_time time, struct histogram *histogram)
{
    uint64_t counts[GENLRU__LOCK_BUCKETS];
    double sum = 0;

    genlru__lock_stats_read(GENLRU__RANK_LRU, time, counts);
    *histogram = (struct histogram){{0}, 0};
    for (unsigned i = 0; i < GENLRU__LOCK_BUCKETS; i++) {
        uint64_t ns = genlru__lock_stats_ns(i);

        histogram->count[histogram_bucket(ns)] += counts[i];
        histogram->max = counts[i] ? ns : histogram->max;
        sum += (double)counts[i] * (double)ns;
    }
    return sum;
}

static void teardown(struct shim_state *state, void *user)
{
    const struct hold *hold = user;
    double operations = (double)shim_iterations(state) * shim_threads(state);
    struct histogram held, waited;

    shim_counter(state, "held_ns", read_times(GENLRU__LOCK_HELD, &held) / operations, SHIM_SUM);
    shim_counter(state, "waited_ns", read_times(GENLRU__LOCK_WAITED, &waited) / operations, SHIM_SUM);
    shim_counter(state, "p50_ns", (double)histogram_quantile(&held, 0.5), SHIM_SUM);
    shim_counter(state, "p99_ns", (double)histogram_quantile(&held, 0.99), SHIM_SUM);
    shim_counter(state, "p999_ns", (double)histogram_quantile(&held, 0.999), SHIM_SUM);
    shim_counter(state, "wait_p99_ns", (double)histogram_quantile(&waited, 0.99), SHIM_SUM);
    if (!hold->is_pair) {
        fixture_spoil(&subject_genlru);
    }
}

static int run_group(size_t nr, bool is_pair)
{
    struct hold hold = {nr, is_pair, NULL};
    char name[96], size[MICRO_SIZE_TEXT];
    struct shim_bench bench = {.name = name,
                               .threads = {1, THREADS_MAX},
                               .iterations = is_pair ? 0 : nr / 5 / BATCH * BATCH,
                               .setup = setup,
                               .run = run,
                               .teardown = teardown,
                               .user = &hold};
    int error;

    shim_group();
    snprintf(name, sizeof(name), "lock_hold/genlru/%s/%s", micro_size_text(nr, size), is_pair ? "pair" : "evict");
    error = shim_add(&bench);
    if (!error) {
        (void)shim_run();
    }
    return error;
}

int micro_lock_hold(const struct micro_options *options)
{
    int error = 0;

    if (!GENLRU__HAS_LOCK_STATS) {
        return 0;
    }
    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        error = run_group(options->nodes[i], false);
        error = error ? error : run_group(options->nodes[i], true);
    }
    return error;
}
