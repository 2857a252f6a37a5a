/* SPDX-License-Identifier: MIT */
/*
 * Plain nodes: those of which a scan sees at a glance what becomes of them. Exactly the gen code and type of the list that is scanned, no
 * flag that asks for more, and by their refs (or, in a duel, their freq) either victims or kept for another round. Nearly all that
 * a scan meets is plain; verdict.h says the same of each of them, and of the others what is to be done.
 *
 *   word & mask == value ──▶ mark's bit in victims, in kept: by refs
 *                            mark's bit in open:             by freq, freq >= enough ? kept : victim
 */
#ifndef GENLRU_RECLAIM_PLAIN_H
#define GENLRU_RECLAIM_PLAIN_H

#include "reclaim/verdict.h"

struct genlru__plain {
    uint32_t mask;
    uint32_t value;
    uint32_t victims; /* marks, a bit for each: by their refs */
    uint32_t kept;
    uint32_t open;   /* those of which freq decides; then there are no others */
    unsigned enough; /* ... from which on a node is no victim */
    bool keeps;      /* ... but kept; false: it contends */
    uint64_t window;
    const struct genlru__rule *rule;
    unsigned oldest; /* age of the list scanned; 0 = it is no generation's */

    /* Where the nodes of each keep class go: gen bits of the word, and the list. */
    uint32_t gen[GENLRU__NR_KEEPS];
    uint16_t list[GENLRU__NR_KEEPS];

    /* What scan_chain has yet to count: nodes that left the list's counter, and those of them that a keep class took up. */
    struct genlru__counter left;
    struct genlru__counter taken[GENLRU__NR_KEEPS];
};

/* Of `list`, with judge->threshold and judge->is_desperate. Under the lru's lock; O(1). */
void genlru__plain_of(struct genlru__plain *ret, const struct genlru *lru, unsigned list,
                      const struct genlru__judge *judge);

/* The same for residents in duels with nodes of probation, whose freq is ret->enough: set it before each. */
void genlru__plain_opponents_of(struct genlru__plain *ret, const struct genlru *lru, unsigned list,
                                const struct genlru__judge *judge);

/* The same for type and threshold of any window, where ret->rule is set and no list is asked for: pure. */
void genlru__plain_oldest(struct genlru__plain *ret, uint64_t window, unsigned type, unsigned threshold);
void genlru__plain_opponents(struct genlru__plain *ret, uint64_t window, unsigned type, unsigned threshold);

/* Adds a node in this state to what is yet to be counted. */
static inline void genlru__plain_count(struct genlru__counter *sum, uint64_t state)
{
    sum->nodes++;
    sum->charge += genlru_impl_charge(state);
}

/* ISOLATE, KEEP or CONTEND, or MOVE: not plain. */
static inline enum genlru__verdict genlru__plain_verdict(const struct genlru__plain *plain, uint32_t word)
{
    uint32_t mark = UINT32_C(1) << genlru__mark_of(word);

    if (GENLRU_UNLIKELY((word & plain->mask) != plain->value))
        return GENLRU__MOVE;
    if (plain->victims & mark) /* none where freq decides */
        return GENLRU__ISOLATE;
    if (plain->kept & mark)
        return GENLRU__KEEP;
    if (!(plain->open & mark))
        return GENLRU__MOVE;
    if (genlru_impl_aged_freq(word, plain->window) < plain->enough)
        return GENLRU__ISOLATE;
    return plain->keeps ? GENLRU__KEEP : GENLRU__CONTEND;
}

/* The word of a plain node that is kept, as genlru__word_keep says, and its class. */
static inline uint32_t genlru__plain_keep(const struct genlru__plain *plain, uint32_t word, unsigned *ret_class)
{
    const struct genlru__kept *kept = &plain->rule->kept[genlru_impl_refs(word)];

    *ret_class = kept->class;
    return (genlru_impl_with_refs(word, kept->refs) & ~GENLRU_GEN_MASK) | plain->gen[kept->class];
}

/* Whether a word of the type that is scanned is of a younger generation of the window, and no flag has a say; its age there. */
static inline bool genlru__plain_is_younger(const struct genlru__plain *plain, uint32_t word, unsigned *ret_age)
{
    unsigned youngest = genlru_impl_window_youngest(plain->window), gen = genlru_impl_gen(word);

    *ret_age = youngest >= gen ? youngest - gen : youngest + GENLRU_GEN_MODULUS - gen;
    return gen && !((word ^ plain->value) & (GENLRU_TYPE_MASK | GENLRU_PINNED | GENLRU_PROBATION)) &&
           *ret_age < plain->oldest;
}

/* Makes a rule of a policy. */
void genlru__rule_init(struct genlru__rule *rule, const struct genlru_policy *policy, uint32_t number);

#endif
