/* SPDX-License-Identifier: MIT */
/*
 * Compaction: the order of nodes never changes, and invariant 7 (60 * linked <= 2 * live + 60 * chains + ...) holds
 * whatever makes blocks sparse: deletes, evictions beside them, nodes unpinned from the parked list, flushes, adds to
 * more lists than a stripe has blocks open.
 */
#include "gens/compact.h"

#include "unit.h"

/* Victims of a whole lru must be the nodes not deleted, in the order they were added. */
static void expect_order(struct genlru *lru, const struct genlru_node *nodes, const bool *is_gone, size_t nr)
{
    struct genlru_victim victims[64];
    size_t at = 0;
    int got, i;

    while ((got = genlru_evict(lru, NULL, victims, 64, NULL)) > 0)
        for (i = 0; i < got; i++) {
            while (at < nr && is_gone[at])
                at++;
            unit_check(at < nr && victims[i].node == &nodes[at], "victim %zd, expected %zu", victims[i].node - nodes,
                       at);
            at++;
        }
    while (at < nr && is_gone[at])
        at++;
    cr_assert(at == nr, "%zu of %zu", at, nr);
}

Test(compact, order_survives_random_deletes)
{
    enum { NR = 6000 };
    uint64_t random = unit_seed();
    unsigned keep;

    for (keep = 1; keep <= 40; keep += 3) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru *lru = unit_create(&config);
        struct genlru_node *nodes = unit_nodes(NR);
        bool *is_gone = calloc(NR, sizeof(bool));
        size_t i;

        unit_add_all(lru, nodes, NR, 0);
        for (i = 0; i < 4 * NR; i++) {
            size_t victim = unit_random(&random) % NR;

            if (is_gone[victim] || unit_random(&random) % 41 < keep)
                continue;
            cr_assert(genlru_del(lru, &nodes[victim]) == GENLRU_YOURS);
            is_gone[victim] = true;
            if (i % 64 == 0)
                unit_verify(lru);
        }
        unit_verify(lru);
        if (keep % 2)
            genlru_trim(lru);
        unit_verify(lru);
        if (keep < 20)
            cr_assert(unit_stat(lru).compacted > 0);
        expect_order(lru, nodes, is_gone, NR);
        free(is_gone);
        unit_end(&unit, lru, nodes, NR);
    }
}

/* Blocks with holes before `scan`: a partly scanned block takes the nodes of its neighbour, still in order. */
Test(compact, order_survives_in_a_partly_scanned_block)
{
    enum { NR = 600 };
    unsigned scanned;

    for (scanned = 1; scanned < 60; scanned += 7) {
        struct unit unit;
        struct genlru_config config = unit_config(&unit);
        struct genlru *lru = unit_create(&config);
        struct genlru_node *nodes = unit_nodes(NR);
        struct genlru_victim victims[60];
        bool *is_gone = calloc(NR, sizeof(bool));
        size_t i;

        unit_add_all(lru, nodes, NR, 0);
        cr_assert(genlru_evict(lru, NULL, victims, scanned, NULL) == (int)scanned);
        for (i = 0; i < NR; i++) {
            is_gone[i] = i < scanned || i % 5 != 0;
            if (i >= scanned && is_gone[i])
                cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
        }
        genlru_trim(lru);
        unit_verify(lru);
        cr_assert(60 * lru->nr_linked <= 2 * unit_stat(lru).nodes + 60 * lru->nr_nonempty, "trim finishes");
        expect_order(lru, nodes, is_gone, NR);
        free(is_gone);
        unit_end(&unit, lru, nodes, NR);
    }
}

