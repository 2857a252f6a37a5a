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
#define CLOCK_MASK ((UINT32_C(1) << GENLRU__SHADOW_CLOCK_BITS) - 1)

bool genlru__shadow_decode(genlru_shadow shadow, struct genlru__shadow_fields *ret_fields)
{
    if (!(shadow >> GENLRU__SHADOW_VALID))
        return false;
    ret_fields->clock = (uint32_t)shadow & CLOCK_MASK;
    ret_fields->seq = (uint8_t)(shadow >> GENLRU__SHADOW_SEQ & 0xff);
    ret_fields->workingset = shadow >> GENLRU__SHADOW_WORKINGSET & 1;
    ret_fields->refs = (uint8_t)(shadow >> GENLRU__SHADOW_REFS & 15);
    ret_fields->freq = (uint8_t)(shadow >> GENLRU__SHADOW_FREQ & 15);
    ret_fields->epoch = (uint8_t)(shadow >> GENLRU__SHADOW_EPOCH & 7);
    ret_fields->type = (uint8_t)(shadow >> GENLRU__SHADOW_TYPE & 3);
    ret_fields->tag = (uint16_t)(shadow >> GENLRU__SHADOW_TAG & 0x7fff);
    return true;
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

static inline bool is_recent(const struct genlru *lru, const struct genlru__shadow_fields *fields, uint64_t distance)
{
    const struct genlru_refault_rules *rules = &genlru__policy(lru)->refault;

    if (fields->tag != lru->tag || fields->type >= lru->nr_types)
        return false;
    if (!rules->distance_only && gens_since(lru, fields) < (rules->gens ? rules->gens : lru->nr_gens))
        return true;
    return distance < genlru_impl_load_relaxed(&lru->recent_within);
}

static uint8_t aged_freq(const struct genlru *lru, const struct genlru__shadow_fields *fields)
{
    uint32_t word = (uint32_t)fields->freq << GENLRU_FREQ_SHIFT | (uint32_t)fields->epoch << GENLRU_EPOCH_SHIFT;

    return (uint8_t)genlru_impl_aged_freq(word, genlru_impl_load_relaxed(&lru->view.window));
}

struct genlru__past genlru__refault_judge(const struct genlru *lru, genlru_shadow shadow)
{
    struct genlru__past past = {false, 0, 0, false, false};
    struct genlru__shadow_fields fields;
    uint64_t distance;

    if (!genlru__shadow_decode(shadow, &fields))
        return past;
    distance = distance_of(lru, &fields);
    if (!is_recent(lru, &fields, distance))
        return past;
    past.is_recent = true;
    past.is_near = distance < genlru_impl_load_relaxed(&lru->near_within);
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
    ret_info->is_recent = is_recent(lru, &fields, ret_info->distance);
    ret_info->is_foreign = fields.tag != lru->tag;
    return 0;
}
