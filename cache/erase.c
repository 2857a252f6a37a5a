/* SPDX-License-Identifier: MIT */
/* Erasing, and changing an entry in place. */
#include <errno.h>

#include "internal.h"

static int erase(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash)
{
    uint32_t handle = genlru__index_remove_key(&cache->index, hash, key);
    struct genlru_cache_entry *e;
    bool was_expired;

    if (!handle)
        return -ENOENT;
    e = genlru__heap_at(&cache->heap, handle);
    was_expired = genlru__is_expired(cache, e);
    genlru__entry_removed(cache, e, was_expired ? GENLRU_CACHE_EXPIRED : GENLRU_CACHE_ERASED);
    genlru__upkeep(cache, 0);
    return was_expired ? -ENOENT : 0;
}

int genlru_cache_erase(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes)
{
    struct genlru__key key;

    if (!cache || !genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return -EINVAL;
    return erase(cache, &key, genlru__hash_of_key(cache, &key));
}

int genlru_cache_erase_u64(struct genlru_cache *cache, uint64_t number)
{
    struct genlru__key key = {&number, sizeof(number), number};

    if (!cache || !cache->kind.has_number)
        return -EINVAL;
    return erase(cache, &key, genlru__hash_of_key(cache, &key));
}

int genlru_cache_erase_entry(struct genlru_cache *cache, struct genlru_cache_entry *entry)
{
    uint64_t hash = genlru__hash_of_entry(cache, entry);

    if (!genlru__index_remove(&cache->index, hash, genlru__heap_handle(entry)))
        return -ENOENT;
    genlru__entry_removed(cache, entry, GENLRU_CACHE_ERASED);
    genlru__upkeep(cache, 0);
    return 0;
}

int genlru_cache_set_ttl(struct genlru_cache *cache, struct genlru_cache_entry *entry, uint64_t ttl_ns)
{
    if (ttl_ns > GENLRU_CACHE_TTL_MAX_NS)
        return -ERANGE;
    genlru__u32_store_relaxed(&entry->expiry, genlru__expiry_after(cache, ttl_ns));
    if (ttl_ns)
        genlru__u32_store_relaxed(&cache->has_ttl, 1);
    return 0;
}

/* Room for the growth first; then the step itself, one at a time, so that the sum follows the entry. */
int genlru_cache_recharge(struct genlru_cache *cache, struct genlru_cache_entry *entry, uint64_t charge)
{
    pthread_mutex_t *mutex = &cache->flights[((uintptr_t)entry >> 6) % GENLRU__NR_FLIGHTS].mutex;
    uint64_t before = genlru_node_charge(&entry->node), room = charge > before ? charge - before : 0;
    int error;

    if (charge > UINT32_MAX)
        return -ERANGE;
    if (charge > genlru_impl_load_relaxed(&cache->capacity))
        return -EFBIG;
    error = room ? genlru__room_take(cache, room, cache->limit != GENLRU_CACHE_SOFT) : 0;
    if (error)
        return error;
    pthread_mutex_lock(mutex);
    before = genlru_node_charge(&entry->node);
    (void)genlru_recharge(cache->lru, &entry->node, charge); /* the charge was looked at */
    pthread_mutex_unlock(mutex);
    genlru__room_give(cache, before + room - charge);
    return 0;
}
