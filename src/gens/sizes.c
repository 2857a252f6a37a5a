/* SPDX-License-Identifier: MIT */
/* Counters of nodes and charge: see sizes.h. */
#include "gens/sizes.h"

#include "base/testing.h"

/* relaxed: sums are read as loose figures, or compared when no call is running */
static void add(struct genlru__stripe *stripe, unsigned type, unsigned index, uint64_t nodes, uint64_t charge)
{
    struct genlru__counter *counter = &stripe->counter[type * GENLRU__NR_COUNTERS + index];

    if (nodes)
        genlru_impl_fetch_add_relaxed(&counter->nodes, GENLRU__CHANGE + nodes);
    if (charge)
        genlru_impl_fetch_add_relaxed(&counter->charge, charge);
}

/* What the change of a node adds to the lru's charge. */
static uint64_t charge_difference(int from, uint64_t before, int to, uint64_t after)
{
    return (to >= 0 ? (uint64_t)genlru_impl_charge(after) : 0) - (from >= 0 ? genlru_impl_charge(before) : 0);
}

static void add_charge(struct genlru__stripe *stripe, uint64_t charge)
{
    if (charge)
        genlru_impl_fetch_add_relaxed(&stripe->free_charge, charge);
}

void genlru__account(struct genlru *lru, uint64_t before, uint64_t after)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    unsigned type = genlru_impl_type(genlru_impl_word(before));
    int from = genlru__counter_index(genlru_impl_word(before));
    int to = genlru__counter_index(genlru_impl_word(after));
    uint64_t difference = charge_difference(from, before, to, after);

    if (from == to) {
        if (from >= 0)
            add(stripe, type, (unsigned)from, 0, difference);
    } else {
        if (from >= 0)
            add(stripe, type, (unsigned)from, (uint64_t)-1, -(uint64_t)genlru_impl_charge(before));
        if (to >= 0)
            add(stripe, type, (unsigned)to, 1, genlru_impl_charge(after));
    }
    add_charge(stripe, difference);
}

uint64_t genlru__account_del(struct genlru *lru, uint64_t before)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    uint64_t charge = genlru_impl_charge(before);
    uint32_t word = genlru_impl_word(before);
    uint64_t nr;

    if (genlru__spin_trylock(&stripe->lock)) {
        genlru__count_held(lru, stripe, before, (uint64_t)-1);
        nr = genlru_impl_load_relaxed(&stripe->held_dels) + 1;
        genlru_impl_store_relaxed(&stripe->held_dels, nr);
        genlru__spin_unlock(&stripe->lock);
        return nr;
    }
    add(stripe, genlru_impl_type(word), (unsigned)genlru__counter_index(word), (uint64_t)-1, -charge);
    add_charge(stripe, -charge);
    return genlru_impl_fetch_add_relaxed(&stripe->free_dels, 1) + 1;
}

uint64_t genlru__count_del(struct genlru *lru)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    uint64_t nr;

    if (!genlru__spin_trylock(&stripe->lock))
        return genlru_impl_fetch_add_relaxed(&stripe->free_dels, 1) + 1;
    nr = genlru_impl_load_relaxed(&stripe->held_dels) + 1;
    genlru_impl_store_relaxed(&stripe->held_dels, nr);
    genlru__spin_unlock(&stripe->lock);
    return nr;
}

void genlru__account_undel(struct genlru *lru, uint64_t before)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    uint64_t charge = genlru_impl_charge(before);
    uint32_t word = genlru_impl_word(before);

    add(stripe, genlru_impl_type(word), (unsigned)genlru__counter_index(word), 1, charge);
    add_charge(stripe, charge);
}

uint64_t genlru__nr_dels(const struct genlru *lru)
{
    uint64_t nr = 0;
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++)
        nr += genlru_impl_load_relaxed(&genlru__stripe(lru, i)->held_dels) +
              genlru_impl_load_relaxed(&genlru__stripe(lru, i)->free_dels);
    return nr;
}

