/* SPDX-License-Identifier: MIT */
/*
 * Walks every allocation failure of a scenario: runs it once for each n, with the n-th allocation failing, until a run has
 * fewer allocations than n; then the same with all allocations from the n-th on failing, and with every second one.
 *
 * A scenario checks what it is told by itself. What the walk checks: nothing leaks, and each failure was met.
 */
#ifndef GENLRU_TESTS_FAILALLOC_WALK_H
#define GENLRU_TESTS_FAILALLOC_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                               \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                   \
            fprintf(stderr, " (%s)\n", walk_where());                       \
            abort();                                                        \
        }                                                                   \
    } while (0)

enum walk_mode { WALK_ONE, WALK_ALL_FROM, WALK_EVERY_SECOND, WALK_NR_MODES };

struct walk {
    const char *name;
    enum walk_mode mode;
    uint64_t n;         /* the failing one; 0 = none fails */
    uint64_t nr;        /* allocations asked for so far */
    uint64_t nr_failed; /* of these, refused by us */
    uint64_t nr_live;   /* not freed */
    bool is_off;        /* memory is back: a scenario tries again what was refused */
};

extern struct walk walk; /* the one that runs */

/* Whether this allocation fails. Counts it. */
static inline bool walk_fails(void)
{
    bool fails =
        walk.n && !walk.is_off && ++walk.nr >= walk.n &&
        (walk.mode == WALK_ALL_FROM || (walk.mode == WALK_ONE ? walk.nr == walk.n : (walk.nr - walk.n) % 2 == 0));

    walk.nr_failed += fails;
    return fails;
}

static inline const char *walk_where(void)
{
    static const char *const modes[] = {"only", "and all later", "and every second later"};
    static char text[160];

    (void)snprintf(text, sizeof(text), "%s, allocation %llu %s", walk.name, (unsigned long long)walk.n,
                   modes[walk.mode]);
    return text;
}

static inline void walk_all(const char *name, void (*scenario)(void *ctx), void *ctx)
{
    uint64_t nr_runs = 0, nr_allocations = 0;
    unsigned mode;

    for (mode = 0; mode < WALK_NR_MODES; mode++) {
        uint64_t n = 0;

        do {
            walk = (struct walk){.name = name, .mode = (enum walk_mode)mode, .n = ++n};
            scenario(ctx);
            CHECK(walk.nr_live == 0, "%llu allocations leak", (unsigned long long)walk.nr_live);
            nr_runs++;
        } while (walk.nr_failed > 0);
        nr_allocations = mode == WALK_ONE ? walk.nr : nr_allocations;
    }
    CHECK(nr_allocations > 0, "nothing was allocated");
    printf("%-28s %4llu allocations, %5llu runs\n", name, (unsigned long long)nr_allocations,
           (unsigned long long)nr_runs);
    fflush(stdout);
}

#endif
