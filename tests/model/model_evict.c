/* SPDX-License-Identifier: MIT */
/* Eviction: batches of a scan from the old end. See model.h. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "model.h"

enum { BATCH_VICTIMS = 64, BATCH_LOOKS = 128, HOLES_PER_LOOK = 16 };

/* A call under way. */
struct call {
    struct model *model;
    const struct genlru_budget *budget;
    struct model_victim *victims;
    uint64_t max;
    struct genlru_evict_result result;
    bool is_desperate;         /* all was looked at: tiers protect no more */
    uint64_t nr_nodes;         /* when the call first scanned many; 0 = not counted */
    unsigned nr_idle;          /* batches in a row */
    unsigned refuge_rank;      /* of the node that named it */
    struct model_list *refuge; /* of the block's nodes that find no place elsewhere */
    bool has_residents;        /* of the type: blocks in its generations */
    bool is_undecided;         /* a duel found no more residents */
    unsigned contender;        /* freq of the node that duels; 0 = none does */
    unsigned duel_left;        /* residents that may still win */
    uint64_t duel_nodes;       /* figures from which on the duel is over */
    uint64_t duel_scanned;
    uint64_t looks; /* of the batch */
    uint64_t nodes; /* isolated in the batch */
};

static bool has_enough(struct call *call)
{
    const struct genlru_budget *budget = call->budget;
    const struct genlru_evict_result *done = &call->result;
    bool is_met = (budget->nodes && done->nodes >= budget->nodes) || (budget->charge && done->charge >= budget->charge);

    if (!budget->nodes && !budget->charge)
        is_met = done->nodes == call->max;
    if (is_met) {
        call->result.reason = GENLRU_EVICT_MET;
        return true;
    }
    call->result.reason = GENLRU_EVICT_BUDGET;
    return done->nodes == call->max;
}

static bool is_over(struct call *call)
{
    return has_enough(call) || (call->budget->scanned && call->result.scanned >= call->budget->scanned);
}

static bool is_batch_over(struct call *call)
{
    if (call->is_undecided)
        return true;
    if (call->contender)
        return call->duel_left == 0 || call->result.nodes >= call->duel_nodes ||
               call->result.scanned >= call->duel_scanned;
    return call->nodes >= BATCH_VICTIMS || call->looks >= BATCH_LOOKS || is_over(call);
}

static void look(struct call *call)
{
    call->looks++;
    call->result.scanned++;
    call->model->stat.scanned++;
}

/* Counted as what its shadow will say when it comes back. */
static void isolate(struct call *call, struct model_node *node)
{
    struct model *model = call->model;
    struct model_victim *victim = &call->victims[call->result.nodes++];
    struct model_shadow shadow;

    victim->node = node;
    victim->shadow = model_shadow_of(model, node);
    shadow = model_shadow_decode(victim->shadow);
    node->evicted_tier = model_shadow_tier(model, &shadow);
    model->hist[node->type].evicted[node->evicted_tier]++;
    model->clock += node->charge;
    model->stat.evicted++;
    model->stat.prefetched_unused += node->is_prefetched;
    call->result.charge += node->charge;
    call->nodes++;
    node->state = MODEL_ISOLATED;
    node->is_on_probation = false;
}

/* To where it belongs. Without a block for it, and with nothing else to evict, it goes at once. */
static bool move(struct call *call, struct model_node *node)
{
    if (model_append(call->model, model_home(call->model, node), node))
        return true;
    if (!call->is_desperate || node->state != MODEL_LISTED || node->is_pinned)
        return false;
    isolate(call, node);
    return true;
}

static bool protect(struct call *call, struct model_node *node)
{
    struct model *model = call->model;

    call->result.protected_++;
    model->stat.protected_++;
    if (node->refs > model->policy.tiers.protect_refs)
        node->refs = model->policy.tiers.protect_refs;
    node->seq = model->min_seq[node->type] + 1;
    return move(call, node);
}

static bool is_saturated(const struct model *model, const struct model_node *node)
{
    return model->policy.tiers.lazy_saturated && node->is_workingset && !node->has_tier_cap &&
           node->refs >= model->policy.hit.refs_max;
}

