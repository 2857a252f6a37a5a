/* SPDX-License-Identifier: MIT */
/*
 * A litmus for each edge of docs/memory-model.md: two threads that have nothing in common but the two steps that the edge
 * ties, in the narrowest form that shows what passes. What passes is plain memory, so that ThreadSanitizer sees a missing order on
 * any machine, and a value, so that a machine which reorders may show it by itself. Run with --delays where there are points.
 *
 *   P-T   an adder writes its entries, adds them; an evictor reads what it is handed
 *   P-D   a sweep publishes nodes in the slots they stood in; a deleter takes them out of them, and frees
 *   N     a mover brings nodes into blocks of memory that has just been made; a deleter follows their back pointers
 *   S     two threads fill the open blocks of one stripe
 *   I     a holder writes, unpins; an evictor isolates, reads
 *   H     handover_order.c
 *   B     dels beside an evict that finds nothing: it never takes them for an inconsistency; nor hits of a node that is
 *         being deleted, one while the counters are added up, each time
 *   W     an access sleeps while the window goes round and round: its node is then no older than it meant
 *
 * M and Q are pthread mutexes. scripts/seeded_bugs leaves out one edge after the other, and each is missed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "genlru/genlru.h"
#include "points.h"
#include "stress.h"

enum { ROUNDS = 300, NR_NODES = 130, MAX_LOOKS = 20000 };

struct entry {
    struct genlru_node node;
    unsigned payload; /* plain */
};

struct litmus {
    struct genlru *lru;
    struct entry *entry[2 * NR_NODES];
    unsigned nr_entries;
    unsigned round;
    unsigned is_done[2]; /* relaxed atomics: they order nothing */
    struct stress_barrier barrier;
    unsigned rounds;
    void (*prepare)(struct litmus *l);
    void (*side[2])(struct litmus *l);
    void (*finish)(struct litmus *l);
};

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    stress_fail(__FILE__, __LINE__, "error hook: %d: %s", (int)error, what);
}

static struct genlru *create(unsigned nr_gens, unsigned stripes)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru *lru;

    config.nr_gens = nr_gens;
    config.stripes = stripes;
    config.on_error = on_error;
    STRESS_CHECK(genlru_create(&config, &lru) == 0, "create");
    return lru;
}

static struct entry *new_entry(struct litmus *l, unsigned flags)
{
    struct genlru_add how = {.flags = flags};
    struct entry *e = malloc(sizeof(*e));

    STRESS_CHECK(e && genlru_node_init(&e->node, 1, 0) == 0, "entry");
    e->payload = l->round;
    STRESS_CHECK(genlru_add(l->lru, &e->node, &how) == 0, "add");
    l->entry[l->nr_entries++] = e;
    return e;
}

static void set_done(struct litmus *l, unsigned side)
{
    __atomic_store_n(&l->is_done[side], 1, __ATOMIC_RELAXED);
}

static bool is_done(struct litmus *l, unsigned side)
{
    return __atomic_load_n(&l->is_done[side], __ATOMIC_RELAXED);
}

static void play(void *ctx, unsigned side)
{
    struct litmus *l = ctx;
    unsigned round;

    for (round = 1; round <= l->rounds; round++) {
        if (side == 0) {
            l->round = round;
            l->nr_entries = 0;
            l->is_done[0] = l->is_done[1] = 0;
            l->prepare(l);
        }
        stress_wait(&l->barrier);
        l->side[side](l);
        set_done(l, side);
        stress_wait(&l->barrier);
        if (side == 0)
            l->finish(l);
    }
}

/* ---- sides -------------------------------------------------------------------------------------------- */

static void prepare_lru(struct litmus *l)
{
    l->lru = create(4, 1);
}

static void prepare_listed(struct litmus *l)
{
    unsigned i;

    prepare_lru(l);
    for (i = 0; i < NR_NODES; i++)
        (void)new_entry(l, i % 2 ? GENLRU_ADD_COLD : 0);
}

static void prepare_pinned(struct litmus *l)
{
    unsigned i;

    prepare_lru(l);
    for (i = 0; i < NR_NODES; i++)
        (void)new_entry(l, GENLRU_ADD_PINNED);
}

/* Nothing is left but what an evict may free. */
static void finish_all(struct litmus *l)
{
    struct genlru_victim victims[16];
    int nr;

    stress_verify(l->lru);
    while ((nr = genlru_evict(l->lru, NULL, victims, 16, NULL)) > 0)
        while (nr-- > 0)
            free(GENLRU_ENTRY(victims[nr].node, struct entry, node));
    STRESS_CHECK(genlru_destroy(l->lru) == 0, "destroy");
}

