/* SPDX-License-Identifier: MIT */
/* The calls, as the transition table of lru.h has them. See model.h. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DELETES_PER_LOOK = 64, ALL_ADD_FLAGS = 63, UNLIMITED_SHIFT = 8, CLOCK_STEPS = 1 << 16 };

/* Steps of capacity / 2^16, a power of two and at least 1. */
static unsigned shift_of(uint64_t capacity)
{
    unsigned shift = 0;

    if (capacity == GENLRU_NO_LIMIT)
        return UNLIMITED_SHIFT;
    while (capacity >> shift >= 2 * (uint64_t)CLOCK_STEPS)
        shift++;
    return shift;
}

void model_init(struct model *model, const struct genlru_config *config, struct model_node *nodes, unsigned nr,
                uint64_t max_seq, uint64_t clock, uint64_t epoch)
{
    unsigned type, i;

    memset(model, 0, sizeof(*model));
    model->policy = *config->policy;
    model->nr_gens = config->nr_gens;
    model->nr_types = config->nr_types;
    model->capacity = config->capacity;
    model->clock_shift = shift_of(config->capacity);
    model->max_seq = max_seq;
    model->clock = model->clock_of_age = model->clock_of_epoch = clock;
    model->epoch = epoch;
    for (model->nr_rings = 1; model->nr_rings < model->nr_gens; model->nr_rings *= 2)
        ;
    memset(model->flushed_seq, 0xff, sizeof(model->flushed_seq));
    for (type = 0; type < MODEL_TYPES; type++) {
        model->weight[type] = config->type_weight[type] ? config->type_weight[type] : 100;
        model->min_seq[type] = max_seq - model->nr_gens + 1;
        for (i = 0; i < MODEL_MAX_LISTS; i++)
            model->list[type][i].type = type;
    }
    model->node = nodes;
    model->nr_nodes = nr;
}

void model_fini(struct model *model)
{
    unsigned type, i, nr;

    for (type = 0; type < MODEL_TYPES; type++)
        for (i = 0; i < MODEL_MAX_LISTS; i++) {
            for (nr = 0; nr < model->list[type][i].nr; nr++)
                free(model->list[type][i].block[nr]);
            free(model->list[type][i].block);
        }
    for (i = 0; i < MODEL_OPEN; i++)
        free(model->open[i].block);
}

int model_node_init(struct model_node *node, uint64_t charge, unsigned type)
{
    if (type >= MODEL_TYPES)
        return -EINVAL;
    if (charge > UINT32_MAX)
        return -ERANGE;
    memset(node, 0, sizeof(*node));
    node->charge = charge;
    node->type = type;
    return 0;
}

static int misuse(struct model *model, int error)
{
    model->nr_misuses++;
    return error;
}

static bool is_off(const struct model_node *node)
{
    return node->state == MODEL_OFF;
}

int model_add(struct model *model, struct model_node *node, unsigned flags, genlru_shadow token)
{
    struct model_shadow shadow = model_shadow_decode(token);
    bool is_recent = model_is_recent(model, &shadow);
    struct model_node after = *node, **place;

    if (flags > ALL_ADD_FLAGS || ((flags & GENLRU_ADD_COLD) && (flags & GENLRU_ADD_HOT)))
        return -EINVAL;
    if (node->type >= model->nr_types)
        return misuse(model, -EINVAL);
    if (node->state == MODEL_LISTED || node->state == MODEL_PARKED)
        return misuse(model, -EEXIST);
    if (!is_off(node) || node->is_dead)
        return misuse(model, -EBUSY);
    model_enter(model, &after, flags, is_recent ? &shadow : NULL);
    place = model_open_place(model, &after);
    if (!place)
        return -ENOMEM;
    *place = node;
    *node = after;
    if (is_recent) {
        model->hist[shadow.type].refaulted[model_shadow_tier(model, &shadow)]++;
        model->stat.refaulted++;
        model->stat.refaulted_workingset += shadow.is_workingset;
    }
    return 0;
}

static int del(struct model *model, struct model_node *node)
{
    struct model_node **place = model_find(model, node);
    bool was_dead = node->is_dead;

    if (node->state == MODEL_ISOLATED) {
        node->is_dead = true;
        return was_dead ? GENLRU_YOURS : 0;
    }
    if (!place)
        return misuse(model, -ENOENT);
    *place = NULL;
    node->is_on_probation = false;
    node->state = MODEL_OFF;
    if (node->is_pinned) {
        node->state = MODEL_CONDEMNED;
        node->is_dead = true;
    }
    return node->is_pinned ? 0 : GENLRU_YOURS;
}

