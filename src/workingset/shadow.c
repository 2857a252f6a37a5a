/* SPDX-License-Identifier: MIT */
/*
 * Shadows and refaults: see shadow.h.
 *
 * Why a clock of evictions. Between a node's eviction and its return, D = clock(now) - clock(then) charge was
 * evicted. Had the lru been D larger, the node would still have been there at its return. So D measures what
 * the miss cost: a D below the size of what is kept longer than it deserves says that room was ill spent. (The idea
 * of refault distances is Johannes Weiner's, for the kernel's page cache; generations as a second measure of time,
 * Yu Zhao's.)
 */
#include "workingset/shadow.h"

#include <errno.h>

#include "base/bits.h"

enum {
    SEQ_SHIFT = 26,
    WORKINGSET_SHIFT = 34,
    REFS_SHIFT = 35,
    FREQ_SHIFT = 39,
    EPOCH_SHIFT = 43,
    TYPE_SHIFT = 46,
    TAG_SHIFT = 48
};

#define VALID (UINT64_C(1) << 63)
#define CLOCK_MASK ((UINT32_C(1) << GENLRU__SHADOW_CLOCK_BITS) - 1)

_Static_assert((int)TAG_SHIFT == (int)GENLRU__SHADOW_LOW_BITS, "the nonresident table keeps all but the tag");

genlru_shadow genlru__shadow_encode(const struct genlru__shadow_fields *fields)
{
    return VALID | (uint64_t)(fields->clock & CLOCK_MASK) | (uint64_t)fields->seq << SEQ_SHIFT |
           (uint64_t)fields->workingset << WORKINGSET_SHIFT | (uint64_t)(fields->refs & 15u) << REFS_SHIFT |
           (uint64_t)(fields->freq & 15u) << FREQ_SHIFT | (uint64_t)(fields->epoch & 7u) << EPOCH_SHIFT |
           (uint64_t)(fields->type & 3u) << TYPE_SHIFT | (uint64_t)(fields->tag & 0x7fffu) << TAG_SHIFT;
}

bool genlru__shadow_decode(genlru_shadow shadow, struct genlru__shadow_fields *ret_fields)
{
    if (!(shadow & VALID))
        return false;
    ret_fields->clock = (uint32_t)shadow & CLOCK_MASK;
    ret_fields->seq = (uint8_t)(shadow >> SEQ_SHIFT & 0xff);
    ret_fields->workingset = shadow >> WORKINGSET_SHIFT & 1;
    ret_fields->refs = (uint8_t)(shadow >> REFS_SHIFT & 15);
    ret_fields->freq = (uint8_t)(shadow >> FREQ_SHIFT & 15);
    ret_fields->epoch = (uint8_t)(shadow >> EPOCH_SHIFT & 7);
    ret_fields->type = (uint8_t)(shadow >> TYPE_SHIFT & 3);
    ret_fields->tag = (uint16_t)(shadow >> TAG_SHIFT & 0x7fff);
    return true;
}

static bool is_workingset(uint32_t word, const struct genlru_policy *policy)
{
    unsigned refs = policy->refault.workingset_refs;

    return (word & GENLRU_WORKINGSET) || (refs && genlru_impl_refs(word) >= refs);
}

genlru_shadow genlru__shadow_make(const struct genlru *lru, uint32_t word, uint64_t clock)
{
    unsigned type = genlru_impl_type(word);
    struct genlru__shadow_fields fields = {
        (uint32_t)(clock >> lru->clock_shift),
        (uint8_t)lru->min_seq[type],
        is_workingset(word, &lru->policy),
        (uint8_t)genlru_impl_refs(word),
        (uint8_t)genlru_impl_freq(word),
        (uint8_t)genlru_impl_epoch(word),
        (uint8_t)type,
        lru->tag,
    };

    return genlru__shadow_encode(&fields);
}

static unsigned tier_of_marks(const struct genlru *lru, unsigned refs, bool workingset)
{
    uint32_t word = genlru_impl_with_refs(0, refs);

    return genlru__tier_of(workingset ? word | GENLRU_WORKINGSET : word, &lru->policy);
}

unsigned genlru__victim_tier(const struct genlru *lru, uint32_t word)
{
    return tier_of_marks(lru, genlru_impl_refs(word), is_workingset(word, &lru->policy));
}

unsigned genlru__shadow_tier(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    return tier_of_marks(lru, fields->refs, fields->workingset);
}

uint32_t genlru__clock_since(const struct genlru *lru, uint32_t clock)
{
    uint64_t now = genlru_impl_load_relaxed(&lru->eviction_clock) >> lru->clock_shift;

    return ((uint32_t)now - clock) & CLOCK_MASK;
}

static uint64_t distance_of(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    return (uint64_t)genlru__clock_since(lru, fields->clock) << lru->clock_shift;
}

/* Generations since: the window's low 16 bits of max_seq give a consistent value without the lock. */
static unsigned gens_since(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    return (genlru_impl_window_seq16(genlru_impl_load_relaxed(&lru->view.window)) - fields->seq) & 0xffu;
}

static bool is_recent(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    const struct genlru_refault_rules *rules = &lru->policy.refault;
    uint64_t capacity = genlru_impl_load_relaxed(&lru->capacity);

    if (fields->tag != lru->tag || fields->type >= lru->nr_types)
        return false;
    if (gens_since(lru, fields) < (rules->gens ? rules->gens : lru->nr_gens))
        return true;
    return rules->distance_percent && capacity != GENLRU_NO_LIMIT &&
           distance_of(lru, fields) < genlru__percent_of(capacity, rules->distance_percent);
}

static uint8_t aged_freq(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    uint32_t word = (uint32_t)fields->freq << GENLRU_FREQ_SHIFT | (uint32_t)fields->epoch << GENLRU_EPOCH_SHIFT;

    return (uint8_t)genlru_impl_aged_freq(word, genlru_impl_load_relaxed(&lru->view.window));
}

struct genlru__past genlru__refault_judge(const struct genlru *lru, genlru_shadow shadow)
{
    struct genlru__past past = {false, 0, 0, false};
    struct genlru__shadow_fields fields;

    if (!genlru__shadow_decode(shadow, &fields) || !is_recent(lru, &fields))
        return past;
    past.is_recent = true;
    past.refs = fields.refs;
    past.freq = aged_freq(lru, &fields);
    past.workingset = fields.workingset;
    return past;
}

void genlru__refault_count(struct genlru *lru, struct genlru__stripe *stripe, genlru_shadow shadow)
{
    struct genlru__shadow_fields fields;

    if (!genlru__shadow_decode(shadow, &fields))
        return;
    genlru_impl_fetch_add_relaxed(&lru->hist[fields.type].refaulted[genlru__shadow_tier(lru, &fields)], 1);
    genlru__bump(&stripe->refaulted, 1);
    if (fields.workingset)
        genlru__bump(&stripe->refaulted_workingset, 1);
}

int genlru_shadow_read(const struct genlru *lru, genlru_shadow shadow, struct genlru_shadow_info *ret_info)
{
    struct genlru__shadow_fields fields;

    if (!lru || !ret_info || !genlru__shadow_decode(shadow, &fields))
        return -EINVAL;
    ret_info->distance = distance_of(lru, &fields);
    ret_info->gens = gens_since(lru, &fields);
    ret_info->refs = fields.refs;
    ret_info->freq = fields.freq;
    ret_info->type = fields.type;
    ret_info->workingset = fields.workingset;
    ret_info->is_recent = is_recent(lru, &fields);
    ret_info->is_foreign = fields.tag != lru->tag;
    return 0;
}
