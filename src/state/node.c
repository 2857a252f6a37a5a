/* SPDX-License-Identifier: MIT */
/* Nodes by themselves: preparing, ending and reading them. */
#include "genlru/node.h"

#include <errno.h>

#include "base/check.h"
#include "genlru/impl/atomic.h"
#include "state/transition.h"

int genlru_node_init(struct genlru_node *node, uint64_t charge, unsigned type)
{
    if (!node || (uintptr_t)node % _Alignof(struct genlru_state) != 0 || type >= GENLRU_MAX_TYPES)
        return -EINVAL;
    if (charge > UINT32_MAX)
        return -ERANGE;
    genlru_impl_store_relaxed(&node->state.do_not_touch,
                              genlru_impl_state((uint32_t)type << GENLRU_TYPE_SHIFT, (uint32_t)charge));
    genlru_impl_ptr_store_relaxed(&node->slot, NULL);
    return 0;
}

static uint32_t word_of(const struct genlru_node *node)
{
    return genlru_impl_word(genlru_impl_load_relaxed(&node->state.do_not_touch));
}

int genlru_node_fini(struct genlru_node *node)
{
    uint32_t word = word_of(node);
    enum genlru__node_state state = genlru__state_of(word);

    if (state == GENLRU__OFF || state == GENLRU__ISOLATED_STATE)
        return 0;
    genlru__assert(!"a node that is listed or pinned is being freed");
    return -EBUSY;
}

uint32_t genlru_node_charge(const struct genlru_node *node)
{
    return genlru_impl_charge(genlru_impl_load_relaxed(&node->state.do_not_touch));
}

unsigned genlru_node_type(const struct genlru_node *node)
{
    return genlru_impl_type(word_of(node));
}

unsigned genlru_node_refs(const struct genlru_node *node)
{
    return genlru_impl_refs(word_of(node));
}

int genlru_node_is_listed(const struct genlru_node *node)
{
    enum genlru__node_state state = genlru__state_of(word_of(node));

    return state == GENLRU__LISTED || state == GENLRU__PARKED;
}

int genlru_node_is_isolated(const struct genlru_node *node)
{
    return genlru__state_of(word_of(node)) == GENLRU__ISOLATED_STATE;
}

int genlru_node_is_pinned(const struct genlru_node *node)
{
    return (word_of(node) & GENLRU_PINNED) != 0;
}

unsigned genlru_node_owner_bits(const struct genlru_node *node)
{
    return (unsigned)((word_of(node) & GENLRU_OWNER_MASK) >> GENLRU_OWNER_SHIFT);
}

int genlru_node_set_owner_bits(struct genlru_node *node, unsigned bits)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    uint32_t word;

    if (bits >= 1u << GENLRU_OWNER_BITS)
        return -EINVAL;
    do {
        word = (genlru_impl_word(state) & ~GENLRU_OWNER_MASK) | (uint32_t)bits << GENLRU_OWNER_SHIFT;
        /* relaxed: the bits publish nothing but themselves */
    } while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)));
    return 0;
}
