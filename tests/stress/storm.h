/* SPDX-License-Identifier: MIT */
/*
 * Template of the storms: threads that do a few kinds of things to the same small cache, as fast as they can, with a look at
 * everything (toy_check) at a quiescent point after each round.
 *
 *   for each setup (stripes, types, policy, size)
 *       round:  thread 0 │ 1 │ 2 │ ... each does its role's step so many times ─▶ let go of pins ─▶ check ─▶ next round
 *
 * A storm is its roles: one function that does one thing to the cache. Thread t has role t modulo the number of roles, so
 * --threads 2 has the first two of them meet. More threads than processors are wanted: they are preempted anywhere.
 */
#ifndef GENLRU_TESTS_STORM_H
#define GENLRU_TESTS_STORM_H

#include "stress.h"
#include "toy.h"

struct storm_role {
    const char *name;
    void (*step)(struct toy_thread *thread);
};

enum { STORM_MAX_ROLES = 8 };

struct storm {
    struct storm_role roles[STORM_MAX_ROLES]; /* up to the first without a name */
    unsigned threads;                         /* by default */
    unsigned ops;                             /* of each thread and round, by default */
    unsigned putback_one_in;                  /* of the victims; 0 = none */
    bool wants_shadows;                       /* half of the setups keep them in a nonresident table */
    const struct genlru_policy *policy;       /* NULL = all presets and one with everything on, by turns */
};

/* Does what the command line says; the result is main's. */
int storm_main(int argc, char **argv, const struct storm *storm);

/* A key of the cache, the first eighth of them as often as all others. */
unsigned storm_key(struct toy_thread *thread);
/* Makes room, if there is a need. */
void storm_evict_excess(struct toy_thread *thread);
/* Steps for storms. */
void storm_get(struct toy_thread *thread);
void storm_evict(struct toy_thread *thread); /* 1 to 8 victims, whether there is a need or not */
void storm_age(struct toy_thread *thread);
void storm_delete(struct toy_thread *thread);
void storm_move(struct toy_thread *thread); /* trim, walk, look, age */

#endif
