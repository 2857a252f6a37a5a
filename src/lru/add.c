/* SPDX-License-Identifier: MIT */
/* Adding a node: off -> listed, in an open block of the caller's stripe. */
#include <errno.h>

#include "base/bits.h"
#include "base/testing.h"
#include "gens/chain.h"
#include "gens/sizes.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "learn/learn.h"
#include "workingset/shadow.h"

enum {
    ALL_FLAGS = GENLRU_ADD_PINNED | GENLRU_ADD_PREFETCHED | GENLRU_ADD_COLD | GENLRU_ADD_HOT | GENLRU_ADD_NOREUSE |
                GENLRU_ADD_MAPPED
};

/* An add under way: what it was asked, and what it decides. */
struct adding {
    struct genlru *lru;
    struct genlru_node *node;
    unsigned flags;
    struct genlru__past past;
    bool to_probation;           /* what word_after saw */
    struct genlru__block *spare; /* to open when the stripe has no room on the right list */
};

static bool goes_on_probation(const struct genlru *lru)
{
    uint64_t from = genlru_impl_load_relaxed(&lru->probation_from);

    return from != UINT64_MAX && genlru_impl_load_relaxed(&lru->used_hint) >= from;
}

/* The word after the add, in the window that is seen under the stripe's lock. */
static int word_after(struct adding *adding, uint64_t state, struct genlru__context *ret_context, uint32_t *ret)
{
    *ret_context = genlru__context(adding->lru);
    adding->to_probation = goes_on_probation(adding->lru); /* once: opening a block may change the answer */
    return genlru__word_add(genlru_impl_word(state), ret_context, adding->flags, &adding->past, adding->to_probation,
                            ret);
}

/* Gives the node its word. A hit may count meanwhile; then the word is thought over again, while the gen stays the slot's. */
static int set_word(struct adding *adding, uint64_t state, uint32_t word, uint64_t *ret_state)
{
    struct genlru_node *node = adding->node;
    struct genlru__context context;
    int error;

    genlru__point(ADD);
    *ret_state = genlru_impl_with_word(state, word);
    /* relaxed: the node becomes visible with the slot (release P) */
    while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, *ret_state)) {
        error = word_after(adding, state, &context, &word);
        if (error)
            return error; /* misuse: added twice at once. The slot stays a hole */
        *ret_state = genlru_impl_with_word(state, word);
    }
    return 0;
}

/* List and seq of a word, in the window that gave it its gen. */
static unsigned list_of(const struct genlru *lru, const struct genlru__context *context, uint32_t word,
                        uint64_t *ret_seq)
{
    unsigned type = genlru_impl_type(word);

    *ret_seq = GENLRU__NO_SEQ;
    if (word & GENLRU_PROBATION)
        return genlru__list_of_probation(lru, type);
    *ret_seq = genlru__max_seq_of(lru, context->window) - genlru_impl_age(context->window, type, genlru_impl_gen(word));
    return genlru__list_of_seq(lru, type, *ret_seq);
}

static uint64_t how_of(uint32_t flags, bool to_probation)
{
    return (uint64_t)flags << 32 | to_probation;
}

static void memorise(const struct adding *adding, struct genlru__stripe *stripe, const struct genlru__context *context,
                     uint32_t word, uint32_t answer)
{
    stripe->memo = (struct genlru__memo){
        context->window,
        context->policy,
        how_of(adding->flags, adding->to_probation),
        word,
        answer,
        stripe->open[0].block,
        genlru__held_counter(adding->lru, stripe, genlru_impl_type(answer), (unsigned)genlru__counter_index(answer)),
    };
}

static inline bool has_stripe(const struct genlru *lru)
{
    return lru->nr_stripes == 1 || genlru__number_plus_1;
}

/*
 * An add that is like the stripe's last one, while its block has room: the same word becomes the same word. False: it is
 * not, and nothing was changed. Short for the sake of cold nodes, as is the hit (impl/hit.h); for that it calls nothing, so the
 * thread must have its number (has_stripe).
 */
