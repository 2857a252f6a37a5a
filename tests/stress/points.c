/* SPDX-License-Identifier: MIT */
/*
 * The hook of the library's labelled points (base/testing.h), part of the library in builds with GENLRU_POINTS. By default it
 * does nothing. stress_delay_points() makes one in so many points take a while: a thread is held just where another one may
 * come between two steps. stress_at_point() puts a test's own function at a point; what that calls may come to other points.
 */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/testing.h"
#include "points.h"

static unsigned one_in; /* 0 = no delays; set before there are threads, like the next two */
static void (*own_function[GENLRU__NR_POINTS])(void *ctx);
static void *own_ctx[GENLRU__NR_POINTS];
static unsigned nr_seeds;

static _Thread_local uint64_t random_state;
static _Thread_local unsigned is_inside; /* a bit for each point: the function's own calls come to it, too */

static uint64_t next_random(void)
{
    if (!random_state)
        random_state = (__atomic_add_fetch(&nr_seeds, 1, __ATOMIC_RELAXED) + 1) * UINT64_C(0x9e3779b97f4a7c15);
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

void stress_delay_points(unsigned one_in_so_many, uint64_t seed)
{
    one_in = one_in_so_many;
    nr_seeds = (unsigned)seed;
}

void stress_at_point(enum genlru__point point, void (*function)(void *ctx), void *ctx)
{
    own_ctx[point] = ctx;
    own_function[point] = function;
}

/* Mostly short: the other thread is on its way. Now and then long enough to be scheduled away. */
static void delay(uint64_t random)
{
    struct timespec nap = {0, (long)(random >> 8) % 20000};
    volatile unsigned spins;

    if (random % 16 < 10) {
        for (spins = (unsigned)(random >> 8) % 2000; spins > 0; spins--)
            ;
    } else if (random % 16 < 15) {
        sched_yield();
    } else {
        nanosleep(&nap, NULL);
    }
}

void genlru__on_point(enum genlru__point point)
{
    if (own_function[point] && !(is_inside & 1u << point)) {
        is_inside |= 1u << point;
        own_function[point](own_ctx[point]);
        is_inside &= ~(1u << point);
    }
    if (one_in && next_random() % one_in == 0)
        delay(next_random());
}