/* A second chance: up by what its refs say, which fade. */
static bool keep(struct call *call, struct model_node *node)
{
    struct model *model = call->model;
    const struct genlru_keep_rules *rules = &model->policy.keep;
    unsigned up = rules->up, used = node->refs > 0 ? node->refs - 1 : 0, half;

    call->result.protected_++;
    model->stat.protected_++;
    if (call->duel_left > 0)
        call->duel_left--;
    for (half = used / 2; rules->up_doubling && half > 0; half /= 2)
        up++;
    if (rules->decay == GENLRU_DECAY_ALL)
        used = 0;
    else if (rules->decay == GENLRU_DECAY_HALF)
        used /= 2;
    else if (used > 0)
        used--;
    if (node->refs > 0)
        node->refs = 1 + used;
    node->seq = model->min_seq[node->type] + up;
    if (node->seq > model->max_seq)
        node->seq = model->max_seq;
    return move(call, node);
}

static bool graduate(struct call *call, struct model_node *node)
{
    struct model *model = call->model;
    const struct genlru_probation_rules *probation = &model->policy.probation;

    call->result.promoted++;
    model->stat.promoted++;
    node->is_on_probation = false;
    if (node->refs > probation->promoted_refs)
        node->refs = probation->promoted_refs;
    node->seq = model_place(model, node->type, probation->place);
    return move(call, node);
}

static void scan(struct call *call, struct model_list *list, unsigned threshold);

/* A node of probation against the oldest residents, until one loses or enough won. */
static bool duel(struct call *call, struct model_node *node, unsigned threshold)
{
    enum { STRAYS = 64 };
    struct model *model = call->model;
    const struct genlru_probation_rules *probation = &model->policy.probation;
    struct model_list *refuge = call->refuge;
    unsigned rank = call->refuge_rank;
    uint64_t nodes = call->result.nodes;
    bool is_lost;

    if (!call->has_residents) {
        isolate(call, node);
        return true;
    }
    call->contender = model_aged_freq(model, node->freq, node->epoch);
    call->duel_left = probation->duel;
    call->duel_nodes = nodes + 1;
    call->duel_scanned = call->result.scanned + probation->duel + STRAYS;
    scan(call, model_list_of_seq(model, node->type, model->min_seq[node->type]), threshold);
    is_lost = call->duel_left == 0;
    call->contender = call->duel_left = 0;
    call->refuge = refuge;
    call->refuge_rank = rank;
    if (call->result.nodes != nodes)
        return graduate(call, node);
    if (is_lost) {
        isolate(call, node);
        return true;
    }
    call->is_undecided = true;
    return false;
}

/* False: the node stays where it is, for want of a block, or because its duel came to no end. */
static bool judge(struct call *call, struct model_node *node, struct model_list *list, unsigned threshold)
{
    struct model *model = call->model;
    const struct genlru_probation_rules *probation = &model->policy.probation;

    if (model_home(model, node) != list) {
        call->result.promoted++;
        model->stat.promoted++;
        return move(call, node);
    }
    if (node->is_pinned) {
        call->result.parked++;
        model->stat.parked++;
        node->state = MODEL_PARKED;
        node->is_on_probation = false;
        return move(call, node);
    }
    if (!call->is_desperate && node->is_on_probation && probation->duel > 0) {
        if (model_aged_freq(model, node->freq, node->epoch) >= probation->promote_refs)
            return duel(call, node, threshold);
    } else if (!call->is_desperate && node->is_on_probation && node->refs >= probation->promote_refs) {
        return graduate(call, node);
    }
    if (!call->is_desperate && !node->is_on_probation && model_tier(model, node) > threshold) {
        model->hist[node->type].protected_[model_tier(model, node)]++;
        return protect(call, node);
    }
    if (!call->is_desperate && !node->is_on_probation && is_saturated(model, node))
        return protect(call, node);
    if (!call->is_desperate && !node->is_on_probation && call->contender > 0) {
        if (model_aged_freq(model, node->freq, node->epoch) >= call->contender)
            return keep(call, node);
    } else if (!call->is_desperate && !node->is_on_probation && model->policy.keep.refs > 0 && !node->has_tier_cap &&
               node->refs >= model->policy.keep.refs) {
        return keep(call, node);
    }
    isolate(call, node);
    return true;
}

/* Nodes of a generation decide where their block goes before those on probation, and these before parked ones. */
static unsigned rank_of(const struct model_node *node)
{
    if (node->state != MODEL_LISTED)
        return 1;
    return node->is_on_probation ? 2 : 3;
}

