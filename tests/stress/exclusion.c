/* SPDX-License-Identifier: MIT */
/*
 * The exclusion matrix of genlru/lru.h: every pair of calls that it allows on one node is made to meet there, from
 * every state in which both make sense. Then groups of three and four.
 *
 *   round:  prepare NR_NODES nodes ─▶ barrier ─▶ role 0 │ role 1 │ ... on the same nodes ─▶ barrier ─▶ check ─▶ empty
 *
 * A role that works on given nodes walks over them in order and waits a moment at each for the others (a gate); a mover
 * (evict, age, ...) goes on until they are through. What is checked:
 *
 *   - a node whose removal from the owner's index was won is given up exactly once, and no other node is
 *   - what was not removed is listed, and nothing else is; no call was refused
 *   - genlru_verify; nodes and charge of the lru are those of the listed nodes
 *   - the eviction clock is the charge of what was isolated and not put back
 *
 * Where no role touches nodes without owning, holding or having removed them, a node is freed the moment it is given
 * up, so that the sanitizers see any later touch. Elsewhere the frees wait for the end of the round, as the owner's
 * own lock or read section would make them. Each role reads the entry before its last call on it, so that TSan sees a
 * hand-over without order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "genlru/genlru.h"
#include "stress.h"

enum { NR_NODES = 24, MAX_ROLES = 4, NR_VARIANTS = 2, PAIR_ROUNDS = 10, GROUP_ROUNDS = 100 };
enum { CAPACITY = 4000, MAX_CHARGE = 100, MAX_CALLS = 2000, CALLS_ALONE = 3 };

enum state { OFF, LISTED, PINNED, PARKED, ISOLATED, NR_STATES };
static const char *const state_name[NR_STATES] = {"off", "listed", "pinned", "parked", "isolated"};

struct entry {
    struct genlru_node node;
    unsigned key;
    unsigned payload; /* plain: read by everyone who may */
};

enum { PAYLOAD = 0x5eed, FREED = 0xdead };

struct world;
struct role {
    const char *name;
    const char *cell; /* its row and column in the matrix, or "evict" for what stands for it */
    unsigned states;  /* bit s: makes sense on nodes in state s */
    bool is_mover;    /* goes on until the walkers are through */
    bool borrows;     /* touches nodes that it neither owns nor holds: frees wait for the end of the round */
    void (*run)(struct world *world, struct stress_random *random);
};

struct world {
    struct genlru *lru;
    const struct role *role[MAX_ROLES];
    unsigned nr_roles;
    unsigned nr_walkers;
    enum state before;
    bool frees_at_once;
    unsigned rounds;
    uint64_t seed;
    struct stress_barrier barrier;

    struct entry *entry[NR_NODES]; /* written between barriers only */
    struct entry *index[NR_NODES]; /* the owner's index: atomic */
    genlru_shadow shadow[NR_NODES];
    unsigned gate[NR_NODES];
    unsigned removed[NR_NODES]; /* from the index, by whomever; relaxed atomics, like the rest */
    unsigned given_up[NR_NODES];
    unsigned is_held[NR_NODES]; /* pinned by main or by role_pin: main unpins at the end */
    unsigned is_ours[NR_NODES]; /* isolated, and main has yet to dispose of it */
    unsigned walkers_left;
    uint64_t clock;  /* what the eviction clock should be */
    uint64_t nr_met; /* calls that left the free to the other of two parties */
};

