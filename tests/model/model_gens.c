/* SPDX-License-Identifier: MIT */
/* The window, its history, the controller that judges by it, and aging. See model.h. */
#include <errno.h>
#include <string.h>

#include "model.h"

enum { MIN_WIDTH = 2, PIECE = 128 };

/* ---- history and controller: algorithms of MGLRU, 2.7 and 3.5 ---- */

struct rate {
    uint64_t refaulted;
    uint64_t total;
};

static struct rate rate_of_tiers(const struct model_hist *hist, unsigned from, unsigned to)
{
    struct rate rate = {0, 0};
    unsigned tier;

    for (tier = from; tier <= to; tier++) {
        rate.refaulted += hist->avg_refaulted[tier] + hist->refaulted[tier];
        rate.total += hist->avg_total[tier] + hist->evicted[tier] + hist->protected_[tier];
    }
    return rate;
}

static bool is_fine(struct rate sp, unsigned gain_sp, struct rate pv, unsigned gain_pv, unsigned min)
{
    return pv.refaulted < min || pv.refaulted * (sp.total + min) * gain_sp <= (sp.refaulted + 1) * pv.total * gain_pv;
}

unsigned model_threshold(const struct model *model, unsigned type)
{
    const struct genlru_tier_rules *rules = &model->policy.tiers;
    const struct model_hist *hist = &model->hist[type];
    unsigned tier;

    for (tier = 1; tier < MODEL_TIERS; tier++) {
        struct rate sp = rate_of_tiers(hist, 0, rules->sum_below ? tier - 1 : 0);
        struct rate pv = rate_of_tiers(hist, tier, tier);

        if (!is_fine(sp, rules->base_gain, pv, rules->tier_gain, rules->min_refaults))
            return tier - 1;
    }
    return MODEL_TIERS - 1;
}

/* Generations, or probation, have blocks: parked nodes are none to evict. */
bool model_type_has_blocks(struct model *model, unsigned type)
{
    unsigned i;

    for (i = 0; i <= model->nr_rings; i++)
        if (model_has_blocks(model, &model->list[type][i]))
            return true;
    return false;
}

static void advance_min(struct model *model, unsigned type)
{
    struct model_hist *hist = &model->hist[type];
    unsigned tier;

    for (tier = 0; tier < MODEL_TIERS; tier++) {
        uint64_t total = hist->evicted[tier] + hist->protected_[tier];

        hist->avg_refaulted[tier] = (hist->avg_refaulted[tier] + hist->refaulted[tier]) / 2;
        hist->avg_total[tier] = (hist->avg_total[tier] + total) / 2;
        hist->refaulted[tier] = hist->evicted[tier] = hist->protected_[tier] = 0;
    }
    model->min_seq[type]++;
}

static struct model_list *oldest(struct model *model, unsigned type)
{
    return model_list_of_seq(model, type, model->min_seq[type]);
}

static void pass_empty(struct model *model, unsigned type)
{
    while (model_width(model, type) > MIN_WIDTH && !model_has_blocks(model, oldest(model, type)))
        advance_min(model, type);
}

/*
 * 2.6: empty generations are left behind first; then the type whose refaults are the cheaper ones,
 * in doubt the older.
 */
unsigned model_choose_type(struct model *model, unsigned types)
{
    unsigned chosen = model->nr_types, type;

    for (type = 0; type < model->nr_types; type++) {
        unsigned older, other;

        if (!(types >> type & 1) || !model_type_has_blocks(model, type))
            continue;
        pass_empty(model, type);
        if (chosen == model->nr_types) {
            chosen = type;
            continue;
        }
        older = model->min_seq[type] <= model->min_seq[chosen] ? type : chosen;
        other = older == type ? chosen : type;
        chosen = is_fine(rate_of_tiers(&model->hist[other], 0, MODEL_TIERS - 1), model->weight[older],
                         rate_of_tiers(&model->hist[older], 0, MODEL_TIERS - 1), model->weight[other],
                         model->policy.tiers.min_refaults)
                     ? older
                     : other;
    }
    return chosen;
}

/* ---- aging ---- */

static void begin_gen(struct model *model)
{
    model->max_seq++;
    model->birth[model->max_seq % model->nr_rings] = model_read_clock(model);
    model->stat.aged++;
}

static bool is_full(const struct model *model, unsigned type)
{
    return model_width(model, type) >= model->nr_gens;
}

/*
 * A node of a full window's oldest generation: one up, with what it would keep if it were
 * protected.
 */