static void add_all(struct litmus *l)
{
    unsigned i;

    for (i = 0; i < NR_NODES; i++)
        (void)new_entry(l, 0);
}

/* Reads what it is handed, and frees it. */
static void evict_all(struct litmus *l)
{
    struct genlru_victim victims[4];
    unsigned looks, nr = 0;
    int got;

    for (looks = 0; nr < NR_NODES && looks < MAX_LOOKS; looks++) {
        got = genlru_evict(l->lru, NULL, victims, 4, NULL);
        STRESS_CHECK(got >= 0, "evict: %d", got);
        nr += (unsigned)got;
        while (got-- > 0) {
            struct entry *e = GENLRU_ENTRY(victims[got].node, struct entry, node);

            STRESS_CHECK(e->payload == l->round, "the evictor reads %u in round %u", e->payload, l->round);
            free(e);
        }
    }
}

/* Full windows: each aging takes the oldest nodes out of their slots and publishes them there again. */
static void sweep(struct litmus *l)
{
    while (!is_done(l, 1))
        (void)genlru_age(l->lru, 0);
}

static void delete_all(struct litmus *l)
{
    unsigned i;
    int result;

    for (i = 0; i < NR_NODES; i++) {
        struct entry *e = l->entry[i];

        genlru_access(l->lru, &e->node);
        genlru_access(l->lru, &e->node);
        result = genlru_del(l->lru, &e->node);
        STRESS_CHECK(result >= 0, "del: %d", result);
        if (result == GENLRU_YOURS) {
            e->payload = 0; /* plain, and then the memory is gone */
            free(e);
        }
    }
}

/* Moves nodes into blocks of other generations, out of fresh slabs. An evictor that finds its victim deleted meanwhile frees it; it puts none back that it may not. */
static void scan_and_release(struct litmus *l)
{
    struct genlru_victim victim;

    while (!is_done(l, 1)) {
        int nr = genlru_evict(l->lru, &(struct genlru_budget){.nodes = 1, .scanned = 40}, &victim, 1, NULL);

        if (nr == 1) {
            int result = genlru_putback(l->lru, &victim);

            STRESS_CHECK(result >= 0, "putback: %d", result);
            if (result == GENLRU_YOURS) {
                struct entry *e = GENLRU_ENTRY(victim.node, struct entry, node);

                STRESS_CHECK(e->payload <= l->round, "payload %u", e->payload);
                free(e);
            }
        }
        (void)genlru_age(l->lru, 60);
    }
}

/* The holder of every node writes to it, and lets go. */
static void write_and_unpin(struct litmus *l)
{
    unsigned i;

    for (i = 0; i < NR_NODES; i++) {
        struct entry *e = l->entry[i];

        e->payload = l->round + 1000000;
        STRESS_CHECK(genlru_unpin(l->lru, &e->node) == 0, "unpin");
    }
}

static void evict_written(struct litmus *l)
{
    struct genlru_victim victims[4];
    unsigned looks, nr = 0;
    int got;

    for (looks = 0; nr < NR_NODES && looks < MAX_LOOKS; looks++) {
        got = genlru_evict(l->lru, NULL, victims, 4, NULL);
        nr += got > 0 ? (unsigned)got : 0;
        while (got-- > 0) {
            struct entry *e = GENLRU_ENTRY(victims[got].node, struct entry, node);

            STRESS_CHECK(e->payload == l->round + 1000000, "the evictor reads %u, and the holder wrote", e->payload);
            free(e);
        }
    }
}

/* Two threads add on one stripe: nodes of both must be in slots of their own. */
static void add_half(struct litmus *l)
{
    unsigned i;

    for (i = 0; i < NR_NODES; i++) {
        struct entry *e = malloc(sizeof(*e));

        STRESS_CHECK(e && genlru_node_init(&e->node, 1, 0) == 0, "entry");
        e->payload = l->round;
        STRESS_CHECK(genlru_add(l->lru, &e->node, NULL) == 0, "add");
    }
}

static void finish_both(struct litmus *l)
{
    struct genlru_stat stat = {.size = sizeof(stat)};

    STRESS_CHECK(genlru_stat(l->lru, &stat) == 0 && stat.nodes == 2 * NR_NODES, "%llu nodes",
                 (unsigned long long)stat.nodes);
    finish_all(l);
}

