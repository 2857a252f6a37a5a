/* SPDX-License-Identifier: MIT */
/*
 * Looking up. The number variants are written out, since a call saved is a tenth of a hot hit.
 */
#include <errno.h>

#include "internal.h"

static struct genlru_cache_entry *find(const struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash)
{
    return cache->kind.has_number ? genlru__index_find_number(&cache->index, hash, key->number)
                                  : genlru__index_find(&cache->index, hash, key);
}

static inline void count_lookup(struct genlru_cache *cache, bool is_hit)
{
    if (GENLRU_UNLIKELY(cache->flags & GENLRU_CACHE_COUNT_LOOKUPS)) {
        struct genlru__lane *lane = genlru__lane_of(cache);

        genlru__count(is_hit ? &lane->hits : &lane->misses, 1);
    }
}

/* In a read section: takes an expired entry out. */
static void expire(struct genlru_cache *cache, struct genlru_cache_entry *e, uint64_t hash)
{
    if (genlru__index_remove(&cache->index, hash, genlru__heap_handle(e)))
        genlru__entry_removed(cache, e, GENLRU_CACHE_EXPIRED);
}

/* Pins what `find` found; NULL with *ret_again: it died meanwhile, and its key may have another entry. */
static inline struct genlru_cache_entry *keep(struct genlru_cache *cache, struct genlru_cache_entry *e, uint64_t hash,
                                              bool *ret_again)
{
    *ret_again = false;
    if (!e)
        return NULL;
    if (GENLRU_UNLIKELY(genlru__is_expired(cache, e))) {
        expire(cache, e, hash);
        return NULL;
    }
    if (GENLRU_LIKELY(genlru__entry_pin(e)))
        return e;
    *ret_again = (genlru__u32_load_acquire(&e->pins) & GENLRU__DEAD) != 0;
    return NULL;
}

struct genlru_cache_entry *genlru__get(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                                       bool is_access)
{
    struct genlru_cache_entry *e;
    bool again;

    genlru__rcu_read_lock();
    do {
        e = keep(cache, find(cache, key, hash), hash, &again);
    } while (again);
    genlru__rcu_read_unlock();
    if (e && is_access)
        genlru_access(cache->lru, &e->node);
    return e;
}

struct genlru_cache_entry *genlru__get_quietly(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash)
{
    struct genlru_cache_entry *e;

    genlru__rcu_read_lock();
    e = find(cache, key, hash);
    if (e && (genlru__is_expired(cache, e) || !genlru__entry_pin(e)))
        e = NULL;
    genlru__rcu_read_unlock();
    return e;
}

struct genlru_cache_entry *genlru_cache_get(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes)
{
    struct genlru_cache_entry *e;
    struct genlru__key key;

    if (!genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return NULL;
    e = genlru__get(cache, &key, genlru__hash_of_key(cache, &key), true);
    count_lookup(cache, e != NULL);
    return e;
}

/* ---- numbers ----
 *
 * The usual case first, without a call but at its end; all else begins anew in a function that looks at everything.
 */

static __attribute__((noinline)) struct genlru_cache_entry *get_number(struct genlru_cache *cache, uint64_t number)
{
    struct genlru__key key = {&number, sizeof(number), number};
    struct genlru_cache_entry *e;

    if (!cache->kind.has_number)
        return NULL;
    e = genlru__get(cache, &key, genlru__hash_of_key(cache, &key), true);
    count_lookup(cache, e != NULL);
    return e;
}

static __attribute__((noinline)) struct genlru_cache_entry *access_entry(struct genlru_cache *cache,
                                                                         struct genlru_cache_entry *e)
{
    genlru_access(cache->lru, &e->node);
    return e;
}

/* The access, and its entry. genlru_access knows for itself when there is nothing to do; known here, it needs no call. */
static inline struct genlru_cache_entry *accessed(struct genlru_cache *cache, struct genlru_cache_entry *e)
{
    const struct genlru_view *view = (const struct genlru_view *)(const void *)cache->lru;
    uint32_t word = genlru_impl_word(genlru_impl_load_relaxed(&e->node.state.do_not_touch));

    if (GENLRU_LIKELY((word & view->saturated.mask) == genlru_impl_load32_relaxed(&view->saturated.value)))
        return e;
    return access_entry(cache, e);
}

struct genlru_cache_entry *genlru_cache_get_u64(struct genlru_cache *cache, uint64_t number)
{
    struct genlru_cache_entry *e;
    enum genlru__found found;
    bool is_kept;