static void move_up(struct model *model, struct model_node *node)
{
    struct model_hist *hist = &model->hist[node->type];

    if (node->state != MODEL_LISTED || node->is_on_probation || model_seq_of(model, node) != model->min_seq[node->type])
        return;
    hist->protected_[model_tier(model, node)]++;
    if (node->refs > model->policy.tiers.protect_refs)
        node->refs = model->policy.tiers.protect_refs;
    node->seq = model->min_seq[node->type] + 1;
}

/*
 * Blocks of the oldest generation become the next one's oldest, the youngest first, so that the
 * order stays.
 */
static uint64_t sweep(struct model *model, unsigned type, uint64_t max)
{
    struct model_list *from = oldest(model, type);
    struct model_list *to = model_list_of_seq(model, type, model->min_seq[type] + 1);
    uint64_t nr = 0;

    while (from->nr > 0 && nr < max) {
        struct model_block *block = from->block[from->nr - 1];
        unsigned i;

        nr++;
        for (i = 0; i < MODEL_PLACES; i++)
            if (block->place[i]) {
                nr++;
                move_up(model, block->place[i]);
            }
        model_unlink(model, from, from->nr - 1);
        model_link(to, 0, block);
        model->is_compaction_due = true;
    }
    return nr;
}

/* Every full window loses its oldest generation, open blocks, asked for once, included. */
static enum model_step make_room(struct model *model, uint64_t *scanned, uint64_t piece, struct model_list **ret_flush)
{
    unsigned type;

    for (type = 0; type < model->nr_types; type++) {
        struct model_list *list = oldest(model, type);

        if (!is_full(model, type))
            continue;
        if (model_has_open(model, list) && model->flushed_seq[type] != model->min_seq[type]) {
            model->flushed_seq[type] = model->min_seq[type];
            *ret_flush = list;
            return MODEL_BLOCKED;
        }
        if (list->nr > 0)
            *scanned += sweep(model, type, piece);
        if (list->nr > 0)
            return MODEL_MOVED;
        advance_min(model, type);
    }
    return MODEL_READY;
}

enum model_step model_make_oldest(struct model *model, unsigned type, uint64_t max_scanned, uint64_t *aged,
                                  uint64_t *scanned, struct model_list **ret_flush)
{
    enum model_step step;

    pass_empty(model, type);
    if (model->policy.full_window) {
        bool is_any_full = false;
        unsigned t;

        for (t = 0; t < model->nr_types; t++)
            is_any_full = is_any_full || is_full(model, t);
        if (!is_any_full) {
            begin_gen(model);
            ++*aged;
            return MODEL_AGED;
        }
    }
    if (model_width(model, type) > MIN_WIDTH) {
        *ret_flush = oldest(model, type);
        return oldest(model, type)->nr > 0 ? MODEL_READY : MODEL_BLOCKED;
    }
    step = make_room(model, scanned, max_scanned < PIECE ? max_scanned : PIECE, ret_flush);
    if (step != MODEL_READY)
        return step;
    begin_gen(model);
    ++*aged;
    return MODEL_AGED;
}

/* A share of the capacity was evicted since `then`. */
static bool is_due(const struct model *model, uint64_t then, unsigned percent)
{
    uint64_t share = model_percent(model->capacity, percent);
    int64_t since = (int64_t)(model->clock - then); /* putback turns the clock back */

    return percent > 0 && since >= 0 && (uint64_t)since >= (share > 1 ? share : 1);
}

bool model_follow_clock(struct model *model)
{
    unsigned type;

    if (model->capacity == GENLRU_NO_LIMIT)
        return false;
    if (is_due(model, model->clock_of_epoch, model->policy.epoch_percent)) {
        model->clock_of_epoch = model->clock;
        model->epoch++;
    }
    if (!is_due(model, model->clock_of_age, model->policy.age_percent))
        return false;
    for (type = 0; type < model->nr_types; type++)
        if (is_full(model, type))
            return false;
    model->clock_of_age = model->clock;
    begin_gen(model);
    return true;
}

int model_age(struct model *model, uint64_t budget)
{
    uint64_t scanned = 0;

    for (;;) {
        uint64_t piece = budget && budget - scanned < PIECE ? budget - scanned : PIECE;
        struct model_list *blocked = NULL;
        enum model_step step = make_room(model, &scanned, piece, &blocked);

        if (step == MODEL_READY)
            begin_gen(model);
        model_compact_if_due(model);
        if (step != MODEL_MOVED)
            model_flush(model, blocked);
        if (step == MODEL_READY)
            return 0;
        if (budget && scanned >= budget)
            return -EAGAIN;
    }
}
