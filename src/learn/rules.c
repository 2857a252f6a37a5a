/* SPDX-License-Identifier: MIT */
/*
 * The rules that a learning lru chooses among, as data on the one mechanism.
 *
 * What they share: a hit counts (refs and freq, up to 15) and moves nothing; the window stays full; a node's count begins
 * with the access that added it, so "used n times since" is refs > n; a shadow counts for twice the capacity's evictions; a freq
 * epoch begins when five times the capacity was evicted (learning: by the rule in force, in its miniature). What differs is where
 * nodes enter, what a scan of the oldest generation keeps and for how long, and what probation asks for.
 *
 * #  name             enters        returns      probation  kept, and how far up       is like
 * 0  refs             oldest        +1           ahead      used twice, +1, halved     CLOCK whose counts survive eviction
 * 1  duel             probation     probation    5 %, duel  used once, +1, halved      TinyLFU's admission, S3-FIFO's queue
 * 2  second-chance    youngest      youngest     ahead      used once, youngest, forgotten   CLOCK, nearly LRU
 * 3  twoq             probation     oldest +1    10 %       used once, +1, forgotten   2Q: only a return enters
 * 4  slow-decay       oldest        youngest     ahead      used once, by count, -1    LFU-like
 * 5  young            youngest      youngest     ahead      used twice, youngest, halved    LRU with counts
 * 6  ghost            oldest        youngest     ahead      used once, +1, forgotten   returns are protected
 * 7  long-ghost       probation     +2           2 %        used once, +1, forgotten   2Q with a long memory
 *
 * ahead: only what was read ahead passes through probation, of 5 %.
 */
#include "learn/rules.h"

#include <stddef.h>

#define NEVER 255 /* refs that no count reaches */
#define TO_YOUNGEST (GENLRU_MAX_GENS - 1)

/* clang-format off */
#define RULE(name_, place_, refault_, probation_, keep_)                                                    \
    {                                                                                                       \
        .size = sizeof(struct genlru_policy), .name = name_,                                                \
        .hit = GENLRU__RULES_HIT,                                                            \
        .mapped = {.refs_cap = 15, .second_refs = NEVER, .promoted_refs = 15, .youngest_counts = 1},        \
        .place = place_, .refault = refault_,                                                               \
        .tiers = {.base_gain = 1, .tier_gain = 1, .min_refaults = 255, .protect_refs = 15},                 \
        .probation = probation_, .keep = keep_, .epoch_percent = 500, .full_window = 1                                       \
    }
#define PLACE(cold_, refault_, refault_percent_)                                                            \
    {.cold = (cold_), .warm = (cold_), .fault = (refault_), .fault_workingset = (refault_), .hot = -2,      \
     .putback = -2, .refault = (refault_), .refault_percent = (refault_percent_)}
#define REFAULT(refs_cap_)                                                                                  \
    {.refs_cap = (refs_cap_), .workingset_refs = 2, .distance_percent = 200, .keep_freq = 1, .distance_only = 1}
/* Of what was read ahead alone: used once it leaves at the end, used again it goes to `place_`. */
#define AHEAD(place_) \
    {.percent = 5, .fill_percent = 90, .promote_refs = 2, .place = (place_), .promoted_refs = 15, .only_prefetched = 1}
#define PROBATION(percent_, refs_, place_, keeps_, skips_, duel_)                                                           \
    {.percent = (percent_), .fill_percent = 90, .promote_refs = (refs_), .place = (place_), .promoted_refs = (keeps_), \
     .refault_skips = (skips_), .duel = (duel_)}
#define KEEP(refs_, up_, doubling_, decay_)                                                                 \
    {.refs = (refs_), .up = (up_), .up_doubling = (doubling_), .decay = (decay_)}
#define FORGET_COUNT 0
#define KEEP_COUNT 15

const struct genlru_policy genlru__rules[GENLRU__NR_RULES] = {
    RULE("refs", PLACE(0, 1, 100), REFAULT(KEEP_COUNT), AHEAD(0), KEEP(3, 1, 0, GENLRU_DECAY_HALF)),
    RULE("duel", PLACE(0, 0, 0), REFAULT(KEEP_COUNT), PROBATION(5, 2, 0, 15, 0, 8), KEEP(2, 1, 0, GENLRU_DECAY_HALF)),
    RULE("second-chance", PLACE(-1, -1, 100), REFAULT(FORGET_COUNT), AHEAD(-1), KEEP(2, TO_YOUNGEST, 0, GENLRU_DECAY_ALL)),
    RULE("twoq", PLACE(0, 1, 50), REFAULT(FORGET_COUNT), PROBATION(10, NEVER, 1, 1, 1, 0), KEEP(2, 1, 0, GENLRU_DECAY_ALL)),
    RULE("slow-decay", PLACE(0, -1, 200), REFAULT(KEEP_COUNT), AHEAD(0), KEEP(2, 1, 1, GENLRU_DECAY_ONE)),
    RULE("young", PLACE(-1, -1, 100), REFAULT(KEEP_COUNT), AHEAD(-1), KEEP(3, TO_YOUNGEST, 0, GENLRU_DECAY_HALF)),
    RULE("ghost", PLACE(0, -1, 100), REFAULT(FORGET_COUNT), AHEAD(0), KEEP(2, 1, 0, GENLRU_DECAY_ALL)),
    RULE("long-ghost", PLACE(0, 2, 200), REFAULT(KEEP_COUNT), PROBATION(2, 4, 1, 1, 1, 0), KEEP(2, 1, 0, GENLRU_DECAY_ALL)),
};
/* clang-format on */

const struct genlru_policy *genlru_policy_rule(unsigned number)
{
    return number < GENLRU__NR_RULES ? &genlru__rules[number] : NULL;
}
