/* SPDX-License-Identifier: MIT */
/*
 * The learner: which rule to follow, a pure function of what the miniatures' misses and hits were.
 *
 *   lead[i][j]   sampled accesses that rule i missed and rule j hit
 *   missed[i]    sampled accesses that rule i missed
 *
 * each over three spans of time, which fade by misses of the rule in force (n = entries of a miniature):
 *
 *   LONG    some 7.5 n misses        what the load is like, where differences are small
 *   ALL     since the load changed   the same, where they are so small that only their sum shows
 *   SHORT   some n misses            what it is like now
 *
 * Rule j is to replace rule c once it saved more than chance and the change cost; the spans are asked in this order, and the first that
 * names rules decides for the one of them that it saw miss least:
 *
 *   LONG    lead[c][j] - lead[j][c]  >  1/2 sqrt(lead[c][j] + lead[j][c])  +  missed[c] / 1000  +  n/10 * 3n / (3n + age)
 *           ... 5 sqrt(...) where ALL saw j miss more than c
 *   ALL     lead[c][j] - lead[j][c]  >  3 sqrt(...)  +  n/10
 *   SHORT   lead[c][j] - lead[j][c]  >  2 sqrt(...)  +  n/10, if c misses half as often again as in LONG: the load has changed
 *
 * The two rules agree on most accesses, and these say nothing about which is better; where they differ, the difference of
 * two counts has the variance of their sum (McNemar 1947), hence the root. A rule that takes over finds residents that
 * another one chose: n / 10 is what that costs in misses, measured. A lead that took long to build will last long, so the
 * cost, which comes once, weighs less the longer c has been in force: age is in sampled accesses since, from the first on of
 * which the rules thought differently (while the cache fills they all agree). Time in which nothing is missed makes nothing forgotten.
 *
 * Spans that contradict each other would change the rule back and forth. So LONG goes on from what ALL decided; and where the load has
 * changed, as SHORT found or LONG against ALL, what decided is all that is remembered.
 *
 * Integers throughout, so that every platform learns alike.
 */
#ifndef GENLRU_LEARN_LEARNER_H
#define GENLRU_LEARN_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

#include "learn/rules.h"

enum { GENLRU__LEARNER_ONE = 256 /* a count of 1 */ };

enum genlru__span { GENLRU__SPAN_LONG, GENLRU__SPAN_ALL, GENLRU__SPAN_SHORT, GENLRU__NR_SPANS };

/* Figures of the formulas above, for experiments; genlru__learner_init sets what was chosen. */
struct genlru__learner_constants {
    uint32_t cost_permille; /* of the entries: what a change costs */
    uint32_t cost_halves;   /* ... half of that once a rule has been in force for this many accesses an entry (LONG) */
    uint32_t missed_permille;                 /* of the misses: what a difference must be worth (LONG) */
    uint32_t noise_percent[GENLRU__NR_SPANS]; /* of the root of the sum */
    uint32_t past_percent;                    /* ... in LONG, where ALL holds the opposite */
    /* Of the entries: misses after which counts lose a hundredth; 0 = never. */
    uint32_t fade_permille[GENLRU__NR_SPANS];
    uint32_t change_percent; /* SHORT counts where it is missed so often as LONG says, or more */
    uint32_t look_permille;  /* of the entries: sampled accesses between two looks, at least 100 */
};

struct genlru__evidence {
    uint64_t seen; /* sampled accesses */
    uint64_t missed[GENLRU__NR_RULES];
    uint64_t lead[GENLRU__NR_RULES][GENLRU__NR_RULES];
};

struct genlru__learner {
    uint32_t entries; /* of a miniature */
    struct genlru__learner_constants constants;
    uint32_t current; /* rule in force */
    uint64_t age;     /* sampled accesses since it is, and the rules differed */
    uint32_t until_look;
    uint32_t until_fade[GENLRU__NR_SPANS];
    struct genlru__evidence evidence[GENLRU__NR_SPANS];
};

void genlru__learner_init(struct genlru__learner *learner, uint32_t entries, uint32_t current);

/* Counts a sampled access that the rules of this mask missed. True: it is time to look. */
bool genlru__learner_count(struct genlru__learner *learner, uint32_t missed);

/* The rule that should be in force, and which span says so. Pure. */
uint32_t genlru__learner_best(const struct genlru__learner *learner, enum genlru__span *ret_span);

/* Another rule is in force from now on, as this span says. */
void genlru__learner_follow(struct genlru__learner *learner, uint32_t rule, enum genlru__span span);

#endif
