/* SPDX-License-Identifier: MIT */
/* All legal changes of the word: see transition.h. */
#include "state/transition.h"

/* Layout: a port that breaks it fails here and nowhere else. */
_Static_assert(GENLRU_GEN_BITS + GENLRU_REFS_BITS + GENLRU_FREQ_BITS + GENLRU_EPOCH_BITS + GENLRU_TYPE_BITS +
                       GENLRU_FLAGS_BITS + GENLRU_OWNER_BITS ==
                   32,
               "fields fill the word");
_Static_assert(GENLRU_PROBATION == UINT32_C(1) << (GENLRU_OWNER_SHIFT - 1), "nine flags");
_Static_assert(GENLRU_GEN_MODULUS < 1u << GENLRU_GEN_BITS, "gen + 1 fits");
_Static_assert(2 * GENLRU_MAX_GENS - 1 <= GENLRU_GEN_MODULUS, "a word may lag by a whole window");
_Static_assert(GENLRU_MAX_TYPES == 1u << GENLRU_TYPE_BITS, "types fit");
_Static_assert(GENLRU_MAX_REFS == (1u << GENLRU_REFS_BITS) - 1, "refs fit");
_Static_assert(sizeof(struct genlru_node) == 16, "node");
_Static_assert(sizeof(struct genlru_hit_rules) == 16, "the hit reads one cache line");

