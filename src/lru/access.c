/* SPDX-License-Identifier: MIT */
/* Hits that do more than count, and harvested accessed bits. No locks. */
#include "genlru/impl/hit.h"

#include "base/testing.h"
#include "gens/lru.h"
#include "gens/sizes.h"
#include "gens/window.h"
#include "learn/learn.h"

/* Edge W: an access that slept through too many agings makes its node youngest. */
static __attribute__((noinline)) void refresh(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch), after;
    struct genlru__context context;
    uint32_t word;

    do {
        do {
            context = genlru__context(lru);
            if (genlru__word_refresh(genlru_impl_word(state), &context, &word) != 0)
                return;
            after = genlru_impl_with_word(state, word);
            /* relaxed, as in every hit: the word publishes nothing but itself */
        } while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after));
        genlru__account(lru, state, after);
        state = after;
    } while (genlru__is_too_late(lru, context.window, genlru__context(lru).window));
}

/* Not inlined, like refresh: hits that need neither save fewer registers. */
static __attribute__((noinline)) void count_sampled(struct genlru *lru, struct genlru_node *node);

/* What a hit does to the word, and to the counters. */
static inline void count(struct genlru *lru, struct genlru_node *node, uint64_t state)
{
    uint64_t after, window;

    do {
        window = genlru_impl_load_relaxed(&lru->view.window);
        after = genlru_impl_with_word(state, genlru_impl_word_hit(genlru_impl_word(state), window, &lru->view.rules));
        if (after == state)
            return;
        genlru__point(ACCESS);
        /* relaxed: whoever reads the word next needs nothing but the word */
    } while (GENLRU_UNLIKELY(!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after)));
    if (((state ^ after) & GENLRU_GEN_MASK) == 0) /* on probation always: hits give no gen there */
        return;
    genlru__account_move(lru, state, genlru_impl_word(after));
    if (!genlru__bug(EDGE_W) && genlru__is_too_late(lru, window, genlru_impl_load_relaxed(&lru->view.window)))
        refresh(lru, node);
}

/* The same where a hit does no more than count. Short: where freq is kept, all hits but of saturated nodes come by here. */
static inline void only_count(const struct genlru *lru, struct genlru_node *node, uint64_t state)
{
    const struct genlru_hit_rules rules = {.refs_max = lru->view.rules.refs_max, .freq_max = lru->view.rules.freq_max};
    uint64_t after;

    do {
        after = genlru_impl_with_word(
            state, genlru_impl_word_hit(genlru_impl_word(state), genlru_impl_load_relaxed(&lru->view.window), &rules));
        if (after == state)
            return;
        genlru__point(ACCESS);
        /* relaxed: as in count */
    } while (GENLRU_UNLIKELY(!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after)));
}

static __attribute__((noinline)) void count_and_move(struct genlru *lru, struct genlru_node *node)
{
    count(lru, node, genlru_impl_load_relaxed(&node->state.do_not_touch));
}

static void count_sampled(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    uint32_t word = genlru_impl_word(state);

    count(lru, node, state);
    genlru__learn_hit(lru, node, word);
}

void genlru_impl_access_any(struct genlru *lru, struct genlru_node *node)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);

    if (GENLRU_UNLIKELY(genlru_impl_word(state) & GENLRU_SAMPLED))
        count_sampled(lru, node);
    else if (lru->view.only_counts)
        only_count(lru, node, state);
    else
        count_and_move(lru, node);
}

void genlru_access_call(struct genlru *lru, struct genlru_node *node)
{
    genlru_access(lru, node);
}

static void access_mapped(struct genlru *lru, const struct genlru_harvest *harvest, struct genlru__batch *sizes)
{
    struct genlru_node *node = harvest->node;
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch), after;
    struct genlru__context context;
    uint32_t word;

    do {
        context = genlru__context(lru);
        (void)genlru__word_mapped(genlru_impl_word(state), &context, harvest->is_dear != 0, &word);
        after = genlru_impl_with_word(state, word);
        if (after == state)
            break;
        /* relaxed: see genlru_impl_access_any */
    } while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, after));
    if (word & GENLRU_SAMPLED)
        genlru__learn_hit(lru, node, genlru_impl_word(state));
    if (after == state)
        return;
    if (genlru__counter_index(genlru_impl_word(state)) != genlru__counter_index(word))
        genlru__batch_account(lru, sizes, state, after);
    if (genlru__is_too_late(lru, context.window, genlru__context(lru).window))
        refresh(lru, node);
}

void genlru_access_batch(struct genlru *lru, const struct genlru_harvest *harvest, size_t nr)
{
    enum { AHEAD = 8 };
    struct genlru__batch sizes;
    size_t i;

    genlru__batch_begin(&sizes);
    for (i = 0; i < nr; i++) {
        if (i + AHEAD < nr)
            __builtin_prefetch(harvest[i + AHEAD].node, 1);
        access_mapped(lru, &harvest[i], &sizes);
    }
    genlru__batch_flush(lru, &sizes);
}