/* One node comes and goes, while an evict without a goal it could reach looks at an empty lru: on_error ends the test. */
static void come_and_go(struct litmus *l)
{
    unsigned i;

    for (i = 0; i < NR_NODES; i++) {
        struct entry *e = malloc(sizeof(*e));
        struct genlru_add how = {.flags = GENLRU_ADD_PINNED | GENLRU_ADD_COLD};

        STRESS_CHECK(e && genlru_node_init(&e->node, 1, 0) == 0, "entry");
        STRESS_CHECK(genlru_add(l->lru, &e->node, &how) == 0, "add");
        STRESS_CHECK(genlru_del(l->lru, &e->node) == 0 && genlru_unpin(l->lru, &e->node) == GENLRU_YOURS, "del");
        free(e);
    }
}

static void evict_nothing(struct litmus *l)
{
    struct genlru_evict_result result;
    struct genlru_victim victim;

    while (!is_done(l, 0)) {
        STRESS_CHECK(genlru_evict(l->lru, NULL, &victim, 1, &result) == 0, "a pinned victim");
        STRESS_CHECK(result.reason != GENLRU_EVICT_INCONSISTENT, "a del under way was taken for an inconsistency");
    }
}

static void run(const struct stress_options *options, const char *name, struct litmus litmus)
{
    if (!stress_is_wanted(options, name))
        return;
    stress_context("%s", name);
    litmus.rounds = stress_scaled(options, ROUNDS);
    stress_barrier_init(&litmus.barrier, 2);
    stress_run(2, play, &litmus);
    printf("%-24s %u rounds\n", name, litmus.rounds);
    fflush(stdout);
}

/* ---- B, sums ------------------------------------------------------------------------------------------ */

/* A node that is being deleted: out of its slot and subtracted, listed by its word. */
struct struck {
    struct genlru *lru;
    struct genlru_node node;
    unsigned nr_sums; /* how often two counters were added up */
    unsigned nr_hits;
};

/* Raises the node from the counter that was read last to the one that is read next, once in each adding up. */
static void hit_between_counters(void *ctx)
{
    enum { PASS = GENLRU_GEN_MODULUS + 1 }; /* generations' codes from 1, and probation */
    struct struck *struck = ctx;
    unsigned next = 1 + struck->nr_sums % PASS, pass = struck->nr_sums / PASS,
             code = genlru_impl_gen(genlru_impl_word(genlru_impl_load_relaxed(&struck->node.state.do_not_touch)));

    struck->nr_sums++;
    if (next != code + 1 || pass != struck->nr_hits)
        return;
    genlru_access(struck->lru, &struck->node);
    struck->nr_hits +=
        genlru_impl_gen(genlru_impl_word(genlru_impl_load_relaxed(&struck->node.state.do_not_touch))) == next;
}

static void evict_meanwhile(void *ctx)
{
    struct struck *struck = ctx;
    struct genlru_evict_result result;
    struct genlru_victim victim;

    STRESS_CHECK(genlru_evict(struck->lru, NULL, &victim, 1, &result) == 0, "a victim that is being deleted");
    STRESS_CHECK(result.reason == GENLRU_EVICT_NOTHING, "reason %d after %u hits", (int)result.reason, struck->nr_hits);
}

static void test_sums(unsigned nr_gens)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct struck struck = {.lru = NULL};
    unsigned i;

    stress_context("B, sums, %u generations", nr_gens);
    policy.hit.defer_gens = 0;
    policy.hit.overflow_refs = policy.hit.refs_max; /* each hit raises the node by one */
    config.policy = &policy;
    config.nr_gens = nr_gens;
    config.stripes = 1;
    config.on_error = on_error;
    STRESS_CHECK(genlru_create(&config, &struck.lru) == 0, "create");
    STRESS_CHECK(genlru_node_init(&struck.node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(struck.lru, &struck.node, &(struct genlru_add){.flags = GENLRU_ADD_COLD}) == 0, "add");
    for (i = 0; genlru_node_refs(&struck.node) < policy.hit.refs_max; i++)
        genlru_access(struck.lru, &struck.node);
    stress_at_point(GENLRU__AT_DELETED, evict_meanwhile, &struck);
    stress_at_point(GENLRU__AT_SUM, hit_between_counters, &struck);
    STRESS_CHECK(genlru_del(struck.lru, &struck.node) == GENLRU_YOURS, "del");
    stress_at_point(GENLRU__AT_DELETED, NULL, NULL);
    stress_at_point(GENLRU__AT_SUM, NULL, NULL);
    STRESS_CHECK(struck.nr_hits == nr_gens - 1, "%u hits came between", struck.nr_hits);
    stress_verify(struck.lru);
    STRESS_CHECK(genlru_destroy(struck.lru) == 0, "destroy");
}

