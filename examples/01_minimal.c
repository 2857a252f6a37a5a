/* SPDX-License-Identifier: MIT */
/*
 * The whole contract with one thread: a cache of values of different sizes, bounded in bytes.
 *
 * One lock (here: one thread) covers index and lru, so nothing can happen between two calls, and a victim
 * is always still in the index. 02_concurrent.c shows what changes with several threads.
 */
#include <genlru/genlru.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NR_KEYS = 5000, NR_REQUESTS = 60000, CAPACITY_BYTES = 256 * 1024 };

struct entry {
    struct genlru_node node; /* 16 bytes; anywhere in the struct */
    int key;
    size_t value_bytes;
    unsigned char value[]; /* all bytes are key % 251 */
};

static struct entry *index_of[NR_KEYS];
static struct genlru *lru;
static long nr_live;

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "01_minimal: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

static size_t entry_bytes(const struct entry *e)
{
    return sizeof(*e) + e->value_bytes;
}

/* Evicts until the lru is within its capacity. */
static void shrink(void)
{
    struct genlru_victim victims[16];
    uint64_t excess;

    while ((excess = genlru_excess(lru)) > 0) {
        struct genlru_budget budget = {.charge = excess};
        int nr = genlru_evict(lru, &budget, victims, 16, NULL);

        check(nr > 0, "over capacity, and nothing to evict");
        for (int i = 0; i < nr; i++) {
            struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node);

            index_of[e->key] = NULL;
            free(e); /* isolated and out of the index: it is ours */
            nr_live--;
        }
    }
}

static struct entry *load(int key)
{
    size_t value_bytes = 16 + (size_t)key % 500;
    struct entry *e = malloc(sizeof(*e) + value_bytes);

    check(e != NULL, "malloc");
    e->key = key;
    e->value_bytes = value_bytes;
    memset(e->value, key % 251, value_bytes);
    return e;
}

/* True on a hit. */
static int get(int key)
{
    struct entry *e = index_of[key];

    if (e) {
        check(e->key == key && e->value[e->value_bytes - 1] == key % 251, "wrong value");
        genlru_access(lru, &e->node);
        return 1;
    }
    e = load(key);
    check(genlru_node_init(&e->node, entry_bytes(e), 0) == 0, "node_init");
    check(genlru_add(lru, &e->node, NULL) == 0, "add"); /* -ENOMEM: serve the value uncached */
    index_of[key] = e;
    nr_live++;
    shrink();
    return 0;
}

/* The owner drops an entry itself, for instance because the row was deleted. */
static void drop(int key)
{
    struct entry *e = index_of[key];

    if (e && genlru_del(lru, &e->node) == GENLRU_YOURS) {
        index_of[key] = NULL;
        free(e);
        nr_live--;
    }
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    uint64_t random = 1;
    long hits = 0;

    config.capacity = CAPACITY_BYTES;
    check(genlru_create(&config, &lru) == 0, "create");

    for (int i = 0; i < NR_REQUESTS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned bits = (unsigned)(random >> 33);
        int key = bits % 10 < 7 ? (int)(bits / 10 % 500) : (int)(bits / 10 % NR_KEYS); /* 7 of 10 to 500 keys */

        if (i % 1000 == 999)
            drop(key);
        else
            hits += get(key);
        check(genlru_charge(lru) <= CAPACITY_BYTES, "over capacity");
    }
    printf("%d requests, %ld hits; %ld entries, %llu of %d bytes\n", NR_REQUESTS, hits, nr_live,
           (unsigned long long)genlru_charge(lru), CAPACITY_BYTES);
    check(hits > NR_REQUESTS / 2, "fewer hits than the hot keys alone should give");

    genlru_set_capacity(lru, 0); /* an lru with nodes on it cannot be destroyed */
    shrink();
    check(nr_live == 0, "entries left");
    check(genlru_destroy(lru) == 0, "destroy");
    return EXIT_SUCCESS;
}
