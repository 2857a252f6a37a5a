/* SPDX-License-Identifier: MIT */
/* Lists of blocks, and where the blocks come from. See model.h. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MAX_GROWTH = 4096 };

uint64_t model_read_clock(struct model *model)
{
    uint64_t now = model->now;

    model->now += model->tick;
    return now;
}

/* Rounded down; huge values stay huge. */
uint64_t model_percent(uint64_t value, unsigned percent)
{
    return value / 100 * percent + value % 100 * percent / 100;
}

/* ---- which list ---- */

struct model_list *model_list_of_seq(struct model *model, unsigned type, uint64_t seq)
{
    return &model->list[type][seq % model->nr_rings];
}

struct model_list *model_probation(struct model *model, unsigned type)
{
    return &model->list[type][model->nr_rings];
}

struct model_list *model_parked(struct model *model, unsigned type)
{
    return &model->list[type][model->nr_rings + 1];
}

/* Where a node on the lru should hang. */
struct model_list *model_home(struct model *model, const struct model_node *node)
{
    if (node->state == MODEL_PARKED)
        return model_parked(model, node->type);
    if (node->is_on_probation)
        return model_probation(model, node->type);
    return model_list_of_seq(model, node->type, model_seq_of(model, node));
}

/* All lists, in the order the compaction goes through them. */
unsigned model_nr_lists(const struct model *model)
{
    return model->nr_types * (model->nr_rings + 2);
}

struct model_list *model_numbered(struct model *model, unsigned nr)
{
    return &model->list[nr / (model->nr_rings + 2)][nr % (model->nr_rings + 2)];
}

unsigned model_number_of(struct model *model, const struct model_list *list)
{
    return list->type * (model->nr_rings + 2) + (unsigned)(list - model->list[list->type]);
}

/* Where an open block will go: generations may have passed since it was opened. */
static struct model_list *open_home(struct model *model, const struct model_open *open)
{
    uint64_t seq = open->seq;

    if (open->is_for_probation)
        return model_probation(model, open->type);
    if (seq < model->min_seq[open->type])
        seq = model->min_seq[open->type];
    return model_list_of_seq(model, open->type, seq);
}

bool model_has_open(struct model *model, const struct model_list *list)
{
    unsigned i;

    for (i = 0; i < MODEL_OPEN; i++)
        if (model->open[i].block && open_home(model, &model->open[i]) == list)
            return true;
    return false;
}

bool model_has_blocks(struct model *model, const struct model_list *list)
{
    return list->nr > 0 || model_has_open(model, list);
}

unsigned model_count(const struct model_block *block)
{
    unsigned i, nr = 0;

    for (i = 0; i < MODEL_PLACES; i++)
        nr += block->place[i] != NULL;
    return nr;
}

/* ---- sums: a walk over all nodes ---- */

static bool is_counted(const struct model_node *node)
{
    return node->state == MODEL_LISTED || node->state == MODEL_PARKED;
}

struct model_sum model_sum(const struct model *model)
{
    struct model_sum sum = {0, 0};
    unsigned i;

    for (i = 0; i < model->nr_nodes; i++)
        if (is_counted(&model->node[i])) {
            sum.nodes++;
            sum.charge += model->node[i].charge;
        }
    return sum;
}

uint64_t model_nr_linked(const struct model *model)
{
    uint64_t nr = 0;
    unsigned i;

    for (i = 0; i < model_nr_lists(model); i++)
        nr += model_numbered((struct model *)model, i)->nr;
    return nr;
}

uint64_t model_nr_open(const struct model *model)
{
    uint64_t nr = 0;
    unsigned i;

    for (i = 0; i < MODEL_OPEN; i++)
        nr += model->open[i].block != NULL;
    return nr;
}

/* ---- blocks ---- */

static struct model_block *new_block(void)
{
    struct model_block *block = calloc(1, sizeof(*block));

    if (!block)
        abort();
    return block;
}

static void give_back(struct model *model, struct model_block *block)
{
    free(block);
    if (model->reserve < MODEL_RESERVE)
        model->reserve++;
    else
        model->pool_free++;
}

/* A block from the pool, which grows by an eighth. */
static bool take_from_pool(struct model *model)
{
    uint64_t growth = model->pool_blocks / 8;

    if (model->pool_free == 0) {
        if (model->has_no_memory)
            return false;
        growth = growth < 1 ? 1 : growth > MAX_GROWTH ? MAX_GROWTH : growth;
        model->pool_blocks += growth;
        model->pool_free += growth;
    }
    model->pool_free--;
    return true;
}

bool model_fill_reserve(struct model *model)
{
    for (; model->reserve < MODEL_RESERVE; model->reserve++)
        if (!take_from_pool(model))
            return false;
    return true;
}

void model_link(struct model_list *list, unsigned at, struct model_block *block)
{
    if (list->nr == list->max) {
        list->max = list->max ? 2 * list->max : 4;
        list->block = realloc(list->block, list->max * sizeof(*list->block));
        if (!list->block)
            abort();
    }
    memmove(&list->block[at + 1], &list->block[at], (list->nr - at) * sizeof(*list->block));
    list->block[at] = block;
    list->nr++;
}

