/* SPDX-License-Identifier: MIT */
/*
 * memory - bytes per entry: node, lists and pool, after filling and after heavy random churn
 *
 * Fills an lru of its own pool with n nodes, then replaces random ones (delete, add) three times over while every
 * 16th step also evicts one and adds it again, and looks at what the pool holds, free blocks included. Bounds: 26
 * bytes an entry after filling and 34 after churn from a million entries on; small lrus pay for their counters.
 *
 * Usage: stress_memory [entries (default 1000000)]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "genlru/genlru.h"

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void die(const char *what, int code)
{
    fprintf(stderr, "memory: %s (%d)\n", what, code);
    exit(1);
}

static double bytes_per_entry(struct genlru *lru, struct genlru_pool *pool, uint64_t nr)
{
    struct genlru_pool_stat pool_stat = {.size = sizeof(pool_stat)};
    struct genlru_stat stat = {.size = sizeof(stat)};
    char text[256];
    int broken = genlru_verify(lru, text, sizeof(text));

    if (broken)
        die(text, broken);
    if (genlru_stat(lru, &stat) != 0 || genlru_pool_stat(pool, &pool_stat) != 0)
        die("stat", 0);
    if (stat.nodes != nr)
        die("nodes were lost", (int)stat.nodes);
    uint64_t own = stat.metadata_bytes - stat.blocks * pool_stat.block_bytes;

    return (double)(own + pool_stat.blocks * pool_stat.block_bytes) / (double)nr + sizeof(struct genlru_node);
}

static void replace(struct genlru *lru, struct genlru_node *node)
{
    int error = genlru_del(lru, node);

    if (error != GENLRU_YOURS)
        die("del", error);
    error = genlru_add(lru, node, NULL);
    if (error)
        die("add", error);
}

static void evict_one(struct genlru *lru)
{
    struct genlru_victim victim;

    if (genlru_evict(lru, NULL, &victim, 1, NULL) != 1)
        die("nothing to evict", 0);
    int error = genlru_node_init(victim.node, 1, 0);

    if (!error)
        error = genlru_add(lru, victim.node, NULL);
    if (error)
        die("add of a victim", error);
}

static int report(const char *when, double bytes, double bound)
{
    printf("%s: %.2f bytes per entry (bound %.0f)\n", when, bytes, bound);
    return bytes <= bound ? 0 : 1;
}

int main(int argc, char **argv)
{
    uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000, i;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_pool *pool;
    struct genlru *lru;
    int failed = 0;

    if (nr < 1000000 || nr > UINT32_MAX)
        die("entries must be 1000000 or more", 0);
    random_state = 0x9e3779b97f4a7c15u;
    printf("seed %" PRIu64 ", %" PRIu64 " entries\n", random_state, nr);
    if (genlru_pool_create(NULL, &pool) != 0)
        die("pool", ENOMEM);
    config.pool = pool;
    config.capacity = nr;
    if (genlru_create(&config, &lru) != 0)
        die("create", ENOMEM);
    struct genlru_node *nodes = calloc(nr, sizeof(*nodes));

    if (!nodes)
        die("nodes", ENOMEM);
    for (i = 0; i < nr; i++)
        if (genlru_node_init(&nodes[i], 1, 0) != 0 || genlru_add(lru, &nodes[i], NULL) != 0)
            die("fill", 0);
    failed |= report("filled", bytes_per_entry(lru, pool, nr), 26);
    for (i = 0; i < 3 * nr; i++) {
        replace(lru, &nodes[next_random() % nr]);
        if (i % 16 == 0)
            evict_one(lru);
    }
    failed |= report("churned", bytes_per_entry(lru, pool, nr), 34);
    for (i = 0; i < nr; i++)
        if (genlru_del(lru, &nodes[i]) != GENLRU_YOURS)
            die("del at the end", 0);
    if (genlru_destroy(lru) != 0 || genlru_pool_destroy(pool) != 0)
        die("destroy", 0);
    free(nodes);
    return failed;
}