/* Every 64th that leaves a hole looks after holes. */
int model_del(struct model *model, struct model_node *node)
{
    bool leaves_hole = model_find(model, node) != NULL;
    int answer = del(model, node);

    if (leaves_hole && ++model->nr_dels % DELETES_PER_LOOK == 0)
        model_compact(model);
    return answer;
}

int model_pin(struct model *model, struct model_node *node)
{
    (void)model;
    if (is_off(node))
        return -ENOENT;
    if (node->state != MODEL_LISTED || node->is_pinned)
        return -EBUSY;
    node->is_pinned = true;
    return 0;
}

/*
 * From where it was parked to the policy's putback place; with its whole block if there is none to
 * be had for it.
 */
static void relist(struct model *model, struct model_node *node)
{
    struct model_node **place = model_find(model, node);

    node->state = MODEL_LISTED;
    node->seq = model_place(model, node->type, model->policy.place.putback);
    if (model_append(model, model_home(model, node), node))
        *place = NULL;
    else
        model_move_block(model, node, model_home(model, node));
}

int model_unpin(struct model *model, struct model_node *node)
{
    if (!node->is_pinned)
        return misuse(model, -EPERM);
    node->is_pinned = false;
    if (node->state == MODEL_PARKED) {
        relist(model, node);
        model_compact_if_due(model);
    }
    if (node->state != MODEL_CONDEMNED)
        return 0;
    node->state = MODEL_OFF;
    node->is_dead = false;
    return GENLRU_YOURS;
}

int model_recharge(struct model *model, struct model_node *node, uint64_t charge)
{
    if (charge > UINT32_MAX)
        return -ERANGE;
    if (node->state == MODEL_ISOLATED)
        model->clock += charge - node->charge;
    node->charge = charge;
    return 0;
}

/*
 * `token` is what evict gave: its generation tells whether the history still knows of the eviction.
 */
int model_putback(struct model *model, struct model_node *node, genlru_shadow token)
{
    struct model_shadow shadow = model_shadow_decode(token);
    uint64_t *evicted = &model->hist[node->type].evicted[node->evicted_tier];
    struct model_node after = *node;

    if (node->type >= model->nr_types)
        return misuse(model, -EINVAL);
    if (node->state != MODEL_ISOLATED)
        return misuse(model, -EPERM);
    if (node->is_dead)
        return GENLRU_YOURS;
    after.state = MODEL_LISTED;
    if (after.refs > model->policy.tiers.protect_refs)
        after.refs = model->policy.tiers.protect_refs;
    after.seq = model_place(model, after.type, model->policy.place.putback);
    while (!model_append(model, model_home(model, &after), node))
        if (!model_fill_reserve(model))
            return -ENOMEM;
    *node = after;
    model->clock -= node->charge;
    model->stat.putback++;
    if (shadow.is_one && shadow.seq == model->min_seq[node->type] % 256 && *evicted > 0)
        --*evicted;
    return 0;
}

int model_release(struct model *model, struct model_node *node)
{
    bool was_dead = node->is_dead;

    if (node->state != MODEL_ISOLATED)
        return misuse(model, -EPERM);
    node->is_dead = true;
    return was_dead ? GENLRU_YOURS : 0;
}

int model_shadow_read(const struct model *model, genlru_shadow token, struct genlru_shadow_info *ret_info)
{
    struct model_shadow shadow = model_shadow_decode(token);
    uint64_t steps = ((model->clock >> model->clock_shift) - shadow.clock) % (UINT64_C(1) << 26);

    if (!shadow.is_one)
        return -EINVAL;
    ret_info->distance = steps << model->clock_shift;
    ret_info->gens = (model->max_seq - shadow.seq) % 256;
    ret_info->refs = (uint8_t)shadow.refs;
    ret_info->freq = (uint8_t)shadow.freq;
    ret_info->type = (uint8_t)shadow.type;
    ret_info->workingset = shadow.is_workingset;
    ret_info->is_recent = model_is_recent(model, &shadow);
    ret_info->is_foreign = shadow.tag != model->tag;
    return 0;
}

/* ---- looking inside ---- */

