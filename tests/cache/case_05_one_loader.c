/* SPDX-License-Identifier: MIT */
/*
 * Case 5 (many misses for one key). Sixteen threads ask for one absent key at once; the loader does not return before the
 * others wait (or the few that may not). It succeeds, fails, ends its thread by pthread_exit, or is cancelled: one load
 * a round; everybody gets the value, or the leader's own error; the charge is counted while it is under way; after
 * a failure the next call loads again. With no time to wait the answer is -EAGAIN, with little -ETIMEDOUT. A load of its own
 * key in a loader is told that it would wait for itself.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "cache_test.h"

enum { NR_THREADS = 16, CHARGE = 5 };

enum outcome { SUCCEEDS, FAILS, EXITS, IS_CANCELLED, NR_OUTCOMES };

struct round {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    enum outcome outcome;
    uint64_t key;
    uint64_t waits_before;
    unsigned nr_loads;
    unsigned nr_ok;
    unsigned nr_error;
    unsigned nr_canceled;
};

static int load(void *ctx, const void *key, size_t key_bytes, struct genlru_cache_insert *ret_how)
{
    struct round *round = ctx;
    STRESS_CHECK(key_bytes == 8 && memcmp(key, &round->key, 8) == 0, "another key");
    STRESS_CHECK(__atomic_fetch_add(&round->nr_loads, 1, __ATOMIC_RELAXED) == 0, "two loads of one key");
    STRESS_CHECK(cache_test_stat(round->cache).reserved ==
                     (cache_test_stat(round->cache).capacity >= CHARGE ? CHARGE : 0),
                 "the load is not charged");
    genlru_cache_offline();
    while (cache_test_stat(round->cache).load_waits != round->waits_before + NR_THREADS - 1)
        sched_yield(); /* until all others wait */
    genlru_cache_online();
    switch (round->outcome) {
    case EXITS:
        genlru_cache_unregister_thread();
        pthread_exit(NULL);
    case IS_CANCELLED:
        genlru_cache_unregister_thread();
        pthread_cancel(pthread_self());
        pthread_testcancel();
        return 0;
    case FAILS:
        return -EIO;
    case SUCCEEDS:
    case NR_OUTCOMES:
        break;
    }
    ret_how->value = cache_test_make(&round->owner, round->key, 7);
    ret_how->charge = CHARGE;
    return 0;
}

static void *ask(void *arg)
{
    struct round *round = arg;
    struct genlru_cache_load how = {load, round, CHARGE, GENLRU_NO_LIMIT};
    struct genlru_cache_entry *e = NULL;
    int error;

    genlru_cache_register_thread();
    error = genlru_cache_get_or_load(round->cache, &round->key, 8, &how, &e);
    if (!error) {
        STRESS_CHECK(((struct cache_test_value *)genlru_cache_value(round->cache, e))->version == 7, "another value");
        genlru_cache_release(round->cache, e);
        __atomic_fetch_add(&round->nr_ok, 1, __ATOMIC_RELAXED);
    } else if (error == -EIO) {
        __atomic_fetch_add(&round->nr_error, 1, __ATOMIC_RELAXED);
    } else {
        STRESS_CHECK(error == -ECANCELED, "get_or_load: %d", error);
        __atomic_fetch_add(&round->nr_canceled, 1, __ATOMIC_RELAXED);
    }
    genlru_cache_unregister_thread();
    return NULL;
}

static void run_round(struct round *round)
{
    pthread_t threads[NR_THREADS];

    round->waits_before = cache_test_stat(round->cache).load_waits;
    round->nr_loads = round->nr_ok = round->nr_error = round->nr_canceled = 0;
    for (unsigned i = 0; i < NR_THREADS; i++)
        STRESS_CHECK(pthread_create(&threads[i], NULL, ask, round) == 0, "thread");
    genlru_cache_offline();
    for (unsigned i = 0; i < NR_THREADS; i++)
        pthread_join(threads[i], NULL);
    genlru_cache_online();
    STRESS_CHECK(round->nr_loads == 1, "%u loads", round->nr_loads);
    STRESS_CHECK(round->nr_ok == (round->outcome == SUCCEEDS ? NR_THREADS : 0), "%u got it", round->nr_ok);
    STRESS_CHECK(round->nr_error == (round->outcome == FAILS ? NR_THREADS : 0), "%u got the error", round->nr_error);
    STRESS_CHECK(round->nr_canceled == (round->outcome >= EXITS ? NR_THREADS - 1 : 0), "%u were told",
                 round->nr_canceled);
    STRESS_CHECK(cache_test_stat(round->cache).reserved == 0, "a reservation was left");
    STRESS_CHECK(genlru_cache_contains(round->cache, &round->key, 8) ==
                     (round->outcome == SUCCEEDS && cache_test_stat(round->cache).capacity >= CHARGE),
                 "kept or not");
}