Test(compact, one_piece_is_bounded_and_pieces_finish)
{
    enum { NR = 60 * 400 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t before;
    unsigned pieces = 0;
    size_t i;

    unit_add_all(lru, nodes, NR, 0);
    genlru__mutex_lock(&lru->lock); /* as if a mover held it: deletes leave the holes to others */
    genlru__mutex_unlock(&lru->lock);
    for (i = 0; i < NR; i++)
        if (i % 30)
            cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
    do {
        before = lru->nr_linked;
        genlru__mutex_lock(&lru->lock);
        genlru__compact_some(lru);
        genlru__mutex_unlock(&lru->lock);
        cr_assert(before - lru->nr_linked <= 16, "a piece of work is small");
        cr_assert(++pieces < 1000);
    } while (genlru__is_sparse(lru));
    unit_verify(lru);
    unit_end(&unit, lru, nodes, NR);
}

/* Old nodes keep the whole dense enough while young blocks thin out; then the old ones are evicted. */
Test(compact, evicting_the_dense_leaves_no_sparse)
{
    enum { NR = 60 * 500 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *old = unit_nodes(NR), *young = unit_nodes(NR);
    struct genlru_victim victims[64];
    size_t i;

    unit_add_all(lru, young, NR, GENLRU_ADD_HOT);
    unit_add_all(lru, old, NR, GENLRU_ADD_COLD);
    for (i = 0; i < NR; i++)
        if (i % 60)
            cr_assert(genlru_del(lru, &young[i]) == GENLRU_YOURS);
    unit_verify(lru);
    for (i = 0; i < NR; i += 64) {
        cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) > 0);
        if (i / 64 % 8 == 0)
            unit_verify(lru);
    }
    unit_verify(lru);
    unit_del_all(lru, young, NR);
    free(young);
    unit_end(&unit, lru, old, NR);
}

/* Nodes leave the parked list one by one when they are unpinned. */
Test(compact, unpinned_nodes_leave_no_sparse_parked_list)
{
    enum { NR = 60 * 200 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[64];
    size_t i;

    unit_add_all(lru, nodes, NR, GENLRU_ADD_PINNED);
    cr_assert(genlru_evict(lru, NULL, victims, 64, NULL) == 0);
    cr_assert(unit_stat(lru).pinned_nodes == NR);
    for (i = 0; i < NR; i++)
        if (i % 60) {
            cr_assert(genlru_unpin(lru, &nodes[i]) == 0);
            if (i % 6 == 0)
                while (genlru_evict(lru, NULL, victims, 64, NULL) > 0)
                    ;
            if (i % 600 == 0)
                unit_verify(lru);
        }
    unit_verify(lru);
    unit_end(&unit, lru, nodes, NR);
}

/* Flushes hand over blocks that are not full: many agings with few adds in between. */
Test(compact, flushes_leave_no_sparse_chain)
{
    enum { NR = 3000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    bool *is_gone = calloc(NR, sizeof(bool));
    size_t i;

    for (i = 0; i < NR; i++) {
        cr_assert(unit_add(lru, &nodes[i], i % 2 ? GENLRU_ADD_COLD : 0) == 0);
        cr_assert(genlru_age(lru, 0) == 0);
        if (i % 50 == 0)
            unit_verify(lru);
    }
    unit_verify(lru);
    expect_order(lru, nodes, is_gone, NR);
    free(is_gone);
    unit_end(&unit, lru, nodes, NR);
}

/* The same with two places in use, so that the oldest generation is swept up onto one that has nodes. */
Test(compact, sweeps_leave_no_sparse_chain)
{
    enum { NR = 3000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    size_t i;

    for (i = 0; i < NR; i += 3) {
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_COLD) == 0);
        cr_assert(unit_add(lru, &nodes[i + 1], GENLRU_ADD_HOT) == 0);
        cr_assert(unit_add(lru, &nodes[i + 2], GENLRU_ADD_HOT) == 0);
        cr_assert(genlru_advise(lru, &nodes[i + 2], GENLRU_ADVICE_COLD) == 0);
        cr_assert(genlru_age(lru, 0) == 0);
        if (i % 60 == 0)
            unit_verify(lru);
    }
    unit_verify(lru);
    unit_end(&unit, lru, nodes, NR);
}

/* Adds that go round more lists than a stripe has open blocks. */
Test(compact, thrashing_open_blocks)
{
    enum { NR = 8 * 1000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru *lru;
    size_t i;

    config.nr_types = 4;
    lru = unit_create(&config);
    for (i = 0; i < NR; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1, i % 4) == 0);
        cr_assert(unit_add(lru, &nodes[i], i / 4 % 2 ? GENLRU_ADD_COLD : GENLRU_ADD_HOT) == 0);
        if (i % 200 == 0)
            unit_verify(lru);
    }
    unit_verify(lru);
    cr_assert(unit_stat(lru).blocks <= 2 * NR / 60 + 20, "%llu blocks for %d nodes",
              (unsigned long long)unit_stat(lru).blocks, NR);
    unit_end(&unit, lru, nodes, NR);
}

