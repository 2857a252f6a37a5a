/* SPDX-License-Identifier: MIT */
/* The random owner: one operation after another, on the lru and on the model, right ones and wrong ones. See rig.h. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/check.h"
#include "gens/lru.h"
#include "rig.h"

enum { NO_NODE = -1, BAD_FLAG = 64 };

/* A node in one of `states` (bit by enum model_state), looked for from a random one on; or any one, now and then. */
static unsigned pick(struct rig *rig, unsigned states)
{
    unsigned start = (unsigned)rig_below(rig, rig->nr_nodes), i, nr;

    if (rig_one_in(rig, 3)) /* some are used more than others */
        start = (unsigned)rig_below(rig, start + 1);
    if (rig_one_in(rig, 16))
        return start;
    for (i = 0; i < 64; i++) {
        nr = (start + i) % rig->nr_nodes;
        if (states >> rig->model_node[nr].state & 1)
            return nr;
    }
    return start;
}

#define OFF (1u << MODEL_OFF)
#define LISTED (1u << MODEL_LISTED)
#define PARKED (1u << MODEL_PARKED)
#define ISOLATED (1u << MODEL_ISOLATED)
#define CONDEMNED (1u << MODEL_CONDEMNED)
#define ANY 31u

static void check_answer(struct rig *rig, const char *what, int library, int model)
{
    rig_equal(rig, what, (uint64_t)(int64_t)library, (uint64_t)(int64_t)model);
    rig_equal(rig, "misuses reported", rig->nr_misuses, rig->model.nr_misuses);
}

/* ---- nodes come and go ---- */

static uint64_t random_charge(struct rig *rig)
{
    switch (rig_below(rig, rig->options.is_calm ? 4 : 16)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return rig_below(rig, 100);
    case 4:
        return UINT32_MAX - rig_below(rig, 3);
    case 5:
        return rig_below(rig, UINT64_C(1) << 20);
    default:
        return 1;
    }
}

void owner_prepare(struct rig *rig, unsigned i)
{
    uint64_t charge = random_charge(rig);
    /* now and then a type that the lru does not have */
    unsigned type = (unsigned)rig_below(rig, rig_one_in(rig, 50) ? 4 : rig->config.nr_types);
    int answer = genlru_node_init(&rig->node[i], charge, type);

    rig_note(rig, "node_init", i, (long long)charge, type, answer);
    check_answer(rig, "genlru_node_init", answer, model_node_init(&rig->model_node[i], charge, type));
    check_answer(rig, "genlru_node_set_owner_bits", genlru_node_set_owner_bits(&rig->node[i], i % 8), 0);
}

/* The node's memory is the owner's: freed, and used for another node. */
static void free_node(struct rig *rig, unsigned i)
{
    check_answer(rig, "genlru_node_fini", genlru_node_fini(&rig->node[i]), 0);
    owner_prepare(rig, i);
}

static void op_prepare(struct rig *rig)
{
    unsigned i = pick(rig, OFF);

    if (rig->model_node[i].state == MODEL_OFF)
        free_node(rig, i);
    else if (!GENLRU__IS_CHECKED && rig->model_node[i].state != MODEL_ISOLATED)
        check_answer(rig, "genlru_node_fini of a node in use", genlru_node_fini(&rig->node[i]), -EBUSY);
}

/* A shadow for a node that is added: its own, an old or a foreign one, made-up ones, none. */
static genlru_shadow choose_shadow(struct rig *rig, unsigned i)
{
    const uint64_t clock_mask = (UINT64_C(1) << 26) - 1;
    struct model_node *node = &rig->model_node[i];
    genlru_shadow made_up;
    uint64_t bits;

    switch (rig_below(rig, 12)) {
    case 0:
        return 0;
    case 1: /* another node's */
        return rig->shadow[rig_below(rig, rig->nr_nodes)];
    case 2: /* of another lru */
        return rig->shadow[i] ? rig->shadow[i] ^ (1 + rig_below(rig, 0x7fff)) << 48 : 0;
    case 3: /* no shadow at all */
        return rig_random(rig) >> 1;
    case 4: /* of another lru, and random */
        bits = 1 + rig_below(rig, 0x7fff);
        return (rig_random(rig) >> 16) | (rig->model.tag ^ bits) << 48 | UINT64_C(1) << 63;
    case 5: /* of this one, with everything random but when it was */
        made_up = model_shadow_of(&rig->model, node) & ~(UINT64_C(0x3fff) << 34);
        made_up &= ~(clock_mask | UINT64_C(0xff) << 26);
        made_up |= rig_below(rig, 2) << 34;
        made_up |= rig_below(rig, 16) << 35;
        made_up |= rig_below(rig, 16) << 39;
        made_up |= rig_below(rig, 8) << 43;
        made_up |= rig_below(rig, 4) << 46;
        made_up |= ((rig->model.clock >> rig->model.clock_shift) - rig_below(rig, 2000)) & clock_mask;
        return made_up | ((rig->model.max_seq - rig_below(rig, 12)) & 0xff) << 26;
    default:
        return rig->shadow[i];
    }
}