static void rounds(uint64_t capacity, unsigned nr)
{
    struct round round = {.key = 0};
    struct genlru_cache_config config = cache_test_config(&round.owner, capacity);

    config.limit = GENLRU_CACHE_HARD;
    round.cache = cache_test_create(&config);
    for (unsigned i = 0; i < nr; i++) {
        round.key = i;
        round.outcome = (enum outcome)(i % NR_OUTCOMES);
        run_round(&round);
    }
    cache_test_verify(round.cache);
    cache_test_destroy(round.cache, &round.owner);
}

/* ---- what does not wait ---- */

struct impatient {
    struct round round;
    unsigned is_loading;
    unsigned may_end;
    int own_answer;
};

static int slow_load(void *ctx, const void *key, size_t key_bytes, struct genlru_cache_insert *ret_how)
{
    struct impatient *im = ctx;
    struct genlru_cache_load how = {slow_load, im, 1, GENLRU_NO_LIMIT};
    struct genlru_cache_entry *e;

    im->own_answer = genlru_cache_get_or_load(im->round.cache, key, key_bytes, &how, &e);
    __atomic_store_n(&im->is_loading, 1, __ATOMIC_RELEASE);
    genlru_cache_offline();
    while (!__atomic_load_n(&im->may_end, __ATOMIC_ACQUIRE))
        sched_yield();
    genlru_cache_online();
    ret_how->value = cache_test_make(&im->round.owner, im->round.key, 7);
    return 0;
}

static void *ask_slowly(void *arg)
{
    struct impatient *im = arg;
    struct genlru_cache_load how = {slow_load, im, 1, GENLRU_NO_LIMIT};
    struct genlru_cache_entry *e;

    genlru_cache_register_thread();
    STRESS_CHECK(genlru_cache_get_or_load(im->round.cache, &im->round.key, 8, &how, &e) == 0, "the slow load");
    genlru_cache_release(im->round.cache, e);
    genlru_cache_unregister_thread();
    return NULL;
}

static void not_waiting(void)
{
    struct impatient im = {.round = {.key = 3}};
    struct genlru_cache_config config = cache_test_config(&im.round.owner, 10);
    struct genlru_cache_load how = {slow_load, &im, 1, 0};
    struct genlru_cache_entry *e = NULL;
    pthread_t thread;

    im.round.cache = cache_test_create(&config);
    STRESS_CHECK(pthread_create(&thread, NULL, ask_slowly, &im) == 0, "thread");
    while (!__atomic_load_n(&im.is_loading, __ATOMIC_ACQUIRE)) {
        genlru_cache_quiescent();
        sched_yield();
    }
    STRESS_CHECK(im.own_answer == -EDEADLK, "a load that waits for itself: %d", im.own_answer);
    STRESS_CHECK(genlru_cache_get_or_load(im.round.cache, &im.round.key, 8, &how, &e) == -EAGAIN && !e, "no time");
    how.wait_ns = 1000000;
    STRESS_CHECK(genlru_cache_get_or_load(im.round.cache, &im.round.key, 8, &how, &e) == -ETIMEDOUT && !e,
                 "little time");
    __atomic_store_n(&im.may_end, 1, __ATOMIC_RELEASE);
    genlru_cache_offline();
    pthread_join(thread, NULL);
    genlru_cache_online();
    STRESS_CHECK(genlru_cache_get_or_load(im.round.cache, &im.round.key, 8, &how, &e) == 0 && e, "it is there");
    genlru_cache_release(im.round.cache, e);
    cache_test_destroy(im.round.cache, &im.round.owner);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    rounds(1000, 4 + stress_scaled(&options, 60));
    rounds(CHARGE - 1, 4 + stress_scaled(&options, 20)); /* nothing can be kept */
    rounds(0, 4);
    not_waiting();
    genlru_cache_unregister_thread();
    return 0;
}
