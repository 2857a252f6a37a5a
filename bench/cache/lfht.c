/* SPDX-License-Identifier: MIT */
/*
 * liburcu's cds_lfht as an index alone, the alternative to cache/index.h: entries found by it, in a read section, with their
 * key compared; nothing is bounded, evicted or counted. So it is a lower bound of what a cache on it would cost, and only part of
 * look-up benchmarks.
 */
#include <urcu.h>

#include <stdlib.h>
#include <urcu/rculfhash.h>

#include "cache/subject.h"

struct entry {
    struct cds_lfht_node node;
    uint64_t key;
    void *value;
};

static uint64_t hash_of(uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0xb5ad4eceda1ce2a9);
    key ^= key >> 29;
    key *= UINT64_C(0xd1342543de82ef95);
    return key ^ key >> 32;
}

static int is_key(struct cds_lfht_node *node, const void *key)
{
    return caa_container_of(node, struct entry, node)->key == *(const uint64_t *)key;
}

/* The table, of a fixed size and with its entries in one array, so that nothing has to be reclaimed. */
struct table {
    struct cds_lfht *lfht;
    struct entry *entries;
    size_t capacity;
    size_t nr;
};

static void *create(size_t capacity)
{
    struct table *table = calloc(1, sizeof(*table));
    unsigned long nr = 1;

    if (!table)
        return NULL;
    while (nr < capacity)
        nr *= 2;
    table->capacity = capacity;
    table->entries = calloc(capacity, sizeof(*table->entries));
    table->lfht = table->entries ? cds_lfht_new(nr, nr, nr, 0, NULL) : NULL;
    if (table->lfht)
        return table;
    free(table->entries);
    free(table);
    return NULL;
}

static void destroy(void *user)
{
    struct table *table = user;

    rcu_register_thread();
    rcu_read_lock();
    for (size_t i = 0; i < table->nr; i++)
        (void)cds_lfht_del(table->lfht, &table->entries[i].node);
    rcu_read_unlock();
    synchronize_rcu();
    (void)cds_lfht_destroy(table->lfht, NULL);
    rcu_unregister_thread();
    free(table->entries);
    free(table);
}

static void enter(void)
{
    rcu_register_thread();
}

static void leave(void)
{
    rcu_unregister_thread();
}

static struct entry *find(struct cds_lfht *table, uint64_t key)
{
    struct cds_lfht_iter iter;
    struct cds_lfht_node *node;

    cds_lfht_lookup(table, hash_of(key), is_key, &key, &iter);
    node = cds_lfht_iter_get_node(&iter);
    return node ? caa_container_of(node, struct entry, node) : NULL;
}

static size_t get(void *user, const uint64_t *keys, size_t nr)
{
    struct table *table = user;
    size_t nr_hits = 0;

    rcu_read_lock();
    for (size_t i = 0; i < nr; i++) {
        const struct entry *entry = find(table->lfht, keys[i]);

        nr_hits += entry && entry->value != NULL;
    }
    rcu_read_unlock();
    return nr_hits;
}

/* Inserts while there is room; by one thread. */
static size_t get_or_insert(void *user, const uint64_t *keys, size_t nr)
{
    struct table *table = user;

    rcu_read_lock();
    for (size_t i = 0; i < nr && table->nr < table->capacity; i++) {
        struct entry *entry = &table->entries[table->nr];

        entry->key = keys[i];
        entry->value = (void *)(uintptr_t)keys[i];
        if (cds_lfht_add_unique(table->lfht, hash_of(keys[i]), is_key, &keys[i], &entry->node) == &entry->node)
            table->nr++;
    }
    rcu_read_unlock();
    return 0;
}

const struct cache_subject_ops cache_subject_lfht = {
    "lfht_index", create, destroy, enter, leave, get, NULL, get_or_insert,
};
