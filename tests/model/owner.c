/* SPDX-License-Identifier: MIT */
/*
 * The random owner: one operation after another, on the lru and on the model, right ones and wrong
 * ones. See rig.h.
 */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "gens/lru.h"
#include "owner.h"

enum { BAD_FLAG = 64 };

/*
 * A node in one of `states` (bit by enum model_state), looked for from a random one on; or any one,
 * now and then.
 */
unsigned owner_pick(struct rig *rig, unsigned states)
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

void owner_check_answer(struct rig *rig, const char *what, int library, int model)
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
    owner_check_answer(rig, "genlru_node_init", answer, model_node_init(&rig->model_node[i], charge, type));
    owner_check_answer(rig, "genlru_node_set_owner_bits", genlru_node_set_owner_bits(&rig->node[i], i % 8), 0);
}

/* The node's memory is the owner's: freed, and used for another node. */
void owner_free_node(struct rig *rig, unsigned i)
{
    owner_check_answer(rig, "genlru_node_fini", genlru_node_fini(&rig->node[i]), 0);
    owner_prepare(rig, i);
}

static void op_prepare(struct rig *rig)
{
    unsigned i = owner_pick(rig, OFF);

    if (rig->model_node[i].state == MODEL_OFF)
        owner_free_node(rig, i);
    else if (!GENLRU__IS_CHECKED && rig->model_node[i].state != MODEL_ISOLATED)
        owner_check_answer(rig, "genlru_node_fini of a node in use", genlru_node_fini(&rig->node[i]), -EBUSY);
}

/* A shadow for a node that is added: its own, an old or a foreign one, made-up ones, none. */
genlru_shadow owner_choose_shadow(struct rig *rig, unsigned i)
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

void owner_add(struct rig *rig, unsigned i, unsigned flags, genlru_shadow shadow)
{
    struct genlru_add how = {.shadow = shadow, .flags = flags};
    bool is_plain = !shadow && !flags && rig_one_in(rig, 2);
    int answer = genlru_add(rig->lru, &rig->node[i], is_plain ? NULL : &how);

    rig_note(rig, "add", i, flags, (long long)shadow, answer);
    owner_check_answer(rig, "genlru_add", answer, model_add(&rig->model, &rig->model_node[i], flags, shadow));
}

static void op_add(struct rig *rig)
{
    unsigned i = owner_pick(rig, OFF);
    unsigned flags = rig_one_in(rig, 2) ? 0 : (unsigned)rig_below(rig, rig_one_in(rig, 20) ? 2 * BAD_FLAG : BAD_FLAG);

    owner_add(rig, i, flags, owner_choose_shadow(rig, i));
}

static void op_del(struct rig *rig)
{
    unsigned i = owner_pick(rig, LISTED | PARKED);
    int answer = genlru_del(rig->lru, &rig->node[i]);

    rig_note(rig, "del", i, 0, 0, answer);
    owner_check_answer(rig, "genlru_del", answer, model_del(&rig->model, &rig->model_node[i]));
    if (answer == GENLRU_YOURS && (rig->model_node[i].state == MODEL_ISOLATED || rig_one_in(rig, 2)))
        owner_free_node(rig, i);
}

static void op_recharge(struct rig *rig)
{
    unsigned i = owner_pick(rig, ANY);
    uint64_t charge = rig_one_in(rig, 20) ? UINT32_MAX + 1 + rig_below(rig, 3) : random_charge(rig);
    int answer = genlru_recharge(rig->lru, &rig->node[i], charge);

    rig_note(rig, "recharge", i, (long long)charge, 0, answer);
    owner_check_answer(rig, "genlru_recharge", answer, model_recharge(&rig->model, &rig->model_node[i], charge));
}

/* ---- hits, advice, pins ---- */

static void op_access(struct rig *rig)
{
    unsigned i = owner_pick(rig, LISTED), nr = rig_one_in(rig, 8) ? 12 : 1;

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
        unsigned i = owner_pick(rig, LISTED);

        harvest[j].node = &rig->node[i];
        harvest[j].is_dear = rig_one_in(rig, 5);
        model_access_mapped(&rig->model, &rig->model_node[i], harvest[j].is_dear);
    }
    rig_note(rig, "access_batch", nr, 0, 0, 0);
    genlru_access_batch(rig->lru, harvest, nr);
}

static void op_advise(struct rig *rig)
{
    unsigned i = owner_pick(rig, LISTED);
    int advice = (int)rig_below(rig, 8); /* 7 is none */
    int answer = genlru_advise(rig->lru, &rig->node[i], (enum genlru_advice)advice);

    rig_note(rig, "advise", i, advice, 0, answer);
    owner_check_answer(rig, "genlru_advise", answer, model_advise(&rig->model, &rig->model_node[i], advice));
}

static void op_pin(struct rig *rig)
{
    unsigned i = owner_pick(rig, LISTED);
    int answer = genlru_pin(rig->lru, &rig->node[i]);

    rig_note(rig, "pin", i, 0, 0, answer);
    owner_check_answer(rig, "genlru_pin", answer, model_pin(&rig->model, &rig->model_node[i]));
}

