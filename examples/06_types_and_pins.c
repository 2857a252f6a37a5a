/* SPDX-License-Identifier: MIT */
/*
 * Entries that cannot go at once: dirty ones that must be written first, pinned ones that are in use. And what an
 * owner says about single entries: recharge, advise.
 *
 * Types 0 and 1 are the clean and the dirty entries; each has generations of its own, and a budget names the types
 * that may go. A node keeps its type while it is listed: to change it, take it off, prepare it again and add it.
 */
#include <genlru/genlru.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLEAN = 0, DIRTY = 1, NR_ENTRIES = 100, PAGE = 4096 };

struct entry {
    struct genlru_node node;
    int is_evicted;
};

static struct entry entries[NR_ENTRIES];
static struct genlru *lru;

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "06_types_and_pins: %s\n", what);
    exit(EXIT_FAILURE);
}

static void add(struct entry *e, unsigned type, uint64_t charge)
{
    check(genlru_node_init(&e->node, charge, type) == 0 && genlru_add(lru, &e->node, NULL) == 0, "add");
}

/* Evicts up to `nodes` of the types in `types`, and says why it stopped. */
static enum genlru_evict_reason evict(uint32_t types, uint64_t nodes)
{
    struct genlru_budget budget = {.nodes = nodes, .types = types};
    struct genlru_evict_result result;
    struct genlru_victim victims[NR_ENTRIES];
    int nr = genlru_evict(lru, &budget, victims, NR_ENTRIES, &result);

    check(nr >= 0, "evict");
    for (int i = 0; i < nr; i++)
        GENLRU_ENTRY(victims[i].node, struct entry, node)->is_evicted = 1;
    return result.reason;
}

static int count_evicted(int from, int to)
{
    int nr = 0;

    for (int i = from; i < to; i++)
        nr += entries[i].is_evicted;
    return nr;
}

static void start_writing(struct entry *e)
{
    check(genlru_del(lru, &e->node) == GENLRU_YOURS, "del");
    add(e, DIRTY, genlru_node_charge(&e->node));
}

/* The dirty entries, oldest first: those whose write succeeds are gone, the others go back. */
static void write_back(void)
{
    struct genlru_victim victims[10];
    struct genlru_budget budget = {.types = 1u << DIRTY};
    int nr = genlru_evict(lru, &budget, victims, 10, NULL);
    uint64_t clock;
    struct genlru_stat stat = {.size = sizeof(stat)};

    check(nr == 10, "ten dirty entries");
    genlru_stat(lru, &stat);
    clock = stat.eviction_clock;
    for (int i = 0; i < nr; i++) {
        if (i % 2) /* written */
            GENLRU_ENTRY(victims[i].node, struct entry, node)->is_evicted = 1;
        else /* the disk is busy: not evicted after all, the clock goes back. 0, as nobody deletes here */
            check(genlru_putback(lru, &victims[i]) == 0, "putback");
    }
    genlru_stat(lru, &stat);
    check(clock - stat.eviction_clock == 5 * PAGE && stat.putback == 5, "putback leaves a trace in the clock");
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    config.nr_types = 2;
    check(genlru_create(&config, &lru) == 0, "create");
    for (int i = 0; i < NR_ENTRIES; i++)
        add(&entries[i], CLEAN, PAGE);

    /* Entries 0..19 become dirty: a budget for clean entries alone leaves them. */
    for (int i = 0; i < 20; i++)
        start_writing(&entries[i]);
    check(evict(1u << CLEAN, 30) == GENLRU_EVICT_MET, "30 clean entries");
    check(count_evicted(0, 20) == 0 && count_evicted(20, NR_ENTRIES) == 30, "a dirty entry went");
    write_back();
    check(count_evicted(0, 20) == 5, "written entries");

    /* A pinned entry stays; evict says that pins are all that is left. */
    struct entry *pinned = &entries[NR_ENTRIES - 1], *advised = &entries[NR_ENTRIES - 2];
    check(genlru_pin(lru, &pinned->node) == 0 && genlru_pin(lru, &pinned->node) == -EBUSY, "one holder a node");

    /* An entry that grew. The counters follow at once, whatever state it is in. */
    uint64_t charge = genlru_charge(lru);
    check(genlru_recharge(lru, &pinned->node, 3 * PAGE) == 0, "recharge");
    check(genlru_charge(lru) == charge + 2 * PAGE, "charge after recharge");

    /* An entry that the owner knows is done with: it goes before others that were used as little. */
    for (int i = 50; i < NR_ENTRIES; i++)
        for (int hit = 0; hit < 3; hit++)
            genlru_access(lru, &entries[i].node);
    check(genlru_advise(lru, &advised->node, GENLRU_ADVICE_PAGEOUT) == 0, "advise");
    check(evict(1u << CLEAN, 1) == GENLRU_EVICT_MET && advised->is_evicted, "not the advised entry went first");

    check(evict(0, NR_ENTRIES) == GENLRU_EVICT_PINNED, "why it stopped");
    check(count_evicted(0, NR_ENTRIES) == NR_ENTRIES - 1 && !pinned->is_evicted, "the pinned entry");
    check(genlru_charge(lru) == 3 * PAGE, "what is left");
    check(genlru_unpin(lru, &pinned->node) == 0, "nobody deleted it");
    check(evict(0, NR_ENTRIES) == GENLRU_EVICT_NOTHING && pinned->is_evicted, "after unpin");
    check(genlru_destroy(lru) == 0, "destroy");
    printf("all evicted, dirty ones after their write, the pinned one after its unpin\n");
    return EXIT_SUCCESS;
}
