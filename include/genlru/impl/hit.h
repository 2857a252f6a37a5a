/* SPDX-License-Identifier: MIT */
/*
 * genlru_access, the hit. Inline where a listed node is saturated, or a count rises and nothing else: two compares with what the
 * window last published. All else is a call. What is inlined is kept short on purpose: hits miss the caches, and a
 * processor overlaps as many of these misses as fit into its window of instructions.
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
    struct genlru_saturated saturated; /* genlru_impl_is_saturated; its mask never changes */
    uint64_t window;                   /* genlru_impl_window_... */
    struct genlru_hit_rules rules;     /* never changes, nor does what follows: genlru_impl_only_rises */
    uint32_t rises_below;              /* in any generation */
    uint32_t rises_below_youngest;     /* in the youngest one */
    uint32_t only_counts;              /* no hit changes a gen or marks a word */
} __attribute__((aligned(64)));

/*
 * True of words that an access changes by one ref and nothing else. The flags that would ask for more lie above refs, so
 * one compare tells.
 */
static inline bool genlru_impl_only_rises(const struct genlru_view *view, uint32_t word)
{
    unsigned youngest = genlru_impl_window_youngest(genlru_impl_load_relaxed(&view->window));
    uint32_t below = genlru_impl_gen(word) == youngest ? view->rises_below_youngest : view->rises_below;

    return (word & (GENLRU_REFS_MASK | GENLRU_NOREUSE | GENLRU_PREFETCHED | GENLRU_SAMPLED)) < below;
}

/* Any access, out of line: also those of sampled nodes, which the learner is told of. */
GENLRU_API void genlru_impl_access_any(struct genlru *lru, struct genlru_node *node);

/*
 * Records a hit by the owner's own code on a node, in whatever state it is. Any thread that keeps the node's
 * memory alive; no lock; O(1). Never moves the node: if the policy promotes it, its word says so and
 * the next scan that meets it does it.
 */
static inline void genlru_access(struct genlru *lru, struct genlru_node *node)
{
    const struct genlru_view *view = (const struct genlru_view *)(const void *)lru;
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);

    if (GENLRU_LIKELY((genlru_impl_word(state) & view->saturated.mask) ==
                      genlru_impl_load32_relaxed(&view->saturated.value)))
        return;
    if (GENLRU_LIKELY(genlru_impl_only_rises(view, genlru_impl_word(state)))) {
        /* relaxed: a count publishes nothing */
        if (GENLRU_LIKELY(
                genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, state + (UINT64_C(1) << GENLRU_REFS_SHIFT))))
            return;
    }
    genlru_impl_access_any(lru, node);
}

/* The same as an exported function, for callers that cannot inline C (other languages). */
GENLRU_API void genlru_access_call(struct genlru *lru, struct genlru_node *node);

#ifdef __cplusplus
}
#endif
#endif