static inline bool add_as_before(struct genlru *lru, struct genlru_node *node, uint32_t flags)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    struct genlru__stripe *stripe =
        genlru__stripe(lru, lru->nr_stripes == 1 ? 0 : (genlru__number_plus_1 - 1) % lru->nr_stripes);
    const struct genlru__memo *memo = &stripe->memo;
    struct genlru__block *block;
    bool is_added = false;

    if (GENLRU_UNLIKELY(!genlru__spin_trylock(&stripe->lock)))
        return false;
    block = memo->block;
    if (GENLRU_LIKELY(memo->word == genlru_impl_word(state) &&
                      memo->window == genlru_impl_load_relaxed(&lru->view.window) &&
                      memo->policy == genlru__policy(lru) && memo->how == how_of(flags, goes_on_probation(lru)) &&
                      block->fill < GENLRU__SLOTS)) {
        genlru__point(ADD);
        /* relaxed: the node becomes visible with the slot (release P) */
        is_added =
            genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, genlru_impl_with_word(state, memo->answer));
        if (GENLRU_LIKELY(is_added)) {
            genlru__publish(node, &block->slot[block->fill++]); /* last touch of the node */
            genlru__bump(&memo->counter->nodes, 1);
            genlru__bump(&memo->counter->charge, genlru_impl_charge(state));
            genlru__bump(&stripe->held_charge, genlru_impl_charge(state));
        }
    }
    genlru__spin_unlock(&stripe->lock);
    return is_added;
}

/* A slot where the stripe's last add of a new node went, if this word goes there, too, and there is room. */
static inline void **slot_as_before(const struct genlru__stripe *stripe, uint64_t window, uint32_t word)
{
    const uint32_t home = GENLRU_GEN_MASK | GENLRU_TYPE_MASK | GENLRU_PROBATION;
    struct genlru__block *block = stripe->memo.block;

    if (stripe->memo.window != window || ((word ^ stripe->memo.answer) & home) || block->fill == GENLRU__SLOTS)
        return NULL;
    return &block->slot[block->fill++];
}

/* Publishes the node in a slot of the locked stripe. -EAGAIN: a spare block is needed. */
static int add_to_stripe(struct adding *adding, struct genlru__stripe *stripe)
{
    struct genlru_node *node = adding->node;
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch), after, seq;
    struct genlru__context context;
    unsigned list;
    uint32_t word;
    void **slot;
    int error;

    do {
        error = word_after(adding, state, &context, &word);
        if (error)
            return error;
        slot = slot_as_before(stripe, context.window, word);
        if (slot)
            break;
        list = list_of(adding->lru, &context, word, &seq);
        slot = genlru__stripe_slot(adding->lru, stripe, list, seq, &adding->spare);
        if (!slot && !adding->spare)
            return -EAGAIN;
    } while (!slot);
    error = set_word(adding, state, word, &after);
    if (error)
        return error;
    genlru__publish(node, slot); /* last touch of the node: others may evict and free it from here on */
    genlru__account_add(adding->lru, stripe, after);
    /* a sampled one is rare, and would be in the way of the next that is not */
    if (!adding->past.is_recent && !(adding->flags & GENLRU__ADD_SAMPLED) &&
        after == genlru_impl_with_word(state, word))
        memorise(adding, stripe, &context, genlru_impl_word(state), word);
    return 0;
}

/* The allocator is called between two holds of a stripe, never under one. */
static int add(struct adding *adding, genlru_shadow shadow)
{
    int error;

    for (;;) {
        struct genlru__stripe *stripe = genlru__stripe_acquire(adding->lru);

        error = add_to_stripe(adding, stripe);
        if (error == 0 && adding->past.is_recent)
            genlru__refault_count(adding->lru, stripe, shadow);
        genlru__stripe_release(stripe);
        if (error != -EAGAIN)
            break;
        adding->spare = genlru__stripe_spare(adding->lru);
        if (!adding->spare)
            return -ENOMEM;
    }
    if (adding->spare) /* another add of the stripe made room meanwhile */
        genlru__pool_put(adding->lru->pool, adding->spare);
    return error;
}

