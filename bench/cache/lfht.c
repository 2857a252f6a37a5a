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

static void *create(size_t capacity)
{
    unsigned long nr = 1;

    while (nr < capacity)
        nr *= 2;
    return cds_lfht_new(nr, 1, 0, CDS_LFHT_AUTO_RESIZE, NULL);
}

static void destroy(void *table)
{
    struct cds_lfht_iter iter;
    struct entry *entry;

    rcu_register_thread();
    rcu_read_lock();
    cds_lfht_for_each_entry((struct cds_lfht *)table, &iter, entry, node)
    {
        (void)cds_lfht_del((struct cds_lfht *)table, &entry->node);
        free(entry); /* nobody else is here; the walk has read its link */
    }
    rcu_read_unlock();
    (void)cds_lfht_destroy((struct cds_lfht *)table, NULL);
    rcu_unregister_thread();
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

static size_t get(void *table, const uint64_t *keys, size_t nr)
{
    size_t nr_hits = 0;

    rcu_read_lock();
    for (size_t i = 0; i < nr; i++) {
        const struct entry *entry = find((struct cds_lfht *)table, keys[i]);

        nr_hits += entry && entry->value != NULL;
    }
    rcu_read_unlock();
    return nr_hits;
}

static size_t get_or_insert(void *table, const uint64_t *keys, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct entry *entry = malloc(sizeof(*entry));

        if (!entry)
            break;
        entry->key = keys[i];
        entry->value = (void *)(uintptr_t)keys[i];
        rcu_read_lock();
        if (cds_lfht_add_unique((struct cds_lfht *)table, hash_of(keys[i]), is_key, &keys[i], &entry->node) != &entry->node)
            free(entry);
        rcu_read_unlock();
    }
    return 0;
}

const struct cache_subject_ops cache_subject_lfht = {
    "lfht_index", create, destroy, enter, leave, get, NULL, get_or_insert,
};