static void add(struct rig *rig, unsigned i, unsigned flags, genlru_shadow shadow)
{
    struct genlru_add how = {.shadow = shadow, .flags = flags};
    bool is_plain = !shadow && !flags && rig_one_in(rig, 2);
    int answer = genlru_add(rig->lru, &rig->node[i], is_plain ? NULL : &how);

    rig_note(rig, "add", i, flags, (long long)shadow, answer);
    check_answer(rig, "genlru_add", answer, model_add(&rig->model, &rig->model_node[i], flags, shadow));
}

static void op_add(struct rig *rig)
{
    unsigned i = pick(rig, OFF);
    unsigned flags = rig_one_in(rig, 2) ? 0 : (unsigned)rig_below(rig, rig_one_in(rig, 20) ? 2 * BAD_FLAG : BAD_FLAG);

    add(rig, i, flags, choose_shadow(rig, i));
}

static void op_del(struct rig *rig)
{
    unsigned i = pick(rig, LISTED | PARKED);
    int answer = genlru_del(rig->lru, &rig->node[i]);

    rig_note(rig, "del", i, 0, 0, answer);
    check_answer(rig, "genlru_del", answer, model_del(&rig->model, &rig->model_node[i]));
    if (answer == GENLRU_YOURS && (rig->model_node[i].state == MODEL_ISOLATED || rig_one_in(rig, 2)))
        free_node(rig, i);
}

static void op_recharge(struct rig *rig)
{
    unsigned i = pick(rig, ANY);
    uint64_t charge = rig_one_in(rig, 20) ? UINT32_MAX + 1 + rig_below(rig, 3) : random_charge(rig);
    int answer = genlru_recharge(rig->lru, &rig->node[i], charge);

    rig_note(rig, "recharge", i, (long long)charge, 0, answer);
    check_answer(rig, "genlru_recharge", answer, model_recharge(&rig->model, &rig->model_node[i], charge));
}

/* ---- hits, advice, pins ---- */

static void op_access(struct rig *rig)
{
    unsigned i = pick(rig, LISTED), nr = rig_one_in(rig, 8) ? 12 : 1;

    rig_note(rig, "access", i, nr, 0, 0);
    while (nr-- > 0) {
        if (rig_one_in(rig, 4))
            genlru_access_call(rig->lru, &rig->node[i]);
        else
            genlru_access(rig->lru, &rig->node[i]);
        model_access(&rig->model, &rig->model_node[i]);
    }
}

static void op_access_batch(struct rig *rig)
{
    struct genlru_harvest harvest[40];
    unsigned nr = (unsigned)rig_below(rig, 40), j;

    for (j = 0; j < nr; j++) {
        unsigned i = pick(rig, LISTED);

        harvest[j].node = &rig->node[i];
        harvest[j].is_dear = rig_one_in(rig, 5);
        model_access_mapped(&rig->model, &rig->model_node[i], harvest[j].is_dear);
    }
    rig_note(rig, "access_batch", nr, 0, 0, 0);
    genlru_access_batch(rig->lru, harvest, nr);
}

static void op_advise(struct rig *rig)
{
    unsigned i = pick(rig, LISTED);
    int advice = (int)rig_below(rig, 8); /* 7 is none */
    int answer = genlru_advise(rig->lru, &rig->node[i], (enum genlru_advice)advice);

    rig_note(rig, "advise", i, advice, 0, answer);
    check_answer(rig, "genlru_advise", answer, model_advise(&rig->model, &rig->model_node[i], advice));
}

