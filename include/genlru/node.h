/* SPDX-License-Identifier: MIT */
/* The node an owner embeds in each cached object. */
#ifndef GENLRU_NODE_H
#define GENLRU_NODE_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "impl/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Word and charge, one 64-bit atomic (impl/state.h draws it). The member's name is meant. */
struct genlru_state {
    uint64_t do_not_touch;
} __attribute__((aligned(8)));

/*
 * 16 bytes, aligned to 8, on every platform. Embedded in the owner's object; the library links objects,
 * it never allocates or frees them. Both members belong to the library from genlru_node_init() on.
 */
struct genlru_node {
    struct genlru_state state;
    void *slot; /* where the node hangs: a hint, checked by compare-and-swap; NULL = nowhere */
#if UINTPTR_MAX <= 0xffffffffu
    uint32_t padding;
#endif
};

/* The object of type `type` whose member `member` is the node `ptr`. */
#define GENLRU_ENTRY(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/*
 * Prepares a node that is on no lru. `charge` is what it weighs, in the owner's unit (bytes, pages or 1); 0 is
 * allowed: such a node is a victim in its turn, and adds nothing towards a budget's charge. `type` is 0 .. nr_types-1
 * of the lru it will join.
 *
 * Returns 0; -ERANGE if charge > UINT32_MAX; -EINVAL if type > 3, node is NULL or not aligned to 8.
 * The node must not be on an lru (not checked: its memory may be uninitialised). O(1).
 */
GENLRU_API int genlru_node_init(struct genlru_node *node, uint64_t charge, unsigned type);

/*
 * Says that the node's memory is about to be freed or reused. Optional, but catches the worst mistake, a
 * free of a listed node: returns 0, or -EBUSY if the node is still on an lru or pinned (the checked build aborts,
 * whatever hook an lru has: a node does not know its lru).
 * An isolated node may be ended by the evictor that won it from the index. O(1).
 */
GENLRU_API int genlru_node_fini(struct genlru_node *node);

/* Reading calls: any thread that keeps the node's memory alive; a snapshot; O(1), no store, no lock. */
GENLRU_API uint32_t genlru_node_charge(const struct genlru_node *node);
GENLRU_API unsigned genlru_node_type(const struct genlru_node *node);
GENLRU_API unsigned genlru_node_refs(const struct genlru_node *node);
GENLRU_API int genlru_node_is_listed(const struct genlru_node *node);   /* LISTED or PARKED */
GENLRU_API int genlru_node_is_isolated(const struct genlru_node *node); /* handed out by genlru_evict */
GENLRU_API int genlru_node_is_pinned(const struct genlru_node *node);

/*
 * Three bits of the owner's, kept in the word and never changed by the library. `bits` < 8, else -EINVAL.
 * May run beside anything that may run beside genlru_access() on the node. O(1), one compare-and-swap.
 */
GENLRU_API unsigned genlru_node_owner_bits(const struct genlru_node *node);
GENLRU_API int genlru_node_set_owner_bits(struct genlru_node *node, unsigned bits);

#ifdef __cplusplus
}
#endif
#endif