static genlru_shadow find_shadow(struct genlru *lru, const struct genlru_add *how)
{
    if (how->shadow || !lru->nonresident || !how->has_key_hash)
        return how->shadow;
    return genlru_nonresident_take(lru->nonresident, lru, how->key_hash);
}

static const char *what_is_wrong(int error)
{
    return error == -EEXIST ? "add of a node that is listed" : "add of a node that is isolated or dead";
}

/* Not inlined: it would make the short way save and restore what only the long one uses. */
static __attribute__((noinline)) int add_checked(struct genlru *lru, struct genlru_node *node,
                                                 const struct genlru_add *how, const struct genlru__past *past)
{
    static const struct genlru_add plain = {0, 0, 0, 0};
    struct adding adding = {lru, node, how ? how->flags : 0, *past, false, NULL};
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    genlru_shadow shadow;
    uint64_t sample = 0;
    int error;

    how = how ? how : &plain;
    if ((how->flags & ~(unsigned)ALL_FLAGS) ||
        (how->flags & (GENLRU_ADD_COLD | GENLRU_ADD_HOT)) == (GENLRU_ADD_COLD | GENLRU_ADD_HOT))
        return -EINVAL;
    if (genlru_impl_type(genlru_impl_word(state)) >= lru->nr_types)
        return genlru__misuse(lru, -EINVAL, "add of a node whose type is not of this lru", node);
    shadow = find_shadow(lru, how);
    if (shadow && !how->shadow)
        adding.past = genlru__refault_judge(lru, shadow);
    if (genlru__learn_samples(lru, node, how)) {
        adding.flags |= GENLRU__ADD_SAMPLED;
        sample = genlru__learn_sample(lru, node, how);
    }
    error = add(&adding, shadow);
    if (sample && error == 0)
        genlru__learn_add(lru, sample);
    if (error && shadow && !how->shadow)
        genlru_nonresident_insert(lru->nonresident, lru, how->key_hash, shadow);
    return error == -EEXIST || error == -EBUSY ? genlru__misuse(lru, error, what_is_wrong(error), node) : error;
}

/*
 * An add that is not known to be like the last one at a glance: it has a past, or its key must be looked at first. Whose
 * shadow is too old is a new node. Not inlined, like add_checked.
 */
static __attribute__((noinline)) int add_with_past(struct genlru *lru, struct genlru_node *node,
                                                   const struct genlru_add *how)
{
    struct genlru__past past = {false, 0, 0, false, false};

    if (how && how->shadow)
        past = genlru__refault_judge(lru, how->shadow);
    if ((!how || (how->shadow ? !past.is_recent : !(lru->nonresident && how->has_key_hash))) && has_stripe(lru) &&
        !genlru__learn_samples(lru, node, how) && add_as_before(lru, node, how ? how->flags : 0))
        return 0;
    return add_checked(lru, node, how, &past);
}

/* The add of a new node where nothing is to be looked up is short: no call, so no registers to save. */
int genlru_add(struct genlru *lru, struct genlru_node *node, const struct genlru_add *how)
{
    static const struct genlru__past no_past = {false, 0, 0, false, false};

    if (GENLRU_UNLIKELY(!lru || !node))
        return -EINVAL;
    if (GENLRU_UNLIKELY(lru->sample_bound || !has_stripe(lru) ||
                        (how && (how->shadow || (how->has_key_hash && lru->nonresident)))))
        return add_with_past(lru, node, how);
    return GENLRU_LIKELY(add_as_before(lru, node, how ? how->flags : 0)) ? 0 : add_checked(lru, node, how, &no_past);
}
