/* SPDX-License-Identifier: MIT */
/* Lists of blocks, where the blocks come from, and their compaction. See model.h. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { DELETES_PER_LOOK = 64, LOOKS = 16, MERGES = 4, MAX_GROWTH = 4096 };

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
static unsigned nr_lists(const struct model *model)
{
    return model->nr_types * (model->nr_rings + 2);
}

static struct model_list *numbered(struct model *model, unsigned nr)
{
    return &model->list[nr / (model->nr_rings + 2)][nr % (model->nr_rings + 2)];
}

static unsigned number_of(struct model *model, const struct model_list *list)
{
    return list->type * (model->nr_rings + 2) + (unsigned)(list - model->list[list->type]);
}

bool model_has_open(const struct model *model, const struct model_list *list)
{
    unsigned i;

    for (i = 0; i < MODEL_OPEN; i++)
        if (model->open[i].block && model->open[i].list == list)
            return true;
    return false;
}

bool model_has_blocks(const struct model *model, const struct model_list *list)
{
    return list->nr > 0 || model_has_open(model, list);
}

static unsigned count(const struct model_block *block)
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

    for (i = 0; i < nr_lists(model); i++)
        nr += numbered((struct model *)model, i)->nr;
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

/* `nr` blocks from the pool, which grows by an eighth; all of them or none. */
static bool take_from_pool(struct model *model, unsigned nr)
{
    uint64_t growth;
    unsigned i;

    for (i = 0; i < nr; i++) {
        if (model->pool_free == 0) {
            if (model->has_no_memory) {
                model->pool_free += i;
                return false;
            }
            growth = model->pool_blocks / 8;
            growth = growth < 1 ? 1 : growth > MAX_GROWTH ? MAX_GROWTH : growth;
            model->pool_blocks += growth;
            model->pool_free += growth;
        }
        model->pool_free--;
    }
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
            model->cursor_list = number_of(model, list) + 1;
    }
    memmove(&list->block[nr], &list->block[nr + 1], (list->nr - nr - 1) * sizeof(*list->block));
    list->nr--;
}

void model_drop(struct model *model, struct model_list *list, unsigned nr)
{
    struct model_block *block = list->block[nr];

    if (count(block) != 0)
        abort();
    model_unlink(model, list, nr);
    give_back(model, block);
}

/* ---- adds and moves ---- */

static void hand_over(struct model *model, struct model_open *open)
{
    struct model_list *list = open->list;

    model_link(list, list->nr, open->block);
    if (count(open->block) == 0)
        model_drop(model, list, list->nr - 1);
    open->block = NULL;
}

void model_flush(struct model *model, struct model_list *list)
{
    unsigned i;

    for (i = 0; i < MODEL_OPEN; i++)
        if (model->open[i].block && (!list || model->open[i].list == list))
            hand_over(model, &model->open[i]);
}

static void use_first(struct model *model, unsigned i)
{
    struct model_open used = model->open[i];

    for (; i > 0; i--)
        model->open[i] = model->open[i - 1];
    model->open[0] = used;
}

struct model_node **model_open_place(struct model *model, struct model_list *list)
{
    unsigned i, nr, wanted;

    for (i = 0; i < MODEL_OPEN; i++)
        if (model->open[i].block && model->open[i].list == list)
            break;
    if (i == MODEL_OPEN || model->open[i].block->end == MODEL_PLACES) {
        if (i == MODEL_OPEN)
            for (i = 0; i < MODEL_OPEN - 1 && model->open[i].block; i++)
                ;
        wanted = 1 + MODEL_RESERVE - (unsigned)model->reserve;
        if (!take_from_pool(model, wanted))
            return NULL;
        if (model->open[i].block)
            hand_over(model, &model->open[i]);
        model->open[i].block = new_block();
        model->open[i].list = list;
        for (nr = 1; nr < wanted; nr++) {
            if (model->reserve < MODEL_RESERVE)
                model->reserve++;
            else
                model->pool_free++;
        }
        if (model->policy.probation.percent)
            model->fullness = model_sum(model).charge;
    }
    use_first(model, i);
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
    for (i = 0; i < nr_lists(model) && !place; i++)
        for (j = 0; j < numbered(model, i)->nr && !place; j++)
            place = find_in(numbered(model, i)->block[j], node);
    return place;
}