/* False: the batch ended within the block. */
static bool scan_block(struct call *call, struct model_block *block, struct model_list *list, unsigned threshold)
{
    unsigned first_kept = MODEL_PLACES, i;

    /* a block with a node that stays is looked at to its end, whatever the call may scan */
    for (i = block->begin; i < block->end; i++) {
        struct model_node *node = block->place[i];

        if (call->is_undecided || (first_kept < MODEL_PLACES ? has_enough(call) : is_batch_over(call)))
            break;

        if (!node) {
            if (++call->result.holes % HOLES_PER_LOOK == 0)
                look(call);
            continue;
        }
        look(call);
        block->place[i] = NULL;
        if (!judge(call, node, list, threshold)) {
            block->place[i] = node;
            if (first_kept == MODEL_PLACES)
                first_kept = i;
            if (!call->is_undecided && rank_of(node) >= call->refuge_rank) {
                call->refuge_rank = rank_of(node);
                call->refuge = model_home(call->model, node);
            }
        }
    }
    block->begin = first_kept < i ? first_kept : i;
    return i == block->end;
}

/*
 * From the old end. A block with nodes that stay goes where one of them should be, one that is not
 * parked if there is any.
 */
static void scan(struct call *call, struct model_list *list, unsigned threshold)
{
    while (list->nr > 0 && !is_batch_over(call)) {
        struct model_block *block = list->block[0];

        call->refuge = NULL;
        call->refuge_rank = 0;
        if (!scan_block(call, block, list, threshold) || call->is_undecided)
            break;
        if (block->begin == block->end) {
            model_drop(call->model, list, 0);
        } else {
            model_unlink(call->model, list, 0);
            model_link(call->refuge, call->refuge->nr, block);
        }
    }
}

static uint64_t probation_nodes(const struct model *model, unsigned type)
{
    uint64_t nr = 0;
    unsigned i;

    for (i = 0; i < model->nr_nodes; i++)
        nr += model->node[i].state == MODEL_LISTED && model->node[i].is_on_probation && model->node[i].type == type;
    return nr;
}

static uint64_t probation_charge(const struct model *model, unsigned type)
{
    uint64_t charge = 0;
    unsigned i;

    for (i = 0; i < model->nr_nodes; i++)
        if (model->node[i].state == MODEL_LISTED && model->node[i].is_on_probation && model->node[i].type == type)
            charge += model->node[i].charge;
    return charge;
}

static bool has_residents(struct model *model, unsigned type)
{
    unsigned i;

    for (i = 0; i < model->nr_rings; i++)
        if (model_has_blocks(model, &model->list[type][i]))
            return true;
    return false;
}

/* Beyond one victim, were all as heavy as those on probation. */
static uint64_t wanted_beyond(const struct call *call, unsigned type)
{
    const struct genlru_budget *budget = call->budget;
    uint64_t nr = probation_nodes(call->model, type), mean = nr ? probation_charge(call->model, type) / nr : 0, wanted;

    if (budget->charge)
        wanted = budget->charge > call->result.charge ? budget->charge - call->result.charge : 0;
    else
        wanted = ((budget->nodes && budget->nodes < call->max ? budget->nodes : call->max) - call->result.nodes) * mean;
    return wanted > mean ? wanted - mean : 0;
}

static bool is_probation_due(const struct call *call, unsigned type)
{
    struct model *model = call->model;
    uint64_t share = model_percent(model->capacity, model->policy.probation.percent);
    uint64_t beyond = wanted_beyond(call, type);

    if (!model_has_blocks(model, model_probation(model, type)))
        return false;
    beyond = beyond < share ? beyond : share;
    if (probation_charge(model, type) >= beyond && probation_charge(model, type) - beyond >= (share > 1 ? share : 1))
        return true;
    return !has_residents(model, type);
}

