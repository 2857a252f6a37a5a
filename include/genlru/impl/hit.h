/* SPDX-License-Identifier: MIT */
/*
 * genlru_access, the hit. Inline while nothing or only a count changes; a call where the generation does,
 * since then counters move.
 */
#ifndef GENLRU_IMPL_HIT_H
#define GENLRU_IMPL_HIT_H

#include "../lru.h"
#include "../node.h"
#include "atomic.h"
#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * First cache line of struct genlru: all that a hit reads of it. Written by movers, under the lru's lock, when
 * the window changes; readers use what they find, as an old window only ages what they write (state.h).
 */
struct genlru_view {
    uint64_t saturated;            /* genlru_impl_is_saturated */
    uint64_t window;               /* genlru_impl_window_... */
    struct genlru_hit_rules rules; /* never changes */
} __attribute__((aligned(64)));

/* The access again, out of line, where it changes the generation. */
GENLRU_API void genlru_impl_access_moving(struct genlru *lru, struct genlru_node *node);
/* ... and on a node of the sample: counts, and tells the learner. */
GENLRU_API void genlru_impl_access_sampled(struct genlru *lru, struct genlru_node *node);

/*
 * Records a hit by the owner's own code on a node, in whatever state it is. Any thread that keeps the node's
 * memory alive; no lock; O(1). Never moves the node: if the policy promotes it, its word says so and
 * the next scan that meets it does it.
 */
static inline void genlru_access(struct genlru *lru, struct genlru_node *node)
{
    const struct genlru_view *view = (const struct genlru_view *)(const void *)lru;
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);

    if (GENLRU_LIKELY(genlru_impl_is_saturated(genlru_impl_word(state), genlru_impl_load_relaxed(&view->saturated))))
        return;
    if (GENLRU_UNLIKELY(genlru_impl_word(state) & GENLRU_SAMPLED)) {
        genlru_impl_access_sampled(lru, node);
        return;
    }
    for (;;) {
        uint32_t word = genlru_impl_word(state);
        uint32_t next = genlru_impl_word_hit(word, genlru_impl_load_relaxed(&view->window), &view->rules);

        if (next == word)
            return;
        if (GENLRU_UNLIKELY((next ^ word) & GENLRU_GEN_MASK)) {
            genlru_impl_access_moving(lru, node);
            return;
        }
        /* relaxed: a count publishes nothing */
        if (GENLRU_LIKELY(
                genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, genlru_impl_with_word(state, next))))
            return;
    }
}

/* The same as an exported function, for callers that cannot inline C (other languages). */
GENLRU_API void genlru_access_call(struct genlru *lru, struct genlru_node *node);

#ifdef __cplusplus
}
#endif
#endif
