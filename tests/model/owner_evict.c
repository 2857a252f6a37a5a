/* SPDX-License-Identifier: MIT */
/*
 * The random owner evicts: budgets, victims, and the ways they go; and it makes generations. See
 * rig.h.
 */
#include <limits.h>
#include <string.h>

#include "owner.h"

static void putback(struct rig *rig, unsigned i)
{
    struct genlru_victim victim = {&rig->node[i], rig_one_in(rig, 20) ? 0 : rig->shadow[i]};
    int answer = genlru_putback(rig->lru, &victim);

    rig_note(rig, "putback", i, victim.shadow != 0, 0, answer);
    owner_check_answer(rig, "genlru_putback", answer, model_putback(&rig->model, &rig->model_node[i], victim.shadow));
    if (answer == GENLRU_YOURS)
        owner_free_node(rig, i);
}

static void release(struct rig *rig, unsigned i)
{
    int answer = genlru_release(rig->lru, &rig->node[i]);

    rig_note(rig, "release", i, 0, 0, answer);
    owner_check_answer(rig, "genlru_release", answer, model_release(&rig->model, &rig->model_node[i]));
    if (answer == GENLRU_YOURS)
        owner_free_node(rig, i);
}

/* An isolated node, one of the ways it can go. */
static void dispose(struct rig *rig, unsigned i)
{
    switch (rig_below(rig, 8)) {
    case 0:
    case 1:
    case 2:
        putback(rig, i);
        break;
    case 3:
        release(rig, i);
        break;
    default:
        if (rig->model_node[i].state == MODEL_ISOLATED)
            owner_free_node(rig, i); /* won from the index */
        else
            release(rig, i);
        break;
    }
}

void owner_op_dispose(struct rig *rig)
{
    dispose(rig, owner_pick(rig, ISOLATED));
}

void owner_check_shadow(struct rig *rig, genlru_shadow shadow)
{
    struct genlru_shadow_info got, want;
    int answer;

    memset(&got, 0, sizeof(got));
    memset(&want, 0, sizeof(want));
    answer = genlru_shadow_read(rig->lru, shadow, &got);
    owner_check_answer(rig, "genlru_shadow_read", answer, model_shadow_read(&rig->model, shadow, &want));
    rig_equal(rig, "shadow distance", got.distance, want.distance);
    rig_equal(rig, "shadow gens", got.gens, want.gens);
    rig_equal(rig, "shadow refs", got.refs, want.refs);
    rig_equal(rig, "shadow freq", got.freq, want.freq);
    rig_equal(rig, "shadow type", got.type, want.type);
    rig_equal(rig, "shadow workingset", got.workingset, want.workingset);
    rig_equal(rig, "shadow is recent", got.is_recent, want.is_recent);
    rig_equal(rig, "shadow is foreign", got.is_foreign, want.is_foreign);
    if (!got.is_foreign) /* a made-up one says something else in each run */
        rig_digest(rig, got.distance << 32 | got.gens << 16 | (uint64_t)got.refs << 8 | (uint64_t)got.is_recent << 1 |
                            got.workingset);
}

/* Nodes that a call without limits may isolate. */
static unsigned count_evictable(const struct rig *rig, unsigned types)
{
    unsigned i, nr = 0;

    for (i = 0; i < rig->nr_nodes; i++)
        nr += rig->model_node[i].state == MODEL_LISTED && !rig->model_node[i].is_pinned &&
              (!types || types >> rig->model_node[i].type & 1);
    return nr;
}

static void check_result(struct rig *rig, const struct genlru_evict_result *got, const struct genlru_evict_result *want)
{
    rig_equal(rig, "evict: reason", got->reason, want->reason);
    rig_equal(rig, "evict: nodes", got->nodes, want->nodes);
    rig_equal(rig, "evict: charge", got->charge, want->charge);
    rig_equal(rig, "evict: scanned", got->scanned, want->scanned);
    rig_equal(rig, "evict: holes", got->holes, want->holes);
    rig_equal(rig, "evict: promoted", got->promoted, want->promoted);
    rig_equal(rig, "evict: protected", got->protected_, want->protected_);
    rig_equal(rig, "evict: parked", got->parked, want->parked);
    rig_equal(rig, "evict: aged", got->aged, want->aged);
    rig_digest(rig, got->reason | got->scanned << 8);
}