static void unpin(struct rig *rig, unsigned i)
{
    int answer = genlru_unpin(rig->lru, &rig->node[i]);

    rig_note(rig, "unpin", i, 0, 0, answer);
    owner_check_answer(rig, "genlru_unpin", answer, model_unpin(&rig->model, &rig->model_node[i]));
    if (answer == GENLRU_YOURS && rig_one_in(rig, 2))
        owner_free_node(rig, i);
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
    owner_check_answer(rig, "genlru_stat", genlru_stat(rig->lru, &stat), 0);
    owner_check_answer(rig, "genlru_workingset", genlru_workingset(rig->lru, &workingset), 0);
    owner_check_answer(rig, "genlru_stat_gens", genlru_stat_gens(rig->lru, 0, gens, 4),
                       (int)model_width(&rig->model, 0));
    owner_check_answer(rig, "genlru_verify", genlru_verify(rig->lru, NULL, 0), 0);
    length = genlru_dump(rig->lru, all, sizeof(all));
    rig_equal(rig, "length of the dump", length, strlen(all));
    rig_equal(rig, "length of the cut dump", genlru_dump(rig->lru, text, sizeof(text)), length);
    rig_equal(rig, "the cut dump is its beginning", (uint64_t)memcmp(text, all, sizeof(text) - 1), 0);
    rig_equal(rig, "length of no dump", genlru_dump(rig->lru, NULL, 0), length);
    owner_check_shadow(rig, owner_choose_shadow(rig, (unsigned)rig_below(rig, rig->nr_nodes)));
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
    unsigned i = owner_pick(rig, ANY);
    unsigned bits = 8 + (unsigned)rig_below(rig, 100);

    owner_check_answer(rig, "owner bits beyond 7", genlru_node_set_owner_bits(&rig->node[i], bits), -EINVAL);
    owner_check_answer(rig, "owner bits", genlru_node_set_owner_bits(&rig->node[i], i % 8), 0);
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
    owner_check_answer(rig, "create with 2 generations", genlru_create(&config, &other), -EINVAL);
    owner_check_answer(rig, "add of no node", genlru_add(lru, NULL, NULL), -EINVAL);
    owner_check_answer(rig, "add to no lru", genlru_add(NULL, node, NULL), -EINVAL);
    owner_check_answer(rig, "del of no node", genlru_del(lru, NULL), -EINVAL);
    owner_check_answer(rig, "pin of no node", genlru_pin(lru, NULL), -EINVAL);
    owner_check_answer(rig, "unpin of no node", genlru_unpin(lru, NULL), -EINVAL);
    owner_check_answer(rig, "recharge of no node", genlru_recharge(lru, NULL, 1), -EINVAL);
    owner_check_answer(rig, "advise of no node", genlru_advise(lru, NULL, GENLRU_ADVICE_COLD), -EINVAL);
    owner_check_answer(rig, "putback of nothing", genlru_putback(lru, NULL), -EINVAL);
    owner_check_answer(rig, "release of no node", genlru_release(lru, NULL), -EINVAL);
    owner_check_answer(rig, "evict to nowhere", genlru_evict(lru, NULL, NULL, 1, NULL), -EINVAL);
    owner_check_answer(rig, "age of nothing", genlru_age(NULL, 0), -EINVAL);
    owner_check_answer(rig, "stat without a size", genlru_stat(lru, &stat), -EINVAL);
    owner_check_answer(rig, "workingset without a size", genlru_workingset(lru, &workingset), -EINVAL);
    owner_check_answer(rig, "generations of no type", genlru_stat_gens(lru, rig->config.nr_types, NULL, 0), -EINVAL);
    owner_check_answer(rig, "init of a heavy node", genlru_node_init(node, UINT64_C(1) << 32, 0), -ERANGE);
    owner_check_answer(rig, "init of type 4", genlru_node_init(node, 1, 4), -EINVAL);
    owner_check_answer(rig, "init of no node", genlru_node_init(NULL, 1, 0), -EINVAL);
    rig_equal(rig, "a refused call changed a node", (uint64_t)memcmp(node, &before, sizeof(before)), 0);
    for (i = 0; i < rig->nr_nodes; i++)
        if (rig->model_node[i].state == MODEL_LISTED || rig->model_node[i].state == MODEL_PARKED)
            break;
    if (i < rig->nr_nodes) {
        rig->model.nr_misuses++;
        owner_check_answer(rig, "destroy of an lru with nodes", genlru_destroy(lru), -EBUSY);
    }
}

static const struct {
    void (*run)(struct rig *rig);
    unsigned weight;
} operations[] = {
    {owner_op_request, 40}, {op_add, 30},         {op_access, 40},        {op_access_batch, 3},
    {op_advise, 8},         {op_pin, 6},          {op_unpin, 7},          {op_del, 15},
    {op_recharge, 6},       {owner_op_evict, 15}, {owner_op_dispose, 12}, {owner_op_age, 3},
    {op_capacity, 1},       {op_look, 1},         {op_trim, 1},           {op_memory, 2},
    {op_clock, 2},          {op_owner_bits, 1},   {op_misuse, 1},         {op_prepare, 2},
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
            owner_free_node(rig, i);
        if (node->is_pinned)
            unpin(rig, i);
        if (node->state == MODEL_OFF)
            continue;
        answer = genlru_del(rig->lru, &rig->node[i]);
        rig_note(rig, "del", i, 0, 0, answer);
        owner_check_answer(rig, "genlru_del", answer, model_del(&rig->model, node));
        rig_equal(rig, "a deleted node is the owner's", (uint64_t)answer, GENLRU_YOURS);
    }
}
