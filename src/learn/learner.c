/* SPDX-License-Identifier: MIT */
/* The learner: see learner.h. */
#include "learn/learner.h"

#include <string.h>

enum { MIN_LOOK = 100, DECAY = 100 /* a hundredth */ };

static uint32_t share_of(uint32_t entries, uint32_t permille, uint32_t at_least)
{
    uint64_t share = (uint64_t)entries * permille / 1000;

    return share > at_least ? (uint32_t)share : at_least;
}

void genlru__learner_init(struct genlru__learner *learner, uint32_t entries, uint32_t current)
{
    memset(learner, 0, sizeof(*learner));
    learner->entries = entries;
    learner->current = current;
    learner->constants = (struct genlru__learner_constants){100, 5, 1, 50, 30, 100};
    learner->until_look = share_of(entries, learner->constants.look_permille, MIN_LOOK);
    learner->until_decay = share_of(entries, learner->constants.decay_permille, 1);
}

static void decay(struct genlru__learner *learner)
{
    unsigned i, j;

    for (i = 0; i < GENLRU__NR_RULES; i++) {
        learner->missed[i] -= learner->missed[i] / DECAY;
        for (j = 0; j < GENLRU__NR_RULES; j++)
            learner->lead[i][j] -= learner->lead[i][j] / DECAY;
    }
}

static void count(struct genlru__learner *learner, uint32_t missed)
{
    uint32_t hit = ~missed & ((1u << GENLRU__NR_RULES) - 1), i, j;

    for (i = missed; i; i &= i - 1) {
        unsigned loser = (unsigned)__builtin_ctz(i);

        learner->missed[loser] += GENLRU__LEARNER_ONE;
        for (j = hit; j; j &= j - 1)
            learner->lead[loser][__builtin_ctz(j)] += GENLRU__LEARNER_ONE;
    }
}

bool genlru__learner_count(struct genlru__learner *learner, uint32_t missed)
{
    const uint32_t all = (1u << GENLRU__NR_RULES) - 1;

    if (learner->age || (missed && missed != all))
        learner->age++;
    if (missed)
        count(learner, missed);
    if ((missed >> learner->current & 1u) && --learner->until_decay == 0) {
        decay(learner);
        learner->until_decay = share_of(learner->entries, learner->constants.decay_permille, 1);
    }
    if (--learner->until_look != 0)
        return false;
    learner->until_look = share_of(learner->entries, learner->constants.look_permille, MIN_LOOK);
    return true;
}

void genlru__learner_follow(struct genlru__learner *learner, uint32_t rule)
{
    learner->current = rule;
    learner->age = 0;
}

/* What a change from rule c would have to save, but for chance. */
static uint64_t cost_of_change(const struct genlru__learner *learner)
{
    const struct genlru__learner_constants *k = &learner->constants;
    uint64_t cost = (uint64_t)learner->entries * k->cost_permille * GENLRU__LEARNER_ONE / 1000;
    uint64_t half = (uint64_t)learner->entries * k->cost_halves;

    return cost * half / (half + learner->age) + learner->missed[learner->current] * k->missed_permille / 1000;
}

/* Whether rule j should replace rule c. */
static bool is_better(const struct genlru__learner *learner, unsigned c, unsigned j)
{
    const struct genlru__learner_constants *k = &learner->constants;
    uint64_t saved = learner->lead[c][j], lost = learner->lead[j][c];
    uint64_t cost = cost_of_change(learner), gain;

    if (saved <= lost + cost)
        return false;
    gain = saved - lost - cost; /* gain > noise * sqrt(sum), squared; counts are below 2^24, so nothing overflows */
    return gain * gain / GENLRU__LEARNER_ONE * (100 * 100) >
           (saved + lost) * ((uint64_t)k->noise_percent * k->noise_percent);
}

uint32_t genlru__learner_best(const struct genlru__learner *learner)
{
    unsigned c = learner->current, best = c, j;

    for (j = 0; j < GENLRU__NR_RULES; j++)
        if (j != c && is_better(learner, c, j) && learner->missed[j] < learner->missed[best])
            best = j;
    return best;
}