uint64_t genlru__charge(const struct genlru *lru)
{
    uint64_t charge = 0;
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++)
        charge += genlru_impl_load_relaxed(&genlru__stripe(lru, i)->held_charge) +
                  genlru_impl_load_relaxed(&genlru__stripe(lru, i)->free_charge);
    return (int64_t)charge < 0 ? 0 : charge;
}

/*
 * The sum of the batch for a counter; the last one first, as most nodes of a scan leave the same generation. A full
 * batch is flushed.
 */
static void batch_add(struct genlru *lru, struct genlru__batch *batch, unsigned type, unsigned index, uint64_t nodes,
                      uint64_t charge)
{
    unsigned i = batch->last;

    if (i >= batch->nr || batch->sum[i].index != index || batch->sum[i].type != type)
        for (i = 0; i < batch->nr; i++)
            if (batch->sum[i].index == index && batch->sum[i].type == type)
                break;
    if (i == sizeof(batch->sum) / sizeof(batch->sum[0])) {
        genlru__batch_flush(lru, batch);
        i = 0;
    }
    if (i == batch->nr) {
        batch->nr++;
        batch->sum[i].type = (uint16_t)type;
        batch->sum[i].index = (uint16_t)index;
        batch->sum[i].nodes = 0;
        batch->sum[i].charge = 0;
    }
    batch->last = i;
    batch->sum[i].nodes += nodes;
    batch->sum[i].charge += charge;
}

void genlru__batch_account(struct genlru *lru, struct genlru__batch *batch, uint64_t before, uint64_t after)
{
    unsigned type = genlru_impl_type(genlru_impl_word(before));
    int from = genlru__counter_index(genlru_impl_word(before));
    int to = genlru__counter_index(genlru_impl_word(after));

    batch->charge += charge_difference(from, before, to, after);
    if (from >= 0)
        batch_add(lru, batch, type, (unsigned)from, (uint64_t)-1, -(uint64_t)genlru_impl_charge(before));
    if (to >= 0)
        batch_add(lru, batch, type, (unsigned)to, 1, genlru_impl_charge(after));
}

void genlru__batch_leave(struct genlru *lru, struct genlru__batch *batch, uint32_t word, struct genlru__counter nodes)
{
    batch->charge -= nodes.charge;
    batch_add(lru, batch, genlru_impl_type(word), (unsigned)genlru__counter_index(word), -nodes.nodes, -nodes.charge);
}

void genlru__batch_join(struct genlru *lru, struct genlru__batch *batch, uint32_t word, struct genlru__counter nodes)
{
    batch->charge += nodes.charge;
    batch_add(lru, batch, genlru_impl_type(word), (unsigned)genlru__counter_index(word), nodes.nodes, nodes.charge);
}

void genlru__batch_flush(struct genlru *lru, struct genlru__batch *batch)
{
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    unsigned i;

    /* what leaves a counter first: who adds the counters up meanwhile may find too little, never too much */
    for (i = 0; i < batch->nr; i++)
        if ((int64_t)batch->sum[i].nodes < 0)
            add(stripe, batch->sum[i].type, batch->sum[i].index, batch->sum[i].nodes, batch->sum[i].charge);
    for (i = 0; i < batch->nr; i++)
        if ((int64_t)batch->sum[i].nodes >= 0)
            add(stripe, batch->sum[i].type, batch->sum[i].index, batch->sum[i].nodes, batch->sum[i].charge);
    add_charge(stripe, batch->charge);
    batch->nr = 0;
    batch->charge = 0;
}

/* The number of nodes in a sum of counters. */
static uint64_t number_in(uint64_t nodes)
{
    enum { ABOVE = 64 - GENLRU__NODES_BITS };

    return (uint64_t)((int64_t)(nodes << ABOVE) >> ABOVE);
}

struct genlru__counter genlru__sum_raw(const struct genlru *lru, unsigned type, unsigned index)
{
    struct genlru__counter sum = {0, 0};
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);
        const struct genlru__counter *held = genlru__held_counter(lru, stripe, type, index);
        const struct genlru__counter *shared = &stripe->counter[type * GENLRU__NR_COUNTERS + index];

        sum.nodes += genlru_impl_load_relaxed(&held->nodes) + genlru_impl_load_relaxed(&shared->nodes);
        sum.charge += genlru_impl_load_relaxed(&held->charge) + genlru_impl_load_relaxed(&shared->charge);
    }
    sum.nodes = number_in(sum.nodes);
    return sum;
}

