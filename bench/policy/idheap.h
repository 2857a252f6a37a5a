/* SPDX-License-Identifier: MIT */
/*
 * idheap.h - ids by priority, the lowest on top: a 4-ary heap that knows where each id stands
 *
 *      node[0] is least; children of i: 4i+1 … 4i+4          at[id] = i + 1, 0 = not in it
 *
 * Order: key, then tie. Four children share a cache line or two, and the heap is half as deep as a
 * binary one.
 */
#ifndef GENLRU_BENCH_POLICY_IDHEAP_H
#define GENLRU_BENCH_POLICY_IDHEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "policy/array.h"

struct id_heap_node {
    double key;
    uint64_t tie;
    uint32_t id;
};

struct id_heap {
    struct id_heap_node *node;
    uint32_t *at;
    uint32_t nr;
};

/* Room for `room` of nr_ids ids. 0 or -ENOMEM. id_heap_fini may be called on a zeroed heap. */
static inline int id_heap_init(struct id_heap *h, uint32_t nr_ids, uint32_t room)
{
    *h = (struct id_heap){
        .node = array_create(room, sizeof(*h->node)),
        .at = array_create(nr_ids, sizeof(*h->at)),
    };
    return h->node && h->at ? 0 : -ENOMEM;
}

static inline void id_heap_fini(struct id_heap *h)
{
    array_destroy(h->node);
    array_destroy(h->at);
}

static inline bool id_heap_has(const struct id_heap *h, uint32_t id)
{
    return h->at[id] != 0;
}

static inline struct id_heap_node *id_heap_of(const struct id_heap *h, uint32_t id)
{
    return &h->node[h->at[id] - 1];
}

static inline bool id_heap_less(const struct id_heap_node *a, const struct id_heap_node *b)
{
    return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static inline void id_heap_place(struct id_heap *h, uint32_t i, struct id_heap_node node)
{
    h->node[i] = node;
    h->at[node.id] = i + 1;
}

static inline void id_heap_up(struct id_heap *h, uint32_t i, struct id_heap_node node)
{
    while (i > 0) {
        uint32_t parent = (i - 1) / 4;

        if (!id_heap_less(&node, &h->node[parent])) {
            break;
        }
        id_heap_place(h, i, h->node[parent]);
        i = parent;
    }
    id_heap_place(h, i, node);
}

static inline void id_heap_down(struct id_heap *h, uint32_t i, struct id_heap_node node)
{
    for (;;) {
        uint64_t child = (uint64_t)i * 4 + 1;
        uint64_t end = child + 4 < h->nr ? child + 4 : h->nr;
        uint64_t least = child;

        for (uint64_t k = child + 1; k < end; k++) {
            if (id_heap_less(&h->node[k], &h->node[least])) {
                least = k;
            }
        }
        if (child >= h->nr || !id_heap_less(&h->node[least], &node)) {
            break;
        }
        id_heap_place(h, i, h->node[least]);
        i = (uint32_t)least;
    }
    id_heap_place(h, i, node);
}

/* The id must not be in it. */
static inline void id_heap_add(struct id_heap *h, struct id_heap_node node)
{
    id_heap_up(h, h->nr++, node);
}

/* Takes the least one out. The heap must not be empty. */
static inline struct id_heap_node id_heap_pop(struct id_heap *h)
{
    struct id_heap_node least = h->node[0];

    h->at[least.id] = 0;
    h->nr--;
    if (h->nr > 0) {
        id_heap_down(h, 0, h->node[h->nr]);
    }
    return least;
}

/* Gives an id that is in it a key and a tie that are not less. */
static inline void id_heap_raise(struct id_heap *h, uint32_t id, double key, uint64_t tie)
{
    id_heap_down(h, h->at[id] - 1, (struct id_heap_node){key, tie, id});
}

/* Restores the order after keys were changed in place. O(nr). */
static inline void id_heap_reorder(struct id_heap *h)
{
    for (uint32_t i = h->nr / 4 + 1; i-- > 0;) {
        if (i < h->nr) {
            id_heap_down(h, i, h->node[i]);
        }
    }
}

#endif