static unsigned min_refs(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

struct genlru_saturated genlru__saturated(const struct genlru_policy *policy, uint64_t window)
{
    const struct genlru_hit_rules *hit = &policy->hit;
    uint32_t mask = GENLRU_REFS_MASK | GENLRU_PREFETCHED | GENLRU_SAMPLED; /* each hit of a sampled node is told */
    uint32_t value = (uint32_t)hit->refs_max << GENLRU_REFS_SHIFT;

    if (hit->overflow_up || hit->defer_gens) {
        mask |= GENLRU_GEN_MASK;
        value |= (uint32_t)genlru_impl_window_youngest(window) << GENLRU_GEN_SHIFT;
    }
    if (hit->saturate_marks) {
        mask |= GENLRU_WORKINGSET;
        value |= GENLRU_WORKINGSET;
    }
    if (hit->freq_max) {
        mask |= GENLRU_FREQ_MASK | GENLRU_EPOCH_MASK;
        value |= (uint32_t)hit->freq_max << GENLRU_FREQ_SHIFT | (uint32_t)(genlru_impl_window_epoch(window) & 7u)
                                                                    << GENLRU_EPOCH_SHIFT;
    }
    return (struct genlru_saturated){mask, value};
}

void genlru__rises(const struct genlru_hit_rules *hit, uint32_t *ret_below, uint32_t *ret_below_youngest)
{
    unsigned below = hit->refs_max;

    if (hit->defer_gens && below >= hit->defer_refs)
        below = hit->defer_refs > 0 ? hit->defer_refs - 1u : 0;
    *ret_below = hit->freq_max ? 0 : (uint32_t)below << GENLRU_REFS_SHIFT;
    *ret_below_youngest = hit->freq_max ? 0 : (uint32_t)hit->refs_max << GENLRU_REFS_SHIFT;
}

/* Gen code of a place (policy.h) in the present window. */
static unsigned gen_of_place(const struct genlru__context *context, unsigned type, int place)
{
    unsigned width = genlru_impl_window_width(context->window, type);
    int age = place >= 0 ? (int)context->nr_gens - 1 - place : -place - 1;

    if (age < 0)
        age = 0;
    return genlru_impl_gen_of_age(context->window, (unsigned)age < width ? (unsigned)age : width - 1);
}

static uint32_t to_place(uint32_t word, const struct genlru__context *context, int place)
{
    return genlru_impl_with_gen(word, gen_of_place(context, genlru_impl_type(word), place));
}

static bool is_warm(uint32_t word, const struct genlru_policy *policy)
{
    return (policy->place.warm_refs && genlru_impl_refs(word) >= policy->place.warm_refs) ||
           (policy->place.warm_workingset && (word & GENLRU_WORKINGSET));
}

static uint32_t with_freq(uint32_t word, const struct genlru__context *context, unsigned freq)
{
    uint32_t epoch = genlru_impl_window_epoch(context->window) & 7u;

    word &= ~(GENLRU_FREQ_MASK | GENLRU_EPOCH_MASK);
    return word | (uint32_t)freq << GENLRU_FREQ_SHIFT | epoch << GENLRU_EPOCH_SHIFT;
}

/* What a recent shadow gives back. */
static uint32_t restore(uint32_t word, const struct genlru__context *context, const struct genlru__past *past)
{
    const struct genlru_refault_rules *rules = &context->policy->refault;

    word = genlru_impl_with_refs(word, min_refs(past->refs, rules->refs_cap));
    if (rules->keep_workingset && past->workingset)
        word |= GENLRU_WORKINGSET;
    return rules->keep_freq ? with_freq(word, context, past->freq) : word;
}

/* The access that caused the add, counted while the node is on no generation. */
static uint32_t count_first(uint32_t word, const struct genlru__context *context, unsigned flags)
{
    if ((flags & GENLRU_ADD_MAPPED) && !(word & GENLRU_NOREUSE)) {
        unsigned refs = min_refs(genlru_impl_refs(word) + 1, context->policy->hit.refs_max);

        if (context->policy->hit.freq_max)
            word = genlru_impl_count_freq(word, context->window, context->policy->hit.freq_max);
        return genlru_impl_with_refs(word, refs);
    }
    return genlru_impl_word_hit(word, context->window, &context->policy->hit);
}

static int place_of_add(uint32_t word, const struct genlru__context *context, unsigned flags,
                        const struct genlru__past *past)
{
    const struct genlru_place_rules *place = &context->policy->place;

    if (flags & GENLRU_ADD_COLD)
        return 0;
    if (flags & GENLRU_ADD_HOT)
        return place->hot;
    if (past->is_recent && past->is_near && place->refault_percent)
        return place->refault;
    if (past->is_recent && (flags & GENLRU_ADD_MAPPED) && past->workingset)
        return place->fault_workingset;
    if (past->is_recent && (flags & GENLRU_ADD_MAPPED) && past->refs)
        return place->fault;
    return is_warm(word, context->policy) ? place->warm : place->cold;
}

/* Of a word that is not OFF, or DEAD: why it can't be added. */
static int why_not_off(uint32_t word)
{
    enum genlru__node_state state = genlru__state_of(word);

    return state == GENLRU__LISTED || state == GENLRU__PARKED ? -EEXIST : -EBUSY;
}

int genlru__word_add(uint32_t word, const struct genlru__context *context, unsigned flags,
                     const struct genlru__past *past, bool to_probation, uint32_t *ret)
{
    const struct genlru_probation_rules *probation = &context->policy->probation;

    if (GENLRU_UNLIKELY(word & (GENLRU_GEN_MASK | GENLRU_ISOLATED | GENLRU_PINNED | GENLRU_DEAD)))
        return why_not_off(word);
    word &= ~(GENLRU_PREFETCHED | GENLRU_NOREUSE | GENLRU_TIER_CAP | GENLRU_SAMPLED);
    if (flags & GENLRU__ADD_SAMPLED)
        word |= GENLRU_SAMPLED;
    if (flags & GENLRU_ADD_NOREUSE)
        word |= GENLRU_NOREUSE;
    /* refs stay in a node that is deleted, and may come from an lru that counts further */
    word = genlru_impl_with_refs(word, min_refs(genlru_impl_refs(word), context->policy->hit.refs_max));
    if (past->is_recent)
        word = restore(word, context, past);
    if (flags & GENLRU_ADD_COLD)
        word = genlru_impl_with_refs(word, 0);
    if (!(flags & GENLRU_ADD_PREFETCHED))
        word = count_first(word, context, flags);
    else
        word |= GENLRU_PREFETCHED;
    if (flags & GENLRU_ADD_PINNED)
        word |= GENLRU_PINNED;
    if (to_probation && !(flags & (GENLRU_ADD_HOT | GENLRU_ADD_COLD)) &&
        (!probation->only_prefetched || (flags & GENLRU_ADD_PREFETCHED)) &&
        !(past->is_recent && (past->is_near || !context->policy->place.refault_percent) && probation->refault_skips))
        *ret = genlru__word_on_probation(word);
    else
        *ret = to_place(word, context, place_of_add(word, context, flags, past));
    return 0;
}

int genlru__word_del(uint32_t word, uint32_t *ret)
{
    switch (genlru__state_of(word)) {
    case GENLRU__LISTED:
    case GENLRU__PARKED:
        word &= ~(GENLRU_GEN_MASK | GENLRU_PROBATION);
        *ret = word & GENLRU_PINNED ? word | GENLRU_DEAD : word;
        return 0;
    case GENLRU__OFF:
        *ret = word;
        return 0;
    default:
        return -EBUSY;
    }
}

int genlru__word_park(uint32_t word, uint32_t *ret)
{
    if (genlru__state_of(word) != GENLRU__LISTED || !(word & GENLRU_PINNED))
        return -EPERM;
    *ret = word & ~(GENLRU_GEN_MASK | GENLRU_PROBATION);
    return 0;
}

int genlru__word_pin(uint32_t word, uint32_t *ret)
{
    enum genlru__node_state state = genlru__state_of(word);

    if (state == GENLRU__OFF)
        return -ENOENT;
    if (state != GENLRU__LISTED || (word & GENLRU_PINNED))
        return -EBUSY;
    *ret = word | GENLRU_PINNED;
    return 0;
}

int genlru__word_unpin(uint32_t word, const struct genlru__context *context, bool has_slot, uint32_t *ret)
{
    if (!(word & GENLRU_PINNED))
        return -EPERM;
    if (genlru__state_of(word) == GENLRU__PARKED && has_slot)
        word = to_place(word, context, context->policy->place.putback);
    *ret = word & ~(GENLRU_PINNED | GENLRU_DEAD); /* the caller saw DEAD in the old word; the node may be added again */
    return 0;
}

int genlru__word_condemn(uint32_t word, uint32_t *ret)
{
    if (genlru__state_of(word) != GENLRU__ISOLATED_STATE)
        return -EPERM;
    *ret = word | GENLRU_DEAD;
    return 0;
}

int genlru__word_putback(uint32_t word, const struct genlru__context *context, uint32_t *ret)
{
    if (genlru__state_of(word) != GENLRU__ISOLATED_STATE || (word & GENLRU_DEAD))
        return -EPERM;
    word = genlru_impl_with_refs(word, min_refs(genlru_impl_refs(word), context->policy->tiers.protect_refs));
    *ret = to_place(word & ~GENLRU_ISOLATED, context, context->policy->place.putback);
    return 0;
}

int genlru__word_protect(uint32_t word, const struct genlru__context *context, uint32_t *ret)
{
    unsigned type = genlru_impl_type(word);
    unsigned width = genlru_impl_window_width(context->window, type);

    if (genlru__state_of(word) != GENLRU__LISTED || (word & GENLRU_PROBATION) || width < 2 ||
        genlru_impl_age(context->window, type, genlru_impl_gen(word)) != width - 1)
        return -EPERM;
    word = genlru_impl_with_refs(word, min_refs(genlru_impl_refs(word), context->policy->tiers.protect_refs));
    *ret = genlru_impl_with_gen(word, genlru_impl_gen_of_age(context->window, width - 2));
    return 0;
}

static unsigned decayed(unsigned refs, unsigned decay)
{
    if (refs <= 1)
        return refs;
    switch (decay) {
    case GENLRU_DECAY_ONE:
        return refs - 1;
    case GENLRU_DECAY_HALF:
        return 1 + (refs - 1) / 2;
    default:
        return 1;
    }
}

/* Doublings of refs - 1 from 1. */
static unsigned doublings(unsigned refs)
{
    return refs <= 2 ? 0 : 31u - (unsigned)__builtin_clz(refs - 1);
}

int genlru__word_keep(uint32_t word, const struct genlru__context *context, uint32_t *ret)
{
    const struct genlru_keep_rules *keep = &context->policy->keep;
    unsigned type = genlru_impl_type(word), refs = genlru_impl_refs(word);
    unsigned oldest = genlru_impl_window_width(context->window, type) - 1;
    unsigned up = keep->up + (keep->up_doubling ? doublings(refs) : 0);

    if (genlru__state_of(word) != GENLRU__LISTED || (word & GENLRU_PROBATION) ||
        genlru_impl_age(context->window, type, genlru_impl_gen(word)) != oldest)
        return -EPERM;
    word = genlru_impl_with_refs(word, decayed(refs, keep->decay));
    *ret = genlru_impl_with_gen(word, genlru_impl_gen_of_age(context->window, oldest > up ? oldest - up : 0));
    return 0;
}

int genlru__word_graduate(uint32_t word, const struct genlru__context *context, uint32_t *ret)
{
    const struct genlru_probation_rules *rules = &context->policy->probation;

    if (genlru__state_of(word) != GENLRU__LISTED || !(word & GENLRU_PROBATION))
        return -EPERM;
    word = genlru_impl_with_refs(word & ~GENLRU_PROBATION, min_refs(genlru_impl_refs(word), rules->promoted_refs));
    *ret = to_place(word, context, rules->place);
    return 0;
}

int genlru__word_settle(uint32_t word, const struct genlru__context *context, uint32_t *ret)
{
    unsigned age;

    if (genlru__state_of(word) != GENLRU__LISTED || (word & GENLRU_PROBATION))
        return -EPERM;
    age = genlru_impl_age(context->window, genlru_impl_type(word), genlru_impl_gen(word));
    *ret = genlru_impl_with_gen(word, genlru_impl_gen_of_age(context->window, age));
    return 0;
}

int genlru__word_refresh(uint32_t word, const struct genlru__context *context, uint32_t *ret)
{
    if (genlru__state_of(word) != GENLRU__LISTED || (word & GENLRU_PROBATION))
        return -EPERM;
    *ret = genlru_impl_with_gen(word, genlru_impl_window_youngest(context->window));
    return 0;
}

int genlru__word_mapped(uint32_t word, const struct genlru__context *context, bool is_dear, uint32_t *ret)
{
    const struct genlru_mapped_rules *rules = &context->policy->mapped;
    unsigned refs = genlru_impl_refs(word) + 1;
    unsigned gen = genlru_impl_gen(word);
    unsigned type = genlru_impl_type(word);
    unsigned age = gen ? genlru_impl_age(context->window, type, gen) : 0;
    unsigned width = genlru_impl_window_width(context->window, type);

    *ret = word;
    if (word & GENLRU_NOREUSE)
        return 0;
    word &= ~GENLRU_PREFETCHED;
    if (context->policy->hit.freq_max)
        word = genlru_impl_count_freq(word, context->window, context->policy->hit.freq_max);
    if (!gen || (word & GENLRU_PROBATION) || (age == 0 && rules->youngest_counts)) {
        *ret = genlru_impl_with_refs(word, min_refs(refs, context->policy->hit.refs_max));
        return 0;
    }
    if (is_dear || refs >= rules->second_refs || (rules->second_marks && (word & GENLRU_WORKINGSET))) {
        if (rules->second_marks)
            word |= GENLRU_WORKINGSET;
        refs = min_refs(refs, rules->promoted_refs);
        age = 0;
    } else {
        refs = min_refs(refs, rules->refs_cap);
        if (age == width - 1)
            age = age > rules->first_up ? age - rules->first_up : 0;
    }
    word = genlru_impl_with_refs(word, refs);
    *ret = genlru_impl_with_gen(word, genlru_impl_gen_of_age(context->window, age));
    return 0;
}

/*
 * To a place, unless the node is younger already. On probation it is taken as used enough to graduate, or to win a duel, when its turn comes: with a
 * gen of its own on a list that no aging sweeps, its word could lag without bound.
 */
static uint32_t raise_to(uint32_t word, const struct genlru__context *context, int place)
{
    unsigned type = genlru_impl_type(word), refs = genlru_impl_refs(word);
    uint32_t there;

    if (word & GENLRU_PROBATION) {
        unsigned enough = min_refs(context->policy->probation.promote_refs, context->policy->hit.refs_max);

        if (context->policy->probation.duel)
            return with_freq(word, context, context->policy->hit.freq_max);
        return genlru_impl_with_refs(word, refs > enough ? refs : enough);
    }
    there = to_place(word, context, place);
    return genlru_impl_age(context->window, type, genlru_impl_gen(word)) <
                   genlru_impl_age(context->window, type, genlru_impl_gen(there))
               ? word
               : there;
}

/* Forget what was counted, and down to the oldest generation if the node is on one. */
static uint32_t demote(uint32_t word, const struct genlru__context *context)
{
    word = genlru_impl_with_refs(word, 0) & ~GENLRU_WORKINGSET;
    if (genlru_impl_gen(word) && !(word & GENLRU_PROBATION))
        word = to_place(word, context, 0);
    return word;
}

int genlru__word_advise(uint32_t word, const struct genlru__context *context, enum genlru_advice advice, uint32_t *ret)
{
    switch (advice) {
    case GENLRU_ADVICE_NORMAL:
        word &= ~(GENLRU_NOREUSE | GENLRU_TIER_CAP);
        break;
    case GENLRU_ADVICE_WILLNEED:
        word &= ~(GENLRU_NOREUSE | GENLRU_TIER_CAP);
        if (genlru_impl_gen(word))
            word = raise_to(word, context, context->policy->place.hot);
        break;
    case GENLRU_ADVICE_COLD:
        word = demote(word, context);
        break;
    case GENLRU_ADVICE_PAGEOUT:
        word = demote(word, context) | GENLRU_TIER_CAP;
        break;
    case GENLRU_ADVICE_NOREUSE:
        word |= GENLRU_NOREUSE;
        break;
    case GENLRU_ADVICE_SEQUENTIAL:
        if (genlru_impl_refs(word) <= 1 && !(word & GENLRU_WORKINGSET))
            word = demote(word, context);
        break;
    case GENLRU_ADVICE_PREFETCHED:
        word = genlru_impl_with_refs(word, 0) | GENLRU_PREFETCHED;
        break;
    default:
        return -EINVAL;
    }
    *ret = word;
    return 0;
}
