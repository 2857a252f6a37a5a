/* SPDX-License-Identifier: MIT */
/*
 * Remembering evicted entries: the same requests through an lru without memory of them, one whose owner keeps
 * each victim's shadow in the index slot that the entry leaves, and one with a nonresident table.
 */
#include <genlru/genlru.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NR_KEYS = 20000, CAPACITY = 2000, NR_REQUESTS = 80000 };

struct entry {
    struct genlru_node node;
    int key;
};

enum keeping { NOWHERE, IN_THE_INDEX, IN_A_TABLE };

struct cache {
    enum keeping keeping;
    struct genlru *lru;
    struct genlru_nonresident *table;
    /* An entry's address or a shadow: bit 63 is set in every shadow and in no address of a user process. */
    uint64_t index[NR_KEYS];
    long hits;
};

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "03_shadows: %s\n", what);
    exit(EXIT_FAILURE);
}

static struct entry *resident(uint64_t slot)
{
    return slot >> 63 ? NULL : (struct entry *)(uintptr_t)slot;
}

static uint64_t hash_of_key(int key)
{
    return (uint64_t)key * 0x9e3779b97f4a7c15u; /* the table mixes it with its seed */
}

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    (void)ctx;
    return hash_of_key(GENLRU_ENTRY(node, struct entry, node)->key);
}

static void create(struct cache *cache, enum keeping keeping)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    cache->keeping = keeping;
    config.capacity = CAPACITY;
    if (keeping == IN_A_TABLE) {
        check(genlru_nonresident_create(2 * CAPACITY, 42, NULL, &cache->table) == 0, "table");
        config.nonresident = cache->table;
        config.hash_of = hash_of; /* called for victims */
    }
    check(genlru_create(&config, &cache->lru) == 0, "create");
}

static void shrink(struct cache *cache)
{
    struct genlru_victim victims[16];
    uint64_t excess;

    while ((excess = genlru_excess(cache->lru)) > 0) {
        int nr = genlru_evict(cache->lru, &(struct genlru_budget){.charge = excess}, victims, 16, NULL);

        check(nr > 0, "nothing to evict");
        for (int i = 0; i < nr; i++) {
            struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node);

            cache->index[e->key] = cache->keeping == IN_THE_INDEX ? victims[i].shadow : 0;
            free(e);
        }
    }
}

static void get(struct cache *cache, int key)
{
    struct entry *e = resident(cache->index[key]);
    struct genlru_add how = {.shadow = 0};

    if (e) {
        genlru_access(cache->lru, &e->node);
        cache->hits++;
        return;
    }
    if (cache->keeping == IN_THE_INDEX)
        how.shadow = cache->index[key]; /* 0 on the first read */
    how.key_hash = hash_of_key(key);
    how.has_key_hash = cache->keeping == IN_A_TABLE;
    e = malloc(sizeof(*e));
    check(e != NULL, "malloc");
    e->key = key;
    check(genlru_node_init(&e->node, 1, 0) == 0 && genlru_add(cache->lru, &e->node, &how) == 0, "add");
    cache->index[key] = (uint64_t)(uintptr_t)e;
    shrink(cache);
}

/* Replays the requests, prints a row and returns how many adds were refaults. */
static uint64_t run(enum keeping keeping, const char *name)
{
    struct cache *cache = calloc(1, sizeof(*cache));
    struct genlru_stat stat = {.size = sizeof(stat)};
    uint64_t random = 7;

    check(cache != NULL, "calloc");
    create(cache, keeping);
    for (int i = 0; i < NR_REQUESTS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t a = random >> 34, b = random >> 12 & 0x3fffffff;

        get(cache, (int)((a % NR_KEYS) * (b % NR_KEYS) / NR_KEYS)); /* small keys are frequent */
    }
    check(genlru_stat(cache->lru, &stat) == 0, "stat");
    printf("%-12s hits %6.2f %%   refaults %6llu of %6llu evicted   table %zu bytes\n", name,
           100.0 * (double)cache->hits / NR_REQUESTS, (unsigned long long)stat.refaulted,
           (unsigned long long)stat.evicted, genlru_nonresident_bytes(cache->table));

    genlru_set_capacity(cache->lru, 0);
    shrink(cache);
    check(genlru_destroy(cache->lru) == 0, "destroy");
    genlru_nonresident_destroy(cache->table);
    free(cache);
    return stat.refaulted;
}

int main(void)
{
    uint64_t without = run(NOWHERE, "nowhere");
    uint64_t in_index = run(IN_THE_INDEX, "in the index");
    uint64_t in_table = run(IN_A_TABLE, "in a table");

    check(without == 0, "refaults without shadows");
    check(in_index > 0 && in_table > 0, "no refaults");
    return EXIT_SUCCESS;
}
