/* SPDX-License-Identifier: MIT */
/*
 * The smallest honest user of the installed library: fills an lru, hits one entry, makes room and
 * counts. Every way of consuming genlru (CMake package, subproject, pkg-config, a bare compiler line,
 * the shared library alone) builds and runs this one file.
 */
#include <genlru/genlru.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int key;
    struct genlru_node node;
};

enum { NR_ENTRIES = 100, CAPACITY = 40 };

static int fail(const char *what, long value)
{
    fprintf(stderr, "consumer: %s: %ld\n", what, value);
    return EXIT_FAILURE;
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru *lru;
    int nr_freed = 0;
    int ret;

    if (strcmp(genlru_version(), GENLRU_VERSION_STRING) != 0) {
        fprintf(stderr, "consumer: header %s, library %s\n", GENLRU_VERSION_STRING, genlru_version());
        return EXIT_FAILURE;
    }
    config.capacity = CAPACITY;
    config.policy = &GENLRU_POLICY_MGLRU_FG;
    ret = genlru_create(&config, &lru);
    if (ret)
        return fail("create", ret);

    for (int i = 0; i < NR_ENTRIES; i++) {
        struct entry *e = (struct entry *)malloc(sizeof(*e));

        if (!e)
            return fail("malloc", i);
        e->key = i;
        ret = genlru_node_init(&e->node, 1, 0);
        if (!ret)
            ret = genlru_add(lru, &e->node, NULL);
        if (ret)
            return fail("add", ret);
        genlru_access(lru, &e->node);
    }
    if (genlru_charge(lru) != NR_ENTRIES)
        return fail("charge after adding", (long)genlru_charge(lru));

    while (genlru_excess(lru) > 0) {
        struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
        struct genlru_victim victims[16];

        budget.nodes = genlru_excess(lru);
        ret = genlru_evict(lru, &budget, victims, 16, NULL);
        if (ret <= 0)
            return fail("evict", ret);
        for (int i = 0; i < ret; i++)
            free(GENLRU_ENTRY(victims[i].node, struct entry, node));
        nr_freed += ret;
    }
    if (nr_freed != NR_ENTRIES - CAPACITY || genlru_charge(lru) != CAPACITY)
        return fail("freed", nr_freed);

    /* What is left goes the same way, since an lru with nodes on it cannot be ended. */
    genlru_set_capacity(lru, 0);
    for (struct genlru_victim victim; genlru_evict(lru, &(struct genlru_budget){.nodes = 1}, &victim, 1, NULL) == 1;)
        free(GENLRU_ENTRY(victim.node, struct entry, node));
    ret = genlru_destroy(lru);
    if (ret)
        return fail("destroy", ret);
    printf("genlru %s: %d of %d entries evicted\n", genlru_version(), nr_freed, NR_ENTRIES);
    return EXIT_SUCCESS;
}