static void stat_of_type(const struct model *model, unsigned type, struct genlru_stat *stat)
{
    const struct model_hist *hist = &model->hist[type];
    unsigned tier;

    stat->min_seq[type] = model->min_seq[type];
    stat->tier_threshold[type] = (uint8_t)model_threshold(model, type);
    for (tier = 0; tier < MODEL_TIERS; tier++) {
        stat->tier[type][tier].avg_refaulted = hist->avg_refaulted[tier];
        stat->tier[type][tier].avg_total = hist->avg_total[tier];
        stat->tier[type][tier].refaulted = hist->refaulted[tier];
        stat->tier[type][tier].evicted = hist->evicted[tier];
        stat->tier[type][tier].protected_ = hist->protected_[tier];
    }
}

static void stat_of_nodes(const struct model *model, struct genlru_stat *stat)
{
    struct model_sum all = model_sum(model);
    unsigned i;

    stat->nodes = all.nodes;
    stat->charge = all.charge;
    for (i = 0; i < model->nr_nodes; i++) {
        const struct model_node *node = &model->node[i];

        if (node->state == MODEL_PARKED) {
            stat->pinned_nodes++;
            stat->pinned_charge += node->charge;
        } else if (node->state == MODEL_LISTED && node->is_on_probation) {
            stat->probation_nodes++;
            stat->probation_charge += node->charge;
        }
    }
}

void model_stat(const struct model *model, struct genlru_stat *stat)
{
    unsigned type;

    memset(stat, 0, sizeof(*stat));
    stat->size = sizeof(*stat);
    stat->nr_gens = model->nr_gens;
    stat->nr_types = model->nr_types;
    stat->stripes = 1;
    stat->freq_epoch = (uint32_t)(model->epoch % 256);
    stat->capacity = model->capacity;
    stat->max_seq = model->max_seq;
    stat->eviction_clock = model->clock;
    stat->evicted = model->stat.evicted;
    stat->putback = model->stat.putback;
    stat->scanned = model->stat.scanned;
    stat->promoted = model->stat.promoted;
    stat->protected_ = model->stat.protected_;
    stat->parked = model->stat.parked;
    stat->aged = model->stat.aged;
    stat->refaulted = model->stat.refaulted;
    stat->refaulted_workingset = model->stat.refaulted_workingset;
    stat->prefetched_unused = model->stat.prefetched_unused;
    stat->compacted = model->stat.compacted;
    stat->blocks = model_nr_linked(model) + model_nr_open(model) + model->reserve;
    stat_of_nodes(model, stat);
    for (type = 0; type < model->nr_types; type++)
        stat_of_type(model, type, stat);
}

void model_stat_gen(const struct model *model, unsigned type, unsigned age, struct genlru_gen_stat *ret_stat)
{
    uint64_t birth = model->birth[(model->max_seq - age) % model->nr_rings];
    unsigned i;

    memset(ret_stat, 0, sizeof(*ret_stat));
    ret_stat->seq = model->max_seq - age;
    ret_stat->age_ns = model->now - birth;
    for (i = 0; i < model->nr_nodes; i++) {
        const struct model_node *node = &model->node[i];

        if (node->type != type || node->state != MODEL_LISTED || node->is_on_probation ||
            model_seq_of(model, node) != ret_stat->seq)
            continue;
        ret_stat->nodes++;
        ret_stat->charge += node->charge;
    }
}

void model_workingset(const struct model *model, struct genlru_workingset *ret)
{
    unsigned i;

    memset(ret, 0, sizeof(*ret));
    ret->size = sizeof(*ret);
    for (i = 0; i < model->nr_nodes; i++) {
        const struct model_node *node = &model->node[i];
        uint64_t seq = model_seq_of(model, node);
        bool is_young = node->state == MODEL_PARKED;

        if (node->state != MODEL_LISTED && node->state != MODEL_PARKED)
            continue;
        ret->charge_by_refs[node->refs] += node->charge;
        ret->charge_by_tier[model_tier(model, node)] += node->charge;
        if (node->state == MODEL_PARKED) {
            ret->pinned_charge += node->charge;
        } else if (node->is_on_probation) {
            ret->probation_charge += node->charge;
        } else {
            ret->charge_by_age[model->max_seq - seq] += node->charge;
            is_young = seq > model->min_seq[node->type];
        }
        if (is_young || node->refs >= 2 || node->is_workingset)
            ret->workingset_charge += node->charge;
    }
}