/* A long random life: adds, hits, deletes, agings, evictions; the invariant every 500 steps, and bytes per node. */
Test(compact, random_life)
{
    enum { NR = 20000, STEPS = 400000 };
    uint64_t random = unit_seed();
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victims[16];
    unsigned step;
    int got;

    for (step = 0; step < STEPS; step++) {
        struct genlru_node *node = &nodes[unit_random(&random) % NR];
        unsigned what = (unsigned)(unit_random(&random) % 1000);

        if (!genlru_node_is_listed(node))
            cr_assert(unit_add(lru, node, what < 100 ? GENLRU_ADD_HOT : what < 200 ? GENLRU_ADD_COLD : 0) == 0);
        else if (what < 500)
            genlru_access(lru, node);
        else if (what < 998)
            cr_assert(genlru_del(lru, node) == GENLRU_YOURS);
        else if (what == 998)
            cr_assert(genlru_age(lru, 0) == 0);
        else
            for (got = genlru_evict(lru, NULL, victims, 16, NULL); got-- > 0;)
                cr_assert(genlru_node_init(victims[got].node, 1, 0) == 0);
        if (step % 500 == 0)
            unit_verify(lru);
    }
    genlru_trim(lru);
    unit_verify(lru);
    cr_assert(lru->nr_linked * 512 <= (2 * unit_stat(lru).nodes + 60 * lru->nr_nonempty) * 512 / 60,
              "after a trim: at most two slots a node, and a block a chain");
    unit_end(&unit, lru, nodes, NR);
}

/* Without a single hole there is nothing to compact. */
Test(compact, dense_is_left_alone)
{
    enum { NR = 6000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);

    cr_assert(!genlru__is_sparse(lru), "an empty lru is not sparse");
    unit_add_all(lru, nodes, NR, 0);
    cr_assert(!genlru__is_sparse(lru));
    genlru_trim(lru);
    cr_assert(unit_stat(lru).compacted == 0);
    unit_end(&unit, lru, nodes, NR);
}

/* Deletes leave the hint of live nodes too high; evictions after them must still see what unpins left sparse. */
Test(compact, unpins_and_deletes_then_evictions)
{
    enum { NR = 30000, PINNED = 9000, DELETED = 7000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_budget one = {.nodes = 1};
    struct genlru_victim victims[64];
    unsigned i, nr;

    for (i = 0; i < NR; i++)
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
    for (i = 0; i < NR; i++)
        if (i % 4 < 2)
            cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
    (void)genlru_trim(lru); /* a pass has counted */
    for (i = nr = 0; nr < PINNED; i++)
        nr += genlru_node_is_listed(&nodes[i]) && genlru_pin(lru, &nodes[i]) == 0;
    cr_assert(genlru_evict(lru, &one, victims, 64, NULL) == 1, "parks what it meets");
    for (i = 0; i < NR; i++)
        if (genlru_node_is_pinned(&nodes[i]))
            cr_assert(genlru_unpin(lru, &nodes[i]) == 0);
    for (i = NR, nr = 0; nr < DELETED;)
        if (genlru_node_is_listed(&nodes[--i]))
            nr += genlru_del(lru, &nodes[i]) == GENLRU_YOURS;
    for (i = 0; genlru_evict(lru, NULL, victims, 64, NULL) > 0; i++)
        if (i % 16 == 0)
            unit_verify(lru); /* invariant 7 among them */
    unit_verify(lru);
    unit_end(&unit, lru, NULL, 0);
    free(nodes);
}

/* In steady state the hint stays close enough that no look has to add the counters up. */
Test(compact, steady_state_counts_nothing)
{
    enum { NR = 3000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru_victim victim;
    unsigned i, nr_looks = 0;

    for (i = 0; i < NR; i++)
        cr_assert(genlru_add(lru, &nodes[i], NULL) == 0);
    for (i = 0; i < 20000; i++) {
        cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
        cr_assert(genlru_node_init(victim.node, 1, 0) == 0 && genlru_add(lru, victim.node, NULL) == 0);
        nr_looks +=
            lru->is_compaction_due || (lru->nr_linked > lru->nr_nonempty &&
                                       GENLRU__SLOTS * (lru->nr_linked - lru->nr_nonempty) > 2 * lru->live_hint);
    }
    cr_assert(nr_looks < 20000 / 100, "%u of 20000 evicts left a reason to count", nr_looks);
    unit_verify(lru);
    unit_end(&unit, lru, nodes, NR);
}
