/* SPDX-License-Identifier: MIT */
/* One node: what a hit, an advice or an add makes of it. See model.h. */
#include <errno.h>

#include "model.h"

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

uint64_t model_width(const struct model *model, unsigned type)
{
    return model->max_seq - model->min_seq[type] + 1;
}

/* Generation that the node counts in. */
uint64_t model_seq_of(const struct model *model, const struct model_node *node)
{
    return node->seq < model->min_seq[node->type] ? model->min_seq[node->type] : node->seq;
}

/* Seq of a policy's place: from the bottom of a full window, or down from the youngest. */
uint64_t model_place(const struct model *model, unsigned type, int place)
{
    int age = place >= 0 ? (int)model->nr_gens - 1 - place : -1 - place;
    int oldest = (int)model_width(model, type) - 1;

    if (age < 0)
        age = 0;
    if (age > oldest)
        age = oldest;
    return model->max_seq - (uint64_t)age;
}

unsigned model_tier(const struct model *model, const struct model_node *node)
{
    const struct genlru_tier_rules *rules = &model->policy.tiers;

    if (node->has_tier_cap)
        return 0;
    if (node->is_workingset && rules->workingset_tier > 0)
        return rules->workingset_tier;
    return rules->tier_of_refs[node->refs];
}

/* Halved once for each epoch it is behind, 0 after more than four; three bits tell how many. */
unsigned model_aged_freq(const struct model *model, unsigned freq, uint64_t epoch)
{
    unsigned behind = (unsigned)((model->epoch - epoch) % 8);
    unsigned i;

    for (i = 0; i < behind; i++)
        freq /= 2;
    return behind > 4 ? 0 : freq;
}

static void count_freq(const struct model *model, struct model_node *node)
{
    unsigned freq;

    if (model->policy.hit.freq_max == 0)
        return;
    freq = model_aged_freq(model, node->freq, node->epoch);
    if (freq < model->policy.hit.freq_max)
        freq++;
    node->freq = freq;
    node->epoch = model->epoch;
}

static void climb(const struct model *model, struct model_node *node, unsigned up)
{
    uint64_t seq = model_seq_of(model, node);

    node->seq = model->max_seq - seq < up ? model->max_seq : seq + up;
}

/* FG 3.2: count; overflow raises the generation, and so does a repeated use in the oldest ones. */
void model_access(struct model *model, struct model_node *node)
{
    const struct genlru_hit_rules *rules = &model->policy.hit;
    bool is_overflow = node->refs + 1 > rules->refs_max;
    unsigned refs = is_overflow ? rules->refs_max : node->refs + 1;
    uint64_t seq;

    if (node->is_noreuse)
        return;
    node->is_prefetched = false;
    count_freq(model, node);
    if (is_overflow && rules->saturate_marks)
        node->is_workingset = true;
    node->refs = refs;
    if (node->state != MODEL_LISTED || node->is_on_probation)
        return;
    seq = model_seq_of(model, node);
    if (seq == model->max_seq)
        return;
    if (is_overflow && rules->overflow_up) {
        climb(model, node, rules->overflow_up);
        node->refs = rules->overflow_refs;
    } else if (seq - model->min_seq[node->type] < rules->defer_gens && refs >= rules->defer_refs) {
        climb(model, node, rules->defer_up);
        node->refs = smaller(refs, rules->promoted_refs);
    }
}

/* FG 3.3, and 2.4 for the policies before it: an accessed bit that the owner found. */
void model_access_mapped(struct model *model, struct model_node *node, bool is_dear)
{
    const struct genlru_mapped_rules *rules = &model->policy.mapped;
    unsigned refs = node->refs + 1;
    uint64_t seq;

    if (node->is_noreuse)
        return;
    node->is_prefetched = false;
    count_freq(model, node);
    if (node->state != MODEL_LISTED || node->is_on_probation) {
        node->refs = smaller(refs, model->policy.hit.refs_max);
        return;
    }
    seq = model_seq_of(model, node);
    if (seq == model->max_seq && rules->youngest_counts) {
        node->refs = smaller(refs, model->policy.hit.refs_max);
        return;
    }
    if (is_dear || refs >= rules->second_refs || (rules->second_marks && node->is_workingset)) {
        if (rules->second_marks)
            node->is_workingset = true;
        node->refs = smaller(refs, rules->promoted_refs);
        node->seq = model->max_seq;
        return;
    }
    node->refs = smaller(refs, rules->refs_cap);
    if (seq == model->min_seq[node->type])
        climb(model, node, rules->first_up);
}