static void op_pin(struct rig *rig)
{
    unsigned i = pick(rig, LISTED);
    int answer = genlru_pin(rig->lru, &rig->node[i]);

    rig_note(rig, "pin", i, 0, 0, answer);
    check_answer(rig, "genlru_pin", answer, model_pin(&rig->model, &rig->model_node[i]));
}

static void unpin(struct rig *rig, unsigned i)
{
    int answer = genlru_unpin(rig->lru, &rig->node[i]);

    rig_note(rig, "unpin", i, 0, 0, answer);
    check_answer(rig, "genlru_unpin", answer, model_unpin(&rig->model, &rig->model_node[i]));
    if (answer == GENLRU_YOURS && rig_one_in(rig, 2))
        free_node(rig, i);
}

static void op_unpin(struct rig *rig)
{
    unsigned start = (unsigned)rig_below(rig, rig->nr_nodes), j, i = start;

    for (j = 0; j < rig->nr_nodes && !rig_one_in(rig, 200); j++) {
        i = (start + j) % rig->nr_nodes;
        if (rig->model_node[i].is_pinned)
            break;
    }
    unpin(rig, i);
}

/* ---- eviction ---- */

static void putback(struct rig *rig, unsigned i)
{
    struct genlru_victim victim = {&rig->node[i], rig_one_in(rig, 20) ? 0 : rig->shadow[i]};
    int answer = genlru_putback(rig->lru, &victim);

    rig_note(rig, "putback", i, victim.shadow != 0, 0, answer);
    check_answer(rig, "genlru_putback", answer, model_putback(&rig->model, &rig->model_node[i], victim.shadow));
    if (answer == GENLRU_YOURS)
        free_node(rig, i);
}

static void release(struct rig *rig, unsigned i)
{
    int answer = genlru_release(rig->lru, &rig->node[i]);

    rig_note(rig, "release", i, 0, 0, answer);
    check_answer(rig, "genlru_release", answer, model_release(&rig->model, &rig->model_node[i]));
    if (answer == GENLRU_YOURS)
        free_node(rig, i);
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
            free_node(rig, i); /* won from the index */
        else
            release(rig, i);
        break;
    }
}

static void op_dispose(struct rig *rig)
{
    dispose(rig, pick(rig, ISOLATED));
}

static void check_shadow(struct rig *rig, genlru_shadow shadow)
{
    struct genlru_shadow_info got, want;
    int answer;

    memset(&got, 0, sizeof(got));
    memset(&want, 0, sizeof(want));
    answer = genlru_shadow_read(rig->lru, shadow, &got);
    check_answer(rig, "genlru_shadow_read", answer, model_shadow_read(&rig->model, shadow, &want));
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
    check_answer(rig, "genlru_evict", answer, model_answer);
    if (answer < 0)
        return 0;
    check_result(rig, &got, &want);
    for (i = 0; i < nr_gone; i++)
        check_shadow(rig, rig->victim[i].shadow);
    /* what lru.h promises, whatever the model thinks */
    if (!budget->scanned && !budget->deadline_ns && answer == 0 && evictable)
        rig_fail(rig, "a call without limits isolated none of %u nodes", evictable);
    return nr_gone;
}

static void op_evict(struct rig *rig)
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
        budget.flags = 1;
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
static void op_request(struct rig *rig)
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
    add(rig, i, rig_one_in(rig, 4) ? GENLRU_ADD_MAPPED : 0, rig->shadow[i]);
    budget.charge = genlru_excess(rig->lru);
    if (budget.charge == 0)
        return;
    nr = evict(rig, &budget, 1 + rig_below(rig, 64));
    while (nr-- > 0)
        free_node(rig, (unsigned)(rig->victim[nr].node - rig->node));
}

static void op_age(struct rig *rig)
{
    uint64_t budget = rig_one_in(rig, 2) ? 0 : 1 + rig_below(rig, 200);
    int answer;

    rig->tick = rig->model.tick = rig_below(rig, 3);
    answer = genlru_age(rig->lru, budget);
    rig_note(rig, "age", (long long)budget, 0, 0, answer);
    check_answer(rig, "genlru_age", answer, model_age(&rig->model, budget));
    rig->tick = rig->model.tick = 0;
    rig_equal(rig, "looks at the clock", rig->now, rig->model.now);
}

/* ---- the rest ---- */

