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
 *   B     dels beside an evict that finds nothing: it never takes them for an inconsistency
 *
 * What needs a thread to stand at one point is in placed.c: P-D, N and B once more, and W. M and Q are pthread mutexes.
 * scripts/seeded_bugs leaves out one edge after the other, and each is missed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "genlru/genlru.h"
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

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    run(&options, "P-T", (struct litmus){.prepare = prepare_lru, .side = {add_all, evict_all}, .finish = finish_all});
    run(&options, "P-D", (struct litmus){.prepare = prepare_listed, .side = {sweep, delete_all}, .finish = finish_all});
    run(&options, "N",
        (struct litmus){.prepare = prepare_listed, .side = {scan_and_release, delete_all}, .finish = finish_all});
    run(&options, "S", (struct litmus){.prepare = prepare_lru, .side = {add_half, add_half}, .finish = finish_both});
    run(&options, "I",
        (struct litmus){.prepare = prepare_pinned, .side = {write_and_unpin, evict_written}, .finish = finish_all});
    run(&options, "B",
        (struct litmus){.prepare = prepare_lru, .side = {come_and_go, evict_nothing}, .finish = finish_all});
    return 0;
}