static void forget(const struct model *model, struct model_node *node)
{
    node->refs = 0;
    node->is_workingset = false;
    if (node->state == MODEL_LISTED && !node->is_on_probation)
        node->seq = model_place(model, node->type, 0);
}

int model_advise(struct model *model, struct model_node *node, int advice)
{
    switch (advice) {
    case GENLRU_ADVICE_NORMAL:
        node->is_noreuse = node->has_tier_cap = false;
        return 0;
    case GENLRU_ADVICE_WILLNEED:
        node->is_noreuse = node->has_tier_cap = false;
        if (node->state == MODEL_LISTED) {
            uint64_t seq = model_place(model, node->type, model->policy.place.hot);

            if (node->is_on_probation) { /* it graduates when its turn comes */
                unsigned enough = smaller(model->policy.probation.promote_refs, model->policy.hit.refs_max);

                if (model->policy.probation.duel > 0) {
                    node->freq = model->policy.hit.freq_max;
                    node->epoch = model->epoch;
                } else {
                    node->refs = node->refs > enough ? node->refs : enough;
                }
            } else if (node->seq < seq) { /* never older than it is */
                node->seq = seq;
            }
        }
        return 0;
    case GENLRU_ADVICE_COLD:
        forget(model, node);
        return 0;
    case GENLRU_ADVICE_PAGEOUT:
        forget(model, node);
        node->has_tier_cap = true;
        return 0;
    case GENLRU_ADVICE_NOREUSE:
        node->is_noreuse = true;
        return 0;
    case GENLRU_ADVICE_SEQUENTIAL:
        if (node->refs < 2 && !node->is_workingset)
            forget(model, node);
        return 0;
    case GENLRU_ADVICE_PREFETCHED:
        node->refs = 0;
        node->is_prefetched = true;
        return 0;
    default:
        return -EINVAL;
    }
}

/* What a recent shadow gives back. */
static void remember(const struct model *model, struct model_node *node, const struct model_shadow *shadow)
{
    const struct genlru_refault_rules *rules = &model->policy.refault;

    node->refs = smaller(shadow->refs, rules->refs_cap);
    if (rules->keep_workingset && shadow->is_workingset)
        node->is_workingset = true;
    if (rules->keep_freq) {
        node->freq = model_aged_freq(model, shadow->freq, shadow->epoch);
        node->epoch = model->epoch;
    }
}

static bool is_full_enough(const struct model *model)
{
    const struct genlru_probation_rules *rules = &model->policy.probation;

    return rules->percent && model->fullness >= model_percent(model->capacity, rules->fill_percent);
}

static int entrance(const struct model *model, const struct model_node *node, unsigned flags,
                    const struct model_shadow *recent)
{
    const struct genlru_place_rules *place = &model->policy.place;

    if (flags & GENLRU_ADD_HOT)
        return place->hot;
    if (recent && place->refault_percent > 0 && model_is_within(model, recent, place->refault_percent))
        return place->refault;
    if (recent && (flags & GENLRU_ADD_MAPPED) && recent->is_workingset)
        return place->fault_workingset;
    if (recent && (flags & GENLRU_ADD_MAPPED) && recent->refs > 0)
        return place->fault;
    if (place->warm_workingset && node->is_workingset)
        return place->warm;
    return place->warm_refs > 0 && node->refs >= place->warm_refs ? place->warm : place->cold;
}