    if (GENLRU_UNLIKELY(!cache->has_plain_numbers))
        return get_number(cache, number);
    genlru__rcu_read_lock();
    found = genlru__index_find_quickly(&cache->index, genlru__hash_u64(number, cache->seed), number, &e);
    is_kept = found == GENLRU__FOUND && GENLRU_LIKELY(!genlru__u32_load_relaxed(&e->expiry)) &&
              GENLRU_LIKELY(genlru__entry_pin(e));
    genlru__rcu_read_unlock();
    if (GENLRU_LIKELY(is_kept))
        return accessed(cache, e);
    return found == GENLRU__ABSENT ? NULL : get_number(cache, number);
}

static inline struct genlru_cache_entry *use(struct genlru_cache *cache, struct genlru_cache_entry *e)
{
    if (e && GENLRU_UNLIKELY(genlru__is_expired(cache, e)))
        e = NULL;
    if (e)
        genlru_access(cache->lru, &e->node);
    count_lookup(cache, e != NULL);
    return e;
}

struct genlru_cache_entry *genlru_cache_get_rcu(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes)
{
    struct genlru__key key;

    if (!genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return NULL;
    return use(cache, find(cache, &key, genlru__hash_of_key(cache, &key)));
}

static __attribute__((noinline)) struct genlru_cache_entry *get_number_rcu(struct genlru_cache *cache, uint64_t number)
{
    struct genlru__key key = {&number, sizeof(number), number};

    if (!cache->kind.has_number)
        return NULL;
    return use(cache, find(cache, &key, genlru__hash_of_key(cache, &key)));
}

struct genlru_cache_entry *genlru_cache_get_rcu_u64(struct genlru_cache *cache, uint64_t number)
{
    struct genlru_cache_entry *e;
    enum genlru__found found;

    if (GENLRU_UNLIKELY(!cache->has_plain_numbers))
        return get_number_rcu(cache, number);
    found = genlru__index_find_quickly(&cache->index, genlru__hash_u64(number, cache->seed), number, &e);
    if (GENLRU_LIKELY(found == GENLRU__FOUND) && GENLRU_LIKELY(!genlru__u32_load_relaxed(&e->expiry)))
        return accessed(cache, e);
    return found == GENLRU__ABSENT ? NULL : get_number_rcu(cache, number);
}

struct genlru_cache_entry *genlru_cache_peek(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes)
{
    struct genlru__key key;

    if (!genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return NULL;
    return genlru__get(cache, &key, genlru__hash_of_key(cache, &key), false);
}

/* Looks at the key's entry in a read section. */
static int look(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes, bool is_access)
{
    struct genlru_cache_entry *e;
    struct genlru__key key;

    if (!genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return 0;
    genlru__rcu_read_lock();
    e = find(cache, &key, genlru__hash_of_key(cache, &key));
    if (e && genlru__is_expired(cache, e))
        e = NULL;
    if (e && is_access)
        genlru_access(cache->lru, &e->node);
    genlru__rcu_read_unlock();
    return e != NULL;
}

int genlru_cache_contains(struct genlru_cache *cache, const void *key, size_t key_bytes)
{
    return look(cache, key, key_bytes, false);
}

int genlru_cache_touch(struct genlru_cache *cache, const void *key, size_t key_bytes)
{
    return look(cache, key, key_bytes, true) ? 0 : -ENOENT;
}

/* Copies the value of an entry that stays meanwhile. */
static int copy(const struct genlru_cache *cache, const struct genlru_cache_entry *e, void *value, size_t max,
                size_t *ret_bytes)
{
    const void *from = cache->kind.is_inline ? genlru__entry_value(cache->kind, e) : (const void *)&e->value;
    size_t bytes = cache->kind.is_inline ? genlru__value_bytes(cache->kind, e) : sizeof(void *);

    if (ret_bytes)
        *ret_bytes = bytes;
    if (bytes > max)
        return -ERANGE;
    if (bytes)
        memcpy(value, from, bytes);
    return 0;
}

int genlru_cache_get_copy(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes, void *value, size_t max,
                          size_t *ret_bytes)
{
    struct genlru_cache_entry *e;
    int error = -ENOENT;

    genlru__rcu_read_lock();
    e = genlru_cache_get_rcu(cache, key_bytes, nr_bytes);
    if (e)
        error = copy(cache, e, value, max, ret_bytes);
    genlru__rcu_read_unlock();
    return error;
}

int genlru_cache_pin(struct genlru_cache *cache, struct genlru_cache_entry *entry)
{
    (void)cache;
    return genlru__entry_pin(entry) ? 0 : -ENOENT;
}

void genlru_cache_release(struct genlru_cache *cache, struct genlru_cache_entry *entry)
{
    if (entry && !genlru__entry_try_drop(entry))
        genlru__entry_drop(cache, entry);
}

void *genlru_cache_value(const struct genlru_cache *cache, const struct genlru_cache_entry *entry)
{
    return genlru__entry_value(cache->kind, entry);
}

void genlru_cache_info(const struct genlru_cache *cache, const struct genlru_cache_entry *entry,
                       struct genlru_cache_info *ret_info)
{
    genlru__entry_info(cache, entry, ret_info);
}
