/* SPDX-License-Identifier: MIT */
/* The hash index: see index.h. */
#include "micro/index.h"

#include <errno.h>
#include <sched.h>

int index_init(struct index *index, size_t nr)
{
    uint64_t buckets = 1;

    while (buckets * INDEX_SLOTS < 2 * nr) {
        buckets *= 2;
    }
    index->mask = buckets - 1;
    index->bucket = objects_map(buckets * sizeof(*index->bucket));
    return index->bucket ? 0 : -ENOMEM;
}

void index_fini(struct index *index)
{
    if (!index->bucket) {
        return;
    }
    objects_unmap(index->bucket, (index->mask + 1) * sizeof(*index->bucket));
    index->bucket = NULL;
}

static struct index_bucket *at(struct index *index, uint64_t hash)
{
    return &index->bucket[hash & index->mask];
}

void index_lock(struct index *index, uint64_t key)
{
    uint32_t *lock = &at(index, index_hash(key))->is_locked;

    /* acquire: pairs with the release of index_unlock */
    while (__atomic_load_n(lock, __ATOMIC_RELAXED) || __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
}

void index_unlock(struct index *index, uint64_t key)
{
    __atomic_store_n(&at(index, index_hash(key))->is_locked, 0, __ATOMIC_RELEASE);
}

/* All buckets from `from` to before `to` tell that look-ups must go on, or no longer. */
static void count_spilled(struct index *index, uint64_t from, uint64_t to, uint32_t by)
{
    for (; from != to; from++) {
        (void)__atomic_fetch_add(&at(index, from)->spilled, by, __ATOMIC_RELAXED);
    }
}

int index_put(struct index *index, struct object *object)
{
    uint64_t hash = index_hash(object->key);
    uint64_t wanted = index_tag(hash) | (uint64_t)(uintptr_t)object;

    for (uint64_t to = hash; to <= hash + index->mask; to++) {
        for (unsigned i = 0; i < INDEX_SLOTS; i++) {
            uint64_t *entry = &at(index, to)->entry[i], free = 0;

            /* release: pairs with the acquire of index_find */
            if (__atomic_load_n(entry, __ATOMIC_RELAXED) == 0 &&
                __atomic_compare_exchange_n(entry, &free, wanted, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
                count_spilled(index, hash, to, 1);
                return 0;
            }
        }
    }
    return -ENOSPC;
}

int index_remove(struct index *index, const struct object *object)
{
    uint64_t hash = index_hash(object->key);
    uint64_t wanted = index_tag(hash) | (uint64_t)(uintptr_t)object;

    for (uint64_t from = hash; from <= hash + index->mask; from++) {
        struct index_bucket *bucket = at(index, from);

        for (unsigned i = 0; i < INDEX_SLOTS; i++) {
            if (__atomic_load_n(&bucket->entry[i], __ATOMIC_RELAXED) == wanted) {
                __atomic_store_n(&bucket->entry[i], 0, __ATOMIC_RELAXED);
                count_spilled(index, hash, from, (uint32_t)-1);
                return 0;
            }
        }
        if (__atomic_load_n(&bucket->spilled, __ATOMIC_RELAXED) == 0) {
            break;
        }
    }
    return -ENOENT;
}
