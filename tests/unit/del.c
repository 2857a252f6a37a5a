/* SPDX-License-Identifier: MIT */
/*
 * genlru_del and genlru_release's hand-over: each row of the transition table, refusals, and memory after many
 * deletes.
 */
#include "unit.h"

struct life {
    struct unit unit;
    struct genlru_config config;
    struct genlru *lru;
    struct genlru_node *node;
    struct genlru_victim victim;
};

static struct life begin(void)
{
    struct life l;

    memset(&l, 0, sizeof(l));
    l.node = unit_nodes(1);
    return l;
}

static void start(struct life *l)
{
    l->config = unit_config(&l->unit);
    l->lru = unit_create(&l->config);
    cr_assert(genlru_add(l->lru, l->node, NULL) == 0);
}

static void isolate(struct life *l)
{
    cr_assert(genlru_evict(l->lru, NULL, &l->victim, 1, NULL) == 1 && l->victim.node == l->node);
}

static void expect_misuse(struct life *l, int got, int want)
{
    cr_assert(got == want, "%d, expected %d", got, want);
    cr_assert(l->unit.nr_errors == 1 && l->unit.error == GENLRU_ERROR_MISUSE && l->unit.error_node == l->node);
    l->unit.nr_errors = 0;
    unit_verify(l->lru);
}

Test(del, listed)
{
    struct life l = begin();

    start(&l);
    genlru_access(l.lru, l.node);
    cr_assert(genlru_del(l.lru, l.node) == GENLRU_YOURS);
    cr_assert(genlru_node_refs(l.node) == 2, "its refs stay in the node");
    cr_assert(!l.node->slot && genlru_charge(l.lru) == 0);
    unit_verify(l.lru);
    expect_misuse(&l, genlru_del(l.lru, l.node), -ENOENT);
    cr_assert(genlru_add(l.lru, l.node, NULL) == 0, "free it or add it again");
    unit_end(&l.unit, l.lru, l.node, 1);
}

Test(del, pinned)
{
    struct life l = begin();

    start(&l);
    cr_assert(genlru_pin(l.lru, l.node) == 0);
    cr_assert(genlru_del(l.lru, l.node) == 0, "the pin holder frees");
    cr_assert(genlru_charge(l.lru) == 0);
    unit_verify(l.lru);
    expect_misuse(&l, genlru_del(l.lru, l.node), -ENOENT);
    cr_assert(genlru_pin(l.lru, l.node) == -EBUSY && l.unit.nr_errors == 0);
    cr_assert(genlru_unpin(l.lru, l.node) == GENLRU_YOURS);
    expect_misuse(&l, genlru_unpin(l.lru, l.node), -EPERM);
    unit_end(&l.unit, l.lru, l.node, 1);
}

Test(del, parked)
{
    struct life l = begin();

    start(&l);
    cr_assert(genlru_pin(l.lru, l.node) == 0);
    cr_assert(genlru_evict(l.lru, NULL, &l.victim, 1, NULL) == 0);
    cr_assert(unit_stat(l.lru).pinned_nodes == 1);
    cr_assert(genlru_del(l.lru, l.node) == 0);
    cr_assert(unit_stat(l.lru).pinned_nodes == 0);
    unit_verify(l.lru);
    cr_assert(genlru_unpin(l.lru, l.node) == GENLRU_YOURS);
    unit_end(&l.unit, l.lru, l.node, 1);
}

/* The evictor and the deleter: the second of the two frees, in either order. */
Test(del, isolated_then_release)
{
    struct life l = begin();

    start(&l);
    isolate(&l);
    cr_assert(genlru_del(l.lru, l.node) == 0);
    cr_assert(genlru_release(l.lru, l.node) == GENLRU_YOURS);
    cr_assert(l.unit.nr_errors == 0);
    unit_end(&l.unit, l.lru, l.node, 1);
}

Test(del, release_then_del)
{
    struct life l = begin();

    start(&l);
    isolate(&l);
    cr_assert(genlru_release(l.lru, l.node) == 0);
    cr_assert(genlru_node_is_isolated(l.node));
    cr_assert(genlru_del(l.lru, l.node) == GENLRU_YOURS);
    cr_assert(genlru_node_fini(l.node) == 0);
    unit_end(&l.unit, l.lru, l.node, 1);
}

Test(del, isolated_then_putback)
{
    struct life l = begin();

    start(&l);
    isolate(&l);
    cr_assert(genlru_del(l.lru, l.node) == 0);
    cr_assert(genlru_putback(l.lru, &l.victim) == GENLRU_YOURS);
    cr_assert(genlru_charge(l.lru) == 0);
    unit_end(&l.unit, l.lru, l.node, 1);
}

