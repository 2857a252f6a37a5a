/* SPDX-License-Identifier: MIT */
/*
 * Template of the threaded tests: options, random numbers, threads, a barrier and a gate that make them meet, and a
 * check that says where and with which seed it failed.
 *
 *   stress_run(nr, body, ctx):  body(ctx, 0) | body(ctx, 1) | ... | body(ctx, nr - 1), joined
 *
 * Everything is bounded by numbers of operations, never by time: a slow machine runs longer, not less.
 */
#ifndef GENLRU_TESTS_STRESS_H
#define GENLRU_TESTS_STRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct genlru;
struct genlru_node;

/*
 * What every test understands: --seed N, --scale PERCENT (of the operations), --only TEXT, --delays N (one in N of the library's
 * labelled points takes a while; refused where the library has none). Those of storm.h also: --threads N, --ops N, --seconds N.
 */
struct stress_options {
    uint64_t seed;
    unsigned scale;
    const char *only; /* run only parts whose name contains this; NULL = all */
    unsigned delays;
    unsigned threads; /* 0 = as many as the test wants, like the next */
    uint64_t ops;     /* of each thread and round */
    unsigned seconds; /* goes on with other seeds for so long; 0 = once */
};

/* Reads the command line, prints the seed. Ends the process with 2 on a bad one. */
struct stress_options stress_begin(int argc, char **argv);
/* The seed that failures tell from now on. */
void stress_reseed(uint64_t seed);
bool stress_is_wanted(const struct stress_options *options, const char *name);
unsigned stress_scaled(const struct stress_options *options, unsigned nr);

/* Ends the process with 1, after saying what failed; the seed is repeated. */
void stress_fail(const char *file, int line, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));
/* Words that go before the message of a failure: which row, which round. */
void stress_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define STRESS_CHECK(condition, ...)                      \
    do {                                                  \
        if (!(condition))                                 \
            stress_fail(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

/* One thread's random numbers (xorshift*): streams of the same seed differ by `stream`. */
struct stress_random {
    uint64_t state;
};
struct stress_random stress_random(uint64_t seed, uint64_t stream);
uint64_t stress_next(struct stress_random *random);
/* 0 .. n-1; n > 0. */
unsigned stress_below(struct stress_random *random, unsigned n);
/* True once in n. */
bool stress_once_in(struct stress_random *random, unsigned n);

void stress_run(unsigned nr_threads, void (*body)(void *ctx, unsigned thread), void *ctx);

/* Waits until all came. Spins a little before it yields, so that the threads leave it close together. */
struct stress_barrier {
    unsigned nr_threads;
    unsigned nr_waiting;
    unsigned round;
};
void stress_barrier_init(struct stress_barrier *barrier, unsigned nr_threads);
void stress_wait(struct stress_barrier *barrier);

/*
 * A barrier that does not insist: waits until `nr` threads came to `*gate`, but not for long. It makes two calls on one
 * node start together most of the time, and never blocks on a thread that was preempted.
 */
void stress_gate(unsigned *gate, unsigned nr);

/* genlru_verify must find nothing. */
void stress_verify(struct genlru *lru);

#endif