/* Both evict; the victims are what the shadows say they are. Returns how many. */
static unsigned evict(struct rig *rig, const struct genlru_budget *budget, size_t max)
{
    static const struct genlru_budget no_budget = {0, 0, 0, 0, 0, 0};
    struct genlru_evict_result got, want;
    unsigned evictable = count_evictable(rig, budget->types), nr_gone = 0, i;
    bool is_plain = memcmp(budget, &no_budget, sizeof(no_budget)) == 0;
    int answer, model_answer;

    memset(&got, 0, sizeof(got));
    memset(&want, 0, sizeof(want));
    answer = genlru_evict(rig->lru, is_plain ? NULL : budget, rig->victim, max, &got);
    model_answer = model_evict(&rig->model, budget, rig->model_victim, max, &want);
    rig_note(rig, "evict", (long long)budget->charge, (long long)budget->nodes, (long long)max, answer);
    for (i = 0; answer > 0 && i < (unsigned)answer && (int)i < model_answer; i++) {
        unsigned nr = (unsigned)(rig->victim[i].node - rig->node);

        rig_equal(rig, "victim", nr, (uint64_t)(rig->model_victim[i].node - rig->model_node));
        rig_equal(rig, "victim's shadow", rig->victim[i].shadow, rig->model_victim[i].shadow);
        rig->shadow[nr] = rig->victim[i].shadow;
        rig_digest(rig, nr);
        nr_gone++;
    }
    owner_check_answer(rig, "genlru_evict", answer, model_answer);
    if (answer < 0)
        return 0;
    check_result(rig, &got, &want);
    for (i = 0; i < nr_gone; i++)
        owner_check_shadow(rig, rig->victim[i].shadow);
    /* what lru.h promises, whatever the model thinks */
    if (!budget->scanned && !budget->deadline_ns && answer == 0 && evictable)
        rig_fail(rig, "a call without limits isolated none of %u nodes", evictable);
    return nr_gone;
}

void owner_op_evict(struct rig *rig)
{
    struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
    size_t max = 1 + rig_below(rig, rig_one_in(rig, 4) ? rig->nr_nodes : 8);
    unsigned nr, i;

    if (rig_one_in(rig, 2))
        budget.nodes = rig_below(rig, rig_one_in(rig, 2) ? 4 : 200);
    if (rig_one_in(rig, 4))
        budget.charge = rig_below(rig, rig_one_in(rig, 2) ? 10 : 1000);
    if (rig_one_in(rig, 4))
        budget.scanned = rig_below(rig, rig_one_in(rig, 2) ? 10 : 300);
    if (rig_one_in(rig, 8)) {
        budget.deadline_ns = rig->now + rig_below(rig, 8);
        rig->tick = rig->model.tick = rig_below(rig, 3);
    }
    if (rig_one_in(rig, 4))
        budget.types = (uint32_t)rig_below(rig, rig_one_in(rig, 8) ? 32 : 1u << rig->config.nr_types);
    if (rig_one_in(rig, 50))
        budget.flags = 1u << rig_below(rig, 2); /* the model waits for nobody, so there it may as well only try */
    if (rig_one_in(rig, 50))
        max = rig_one_in(rig, 2) ? 0 : (size_t)INT_MAX + 1;
    nr = evict(rig, &budget, max);
    rig->tick = rig->model.tick = 0;
    rig_equal(rig, "looks at the clock", rig->now, rig->model.now);
    for (i = 0; i < nr; i++)
        if (!rig_one_in(rig, 8))
            dispose(rig, (unsigned)(rig->victim[i].node - rig->node));
}

/* What a cache does: use it, or fetch it, and make room. */
void owner_op_request(struct rig *rig)
{
    unsigned i = (unsigned)rig_below(rig, 1 + rig_below(rig, rig->nr_nodes));
    struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
    unsigned nr;

    if (rig->model_node[i].state != MODEL_OFF) {
        rig_note(rig, "request", i, 0, 0, 0);
        genlru_access(rig->lru, &rig->node[i]);
        model_access(&rig->model, &rig->model_node[i]);
        return;
    }
    owner_add(rig, i, rig_one_in(rig, 4) ? GENLRU_ADD_MAPPED : 0, rig->shadow[i]);
    budget.charge = genlru_excess(rig->lru);
    if (budget.charge == 0)
        return;
    nr = evict(rig, &budget, 1 + rig_below(rig, 64));
    while (nr-- > 0)
        owner_free_node(rig, (unsigned)(rig->victim[nr].node - rig->node));
}

void owner_op_age(struct rig *rig)
{
    uint64_t budget = rig_one_in(rig, 2) ? 0 : 1 + rig_below(rig, 200);
    int answer;

    rig->tick = rig->model.tick = rig_below(rig, 3);
    answer = genlru_age(rig->lru, budget);
    rig_note(rig, "age", (long long)budget, 0, 0, answer);
    owner_check_answer(rig, "genlru_age", answer, model_age(&rig->model, budget));
    rig->tick = rig->model.tick = 0;
    rig_equal(rig, "looks at the clock", rig->now, rig->model.now);
}
