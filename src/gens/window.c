/* SPDX-License-Identifier: MIT */
/* The window of generations: see window.h. */
#include "gens/window.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/testing.h"
#include "gens/hist.h"

/*
 * Publishes the window to hits, and through the stripes' locks (S) to adds. relaxed: a hit that still sees the
 * old one ages what it writes by what it missed, and looks again whether that was too much (edge W in
 * docs/memory-model.md).
 */
static void publish(struct genlru *lru)
{
    unsigned width[GENLRU_MAX_TYPES], type;
    uint64_t window;

    for (type = 0; type < GENLRU_MAX_TYPES; type++)
        width[type] = type < lru->nr_types ? genlru__width(lru, type) : 1;
    window = genlru__window_value(lru->max_seq, width, lru->epoch);
    genlru_impl_store_relaxed(&lru->view.window, window);
    genlru_impl_store32_relaxed(&lru->view.saturated.value, genlru__saturated(genlru__policy(lru), window).value);
}

static uint64_t share_of(uint64_t capacity, unsigned percent)
{
    return capacity == GENLRU_NO_LIMIT ? 0 : genlru__percent_of(capacity, percent);
}

/*
 * Rule and capacity change independently of each other, and what follows from both must follow from the last of each: hence a
 * lock.
 */
static void set(struct genlru *lru, const struct genlru__rule *rule, uint64_t capacity)
{
    const struct genlru_probation_rules *probation = &rule->policy.probation;
    uint64_t from = probation->percent ? genlru__percent_of(capacity, probation->fill_percent) : UINT64_MAX;

    __atomic_store_n(&lru->rule, rule, __ATOMIC_RELAXED);
    genlru_impl_store_relaxed(&lru->capacity, capacity);
    genlru_impl_store_relaxed(&lru->probation_from, from);
    genlru_impl_store_relaxed(&lru->recent_within, share_of(capacity, rule->policy.refault.distance_percent));
    genlru_impl_store_relaxed(&lru->near_within, share_of(capacity, rule->policy.place.refault_percent));
}

void genlru__set_rule(struct genlru *lru, const struct genlru__rule *rule)
{
    genlru__spin_lock(&lru->rule_lock);
    set(lru, rule, genlru_impl_load_relaxed(&lru->capacity));
    genlru__spin_unlock(&lru->rule_lock);
}

void genlru__set_capacity(struct genlru *lru, uint64_t capacity)
{
    genlru__spin_lock(&lru->rule_lock);
    set(lru, genlru__rule(lru), capacity);
    genlru__spin_unlock(&lru->rule_lock);
}

void genlru__start_rule(struct genlru *lru, const struct genlru__rule *rule)
{
    const struct genlru_hit_rules *hit = &rule->policy.hit;

    genlru__set_rule(lru, rule);
    lru->view.rules = *hit;
    genlru__rises(hit, &lru->view.rises_below, &lru->view.rises_below_youngest);
    lru->view.only_counts = !(hit->overflow_up | hit->defer_gens | hit->saturate_marks);
}

void genlru__window_init(struct genlru *lru, uint64_t max_seq, uint32_t epoch)
{
    unsigned i;

    lru->max_seq = max_seq;
    lru->epoch = epoch;
    for (i = 0; i < lru->nr_types; i++)
        lru->min_seq[i] = max_seq - lru->nr_gens + 1;
    for (i = 0; i < GENLRU_MAX_GENS; i++)
        lru->birth_ns[i] = lru->now_ns(lru->clock_ctx);
    publish(lru);
    lru->view.saturated.mask = genlru__saturated(genlru__policy(lru), lru->view.window).mask;
}

bool genlru__may_age(const struct genlru *lru)
{
    unsigned type;

    for (type = 0; type < lru->nr_types; type++)
        if (genlru__width(lru, type) >= lru->nr_gens)
            return false;
    return true;
}

void genlru__begin_gen(struct genlru *lru)
{
    genlru__assert(genlru__may_age(lru));
    genlru_impl_store_relaxed(&lru->max_seq, lru->max_seq + 1);
    genlru_impl_store_relaxed(&lru->birth_ns[lru->max_seq & lru->gen_mask], GENLRU__NOT_STAMPED);
    genlru__bump(&lru->stat.aged, 1);
    publish(lru);
}

void genlru__stamp_birth(struct genlru *lru, uint64_t seq)
{
    genlru_impl_store_relaxed(&lru->birth_ns[seq & lru->gen_mask], lru->now_ns(lru->clock_ctx));
}

bool genlru__is_oldest_empty(const struct genlru *lru, unsigned type)
{
    const struct genlru__chain *chain = &lru->chain[genlru__list_of_seq(lru, type, lru->min_seq[type])];

    return !chain->head && !chain->nr_open;
}

void genlru__advance_min(struct genlru *lru, unsigned type)
{
    struct genlru__chain *oldest = &lru->chain[genlru__list_of_seq(lru, type, lru->min_seq[type])];
    struct genlru__chain *next = &lru->chain[genlru__list_of_seq(lru, type, lru->min_seq[type] + 1)];

    genlru__assert(!oldest->head);
    genlru__assert(genlru__width(lru, type) > GENLRU__MIN_WIDTH);
    if (!genlru__bug(ADVANCE_FORGETS)) {
        next->nr_open += oldest->nr_open;
        oldest->nr_open = 0;
    }
    genlru__hist_carry_over(&lru->hist[type]);
    genlru_impl_store_relaxed(&lru->min_seq[type], lru->min_seq[type] + 1);
    publish(lru);
}

void genlru__begin_epoch(struct genlru *lru)
{
    lru->epoch++;
    publish(lru);
}
