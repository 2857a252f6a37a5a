/* SPDX-License-Identifier: MIT */
/*
 * Counters of nodes and charge. They follow the word: whoever flips a word from one counter's gen to another's, by
 * the compare-and-swap that includes the charge, then adds the difference. Hence the accounting equation
 *
 *   counter[type][index] = sum over nodes n with index_of(word(n)) = index of (1, charge(n))     (invariant 4)
 *
 * which holds whenever no call is between its flip and its addition.
 */
#ifndef GENLRU_GENS_SIZES_H
#define GENLRU_GENS_SIZES_H

#include "gens/lru.h"

/*
 * A counter of nodes that is changed without a lock is two in one: the number in the lower bits, in two's complement, and how often
 * it was changed above. One addition does both; and who adds up such counters, each at its own time, can tell whether
 * anything was changed between (genlru__sum_listed).
 */
enum { GENLRU__NODES_BITS = 40 };
#define GENLRU__CHANGE (UINT64_C(1) << GENLRU__NODES_BITS)

/* Counter that a word belongs to, or -1: it is on no list. */
static inline int genlru__counter_index(uint32_t word)
{
    if (word & GENLRU_PROBATION)
        return GENLRU__PROBATION_INDEX;
    if (word & GENLRU_GEN_MASK)
        return (int)genlru_impl_gen(word);
    return genlru__state_of(word) == GENLRU__PARKED ? 0 : -1;
}

/* Adds the difference that a node's change from `before` to `after` makes. */
void genlru__account(struct genlru *lru, uint64_t before, uint64_t after);

/* The same where a listed node goes from one generation to another, and nothing else: a hit's, so it is short. */
static inline void genlru__account_move(const struct genlru *lru, uint64_t before, uint32_t after)
{
    struct genlru__counter *counter = &genlru__stripe_own(lru)->counter[genlru_impl_type(after) * GENLRU__NR_COUNTERS];
    struct genlru__counter *from = &counter[genlru_impl_gen(genlru_impl_word(before))];
    struct genlru__counter *to = &counter[genlru_impl_gen(after)];
    uint64_t charge = genlru_impl_charge(before);

    /* relaxed: see add in sizes.c. What leaves a counter first, as everywhere */
    genlru_impl_fetch_add_relaxed(&from->nodes, GENLRU__CHANGE - 1);
    genlru_impl_fetch_add_relaxed(&from->charge, -charge);
    genlru_impl_fetch_add_relaxed(&to->nodes, GENLRU__CHANGE + 1);
    genlru_impl_fetch_add_relaxed(&to->charge, charge);
}

/* What was counted under a stripe's lock, without atomic additions; apart from what anyone counts in the stripe. */
static inline struct genlru__counter *genlru__held_counter(const struct genlru *lru, struct genlru__stripe *stripe,
                                                           unsigned type, unsigned index)
{
    return &stripe->counter[(lru->nr_types + type) * GENLRU__NR_COUNTERS + index];
}

/* Adds `nodes` of a node's state and charge. Under the stripe's lock. */
static inline void genlru__count_held(struct genlru *lru, struct genlru__stripe *stripe, uint64_t state, uint64_t nodes)
{
    uint32_t word = genlru_impl_word(state);
    uint64_t charge = nodes * genlru_impl_charge(state);
    struct genlru__counter *counter =
        genlru__held_counter(lru, stripe, genlru_impl_type(word), (unsigned)genlru__counter_index(word));

    genlru__bump(&counter->nodes, nodes);
    genlru__bump(&counter->charge, charge);
    genlru__bump(&stripe->held_charge, charge);
}

/* The same for a node that has just been added. */
static inline void genlru__account_add(struct genlru *lru, struct genlru__stripe *stripe, uint64_t after)
{
    genlru__count_held(lru, stripe, after, 1);
}

/*
 * A node with this state leaves a generation or probation, before its slot is taken: so whoever finds the slot empty finds
 * it subtracted, too, and the nodes outside of the parked counters never add up to too many. Under the stripe's lock if that is free (one atomic operation instead of four). Returns how many
 * dels the stripe has counted in that way.
 */
uint64_t genlru__account_del(struct genlru *lru, uint64_t before);

/* Counts a del that has done without account_del. Under no lock. */
uint64_t genlru__count_del(struct genlru *lru);

/* Takes it back: the slot was not to be had. */
void genlru__account_undel(struct genlru *lru, uint64_t before);

/* Dels that have ever been counted. O(stripes). */
uint64_t genlru__nr_dels(const struct genlru *lru);

/* Charge on the lru: the sum over all counters, kept by stripe beside them; clamped at 0. O(stripes). */
uint64_t genlru__charge(const struct genlru *lru);

/*
 * The same for many nodes: differences are gathered here and added once. A batch lives on the stack of one call;
 * flush it before unlocking, so that nobody sees a quiescent structure with pending differences.
 */
struct genlru__batch {
    unsigned nr;
    unsigned last;   /* sum that was added to last */
    uint64_t charge; /* of the lru */
    struct {
        uint16_t type;
        uint16_t index;
        uint64_t nodes;
        uint64_t charge;
    } sum[8];
};

static inline void genlru__batch_begin(struct genlru__batch *batch)
{
    batch->nr = batch->last = 0;
    batch->charge = 0;
}

void genlru__batch_account(struct genlru *lru, struct genlru__batch *batch, uint64_t before, uint64_t after);
/* Nodes whose word counted like this one leave the lru; what left so joins another counter, and the lru again. */
void genlru__batch_leave(struct genlru *lru, struct genlru__batch *batch, uint32_t word, struct genlru__counter nodes);
void genlru__batch_join(struct genlru *lru, struct genlru__batch *batch, uint32_t word, struct genlru__counter nodes);
void genlru__batch_flush(struct genlru *lru, struct genlru__batch *batch);

/* Sum over stripes of one counter; two's complement, may be transiently negative. */
struct genlru__counter genlru__sum_raw(const struct genlru *lru, unsigned type, unsigned index);

/*
 * Nodes of these types outside of their parked counters, clamped at 0. *ret_seen: two calls, one after the other, that give
 * the same saw each counter as it was between them, but for what is counted under stripes' locks (adds, and dels: nr_dels).
 */
uint64_t genlru__sum_listed(const struct genlru *lru, uint32_t types, uint64_t *ret_seen);

/* sum_raw, clamped at 0. */
struct genlru__counter genlru__sum(const struct genlru *lru, unsigned type, unsigned index);

/* Nodes and charge of the generation that is `age` old; the oldest includes words that lag behind it. */
struct genlru__counter genlru__sum_age(const struct genlru *lru, uint64_t window, unsigned type, unsigned age);

/* All of a type: generations, probation and parked. */
struct genlru__counter genlru__sum_type(const struct genlru *lru, unsigned type);

/* All nodes of the lru, clamped at 0. */
uint64_t genlru__nr_nodes(const struct genlru *lru);

#endif
