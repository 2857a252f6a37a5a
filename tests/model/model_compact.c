/* SPDX-License-Identifier: MIT */
/*
 * Compaction: neighbours in a list that fit into one block become one, in order. What is compacted
 * never matters to the order of nodes, when it is shows in how many holes are passed: so the model
 * follows the library's pace (src/gens/compact.h), and changes with it.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { LOOKS = 16, MERGES = 4, BEGIN_BELOW = 33 };

static void count_blocks(const struct model *model, uint64_t *ret_linked, uint64_t *ret_nonempty)
{
    unsigned i;

    *ret_linked = model_nr_linked(model);
    for (*ret_nonempty = 0, i = 0; i < model_nr_lists(model); i++)
        *ret_nonempty += model_numbered((struct model *)model, i)->nr > 0;
}

/* Invariant 7 fails with this last term. Nodes are counted only where their number matters. */
static bool is_sparse_beyond(struct model *model, uint64_t behind)
{
    uint64_t linked, nonempty;

    count_blocks(model, &linked, &nonempty);
    if (linked <= nonempty + behind)
        return false;
    model->live_hint = model_sum(model).nodes;
    return MODEL_PLACES * linked > 2 * model->live_hint + MODEL_PLACES * (nonempty + behind);
}

bool model_is_sparse(struct model *model)
{
    return is_sparse_beyond(model, 0);
}

/* A pass begins a little earlier, and then goes on to its end. */
static bool is_pass_due(struct model *model)
{
    uint64_t linked, nonempty;

    count_blocks(model, &linked, &nonempty);
    model->live_hint = 0;
    if (linked <= nonempty)
        return false;
    model->live_hint = model_sum(model).nodes;
    return BEGIN_BELOW * (linked - nonempty) > model->live_hint;
}

/*
 * Both blocks' nodes into the older one, from where its scan stands, or from its start if they do
 * not fit there.
 */
static void merge(struct model *model, struct model_list *list, unsigned nr)
{
    struct model_block *old = list->block[nr], *young = list->block[nr + 1];
    struct model_block merged = {.begin = old->begin};
    unsigned nr_old = model_count(old), i, at = 0;

    for (i = old->begin; i < old->end; i++)
        if (old->place[i])
            model->stat.compacted += i != old->begin + at++;
    if (old->begin + nr_old + model_count(young) > MODEL_PLACES) {
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
    model->stat.compacted += model_count(young);
    memset(young, 0, sizeof(*young));
    *old = merged;
    model_drop(model, list, nr + 1);
}

/* The block under the cursor, in *ret_list at *ret_nr; false if there is no block at all. */
static bool seek(struct model *model, struct model_list **ret_list, unsigned *ret_nr)
{
    unsigned i;

    for (i = 0; !model->cursor_block && i <= model_nr_lists(model); i++) {
        if (model->cursor_list >= model_nr_lists(model))
            model->cursor_list = 0;
        if (model_numbered(model, model->cursor_list)->nr > 0)
            model->cursor_block = model_numbered(model, model->cursor_list)->block[0];
        else
            model->cursor_list++;
    }
    if (!model->cursor_block)
        return false;
    *ret_list = model_numbered(model, model->cursor_list);
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

    model->is_compaction_due = false;
    if (model->behind == 0) {
        if (!is_pass_due(model))
            return;
        model->behind = model_nr_linked(model);
    }
    for (looks = 0; looks < LOOKS && merges < MERGES && model->behind > 0; looks++) {
        if (!seek(model, &list, &nr))
            break;
        model->behind--;
        if (model_count(list->block[nr]) == 0) {
            model_drop(model, list, nr);
        } else if (nr + 1 < list->nr &&
                   model_count(list->block[nr]) + model_count(list->block[nr + 1]) <= MODEL_PLACES) {
            merge(model, list, nr);
            merges++;
        } else {
            model->cursor_block = nr + 1 < list->nr ? list->block[nr + 1] : NULL;
            if (!model->cursor_block)
                model->cursor_list = model_number_of(model, list) + 1;
        }
    }
    linked = model_nr_linked(model);
    if (linked < model->behind || is_sparse_beyond(model, model->behind))
        model->behind = linked;
}

/* Sparse blocks were linked, or it may be that evictions left them over. */
void model_compact_if_due(struct model *model)
{
    uint64_t linked, nonempty;

    count_blocks(model, &linked, &nonempty);
    if (model->is_compaction_due || (linked > nonempty && MODEL_PLACES * (linked - nonempty) > 2 * model->live_hint))
        model_compact(model);
}