/* Each load is an acquire so that a second adding up begins after the first one's end; it pairs with nothing. */
static uint64_t seen_of_type(const struct genlru *lru, unsigned type)
{
    uint64_t seen = 0;
    unsigned i, index;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);

        for (index = 1; index < GENLRU__NR_COUNTERS; index++) {
            genlru__point(SUM);
            seen += genlru_impl_load_acquire(&genlru__held_counter(lru, stripe, type, index)->nodes) +
                    genlru_impl_load_acquire(&stripe->counter[type * GENLRU__NR_COUNTERS + index].nodes);
        }
    }
    return seen;
}

uint64_t genlru__sum_listed(const struct genlru *lru, uint32_t types, uint64_t *ret_seen)
{
    uint64_t number = 0;
    unsigned type;

    *ret_seen = 0;
    for (type = 0; type < lru->nr_types; type++) {
        uint64_t seen;

        if (!(types & 1u << type))
            continue;
        seen = seen_of_type(lru, type);
        *ret_seen += seen;
        if ((int64_t)number_in(seen) > 0)
            number += number_in(seen);
    }
    if (genlru__bug(LOOK_SUMS))
        *ret_seen = number;
    return number;
}

static void add_raw(struct genlru__counter *sum, struct genlru__counter other)
{
    sum->nodes += other.nodes;
    sum->charge += other.charge;
}

static struct genlru__counter clamped(struct genlru__counter sum)
{
    if ((int64_t)sum.nodes < 0)
        sum.nodes = 0;
    if ((int64_t)sum.charge < 0)
        sum.charge = 0;
    return sum;
}

struct genlru__counter genlru__sum(const struct genlru *lru, unsigned type, unsigned index)
{
    return clamped(genlru__sum_raw(lru, type, index));
}

struct genlru__counter genlru__sum_age(const struct genlru *lru, uint64_t window, unsigned type, unsigned age)
{
    unsigned width = genlru_impl_window_width(window, type);
    struct genlru__counter sum = genlru__sum_raw(lru, type, genlru_impl_gen_of_age(window, age));

    if (age == width - 1)
        while (++age < GENLRU_GEN_MODULUS)
            add_raw(&sum, genlru__sum_raw(lru, type, genlru_impl_gen_of_age(window, age)));
    return clamped(sum);
}

/* Stripe by stripe, each in one go: the number is cut out of the sum once, as a sum of numbers is the number in the sum. */
struct genlru__counter genlru__sum_type(const struct genlru *lru, unsigned type)
{
    struct genlru__counter sum = {0, 0};
    unsigned i, index;

    for (i = 0; i < lru->nr_stripes; i++) {
        struct genlru__stripe *stripe = genlru__stripe(lru, i);
        const struct genlru__counter *held = genlru__held_counter(lru, stripe, type, 0);
        const struct genlru__counter *shared = &stripe->counter[type * GENLRU__NR_COUNTERS];

        for (index = 0; index < GENLRU__NR_COUNTERS; index++) {
            sum.nodes += genlru_impl_load_relaxed(&held[index].nodes) + genlru_impl_load_relaxed(&shared[index].nodes);
            sum.charge +=
                genlru_impl_load_relaxed(&held[index].charge) + genlru_impl_load_relaxed(&shared[index].charge);
        }
    }
    sum.nodes = number_in(sum.nodes);
    return clamped(sum);
}

uint64_t genlru__nr_nodes(const struct genlru *lru)
{
    const unsigned nr_counters = 2 * lru->nr_types * GENLRU__NR_COUNTERS;
    uint64_t nodes = 0;
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++) {
        const struct genlru__counter *counter = genlru__stripe(lru, i)->counter, *end = counter + nr_counters;

        for (; counter != end; counter++)
            nodes += genlru_impl_load_relaxed(&counter->nodes);
    }
    nodes = number_in(nodes);
    return (int64_t)nodes < 0 ? 0 : nodes;
}