static void count(unsigned *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void read_payload(const struct entry *e)
{
    STRESS_CHECK(e->payload == PAYLOAD, "key %u: an entry that was freed, or is not ours", e->key);
}

/* The last owner's: what was isolated stays in the eviction clock. */
static void destroy_entry(struct world *world, struct entry *e)
{
    read_payload(e);
    if (genlru_node_is_isolated(&e->node))
        __atomic_fetch_add(&world->clock, genlru_node_charge(&e->node), __ATOMIC_RELAXED);
    e->payload = FREED;
    free(e);
}

/* The caller was told that the entry is its own. */
static void give_up(struct world *world, struct entry *e)
{
    count(&world->given_up[e->key]);
    if (world->frees_at_once)
        destroy_entry(world, e);
}

/* True if the caller is the one who removed the entry. */
static bool index_remove(struct world *world, struct entry *e)
{
    struct entry *expected = e;
    unsigned key = e->key;

    if (!__atomic_compare_exchange_n(&world->index[key], &expected, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    count(&world->removed[key]);
    return true;
}

/* ---- roles: walkers ----------------------------------------------------------------------------------- */

/* Each node in order, all walkers close together. */
#define FOR_EACH_NODE(world, key)                 \
    for (unsigned key = 0; key < NR_NODES; key++) \
        if (stress_gate(&(world)->gate[key], (world)->nr_walkers), true)

static struct genlru_node *node_of(struct world *world, unsigned key)
{
    return &world->entry[key]->node;
}

static void role_add(struct world *world, struct stress_random *random)
{
    FOR_EACH_NODE(world, key)
    {
        struct genlru_add how = {0, 0, 0, stress_once_in(random, 2) ? (unsigned)GENLRU_ADD_COLD : 0};

        STRESS_CHECK(genlru_add(world->lru, node_of(world, key), &how) == 0, "add");
    }
}

/* The inserter's contract: pinned, into the index, unpin and look. */
static void role_insert(struct world *world, struct stress_random *random)
{
    FOR_EACH_NODE(world, key)
    {
        struct genlru_add how = {0, 0, 0,
                                 GENLRU_ADD_PINNED | (stress_once_in(random, 2) ? (unsigned)GENLRU_ADD_COLD : 0)};
        struct entry *e = world->entry[key];
        int result;

        STRESS_CHECK(genlru_add(world->lru, &e->node, &how) == 0, "add");
        __atomic_store_n(&world->index[key], e, __ATOMIC_RELEASE);
        read_payload(e);
        result = genlru_unpin(world->lru, &e->node);
        STRESS_CHECK(result >= 0, "unpin: %d", result);
        if (result == GENLRU_YOURS)
            give_up(world, e);
    }
}

static void role_access(struct world *world, struct stress_random *random)
{
    FOR_EACH_NODE(world, key)
    {
        unsigned nr = 1 + stress_below(random, 4);

        while (nr-- > 0)
            genlru_access(world->lru, node_of(world, key));
    }
}

static void role_batch(struct world *world, struct stress_random *random)
{
    FOR_EACH_NODE(world, key)
    {
        struct genlru_harvest harvest[3];
        unsigned i;

        for (i = 0; i < 3; i++)
            harvest[i] = (struct genlru_harvest){node_of(world, (key + i) % NR_NODES), stress_once_in(random, 4)};
        genlru_access_batch(world->lru, harvest, 3);
    }
}

static void role_recharge(struct world *world, struct stress_random *random)
{
    FOR_EACH_NODE(world, key)
    STRESS_CHECK(genlru_recharge(world->lru, node_of(world, key), stress_below(random, MAX_CHARGE)) == 0, "recharge");
}

static void role_advise(struct world *world, struct stress_random *random)
{
    FOR_EACH_NODE(world, key)
    {
        enum genlru_advice advice = (enum genlru_advice)stress_below(random, GENLRU_ADVICE_PREFETCHED + 1);

        STRESS_CHECK(genlru_advise(world->lru, node_of(world, key), advice) == 0, "advise");
        STRESS_CHECK(genlru_node_set_owner_bits(node_of(world, key), key & 7) == 0, "owner bits");
    }
}

/* Removes from the index, then deletes; an insert may be still to come. */
static void role_del(struct world *world, struct stress_random *random)
{
    (void)random;
    FOR_EACH_NODE(world, key)
    {
        struct entry *e = __atomic_exchange_n(&world->index[key], NULL, __ATOMIC_ACQ_REL);
        int result;

        if (!e)
            continue;
        count(&world->removed[key]);
        read_payload(e);
        result = genlru_del(world->lru, &e->node);
        STRESS_CHECK(result >= 0, "key %u: del: %d", key, result);
        if (result == GENLRU_YOURS)
            give_up(world, e);
        else
            __atomic_fetch_add(&world->nr_met, 1, __ATOMIC_RELAXED);
    }
}

static void role_pin(struct world *world, struct stress_random *random)
{
    (void)random;
    FOR_EACH_NODE(world, key)
    if (genlru_pin(world->lru, node_of(world, key)) == 0)
        count(&world->is_held[key]);
}

static void unpin_and_look(struct world *world, struct entry *e)
{
    int result;

    read_payload(e);
    result = genlru_unpin(world->lru, &e->node);
    STRESS_CHECK(result >= 0, "unpin: %d", result);
    if (result == GENLRU_YOURS)
        give_up(world, e);
}

/* One holder: pins, and unpins two nodes later. */
static void role_hold(struct world *world, struct stress_random *random)
{
    struct entry *held[NR_NODES + 2] = {NULL};

    (void)random;
    FOR_EACH_NODE(world, key)
    {
        if (genlru_pin(world->lru, node_of(world, key)) == 0)
            held[key + 2] = world->entry[key];
        if (held[key])
            unpin_and_look(world, held[key]);
    }
    for (unsigned key = NR_NODES; key < NR_NODES + 2; key++)
        if (held[key])
            unpin_and_look(world, held[key]);
}

/* What main pinned. */
static void role_unpin(struct world *world, struct stress_random *random)
{
    (void)random;
    FOR_EACH_NODE(world, key)
    {
        world->is_held[key] = 0;
        unpin_and_look(world, world->entry[key]);
    }
}

static void putback_and_look(struct world *world, struct entry *e, genlru_shadow shadow)
{
    struct genlru_victim victim = {&e->node, shadow};
    int result;

    read_payload(e);
    result = genlru_putback(world->lru, &victim);
    STRESS_CHECK(result >= 0, "putback: %d", result);
    if (result == GENLRU_YOURS)
        give_up(world, e);
}

/* What main isolated. */
static void role_putback(struct world *world, struct stress_random *random)
{
    (void)random;
    FOR_EACH_NODE(world, key)
    {
        world->is_ours[key] = 0;
        putback_and_look(world, world->entry[key], world->shadow[key]);
    }
}

static void release_and_look(struct world *world, struct entry *e)
{
    int result;

    read_payload(e);
    result = genlru_release(world->lru, &e->node);
    STRESS_CHECK(result >= 0, "release: %d", result);
    if (result == GENLRU_YOURS)
        give_up(world, e);
    else
        __atomic_fetch_add(&world->nr_met, 1, __ATOMIC_RELAXED);
}

/* What main isolated, as an evictor that finds it removed already. Where no role deletes, main does so at the end. */
static void role_release(struct world *world, struct stress_random *random)
{
    (void)random;
    FOR_EACH_NODE(world, key)
    {
        world->is_ours[key] = 0;
        release_and_look(world, world->entry[key]);
    }
}

/* ---- roles: movers ------------------------------------------------------------------------------------ */

static bool go_on(struct world *world, unsigned nr_calls)
{
    if (world->nr_walkers == 0)
        return nr_calls < CALLS_ALONE;
    return __atomic_load_n(&world->walkers_left, __ATOMIC_RELAXED) && nr_calls < MAX_CALLS;
}

static int evict_some(struct world *world, struct stress_random *random, struct genlru_victim *victims, unsigned max)
{
    struct genlru_budget budget = {0, 1 + stress_below(random, max), 0, 0, 0, 0};
    struct genlru_evict_result result;
    int nr = genlru_evict(world->lru, &budget, victims, max, &result);

    STRESS_CHECK(nr >= 0 && (uint64_t)nr == result.nodes, "evict: %d", nr);
    return nr;
}

static void role_evict(struct world *world, struct stress_random *random)
{
    struct genlru_victim victims[4];
    unsigned nr_calls = 0;
    int nr, i;

    do {
        nr = evict_some(world, random, victims, 4);
        for (i = 0; i < nr; i++) {
            struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node);

            read_payload(e);
            if (index_remove(world, e))
                give_up(world, e);
            else
                release_and_look(world, e);
        }
    } while (go_on(world, ++nr_calls));
}

static void role_requeue(struct world *world, struct stress_random *random)
{
    struct genlru_victim victims[4];
    unsigned nr_calls = 0;
    int nr, i;

    do {
        nr = evict_some(world, random, victims, 4);
        for (i = 0; i < nr; i++)
            putback_and_look(world, GENLRU_ENTRY(victims[i].node, struct entry, node), victims[i].shadow);
    } while (go_on(world, ++nr_calls));
}

static void role_age(struct world *world, struct stress_random *random)
{
    unsigned nr_calls = 0;

    do {
        int result = genlru_age(world->lru, stress_once_in(random, 2) ? 0 : 1 + stress_below(random, 8));

        STRESS_CHECK(result == 0 || result == -11 /* EAGAIN */, "age: %d", result);
    } while (go_on(world, ++nr_calls));
}

static void role_workingset(struct world *world, struct stress_random *random)
{
    struct genlru_workingset workingset;
    unsigned nr_calls = 0;

    (void)random;
    do {
        workingset.size = sizeof(workingset);
        STRESS_CHECK(genlru_workingset(world->lru, &workingset) <= 0, "workingset");
    } while (go_on(world, ++nr_calls));
}

static void role_trim(struct world *world, struct stress_random *random)
{
    unsigned nr_calls = 0;

    (void)random;
    do {
        (void)genlru_trim(world->lru);
        genlru_set_capacity(world->lru, CAPACITY);
    } while (go_on(world, ++nr_calls));
}

static void role_look(struct world *world, struct stress_random *random)
{
    struct genlru_stat stat;
    struct genlru_gen_stat gens[GENLRU_MAX_GENS];
    char text[512];
    unsigned nr_calls = 0;

    (void)random;
    do {
        stat.size = sizeof(stat);
        STRESS_CHECK(genlru_stat(world->lru, &stat) == 0, "stat");
        STRESS_CHECK(genlru_stat_gens(world->lru, 0, gens, GENLRU_MAX_GENS) >= 2, "stat_gens");
        STRESS_CHECK(genlru_dump(world->lru, text, sizeof(text)) > 0, "dump");
        (void)genlru_excess(world->lru);
    } while (go_on(world, ++nr_calls));
}

#define ON(state) (1u << (state))
#define ANY (ON(LISTED) | ON(PINNED) | ON(PARKED) | ON(ISOLATED))
#define EVEN_OFF (ANY | ON(OFF))

enum {
    ADD,
    INSERT,
    ACCESS,
    BATCH,
    DEL,
    PIN,
    HOLD,
    UNPIN,
    RECHARGE,
    ADVISE,
    EVICT,
    REQUEUE,
    PUTBACK,
    RELEASE,
    AGE,
    WORKINGSET,
    TRIM,
    LOOK,
    NR_ALL_ROLES
};

static const struct role roles[NR_ALL_ROLES] = {
    [ADD] = {"add", "add", ON(OFF), false, false, role_add},
    [INSERT] = {"insert", "insert", 0, false, false, role_insert},
    [ACCESS] = {"access", "access", EVEN_OFF, false, true, role_access},
    [BATCH] = {"batch", "access", EVEN_OFF, false, true, role_batch},
    [DEL] = {"del", "del", ANY, false, false, role_del},
    [PIN] = {"pin", "pin", ON(LISTED) | ON(ISOLATED), false, true, role_pin},
    [HOLD] = {"hold", "hold", ON(LISTED) | ON(ISOLATED), false, true, role_hold},
    [UNPIN] = {"unpin", "unpin", ON(PINNED) | ON(PARKED), false, false, role_unpin},
    [RECHARGE] = {"recharge", "recharge", ANY, false, true, role_recharge},
    [ADVISE] = {"advise", "advise", ANY, false, true, role_advise},
    [EVICT] = {"evict", "evict", EVEN_OFF, true, false, role_evict},
    [REQUEUE] = {"requeue", "requeue", EVEN_OFF, true, false, role_requeue},
    [PUTBACK] = {"putback", "putback", ON(ISOLATED), false, false, role_putback},
    [RELEASE] = {"release", "release", ON(ISOLATED), false, false, role_release},
    [AGE] = {"age", "evict", EVEN_OFF, true, false, role_age},
    [WORKINGSET] = {"workingset", "evict", EVEN_OFF, true, false, role_workingset},
    [TRIM] = {"trim", "evict", EVEN_OFF, true, false, role_trim},
    [LOOK] = {"look", "evict", EVEN_OFF, true, false, role_look},
};

/*
 * The matrix of genlru/lru.h; "hold" is a pin and its unpin by one thread, "requeue" an evict and a putback, "insert"
 * an add whose node others can only find in the index, where they may do what they may with a pinned one.
 */
static const char *const matrix[][2] = {
    {"add", "access evict requeue"},
    {"insert", "del evict requeue"},
    {"access", "add access del pin hold unpin recharge advise evict requeue putback release"},
    {"del", "insert access pin hold unpin recharge advise evict requeue putback release"},
    {"pin", "access del pin recharge advise evict requeue putback release"},
    {"hold", "access del recharge advise evict requeue putback release"},
    {"unpin", "access del recharge advise evict requeue"},
    {"recharge", "access del pin hold unpin recharge advise evict requeue putback release"},
    {"advise", "access del pin hold unpin recharge advise evict requeue putback release"},
    {"evict", "add insert access del pin hold unpin recharge advise evict requeue putback release"},
    {"requeue", "add insert access del pin hold unpin recharge advise evict requeue putback release"},
    {"putback", "access del pin hold recharge advise evict requeue"},
    {"release", "access del pin hold recharge advise evict requeue"},
};

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    const char *at;

    for (at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static bool may_meet(const struct role *a, const struct role *b)
{
    size_t i;

    for (i = 0; i < sizeof(matrix) / sizeof(matrix[0]); i++)
        if (strcmp(matrix[i][0], a->cell) == 0)
            return has_word(matrix[i][1], b->cell);
    return false;
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

static uint64_t nr_met;

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    stress_fail(__FILE__, __LINE__, "error hook: %s: %s", error == GENLRU_ERROR_MISUSE ? "misuse" : "inconsistent",
                what);
}

static void isolate_all(struct world *world)
{
    struct genlru_victim victims[NR_NODES];
    int nr = 0, i, more;

    do {
        more = genlru_evict(world->lru, NULL, victims + nr, (size_t)(NR_NODES - nr), NULL);
        STRESS_CHECK(more > 0, "evict left %d of %d nodes", NR_NODES - nr, NR_NODES);
        nr += more;
    } while (nr < NR_NODES);
    for (i = 0; i < nr; i++) {
        unsigned key = GENLRU_ENTRY(victims[i].node, struct entry, node)->key;

        world->shadow[key] = victims[i].shadow;
        world->is_ours[key] = 1;
    }
}

static void park_all(struct world *world)
{
    struct genlru_victim victim;
    struct genlru_evict_result result;
    struct genlru_stat stat = {.size = sizeof(stat)};

    STRESS_CHECK(genlru_evict(world->lru, NULL, &victim, 1, &result) == 0, "a pinned node was evicted");
    STRESS_CHECK(result.reason == GENLRU_EVICT_PINNED, "reason %d", (int)result.reason);
    STRESS_CHECK(genlru_stat(world->lru, &stat) == 0 && stat.pinned_nodes == NR_NODES, "%llu parked",
                 (unsigned long long)stat.pinned_nodes);
}

static void prepare(struct world *world, unsigned nr_types, struct stress_random *random)
{
    unsigned flags = world->before == PINNED || world->before == PARKED ? GENLRU_ADD_PINNED : 0;
    bool is_inserted = false;
    unsigned key, i;

    for (i = 0; i < world->nr_roles; i++)
        is_inserted = is_inserted || world->role[i] == &roles[INSERT];
    for (key = 0; key < NR_NODES; key++) {
        struct genlru_add how = {world->shadow[key], 0, 0,
                                 flags | (stress_once_in(random, 3) ? (unsigned)GENLRU_ADD_HOT : 0)};
        struct entry *e = malloc(sizeof(*e));

        STRESS_CHECK(e, "no memory");
        e->key = key;
        e->payload = PAYLOAD;
        STRESS_CHECK(genlru_node_init(&e->node, stress_below(random, MAX_CHARGE), key % nr_types) == 0, "init");
        world->entry[key] = e;
        world->index[key] = is_inserted ? NULL : e;
        world->gate[key] = world->removed[key] = world->given_up[key] = world->is_ours[key] = 0;
        world->is_held[key] = flags != 0;
        if (world->before != OFF)
            STRESS_CHECK(genlru_add(world->lru, &e->node, &how) == 0, "add");
    }
    if (world->before == PARKED)
        park_all(world);
    if (world->before == ISOLATED)
        isolate_all(world);
    world->walkers_left = world->nr_walkers;
}

/* What the roles left in main's hands. */
static void finish(struct world *world, struct stress_random *random)
{
    unsigned key;

    for (key = 0; key < NR_NODES; key++) {
        struct entry *e = world->entry[key];

        STRESS_CHECK(world->is_held[key] <= 1, "key %u has %u holders", key, world->is_held[key]);
        if (world->is_held[key])
            unpin_and_look(world, e);
        if (!world->is_ours[key])
            continue;
        if (stress_once_in(random, 2))
            putback_and_look(world, e, world->shadow[key]);
        else if (index_remove(world, e))
            give_up(world, e);
        else
            release_and_look(world, e);
    }
}

/* Nodes that a role released without anyone having deleted them: main is the deleter, who comes second. */
static void delete_released(struct world *world)
{
    unsigned key;

    for (key = 0; key < NR_NODES; key++) {
        struct entry *e = world->index[key];

        if (!e || !genlru_node_is_isolated(&e->node))
            continue;
        STRESS_CHECK(index_remove(world, e) && genlru_del(world->lru, &e->node) == GENLRU_YOURS,
                     "key %u was released, and its deleter was told that someone else frees it", key);
        give_up(world, e);
    }
}

static void check(struct world *world)
{
    struct genlru_stat stat = {.size = sizeof(stat)};
    uint64_t nodes = 0, charge = 0;
    unsigned key;

    for (key = 0; key < NR_NODES; key++) {
        unsigned removed = world->removed[key], given_up = world->given_up[key];
        struct entry *e = world->entry[key];

        STRESS_CHECK(removed <= 1 && given_up == removed, "key %u: removed %u times, given up %u times", key, removed,
                     given_up);
        if (removed) {
            if (!world->frees_at_once)
                destroy_entry(world, e);
            continue;
        }
        STRESS_CHECK(genlru_node_is_listed(&e->node) && !genlru_node_is_isolated(&e->node) &&
                         !genlru_node_is_pinned(&e->node),
                     "key %u is in the index, and not simply listed", key);
        nodes++;
        charge += genlru_node_charge(&e->node);
    }
    stress_verify(world->lru);
    STRESS_CHECK(genlru_stat(world->lru, &stat) == 0, "stat");
    STRESS_CHECK(stat.nodes == nodes && stat.charge == charge && genlru_charge(world->lru) == charge,
                 "%llu nodes of charge %llu, the lru says %llu of %llu", (unsigned long long)nodes,
                 (unsigned long long)charge, (unsigned long long)stat.nodes, (unsigned long long)stat.charge);
    STRESS_CHECK(stat.pinned_nodes == 0, "%llu nodes parked, all were unpinned", (unsigned long long)stat.pinned_nodes);
    STRESS_CHECK(stat.eviction_clock == world->clock, "eviction clock %llu, %llu was isolated and not put back",
                 (unsigned long long)stat.eviction_clock, (unsigned long long)world->clock);
}

static void empty(struct world *world)
{
    unsigned key;

    for (key = 0; key < NR_NODES; key++) {
        struct entry *e = world->index[key];

        if (!e)
            continue;
        STRESS_CHECK(genlru_del(world->lru, &e->node) == GENLRU_YOURS, "del by the only thread");
        destroy_entry(world, e);
    }
    stress_verify(world->lru);
}

/* Starts anywhere in a few hundred instructions, so that not always the same one is first. */
static void pause_a_little(struct stress_random *random)
{
    volatile unsigned left = stress_below(random, 300);

    while (left > 0)
        left--;
}

static void play(void *ctx, unsigned thread)
{
    struct world *world = ctx;
    struct stress_random random = stress_random(world->seed, thread);
    const struct role *role = world->role[thread];
    unsigned round;

    for (round = 0; round < world->rounds; round++) {
        if (thread == 0)
            prepare(world, world->before == ISOLATED || round % 2 ? 1 : 2, &random);
        stress_wait(&world->barrier);
        pause_a_little(&random);
        role->run(world, &random);
        if (!role->is_mover)
            __atomic_fetch_sub(&world->walkers_left, 1, __ATOMIC_RELAXED);
        stress_wait(&world->barrier);
        if (thread != 0)
            continue;
        finish(world, &random);
        delete_released(world);
        check(world);
        empty(world);
    }
}

/* The default policy on one stripe; and one with all that it does not use, on two, with the smallest window. */
static struct genlru *make_lru(unsigned variant)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;
    struct genlru *lru;

    config.capacity = CAPACITY;
    config.nr_types = 2;
    config.stripes = 1 + variant;
    config.on_error = on_error;
    config.policy = &policy;
    if (variant == 1) {
        config.nr_gens = GENLRU_MIN_GENS;
        policy.learn = 0;
        policy.hit.freq_max = 7;
        policy.refault.keep_freq = 1;
        policy.probation.percent = 10;
        policy.probation.promote_refs = 2;
        policy.probation.promoted_refs = 1;
        policy.age_percent = 20;
        policy.epoch_percent = 10;
    }
    STRESS_CHECK(genlru_create(&config, &lru) == 0, "create");
    return lru;
}

static void run_row(const struct stress_options *options, struct world *world, unsigned rounds, unsigned variant)
{
    char name[128];
    size_t used;
    unsigned i;

    used = (size_t)snprintf(name, sizeof(name), "%s:", state_name[world->before]);
    world->nr_walkers = 0;
    world->frees_at_once = true;
    for (i = 0; i < world->nr_roles; i++) {
        used += (size_t)snprintf(name + used, sizeof(name) - used, " %s", world->role[i]->name);
        world->nr_walkers += !world->role[i]->is_mover;
        world->frees_at_once = world->frees_at_once && !world->role[i]->borrows;
    }
    if (!stress_is_wanted(options, name))
        return;
    stress_context("%s, variant %u", name, variant);
    world->lru = make_lru(variant);
    world->rounds = stress_scaled(options, rounds);
    world->seed = options->seed;
    world->clock = 0;
    stress_barrier_init(&world->barrier, world->nr_roles);
    stress_run(world->nr_roles, play, world);
    STRESS_CHECK(genlru_destroy(world->lru) == 0, "destroy");
    nr_met += world->nr_met;
}

static bool makes_sense(const struct role *a, const struct role *b, enum state state)
{
    bool is_insert = a == &roles[INSERT] || b == &roles[INSERT];

    if (state == OFF && is_insert) /* what others do with a node being inserted begins with the index */
        return true;
    if (state == OFF && a != &roles[ADD] && b != &roles[ADD])
        return false;
    return (a->states & ON(state)) && (b->states & ON(state));
}

static unsigned run_pairs(const struct stress_options *options, struct world *world, unsigned variant)
{
    unsigned a, b, state, nr = 0;

    for (a = 0; a < NR_ALL_ROLES; a++)
        for (b = a; b < NR_ALL_ROLES; b++)
            for (state = 0; state < NR_STATES && may_meet(&roles[a], &roles[b]); state++) {
                STRESS_CHECK(may_meet(&roles[b], &roles[a]), "the matrix is not symmetric: %s, %s", roles[a].name,
                             roles[b].name);
                if (!makes_sense(&roles[a], &roles[b], (enum state)state))
                    continue;
                memset(world, 0, sizeof(*world));
                world->role[0] = &roles[a];
                world->role[1] = &roles[b];
                world->nr_roles = 2;
                world->before = (enum state)state;
                run_row(options, world, PAIR_ROUNDS, variant);
                nr++;
            }
    return nr;
}

/* Three and four at once, where a hand-over has more than two parties or a lock is wanted by a third. */
static const struct {
    enum state before;
    int role[MAX_ROLES];
} groups[] = {
    {LISTED, {DEL, EVICT, EVICT, -1}},
    {LISTED, {DEL, REQUEUE, EVICT, -1}},
    {LISTED, {DEL, HOLD, EVICT, -1}},
    {LISTED, {DEL, HOLD, REQUEUE, ACCESS}},
    {LISTED, {DEL, RECHARGE, EVICT, ADVISE}},
    {LISTED, {DEL, AGE, WORKINGSET, TRIM}},
    {LISTED, {HOLD, ADVISE, EVICT, AGE}},
    {LISTED, {RECHARGE, ACCESS, REQUEUE, LOOK}},
    {LISTED, {BATCH, ADVISE, AGE, EVICT}},
    {PINNED, {DEL, UNPIN, EVICT, -1}},
    {PINNED, {DEL, UNPIN, EVICT, AGE}},
    {PINNED, {UNPIN, EVICT, RECHARGE, ADVISE}},
    {PARKED, {DEL, UNPIN, EVICT, -1}},
    {PARKED, {DEL, UNPIN, WORKINGSET, TRIM}},
    {PARKED, {DEL, UNPIN, REQUEUE, RECHARGE}},
    {ISOLATED, {DEL, PUTBACK, EVICT, -1}},
    {ISOLATED, {DEL, PUTBACK, REQUEUE, EVICT}},
    {ISOLATED, {DEL, RELEASE, RECHARGE, ACCESS}},
    {ISOLATED, {DEL, PUTBACK, RECHARGE, HOLD}},
    {OFF, {INSERT, DEL, EVICT, -1}},
    {OFF, {INSERT, DEL, REQUEUE, AGE}},
    {OFF, {INSERT, DEL, EVICT, TRIM}},
    {OFF, {ADD, EVICT, EVICT, AGE}},
    {OFF, {ADD, EVICT, WORKINGSET, AGE}},
};

static unsigned run_groups(const struct stress_options *options, struct world *world, unsigned variant)
{
    unsigned i, j;

    for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        memset(world, 0, sizeof(*world));
        world->before = groups[i].before;
        for (j = 0; j < MAX_ROLES && groups[i].role[j] >= 0; j++)
            world->role[world->nr_roles++] = &roles[groups[i].role[j]];
        run_row(options, world, GROUP_ROUNDS, variant);
    }
    return i;
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned nr_pairs = 0, nr_groups = 0, variant;
    static struct world world;

    for (variant = 0; variant < NR_VARIANTS; variant++) {
        nr_pairs += run_pairs(&options, &world, variant);
        nr_groups += run_groups(&options, &world, variant);
    }
    printf("%u pairs, %u groups; %llu calls met another's hands\n", nr_pairs, nr_groups, (unsigned long long)nr_met);
    return 0;
}
