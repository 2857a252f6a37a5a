/* SPDX-License-Identifier: MIT */
/*
 * The learner: which rule to follow, a pure function of what the miniatures' misses and hits were.
 *
 *   lead[i][j]   sampled accesses that rule i missed and rule j hit, of late
 *   missed[i]    sampled accesses that rule i missed, of late
 *
 * Rule j is to replace rule c once it saved more than chance and the change cost:
 *
 *   lead[c][j] - lead[j][c]  >  1/2 sqrt(lead[c][j] + lead[j][c])  +  missed[c] / 1000  +  cost
 *   cost = entries / 10 * 5 entries / (5 entries + age)
 *
 * The two rules agree on most accesses, and these say nothing about which is better; where they differ, the difference of
 * two counts has the variance of their sum (McNemar 1947), hence the root. A rule that takes over finds residents that
 * another one chose: entries / 10 is what that costs in misses, measured. A lead that took long to build will last long, so the
 * cost, which comes once, weighs less the longer c has been in force: age is in sampled accesses since, from the first on of
 * which the rules thought differently (while the cache fills they all agree). "Of late": all counts lose a hundredth each time
 * the rule in force has missed 0.03 x entries more; time in which nothing is missed makes nothing forgotten.
 *
 * Integers throughout, so that every platform learns alike.
 */
#ifndef GENLRU_LEARN_LEARNER_H
#define GENLRU_LEARN_LEARNER_H

#include <stdbool.h>
#include <stdint.h>

#include "learn/rules.h"

enum { GENLRU__LEARNER_ONE = 256 /* a count of 1 */ };

/* Figures of the formula above, for experiments; genlru__learner_init sets what was chosen. */
struct genlru__learner_constants {
    uint32_t cost_permille;   /* of the entries: what a change costs */
    uint32_t cost_halves;     /* ... half of that once a rule has been in force for this many accesses an entry */
    uint32_t missed_permille; /* of the misses: what a difference must be worth */
    uint32_t noise_percent;   /* of the root of the sum */
    uint32_t decay_permille;  /* of the entries: misses between two decays */
    uint32_t look_permille;   /* of the entries: sampled accesses between two looks, at least 100 */
};

struct genlru__learner {
    uint32_t entries; /* of a miniature */
    struct genlru__learner_constants constants;
    uint32_t current; /* rule in force */
    uint64_t age;     /* sampled accesses since it is, and the rules differed */
    uint32_t until_look;
    uint32_t until_decay;
    uint64_t lead[GENLRU__NR_RULES][GENLRU__NR_RULES];
    uint64_t missed[GENLRU__NR_RULES];
};

void genlru__learner_init(struct genlru__learner *learner, uint32_t entries, uint32_t current);

/* Counts a sampled access that the rules of this mask missed. True: it is time to look. */
bool genlru__learner_count(struct genlru__learner *learner, uint32_t missed);

/* Another rule is in force from now on. */
void genlru__learner_follow(struct genlru__learner *learner, uint32_t rule);

/* The rule that should be in force. Pure. */
uint32_t genlru__learner_best(const struct genlru__learner *learner);

#endif
