/* SPDX-License-Identifier: MIT */
/* Template of the threaded tests: see stress.h. */
#define _POSIX_C_SOURCE 200809L

#include "stress.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "genlru/genlru.h"
#include "points.h"

enum { SPINS_BEFORE_YIELD = 2000, GATE_SPINS = 400, MAX_THREADS = 64 };

static uint64_t the_seed;
static char the_context[256];

static uint64_t number(const char *option, const char *text)
{
    char *end;
    unsigned long long value = text ? strtoull(text, &end, 0) : 0;

    if (!text || !*text || *end) {
        fprintf(stderr, "%s needs a number\n", option);
        exit(2);
    }
    return value;
}

struct stress_options stress_begin(int argc, char **argv)
{
    struct stress_options options = {.scale = 100};
    struct timespec now;
    int i;

    clock_gettime(CLOCK_REALTIME, &now);
    options.seed = (uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec;
    for (i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0) {
            options.seed = number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--scale") == 0) {
            options.scale = (unsigned)number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--only") == 0 && argv[i + 1]) {
            options.only = argv[i + 1];
        } else if (strcmp(argv[i], "--delays") == 0) {
            options.delays = (unsigned)number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--threads") == 0) {
            options.threads = (unsigned)number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--ops") == 0) {
            options.ops = number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            options.seconds = (unsigned)number(argv[i], argv[i + 1]);
        } else {
            fprintf(
                stderr,
                "usage: %s [--seed N] [--scale PERCENT] [--only TEXT] [--delays N] [--threads N] [--ops N] [--seconds N]\n",
                argv[0]);
            exit(2);
        }
    }
    if (options.threads > MAX_THREADS || (options.delays && !GENLRU__HAS_POINTS)) {
        fprintf(stderr, "%s\n", options.delays ? "--delays: built without GENLRU_POINTS" : "--threads: too many");
        exit(2);
    }
    if (GENLRU__HAS_POINTS)
        stress_delay_points(options.delays, options.seed);
    the_seed = options.seed;
    printf("seed %llu\n", (unsigned long long)options.seed);
    fflush(stdout);
    return options;
}

bool stress_is_wanted(const struct stress_options *options, const char *name)
{
    return !options->only || strstr(name, options->only);
}

unsigned stress_scaled(const struct stress_options *options, unsigned nr)
{
    unsigned scaled = (unsigned)((uint64_t)nr * options->scale / 100);

    return scaled ? scaled : 1;
}

void stress_reseed(uint64_t seed)
{
    the_seed = seed;
}

void stress_context(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(the_context, sizeof(the_context), format, args);
    va_end(args);
}

void stress_fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: ", file, line, the_context);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (seed %llu)\n", (unsigned long long)the_seed);
    _Exit(1); /* other threads still run: no handlers, no leak report on top */
}

struct stress_random stress_random(uint64_t seed, uint64_t stream)
{
    uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (stream + 1) * UINT64_C(0xd1342543de82ef95);
    struct stress_random random = {(state ^ state >> 31) | 1};

    (void)stress_next(&random);
    return random;
}

uint64_t stress_next(struct stress_random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

unsigned stress_below(struct stress_random *random, unsigned n)
{
    return (unsigned)((stress_next(random) >> 32) * n >> 32);
}

bool stress_once_in(struct stress_random *random, unsigned n)
{
    return stress_below(random, n) == 0;
}

struct starter {
    void (*body)(void *ctx, unsigned thread);
    void *ctx;
    unsigned thread;
};

static void *start(void *ctx)
{
    struct starter *starter = ctx;

    starter->body(starter->ctx, starter->thread);
    return NULL;
}

void stress_run(unsigned nr_threads, void (*body)(void *ctx, unsigned thread), void *ctx)
{
    struct starter starters[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    unsigned i;

    STRESS_CHECK(nr_threads <= MAX_THREADS, "%u threads", nr_threads);
    for (i = 0; i < nr_threads; i++) {
        starters[i] = (struct starter){body, ctx, i};
        STRESS_CHECK(pthread_create(&threads[i], NULL, start, &starters[i]) == 0, "no thread");
    }
    for (i = 0; i < nr_threads; i++)
        pthread_join(threads[i], NULL);
}

void stress_barrier_init(struct stress_barrier *barrier, unsigned nr_threads)
{
    *barrier = (struct stress_barrier){nr_threads, 0, 0};
}

void stress_wait(struct stress_barrier *barrier)
{
    unsigned round = __atomic_load_n(&barrier->round, __ATOMIC_RELAXED), spins = 0;

    if (__atomic_add_fetch(&barrier->nr_waiting, 1, __ATOMIC_ACQ_REL) == barrier->nr_threads) {
        __atomic_store_n(&barrier->nr_waiting, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    while (__atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE) == round)
        if (++spins > SPINS_BEFORE_YIELD)
            sched_yield();
}

void stress_gate(unsigned *gate, unsigned nr)
{
    unsigned spins;

    /* relaxed: a gate must not order what it makes meet, or TSan would see less */
    __atomic_fetch_add(gate, 1, __ATOMIC_RELAXED);
    for (spins = 0; spins < GATE_SPINS && __atomic_load_n(gate, __ATOMIC_RELAXED) < nr; spins++)
        ;
}

void stress_verify(struct genlru *lru)
{
    char text[256];
    int broken = genlru_verify(lru, text, sizeof(text));

    STRESS_CHECK(broken == 0, "invariant %d: %s", broken, text);
}
