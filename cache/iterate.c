/* SPDX-License-Identifier: MIT */
/*
 * Walking: bucket by bucket, upwards. A split moves entries to a higher bucket only, so one that stays is met. The
 * entries of a bucket are pinned in a read section and visited after it.
 */
#include <errno.h>

#include "internal.h"

enum { USUAL = 64 };

static void free_entries(struct genlru_cache *cache, struct genlru_cache_entry **entries, size_t bytes)
{
    if (bytes)
        genlru__memory_put(&cache->memory, entries, bytes, sizeof(void *));
}

/* Pins those of the handles that live; in place. */
static unsigned pin_all(struct genlru_cache *cache, const uint32_t *handles, unsigned nr,
                        struct genlru_cache_entry **entries)
{
    unsigned nr_pinned = 0, i;

    for (i = 0; i < nr; i++) {
        struct genlru_cache_entry *e = genlru__heap_at(&cache->heap, handles[i]);

        if (genlru__entry_pin(e))
            entries[nr_pinned++] = e;
    }
    return nr_pinned;
}

/* At most USUAL entries of a bucket, into `entries`. */
static unsigned some_entries(struct genlru_cache *cache, uint64_t number, struct genlru_cache_entry **entries)
{
    uint32_t handles[USUAL];
    unsigned nr;

    genlru__rcu_read_lock();
    nr = genlru__index_walk(&cache->index, number, handles, USUAL);
    nr = pin_all(cache, handles, nr, entries);
    genlru__rcu_read_unlock();
    return nr;
}

/*
 * All entries of one bucket, pinned, for the caller to drop: in *ret_entries, `buffer` of USUAL or memory of its own
 * (then *ret_bytes > 0). Their number, or -ENOMEM.
 */
static int all_entries(struct genlru_cache *cache, uint64_t number, struct genlru_cache_entry **buffer,
                       struct genlru_cache_entry ***ret_entries, size_t *ret_bytes)
{
    uint32_t few[USUAL], *handles = few;
    struct genlru_cache_entry **entries = buffer;
    size_t bytes = 0;
    unsigned nr, nr_pinned, max = USUAL;

    for (;;) {
        genlru__rcu_read_lock();
        nr = genlru__index_walk(&cache->index, number, handles, max);
        nr_pinned = nr < max ? pin_all(cache, handles, nr, entries) : 0;
        genlru__rcu_read_unlock();
        if (nr < max)
            break;
        /* a hash that is no hash */
        free_entries(cache, entries, bytes);
        max *= 4;
        bytes = max * (sizeof(*entries) + sizeof(*handles));
        entries = genlru__memory_get(&cache->memory, bytes, sizeof(void *));
        if (!entries)
            return -ENOMEM;
        handles = (uint32_t *)(void *)(entries + max);
    }
    *ret_entries = entries;
    *ret_bytes = bytes;
    return (int)nr_pinned;
}

int genlru_cache_iterate(struct genlru_cache *cache,
                         int (*visit)(void *visit_ctx, struct genlru_cache_entry *entry,
                                      const struct genlru_cache_info *info),
                         void *visit_ctx)
{
    struct genlru_cache_entry *few[USUAL], **entries;
    struct genlru_cache_info info;
    uint64_t number;
    size_t bytes;
    int answer = 0, nr, i;

    if (!cache || !visit)
        return -EINVAL;
    for (number = 0; !answer && number < genlru_impl_load_acquire(&cache->index.nr_buckets); number++) {
        nr = all_entries(cache, number, few, &entries, &bytes);
        if (nr < 0)
            return nr;
        for (i = 0; i < nr; i++) {
            if (!answer && !genlru__is_expired(cache, entries[i])) {
                genlru__entry_info(cache, entries[i], &info);
                answer = visit(visit_ctx, entries[i], &info);
            }
            genlru__entry_drop(cache, entries[i]);
        }
        free_entries(cache, entries, bytes);
    }
    return answer;
}

/* Removes the entry of a handle, if nobody else does. */
static bool remove_one(struct genlru_cache *cache, struct genlru_cache_entry *e, unsigned cause)
{
    if (!genlru__index_remove(&cache->index, genlru__hash_of_entry(cache, e), genlru__heap_handle(e)))
        return false;
    genlru__entry_removed(cache, e, cause);
    return true;
}

uint64_t genlru_cache_clear(struct genlru_cache *cache)
{
    struct genlru_cache_entry *few[USUAL];
    uint64_t number, nr_removed = 0;
    unsigned nr, i;

    for (number = 0; number < genlru_impl_load_acquire(&cache->index.nr_buckets); number++) {
        do {
            nr = some_entries(cache, number, few);
            for (i = 0; i < nr; i++) {
                nr_removed += remove_one(cache, few[i], GENLRU_CACHE_CLEARED);
                genlru__entry_drop(cache, few[i]);
            }
            (void)genlru__dead_collect(cache, genlru__lane_of(cache), 2 * USUAL);
        } while (nr == USUAL);
    }
    return nr_removed;
}

uint64_t genlru_cache_prune(struct genlru_cache *cache)
{
    struct genlru_cache_entry *few[USUAL], **entries;
    uint64_t number, nr_removed = 0;
    size_t bytes;
    int nr = 0, i;

    for (number = 0; nr >= 0 && number < genlru_impl_load_acquire(&cache->index.nr_buckets); number++) {
        nr = all_entries(cache, number, few, &entries, &bytes);
        for (i = 0; i < nr; i++) {
            if ((genlru__u32_load_relaxed(&entries[i]->pins) & GENLRU__PINS) == 1) /* ours */
                nr_removed += remove_one(cache, entries[i], GENLRU_CACHE_CLEARED);
            genlru__entry_drop(cache, entries[i]);
        }
        if (nr >= 0)
            free_entries(cache, entries, bytes);
    }
    return nr_removed;
}

unsigned genlru__sweep(struct genlru_cache *cache, unsigned nr_buckets)
{
    struct genlru_cache_entry *few[USUAL];
    unsigned nr_removed = 0, nr, i;

    while (nr_buckets--) {
        uint64_t n = genlru_impl_load_acquire(&cache->index.nr_buckets);

        nr = some_entries(cache, genlru_impl_fetch_add_relaxed(&cache->sweep_cursor, 1) % n, few);
        for (i = 0; i < nr; i++) {
            if (genlru__is_expired(cache, few[i]))
                nr_removed += remove_one(cache, few[i], GENLRU_CACHE_EXPIRED);
            genlru__entry_drop(cache, few[i]);
        }
    }
    return nr_removed;
}
