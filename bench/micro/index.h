/* SPDX-License-Identifier: MIT */
/*
 * index.h - the hash index in front, as a fast engine has it: a bucket is a cache line, look-ups take no lock
 *
 *      bucket, 64 B:  │ lock │ 7 × entry: 16 bits of hash, 48 bits of address; 0 = free │
 *
 * A look-up reads its bucket and the object whose bits match: two dependent misses, the floor of any hit.
 * A full bucket spills into the next one. Writers lock the bucket that the key hashes to; a slot they fill by
 * compare-and-swap, since one of a later bucket may be wanted by others, too.
 *
 * Objects must not be reused while a reader may look at them: the caller's affair.
 */
#ifndef GENLRU_BENCH_MICRO_INDEX_H
#define GENLRU_BENCH_MICRO_INDEX_H

#include <stdint.h>

#include "micro/objects.h"

enum { INDEX_SLOTS = 7 };

struct index_bucket {
    uint32_t is_locked;
    uint32_t spilled; /* entries that found it full and stand in later ones */
    uint64_t entry[INDEX_SLOTS];
} __attribute__((aligned(64)));

struct index {
    struct index_bucket *bucket;
    uint64_t mask;
};

/* With buckets for twice `nr` objects, rounded up. 0 or -ENOMEM. */
int index_init(struct index *index, size_t nr);
void index_fini(struct index *index);

/* Locks a key against other writers of it. */
void index_lock(struct index *index, uint64_t key);
void index_unlock(struct index *index, uint64_t key);

/* Both with the key locked. -ENOSPC when no bucket near has room; put: the key is not there. remove: -ENOENT. */
int index_put(struct index *index, struct object *object);
int index_remove(struct index *index, const struct object *object);

static inline uint64_t index_hash(uint64_t key)
{
    /* splitmix64's finish (Steele, Lea, Flood 2014) */
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

static inline struct object *index_address(uint64_t entry)
{
    return (struct object *)(uintptr_t)(entry & UINT64_C(0xffffffffffff));
}

static inline uint64_t index_tag(uint64_t hash)
{
    return hash & UINT64_C(0xffff000000000000);
}

/* The object of that key, or NULL. */
static inline struct object *index_find(const struct index *index, uint64_t key)
{
    uint64_t hash = index_hash(key);

    for (uint64_t at = hash;; at++) {
        const struct index_bucket *bucket = &index->bucket[at & index->mask];

        for (unsigned i = 0; i < INDEX_SLOTS; i++) {
            /* acquire: pairs with the release of index_put; the object's key comes before its entry */
            uint64_t entry = __atomic_load_n(&bucket->entry[i], __ATOMIC_ACQUIRE);

            if (entry && index_tag(entry) == index_tag(hash) && index_address(entry)->key == key) {
                return index_address(entry);
            }
        }
        if (__atomic_load_n(&bucket->spilled, __ATOMIC_RELAXED) == 0) {
            return NULL;
        }
    }
}

#endif