/* ---- W ------------------------------------------------------------------------------------------------ */

struct sleeper {
    struct genlru *lru;
    unsigned agings;
    unsigned nr_calls;
};

static void age_meanwhile(void *ctx)
{
    struct sleeper *sleeper = ctx;
    unsigned i;

    sleeper->nr_calls++;
    for (i = 0; i < sleeper->agings; i++)
        STRESS_CHECK(genlru_age(sleeper->lru, 0) == 0, "age");
}

static uint64_t charge_of_age(struct genlru *lru, unsigned age)
{
    struct genlru_gen_stat gens[GENLRU_MAX_GENS];

    STRESS_CHECK(genlru_stat_gens(lru, 0, gens, GENLRU_MAX_GENS) > (int)age, "generations");
    return gens[age].charge;
}

/*
 * A node one older than the youngest generation is saturated: the next hit raises it. Between that hit's look at the window and its
 * swap some generations begin; no more than leave the node in the window, since then its word would change, and the swap fail.
 * Where the window is so wide that codes may come round (W = 64), the hit makes the node youngest; else it is where the hit meant
 * it to be, and has grown older since.
 */
static void test_sleep(unsigned nr_gens, unsigned agings)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    bool is_late = agings > 128 - 2 * nr_gens;
    struct sleeper sleeper = {NULL, agings, 0};
    struct genlru_node node;
    unsigned i, age;

    stress_context("W, %u generations, %u agings", nr_gens, agings);
    policy.hit.defer_gens = 0; /* only the hit after the last count moves it */
    config.policy = &policy;
    config.nr_gens = nr_gens;
    config.stripes = 1;
    config.on_error = on_error;
    STRESS_CHECK(genlru_create(&config, &sleeper.lru) == 0, "create");
    STRESS_CHECK(genlru_node_init(&node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(sleeper.lru, &node, &(struct genlru_add){.flags = GENLRU_ADD_HOT}) == 0, "add");
    for (i = 0; genlru_node_refs(&node) < policy.hit.refs_max; i++)
        genlru_access(sleeper.lru, &node);
    STRESS_CHECK(charge_of_age(sleeper.lru, 1) == 1, "the node is not one older than the youngest");
    stress_at_point(GENLRU__AT_ACCESS, age_meanwhile, &sleeper);
    genlru_access(sleeper.lru, &node);
    stress_at_point(GENLRU__AT_ACCESS, NULL, NULL);
    STRESS_CHECK(sleeper.nr_calls == 1, "the hit came to the point %u times", sleeper.nr_calls);
    for (age = 0; age < nr_gens - 1 && !charge_of_age(sleeper.lru, age); age++)
        ;
    STRESS_CHECK(age == (is_late ? 0 : agings), "it is of age %u", age);
    stress_verify(sleeper.lru);
    STRESS_CHECK(genlru_del(sleeper.lru, &node) == GENLRU_YOURS && genlru_destroy(sleeper.lru) == 0, "end");
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i, agings;

    run(&options, "P-T", (struct litmus){.prepare = prepare_lru, .side = {add_all, evict_all}, .finish = finish_all});
    run(&options, "P-D", (struct litmus){.prepare = prepare_listed, .side = {sweep, delete_all}, .finish = finish_all});
    run(&options, "N",
        (struct litmus){.prepare = prepare_listed, .side = {scan_and_release, delete_all}, .finish = finish_all});
    run(&options, "S", (struct litmus){.prepare = prepare_lru, .side = {add_half, add_half}, .finish = finish_both});
    run(&options, "I",
        (struct litmus){.prepare = prepare_pinned, .side = {write_and_unpin, evict_written}, .finish = finish_all});
    run(&options, "B",
        (struct litmus){.prepare = prepare_lru, .side = {come_and_go, evict_nothing}, .finish = finish_all});
    if (GENLRU__HAS_POINTS && stress_is_wanted(&options, "sums")) {
        for (i = 3; i <= 16; i++)
            test_sums(i);
        printf("%-24s\n", "sums");
    }
    if (GENLRU__HAS_POINTS && stress_is_wanted(&options, "W")) {
        static const unsigned gens[] = {3, 4, 7, 33, 63, 64};

        for (i = 0; i < sizeof(gens) / sizeof(gens[0]); i++)
            for (agings = 0; agings + 2 <= gens[i]; agings++)
                test_sleep(gens[i], agings);
        printf("%-24s\n", "W");
    }
    return 0;
}
