/* SPDX-License-Identifier: MIT */
/*
 * genlru_trim: compaction to its end, and memory of free slabs given back; bytes per node after filling and after
 * churn.
 */
#include "gens/compact.h"
#include "unit.h"

Test(trim, finishes_the_compaction)
{
    enum { NR = 60 * 1000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t random = unit_seed();
    size_t i, left = 0;

    unit_add_all(lru, nodes, NR, 0);
    for (i = 0; i < NR; i++) {
        if (unit_random(&random) % 20)
            cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
        else
            left++;
    }
    cr_assert(genlru_trim(lru) == 0, "an owner's allocator gets nothing back");
    cr_assert(!genlru__is_sparse(lru) && 60 * lru->nr_linked <= 2 * left + 60 * lru->nr_nonempty);
    cr_assert(genlru_trim(NULL) == 0);
    unit_end(&unit, lru, nodes, NR);
}

/* A big lru that was emptied gives its slabs back to the system, and can be filled again. */
Test(trim, gives_memory_back)
{
    enum { NR = 60 * 45000 * (8 / (int)sizeof(void *)) }; /* slabs are mapped once an eighth of all is 2 MiB */
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_node *nodes = unit_nodes(NR);
    struct genlru *lru;
    uint64_t bytes;
    double per_node;
    size_t i;

    config.stripes = 1;
    lru = unit_create(&config);
    unit_add_all(lru, nodes, NR, 0);
    per_node = 16 + (double)unit_stat(lru).metadata_bytes / NR;
    fprintf(stderr, "%.2f bytes per node\n", per_node);
    cr_assert(per_node < 26, "after filling: %.2f", per_node);
    cr_assert(genlru_trim(lru) == 0);
    for (i = 0; i < NR; i++)
        cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
    bytes = genlru_trim(lru);
    cr_assert(bytes >= 2u << 20, "%llu", (unsigned long long)bytes);
    unit_add_all(lru, nodes, NR / 2, 0);
    unit_verify(lru);
    unit_end(NULL, lru, nodes, NR);
}

/* Random adds and deletes: 16 bytes of node and at most 18 of lists each. */
Test(trim, bytes_per_node_after_churn)
{
    enum { NR = 200000, STEPS = 3000000 };
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(NR);
    uint64_t random = unit_seed(), listed = 0;
    double per_node;
    unsigned step;

    for (step = 0; step < STEPS; step++) {
        struct genlru_node *node = &nodes[unit_random(&random) % NR];

        if (genlru_node_is_listed(node)) {
            unit_check(genlru_del(lru, node) == GENLRU_YOURS, "del");
            listed--;
        } else {
            unit_check(genlru_add(lru, node, NULL) == 0, "add");
            listed++;
        }
    }
    unit_verify(lru);
    per_node = 16 + (double)unit_stat(lru).metadata_bytes / (double)listed;
    fprintf(stderr, "%.2f bytes per node\n", per_node);
    cr_assert(per_node <= 34, "%.2f", per_node);
    unit_end(&unit, lru, nodes, NR);
}