/* True: something was looked at or moved. */
static bool scan_type(struct call *call, unsigned type, struct model_wish *wish)
{
    struct model *model = call->model;
    uint64_t before = call->result.scanned + call->result.holes;
    struct model_list *list = model_probation(model, type);
    bool is_probation = is_probation_due(call, type);

    call->has_residents = has_residents(model, type);
    call->is_undecided = false;
    if (!is_probation || (model->policy.probation.duel > 0 && call->has_residents)) {
        uint64_t limit = call->budget->scanned, swept = 0;
        struct model_list *blocked = NULL;
        enum model_step step = model_make_oldest(model, type, limit ? limit - call->result.scanned : UINT64_MAX,
                                                 &call->result.aged, &swept, &blocked);

        call->result.scanned += swept;
        call->looks += (unsigned)swept; /* what was moved up counts in the batch, too */
        model->stat.scanned += swept;
        if (step == MODEL_MOVED)
            return true;
        if (step == MODEL_BLOCKED) {
            *wish = (struct model_wish){true, blocked};
            return false;
        }
        if (step == MODEL_AGED)
            *wish = (struct model_wish){true, NULL};
    }
    if (!is_probation)
        list = model_list_of_seq(model, type, model->min_seq[type]);
    if (list->nr == 0) {
        if (!wish->flush)
            *wish = (struct model_wish){true, list};
        return false;
    }
    scan(call, list, model_threshold(model, type));
    return call->result.scanned + call->result.holes != before;
}

/* False: there is nothing on any list. */
static bool batch(struct call *call, unsigned types, bool *ret_progress)
{
    struct model *model = call->model;
    struct model_wish wish = {false, NULL};
    unsigned type;

    call->looks = call->nodes = 0;
    *ret_progress = false;
    type = model_choose_type(model, types);
    if (type < model->nr_types)
        *ret_progress = scan_type(call, type, &wish);
    if (model_follow_clock(model))
        wish = (struct model_wish){true, NULL};
    model->live_hint -= model->live_hint < call->nodes ? model->live_hint : call->nodes;
    model_compact_if_due(model);
    (void)model_fill_reserve(model);
    if (wish.flush)
        model_flush(model, wish.list);
    return type < model->nr_types;
}

static unsigned parked_nodes(const struct model *model, unsigned types)
{
    unsigned i, nr = 0;

    for (i = 0; i < model->nr_nodes; i++)
        nr += model->node[i].state == MODEL_PARKED && (types >> model->node[i].type & 1);
    return nr;
}

/*
 * After two looks at each node tiers protect no more; after sixteen, or too many idle batches, the
 * call gives up.
 */
static bool is_out_of_bounds(struct call *call)
{
    const struct genlru_evict_result *done = &call->result;

    if (call->nr_idle > 4 * call->model->nr_types * (call->model->nr_gens + 2) + 2)
        return true;
    if (done->scanned <= 256 + 2 * done->nodes)
        return false;
    if (call->nr_nodes == 0)
        call->nr_nodes = 1 + model_sum(call->model).nodes + done->nodes;
    call->is_desperate = done->scanned > 16 + 2 * done->nodes + 2 * call->nr_nodes;
    return done->scanned > 16 * call->nr_nodes + 4096 * (1 + done->nodes);
}

static void run(struct call *call)
{
    struct model *model = call->model;
    unsigned types = call->budget->types ? call->budget->types : (1u << model->nr_types) - 1;
    bool progress;

    while (!is_over(call)) {
        if (call->budget->deadline_ns && model_read_clock(model) >= call->budget->deadline_ns) {
            call->result.reason = GENLRU_EVICT_BUDGET;
            return;
        }
        if (!batch(call, types, &progress) && !is_over(call)) {
            call->result.reason = parked_nodes(model, types) ? GENLRU_EVICT_PINNED : GENLRU_EVICT_NOTHING;
            return;
        }
        call->nr_idle = progress ? 0 : call->nr_idle + 1;
        if (is_out_of_bounds(call)) {
            if (!is_over(call))
                call->result.reason = GENLRU_EVICT_BUDGET;
            return;
        }
    }
}

int model_evict(struct model *model, const struct genlru_budget *budget, struct model_victim *victims, size_t max,
                struct genlru_evict_result *result)
{
    struct call call = {.model = model, .budget = budget, .victims = victims, .max = max};

    if (max == 0 || max > INT_MAX || budget->flags & ~(unsigned)GENLRU_BUDGET_TRY || budget->types >> model->nr_types)
        return -EINVAL;
    run(&call);
    if (model->policy.probation.percent)
        model->fullness = model_sum(model).charge;
    *result = call.result;
    return (int)call.result.nodes;
}