static void op_capacity(struct rig *rig)
{
    static const uint64_t capacities[] = {0, 1, 10, 1000, GENLRU_NO_LIMIT};
    uint64_t capacity = rig_one_in(rig, 2) ? rig_below(rig, 2 * rig->nr_nodes) : capacities[rig_below(rig, 5)];

    if (rig->options.has_capacity)
        capacity = rig->options.capacity;
    rig_note(rig, "set_capacity", (long long)capacity, 0, 0, 0);
    genlru_set_capacity(rig->lru, capacity);
    rig->model.capacity = capacity;
}

/* None of this may change anything: what follows would tell. */
static void op_look(struct rig *rig)
{
    struct genlru_stat stat = {.size = sizeof(stat)};
    struct genlru_workingset workingset = {.size = sizeof(workingset)};
    struct genlru_gen_stat gens[4];
    char text[40], all[32768];
    size_t length;

    rig_note(rig, "look", 0, 0, 0, 0);
    check_answer(rig, "genlru_stat", genlru_stat(rig->lru, &stat), 0);
    check_answer(rig, "genlru_workingset", genlru_workingset(rig->lru, &workingset), 0);
    check_answer(rig, "genlru_stat_gens", genlru_stat_gens(rig->lru, 0, gens, 4), (int)model_width(&rig->model, 0));
    check_answer(rig, "genlru_verify", genlru_verify(rig->lru, NULL, 0), 0);
    length = genlru_dump(rig->lru, all, sizeof(all));
    rig_equal(rig, "length of the dump", length, strlen(all));
    rig_equal(rig, "length of the cut dump", genlru_dump(rig->lru, text, sizeof(text)), length);
    rig_equal(rig, "the cut dump is its beginning", (uint64_t)memcmp(text, all, sizeof(text) - 1), 0);
    rig_equal(rig, "length of no dump", genlru_dump(rig->lru, NULL, 0), length);
    check_shadow(rig, choose_shadow(rig, (unsigned)rig_below(rig, rig->nr_nodes)));
}

static void op_trim(struct rig *rig)
{
    uint64_t pieces = 4 + 2 * model_nr_linked(&rig->model);

    rig_note(rig, "trim", 0, 0, 0, 0);
    rig_equal(rig, "genlru_trim", genlru_trim(rig->lru), 0); /* slabs of the owner's allocator stay */
    do
        model_compact(&rig->model);
    while (--pieces > 0 && model_is_sparse(&rig->model));
}

static void op_memory(struct rig *rig)
{
    if (!rig->options.is_calm)
        rig->has_no_memory = rig->model.has_no_memory = !rig->has_no_memory && rig_one_in(rig, 2);
    rig_note(rig, "memory", !rig->has_no_memory, 0, 0, 0);
}

static void op_clock(struct rig *rig)
{
    rig->now += rig_below(rig, UINT64_C(1) << 40);
    rig->model.now = rig->now;
}

static void op_owner_bits(struct rig *rig)
{
    unsigned i = pick(rig, ANY);
    unsigned bits = 8 + (unsigned)rig_below(rig, 100);

    check_answer(rig, "owner bits beyond 7", genlru_node_set_owner_bits(&rig->node[i], bits), -EINVAL);
    check_answer(rig, "owner bits", genlru_node_set_owner_bits(&rig->node[i], i % 8), 0);
}