/* ---- compaction: neighbours that fit into one block become one, in order ---- */

bool model_is_sparse(const struct model *model)
{
    uint64_t linked = 0, nonempty = 0;
    unsigned i;

    for (i = 0; i < nr_lists(model); i++) {
        linked += numbered((struct model *)model, i)->nr;
        nonempty += numbered((struct model *)model, i)->nr > 0;
    }
    return MODEL_PLACES * linked > 2 * model_sum(model).nodes + MODEL_PLACES * nonempty;
}

/* Both blocks' nodes into the older one, from where its scan stands, or from its start if they do not fit there. */
static void merge(struct model *model, struct model_list *list, unsigned nr)
{
    struct model_block *old = list->block[nr], *young = list->block[nr + 1];
    struct model_block merged = {.begin = old->begin};
    unsigned nr_old = count(old), i, at = 0;

    for (i = old->begin; i < old->end; i++)
        if (old->place[i])
            model->stat.compacted += i != old->begin + at++;
    if (old->begin + nr_old + count(young) > MODEL_PLACES) {
        merged.begin = 0;
        model->stat.compacted += nr_old;
    }
    merged.end = merged.begin;
    for (i = 0; i < MODEL_PLACES; i++)
        if (old->place[i])
            merged.place[merged.end++] = old->place[i];
    for (i = 0; i < MODEL_PLACES; i++)
        if (young->place[i])
            merged.place[merged.end++] = young->place[i];
    model->stat.compacted += count(young);
    memset(young, 0, sizeof(*young));
    *old = merged;
    model_drop(model, list, nr + 1);
}

/* The block under the cursor, in *ret_list at *ret_nr; false if there is no block at all. */
static bool seek(struct model *model, struct model_list **ret_list, unsigned *ret_nr)
{
    unsigned i;

    for (i = 0; !model->cursor_block && i <= nr_lists(model); i++) {
        if (model->cursor_list >= nr_lists(model))
            model->cursor_list = 0;
        if (numbered(model, model->cursor_list)->nr > 0)
            model->cursor_block = numbered(model, model->cursor_list)->block[0];
        else
            model->cursor_list++;
    }
    if (!model->cursor_block)
        return false;
    *ret_list = numbered(model, model->cursor_list);
    for (*ret_nr = 0; (*ret_list)->block[*ret_nr] != model->cursor_block; ++*ret_nr)
        if (*ret_nr + 1 == (*ret_list)->nr)
            abort();
    return true;
}

void model_compact(struct model *model)
{
    struct model_list *list;
    unsigned looks, merges = 0, nr;
    uint64_t linked;

    if (!model_is_sparse(model)) {
        model->behind = 0;
        return;
    }
    if (model->behind == 0)
        model->behind = model_nr_linked(model);
    for (looks = 0; looks < LOOKS && merges < MERGES && model->behind > 0; looks++) {
        if (!seek(model, &list, &nr))
            break;
        model->behind--;
        if (count(list->block[nr]) == 0) {
            model_drop(model, list, nr);
        } else if (nr + 1 < list->nr && count(list->block[nr]) + count(list->block[nr + 1]) <= MODEL_PLACES) {
            merge(model, list, nr);
            merges++;
        } else {
            model->cursor_block = nr + 1 < list->nr ? list->block[nr + 1] : NULL;
            if (!model->cursor_block)
                model->cursor_list = number_of(model, list) + 1;
        }
    }
    linked = model_nr_linked(model);
    if (linked < model->behind)
        model->behind = linked;
}

/* A delete has left a hole: every 64th one looks after them. */
void model_made_hole(struct model *model)
{
    if (++model->nr_holes_made % DELETES_PER_LOOK == 0)
        model_compact(model);
}