void model_unlink(struct model *model, struct model_list *list, unsigned nr)
{
    if (model->cursor_block == list->block[nr]) {
        model->cursor_block = nr + 1 < list->nr ? list->block[nr + 1] : NULL;
        if (!model->cursor_block)
            model->cursor_list = model_number_of(model, list) + 1;
    }
    memmove(&list->block[nr], &list->block[nr + 1], (list->nr - nr - 1) * sizeof(*list->block));
    list->nr--;
}

void model_drop(struct model *model, struct model_list *list, unsigned nr)
{
    struct model_block *block = list->block[nr];

    if (model_count(block) != 0)
        abort();
    model_unlink(model, list, nr);
    give_back(model, block);
}

/* ---- adds and moves ---- */

static void hand_over(struct model *model, struct model_open *open)
{
    struct model_list *list = open_home(model, open);
    unsigned nr = model_count(open->block);

    model_link(list, list->nr, open->block);
    open->block = NULL;
    model->live_hint += nr;
    if (nr == 0)
        model_drop(model, list, list->nr - 1);
    else if (nr < MODEL_PLACES)
        model->is_compaction_due = true;
}

void model_flush(struct model *model, struct model_list *list)
{
    unsigned i;

    for (i = 0; i < MODEL_OPEN; i++)
        if (model->open[i].block && (!list || open_home(model, &model->open[i]) == list))
            hand_over(model, &model->open[i]);
    model_compact_if_due(model);
}

static void use_first(struct model *model, unsigned i)
{
    struct model_open used = model->open[i];

    for (; i > 0; i--)
        model->open[i] = model->open[i - 1];
    model->open[0] = used;
}

/*
 * An empty block, in place of a full one for the same nodes, of none, or of the least recently
 * used.
 */
static bool open_block(struct model *model, unsigned i, const struct model_open *wanted)
{
    if (i == MODEL_OPEN)
        for (i = 0; i < MODEL_OPEN - 1 && model->open[i].block; i++)
            ;
    if (!model_fill_reserve(model) || !take_from_pool(model))
        return false;
    if (model->open[i].block)
        hand_over(model, &model->open[i]);
    use_first(model, i);
    model->open[0] = *wanted;
    model->open[0].block = new_block();
    if (model->policy.probation.percent)
        model->fullness = model_sum(model).charge;
    model_compact_if_due(model);
    return true;
}

struct model_node **model_open_place(struct model *model, const struct model_node *node)
{
    struct model_open wanted = {NULL, node->type, node->is_on_probation, 0};
    unsigned i;

    if (!wanted.is_for_probation)
        wanted.seq = model_seq_of(model, node);
    for (i = 0; i < MODEL_OPEN; i++)
        if (model->open[i].block && model->open[i].type == wanted.type && model->open[i].seq == wanted.seq &&
            model->open[i].is_for_probation == wanted.is_for_probation)
            break;
    if (i < MODEL_OPEN && model->open[i].block->end < MODEL_PLACES)
        use_first(model, i);
    else if (!open_block(model, i, &wanted))
        return NULL;
    return &model->open[0].block->place[model->open[0].block->end++];
}

bool model_append(struct model *model, struct model_list *list, struct model_node *node)
{
    struct model_block *last = list->nr ? list->block[list->nr - 1] : NULL;

    if (!last || last->end == MODEL_PLACES) {
        if (model->pool_free > 0)
            model->pool_free--;
        else if (model->reserve > 0)
            model->reserve--;
        else
            return false;
        last = new_block();
        model_link(list, list->nr, last);
    }
    last->place[last->end++] = node;
    return true;
}

static struct model_node **find_in(struct model_block *block, const struct model_node *node)
{
    unsigned i;

    for (i = block->begin; i < block->end; i++)
        if (block->place[i] == node)
            return &block->place[i];
    return NULL;
}

/* The node's place, or NULL if it hangs nowhere. */
struct model_node **model_find(struct model *model, const struct model_node *node)
{
    struct model_node **place = NULL;
    unsigned i, j;

    for (i = 0; i < MODEL_OPEN && !place; i++)
        if (model->open[i].block)
            place = find_in(model->open[i].block, node);
    for (i = 0; i < model_nr_lists(model) && !place; i++)
        for (j = 0; j < model_numbered(model, i)->nr && !place; j++)
            place = find_in(model_numbered(model, i)->block[j], node);
    return place;
}

void model_move_block(struct model *model, const struct model_node *node, struct model_list *to)
{
    unsigned i, j;

    for (i = 0; i < model_nr_lists(model); i++) {
        struct model_list *from = model_numbered(model, i);

        for (j = 0; j < from->nr; j++) {
            struct model_block *block = from->block[j];

            if (!find_in(block, node))
                continue;
            if (from != model_parked(model, node->type))
                return; /* no scan would come by there; on any other list it stays */
            model_unlink(model, from, j);
            model_link(to, to->nr, block);
            return;
        }
    }
}