/* Arguments that are refused whatever the state is. */
static void op_misuse(struct rig *rig)
{
    struct genlru_config config = rig->config;
    struct genlru_stat stat = {.size = 0};
    struct genlru_workingset workingset = {.size = 0};
    struct genlru_node *node = &rig->node[0], before = *node;
    struct genlru *lru = rig->lru, *other = NULL;
    unsigned i;

    rig_note(rig, "misuse", 0, 0, 0, 0);
    config.nr_gens = 2;
    check_answer(rig, "create with 2 generations", genlru_create(&config, &other), -EINVAL);
    check_answer(rig, "add of no node", genlru_add(lru, NULL, NULL), -EINVAL);
    check_answer(rig, "add to no lru", genlru_add(NULL, node, NULL), -EINVAL);
    check_answer(rig, "del of no node", genlru_del(lru, NULL), -EINVAL);
    check_answer(rig, "pin of no node", genlru_pin(lru, NULL), -EINVAL);
    check_answer(rig, "unpin of no node", genlru_unpin(lru, NULL), -EINVAL);
    check_answer(rig, "recharge of no node", genlru_recharge(lru, NULL, 1), -EINVAL);
    check_answer(rig, "advise of no node", genlru_advise(lru, NULL, GENLRU_ADVICE_COLD), -EINVAL);
    check_answer(rig, "putback of nothing", genlru_putback(lru, NULL), -EINVAL);
    check_answer(rig, "release of no node", genlru_release(lru, NULL), -EINVAL);
    check_answer(rig, "evict to nowhere", genlru_evict(lru, NULL, NULL, 1, NULL), -EINVAL);
    check_answer(rig, "age of nothing", genlru_age(NULL, 0), -EINVAL);
    check_answer(rig, "stat without a size", genlru_stat(lru, &stat), -EINVAL);
    check_answer(rig, "workingset without a size", genlru_workingset(lru, &workingset), -EINVAL);
    check_answer(rig, "generations of no type", genlru_stat_gens(lru, rig->config.nr_types, NULL, 0), -EINVAL);
    check_answer(rig, "init of a heavy node", genlru_node_init(node, UINT64_C(1) << 32, 0), -ERANGE);
    check_answer(rig, "init of type 4", genlru_node_init(node, 1, 4), -EINVAL);
    check_answer(rig, "init of no node", genlru_node_init(NULL, 1, 0), -EINVAL);
    rig_equal(rig, "a refused call changed a node", (uint64_t)memcmp(node, &before, sizeof(before)), 0);
    for (i = 0; i < rig->nr_nodes; i++)
        if (rig->model_node[i].state == MODEL_LISTED || rig->model_node[i].state == MODEL_PARKED)
            break;
    if (i < rig->nr_nodes) {
        rig->model.nr_misuses++;
        check_answer(rig, "destroy of an lru with nodes", genlru_destroy(lru), -EBUSY);
    }
}

static const struct {
    void (*run)(struct rig *rig);
    unsigned weight;
} operations[] = {
    {op_request, 40}, {op_add, 30},   {op_access, 40}, {op_access_batch, 3}, {op_advise, 8},     {op_pin, 6},
    {op_unpin, 7},    {op_del, 15},   {op_recharge, 6}, {op_evict, 15},      {op_dispose, 12},   {op_age, 3},
    {op_capacity, 1}, {op_look, 1},   {op_trim, 1},    {op_memory, 2},       {op_clock, 2},      {op_owner_bits, 1},
    {op_misuse, 1},   {op_prepare, 2},
};

enum { NR_OPERATIONS = sizeof(operations) / sizeof(operations[0]) };

/* Another mix: some operations not at all for a while, others more often. */
static void shift_mix(struct rig *rig)
{
    static const unsigned factors[] = {0, 1, 1, 1, 2, 6};
    unsigned i;

    rig->phase_left = 20 + rig_below(rig, rig_one_in(rig, 4) ? 20000 : 1000);
    for (i = 0; i < NR_OPERATIONS; i++)
        rig->weight[i] = operations[i].weight * factors[rig_below(rig, 6)];
    rig->weight[0]++; /* never none at all */
}

void owner_step(struct rig *rig)
{
    unsigned sum = 0, at, i;

    if (rig->phase_left-- == 0)
        shift_mix(rig);
    for (i = 0; i < NR_OPERATIONS; i++)
        sum += rig->weight[i];
    at = (unsigned)rig_below(rig, sum);
    for (i = 0; at >= rig->weight[i]; i++)
        at -= rig->weight[i];
    operations[i].run(rig);
}

void owner_empty(struct rig *rig)
{
    unsigned i;

    for (i = 0; i < rig->nr_nodes; i++) {
        struct model_node *node = &rig->model_node[i];
        int answer;

        if (node->state == MODEL_ISOLATED)
            free_node(rig, i);
        if (node->is_pinned)
            unpin(rig, i);
        if (node->state == MODEL_OFF)
            continue;
        answer = genlru_del(rig->lru, &rig->node[i]);
        rig_note(rig, "del", i, 0, 0, answer);
        check_answer(rig, "genlru_del", answer, model_del(&rig->model, node));
        rig_equal(rig, "a deleted node is the owner's", (uint64_t)answer, GENLRU_YOURS);
    }
}