void model_enter(struct model *model, struct model_node *node, unsigned flags, const struct model_shadow *recent)
{
    unsigned near = model->policy.place.refault_percent;
    bool skips =
        (recent && model->policy.probation.refault_skips && (near == 0 || model_is_within(model, recent, near))) ||
        (model->policy.probation.only_prefetched && !(flags & GENLRU_ADD_PREFETCHED));

    node->is_prefetched = (flags & GENLRU_ADD_PREFETCHED) != 0;
    node->is_noreuse = (flags & GENLRU_ADD_NOREUSE) != 0;
    node->has_tier_cap = false;
    node->refs = smaller(node->refs, model->policy.hit.refs_max); /* those of an earlier life */
    if (recent)
        remember(model, node, recent);
    if (flags & GENLRU_ADD_COLD)
        node->refs = 0;
    if (node->is_prefetched || node->is_noreuse)
        ; /* the first use is still to come, or does not count */
    else if (flags & GENLRU_ADD_MAPPED) {
        count_freq(model, node);
        node->refs = smaller(node->refs + 1, model->policy.hit.refs_max);
    } else
        model_access(model, node); /* on no list yet: it only counts */
    node->is_pinned = (flags & GENLRU_ADD_PINNED) != 0;
    node->state = MODEL_LISTED;
    if (flags & GENLRU_ADD_COLD)
        node->seq = model->min_seq[node->type];
    else if (is_full_enough(model) && !(flags & GENLRU_ADD_HOT) && !skips)
        node->is_on_probation = true;
    else
        node->seq = model_place(model, node->type, entrance(model, node, flags, recent));
}

/* ---- shadows: the token that shadow.h draws ---- */

static uint64_t bits(uint64_t value, unsigned from, unsigned nr)
{
    return value >> from & ((UINT64_C(1) << nr) - 1);
}

struct model_shadow model_shadow_decode(genlru_shadow token)
{
    struct model_shadow shadow = {
        .is_one = bits(token, 63, 1) == 1,
        .clock = bits(token, 0, 26),
        .seq = (unsigned)bits(token, 26, 8),
        .is_workingset = bits(token, 34, 1) == 1,
        .refs = (unsigned)bits(token, 35, 4),
        .freq = (unsigned)bits(token, 39, 4),
        .epoch = (unsigned)bits(token, 43, 3),
        .type = (unsigned)bits(token, 46, 2),
        .tag = (unsigned)bits(token, 48, 15),
    };

    return shadow;
}

genlru_shadow model_shadow_of(const struct model *model, const struct model_node *node)
{
    unsigned from_refs = model->policy.refault.workingset_refs;
    bool is_workingset = node->is_workingset || (from_refs && node->refs >= from_refs);

    return UINT64_C(1) << 63 | (uint64_t)model->tag << 48 | (uint64_t)node->type << 46 | (node->epoch % 8) << 43 |
           (uint64_t)node->freq << 39 | (uint64_t)node->refs << 35 | (uint64_t)is_workingset << 34 |
           (model->min_seq[node->type] % 256) << 26 | (model->clock >> model->clock_shift) % (UINT64_C(1) << 26);
}

/* Tier that its refault counts in: all that the token tells. */
unsigned model_shadow_tier(const struct model *model, const struct model_shadow *shadow)
{
    struct model_node node = {.refs = shadow->refs, .is_workingset = shadow->is_workingset};

    return model_tier(model, &node);
}

bool model_is_within(const struct model *model, const struct model_shadow *shadow, unsigned percent)
{
    uint64_t steps = ((model->clock >> model->clock_shift) - shadow->clock) % (UINT64_C(1) << 26);

    return model->capacity != GENLRU_NO_LIMIT && steps << model->clock_shift < model_percent(model->capacity, percent);
}

bool model_is_recent(const struct model *model, const struct model_shadow *shadow)
{
    const struct genlru_refault_rules *rules = &model->policy.refault;
    uint64_t gens = (model->max_seq - shadow->seq) % 256;

    if (!shadow->is_one || shadow->tag != model->tag || shadow->type >= model->nr_types)
        return false;
    if (!rules->distance_only && gens < (rules->gens ? rules->gens : model->nr_gens))
        return true;
    return rules->distance_percent && model_is_within(model, shadow, rules->distance_percent);
}
