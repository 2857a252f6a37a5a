/* SPDX-License-Identifier: MIT */
/*
 * The window of generations: max_seq for all types, min_seq of each, at least two and at most nr_gens wide.
 * Everything here runs under the lru's lock but where it says otherwise.
 */
#ifndef GENLRU_GENS_WINDOW_H
#define GENLRU_GENS_WINDOW_H

#include "gens/lru.h"

enum { GENLRU__MIN_WIDTH = 2 };

static inline unsigned genlru__width(const struct genlru *lru, unsigned type)
{
    return (unsigned)(lru->max_seq - lru->min_seq[type] + 1);
}

/*
 * Whether so many agings passed between two looks at the window that a gen code written by the first one may come to
 * mean another age. With a window of W generations, the code may be W - 1 old by the window it was written by, and
 * lag by W - 1 more while its node hangs on a young list; with the agings that its writer missed that must stay below
 * the modulus (tests/spin/window.pml, BUG 3). No lock.
 */
static inline bool genlru__is_too_late(const struct genlru *lru, uint64_t then, uint64_t now)
{
    unsigned missed = (genlru_impl_window_seq16(now) - genlru_impl_window_seq16(then)) & 0xffffu;

    return missed > GENLRU_GEN_MODULUS + 1 - 2 * lru->nr_gens;
}

/*
 * max_seq that `window` goes with. Without the lock the two are read one after the other; the low bits in the window
 * tell which max_seq was its.
 */
static inline uint64_t genlru__max_seq_of(const struct genlru *lru, uint64_t window)
{
    uint64_t max_seq = genlru_impl_load_relaxed(&lru->max_seq);

    return max_seq + (uint64_t)(int64_t)(int16_t)(genlru_impl_window_seq16(window) - (uint16_t)max_seq);
}

/* The window as hits read it (impl/state.h). Pure. */
static inline uint64_t genlru__window_value(uint64_t max_seq, const unsigned width[GENLRU_MAX_TYPES], uint32_t epoch)
{
    uint64_t window = 1 + max_seq % GENLRU_GEN_MODULUS;
    unsigned type;

    for (type = 0; type < GENLRU_MAX_TYPES; type++)
        window |= (uint64_t)width[type] << (8 + 8 * type);
    return window | (uint64_t)(epoch & 0xff) << 40 | (max_seq & 0xffff) << 48;
}

/* Sets the sequence numbers of an lru being made, with a full window below max_seq. */
void genlru__window_init(struct genlru *lru, uint64_t max_seq, uint32_t epoch);

/* What transitions depend on, now. */
static inline struct genlru__context genlru__context(const struct genlru *lru)
{
    struct genlru__context context = {genlru_impl_load_relaxed(&lru->view.window), genlru__policy(lru), lru->nr_gens};

    return context;
}

/* Puts a rule in force, or sets the capacity. Any thread that holds no lock; relaxed stores: who decides by the old one for a moment more decides well enough. */
void genlru__set_rule(struct genlru *lru, const struct genlru__rule *rule);
void genlru__set_capacity(struct genlru *lru, uint64_t capacity);

/* The first one, of an lru being made: hits follow its hit rules, which all rules of an lru share. */
void genlru__start_rule(struct genlru *lru, const struct genlru__rule *rule);

/* Generation that a listed word (not on probation) is in: min_seq <= seq <= max_seq. */
static inline uint64_t genlru__seq_of_word(const struct genlru *lru, uint32_t word)
{
    return lru->max_seq - genlru_impl_age(lru->view.window, genlru_impl_type(word), genlru_impl_gen(word));
}

/* List that a listed word belongs on. */
static inline unsigned genlru__list_of_word(const struct genlru *lru, uint32_t word)
{
    unsigned type = genlru_impl_type(word);

    if (word & GENLRU_PROBATION)
        return genlru__list_of_probation(lru, type);
    return genlru__list_of_seq(lru, type, genlru__seq_of_word(lru, word));
}

/* True if no type's window is full, so that max_seq may grow. */
bool genlru__may_age(const struct genlru *lru);

/* max_seq + 1. The caller flushes the stripes after unlocking: their open blocks now belong to older generations. */
void genlru__begin_gen(struct genlru *lru);

/*
 * Says when generation `seq` began. Without the lock, since the clock is the owner's code; until then its age reads
 * as 0.
 */
void genlru__stamp_birth(struct genlru *lru, uint64_t seq);

/* True if the oldest generation of `type` has no nodes, seen or in open blocks. */
bool genlru__is_oldest_empty(const struct genlru *lru, unsigned type);

/*
 * min_seq + 1, and the history carried over. The oldest chain must be empty; open blocks of it become the next one's,
 * so adds that go on cannot hold an aging up.
 */
void genlru__advance_min(struct genlru *lru, unsigned type);

/* A new epoch of the frequency field. */
void genlru__begin_epoch(struct genlru *lru);

#endif