Test(del, arguments)
{
    struct life l = begin();

    start(&l);
    cr_assert(genlru_del(NULL, l.node) == -EINVAL && genlru_del(l.lru, NULL) == -EINVAL);
    cr_assert(genlru_release(NULL, l.node) == -EINVAL && genlru_release(l.lru, NULL) == -EINVAL);
    unit_end(&l.unit, l.lru, l.node, 1);
}

/* A node of another lru: refused where the checked build can tell, with nothing changed on either. */
Test(del, another_lru)
{
    struct life l = begin(), other = begin();

    start(&l);
    start(&other);
    if (GENLRU__IS_CHECKED) {
        cr_assert(genlru_del(l.lru, other.node) == -EXDEV);
        cr_assert(l.unit.nr_errors == 1 && other.unit.nr_errors == 0);
        cr_assert(genlru_node_is_listed(other.node));
    }
    unit_end(&l.unit, l.lru, l.node, 1);
    unit_end(&other.unit, other.lru, other.node, 1);
}

/* Deletes in every order from every place give all memory back, and counters follow. */
Test(del, many)
{
    enum { NR = 5000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t random = unit_seed(), charge = 0;
    struct genlru *lru;
    size_t i, left = NR;
    unsigned *order = malloc(NR * sizeof(*order));

    config.nr_types = 3;
    lru = unit_create(&config);
    for (i = 0; i < NR; i++) {
        order[i] = (unsigned)i;
        cr_assert(genlru_node_init(&nodes[i], i, i % 3) == 0);
        cr_assert(unit_add(lru, &nodes[i], i % 5 ? 0 : GENLRU_ADD_HOT) == 0);
        charge += i;
    }
    while (left) {
        size_t at = unit_random(&random) % left;

        charge -= order[at];
        cr_assert(genlru_del(lru, &nodes[order[at]]) == GENLRU_YOURS);
        cr_assert(genlru_charge(lru) == charge);
        order[at] = order[--left];
        if (left % 100 == 0)
            unit_verify(lru);
    }
    genlru_trim(lru);
    cr_assert(unit_stat(lru).blocks <= 2 * 4 * 3 + 2, "%llu blocks are left",
              (unsigned long long)unit_stat(lru).blocks);
    free(order);
    unit_end(&unit, lru, nodes, NR);
}

/* A batch answers for each node what a del of it alone would, in every state, whatever its length. */
Test(del, batch)
{
    enum { NR = 200 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR), *one[NR];
    struct genlru *lru = unit_create(&config);
    struct genlru_victim victims[20];
    int results[NR], want[NR];
    size_t i, nr, at = 0, nr_yours;

    unit_add_all(lru, nodes, NR, 0);
    for (i = 0; i < NR; i++)
        want[i] = GENLRU_YOURS;
    cr_assert(genlru_evict(lru, NULL, victims, 20, NULL) == 20);
    for (i = 0; i < 20; i++)
        want[victims[i].node - nodes] = 0; /* the evictor frees it */
    for (i = 30; i < 40; i++) {
        cr_assert(genlru_pin(lru, &nodes[i]) == 0);
        want[i] = 0; /* the pin holder does */
    }
    for (i = 50; i < 55; i++) {
        cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
        want[i] = -ENOENT;
    }
    for (i = 0; i < NR; i++)
        one[i] = &nodes[i];
    for (nr = 0; at < NR; nr = nr * 2 + 1) {
        size_t nr_now = nr < NR - at ? nr : NR - at, yours = 0;

        nr_yours = genlru_del_batch(lru, one + at, nr_now, results + at);
        for (i = at; i < at + nr_now; i++) {
            cr_assert(results[i] == want[i], "node %zu: %d, expected %d", i, results[i], want[i]);
            yours += want[i] == GENLRU_YOURS;
        }
        cr_assert(nr_yours == yours);
        at += nr_now;
        unit_verify(lru);
    }
    cr_assert(unit.nr_errors == 5 && unit.error == GENLRU_ERROR_MISUSE, "the five that were on no list");
    unit.nr_errors = 0;
    for (i = 0; i < 20; i++)
        cr_assert(genlru_release(lru, victims[i].node) == GENLRU_YOURS);
    for (i = 30; i < 40; i++)
        cr_assert(genlru_unpin(lru, &nodes[i]) == GENLRU_YOURS);
    cr_assert(genlru_charge(lru) == 0);
    one[0] = NULL;
    cr_assert(genlru_del_batch(lru, one, 1, results) == 0 && results[0] == -EINVAL);
    cr_assert(genlru_del_batch(NULL, one, 1, results) == 0 && genlru_del_batch(lru, NULL, 1, results) == 0 &&
              genlru_del_batch(lru, one, 1, NULL) == 0);
    unit_end(&unit, lru, nodes, NR);
}
