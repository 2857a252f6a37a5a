/* SPDX-License-Identifier: MIT */
/* Adding a node: off -> listed, in an open block of the caller's stripe. */
#include <errno.h>

#include "base/bits.h"
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
    struct genlru__block *spare; /* to open when the stripe has no room on the right list */
};

static bool goes_on_probation(const struct genlru *lru)
{
    const struct genlru_probation_rules *rules = &genlru__policy(lru)->probation;

    return rules->percent && genlru_impl_load_relaxed(&lru->used_hint) >=
                                 genlru__percent_of(genlru_impl_load_relaxed(&lru->capacity), rules->fill_percent);
}

/* What the word after an add depends on beside the word before and the window, as a number. */
static uint32_t how_of(const struct adding *adding, bool to_probation)
{
    enum {
        PROBATION_AT = 7,
        RECENT_AT,
        NEAR_AT,
        WORKINGSET_AT,
        REFS_AT,
        FREQ_AT = REFS_AT + GENLRU_REFS_BITS,
        RULE_AT = FREQ_AT + GENLRU_FREQ_BITS
    };
    const struct genlru__past *past = &adding->past;

    _Static_assert((ALL_FLAGS | GENLRU__ADD_SAMPLED) < 1 << PROBATION_AT, "flags fit");
    return adding->flags | (uint32_t)to_probation << PROBATION_AT | (uint32_t)past->is_recent << RECENT_AT |
           (uint32_t)past->is_near << NEAR_AT | (uint32_t)past->workingset << WORKINGSET_AT |
           (uint32_t)past->refs << REFS_AT | (uint32_t)past->freq << FREQ_AT |
           genlru__rule(adding->lru)->number << RULE_AT;
}

/* The word after the add, in the window that is seen under the stripe's lock. */
static int word_after(const struct adding *adding, struct genlru__stripe *stripe, uint64_t state,
                      struct genlru__context *ret_context, uint32_t *ret)
{
    bool to_probation = goes_on_probation(adding->lru);
    uint32_t word = genlru_impl_word(state), how = how_of(adding, to_probation);
    struct genlru__memo *memo = &stripe->memo;
    int error;

    *ret_context = genlru__context(adding->lru);
    if (memo->window == ret_context->window && memo->word == word && memo->how == how) {
        *ret = memo->answer;
        return 0;
    }
    error = genlru__word_add(word, ret_context, adding->flags, &adding->past, to_probation, ret);
    if (error == 0)
        *memo = (struct genlru__memo){ret_context->window, word, how, *ret};
    return error;
}

/* Gives the node its word. A hit may count meanwhile; then the word is thought over again, while the gen stays the slot's. */
static int set_word(const struct adding *adding, struct genlru__stripe *stripe, uint64_t state, uint32_t word,
                    uint64_t *ret_state)
{
    struct genlru_node *node = adding->node;
    struct genlru__context context;
    int error;

    *ret_state = genlru_impl_with_word(state, word);
    /* relaxed: the node becomes visible with the slot (release P) */
    while (!genlru_impl_cas_relaxed(&node->state.do_not_touch, &state, *ret_state)) {
        error = word_after(adding, stripe, state, &context, &word);
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

/* Publishes the node in a slot of the locked stripe. -EAGAIN: a spare block is needed. */
static int add_to_stripe(struct adding *adding, struct genlru__stripe *stripe)
{
    struct genlru_node *node = adding->node;
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch), seq;
    struct genlru__context context;
    unsigned list;
    uint32_t word;
    void **slot;
    int error;

    do {
        error = word_after(adding, stripe, state, &context, &word);
        if (error)
            return error;
        list = list_of(adding->lru, &context, word, &seq);
        slot = genlru__stripe_slot(adding->lru, stripe, list, seq, &adding->spare);
        if (!slot && !adding->spare)
            return -EAGAIN;
    } while (!slot);
    error = set_word(adding, stripe, state, word, &state);
    if (error)
        return error;
    genlru__publish(node, slot); /* last touch of the node: others may evict and free it from here on */
    genlru__account_add(adding->lru, stripe, state);
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

int genlru_add(struct genlru *lru, struct genlru_node *node, const struct genlru_add *how)
{
    static const struct genlru_add plain = {0, 0, 0, 0};
    struct adding adding = {lru, node, 0, {false, 0, 0, false, false}, NULL};
    genlru_shadow shadow;
    uint64_t sample;
    bool is_sampled;
    int error;

    how = how ? how : &plain;
    if (!lru || !node || (how->flags & ~(unsigned)ALL_FLAGS) ||
        (how->flags & (GENLRU_ADD_COLD | GENLRU_ADD_HOT)) == (GENLRU_ADD_COLD | GENLRU_ADD_HOT))
        return -EINVAL;
    if (genlru_impl_type(genlru_impl_word(genlru_impl_load_relaxed(&node->state.do_not_touch))) >= lru->nr_types)
        return genlru__misuse(lru, -EINVAL, "add of a node whose type is not of this lru", node);
    shadow = find_shadow(lru, how);
    adding.flags = how->flags;
    if (shadow)
        adding.past = genlru__refault_judge(lru, shadow);
    is_sampled = lru->learn && genlru__learn_samples(lru, node, how, &sample);
    if (is_sampled)
        adding.flags |= GENLRU__ADD_SAMPLED;
    error = add(&adding, shadow);
    if (is_sampled && error == 0)
        genlru__learn_add(lru, sample);
    if (error && shadow && !how->shadow)
        genlru_nonresident_insert(lru->nonresident, lru, how->key_hash, shadow);
    return error == -EEXIST || error == -EBUSY ? genlru__misuse(lru, error, what_is_wrong(error), node) : error;
}
