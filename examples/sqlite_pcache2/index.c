/* SPDX-License-Identifier: MIT */
/*
 * Pages by number. Numbers are dense, so that their low bits are the hash: a run of pages fills bucket after bucket.
 */
#include "cache.h"

#include <string.h>

enum { FIRST_BUCKETS = 64 };

bool index_init(struct cache *cache)
{
    cache->buckets = sqlite3_malloc64(FIRST_BUCKETS * sizeof(*cache->buckets));
    if (!cache->buckets)
        return false;
    memset(cache->buckets, 0, FIRST_BUCKETS * sizeof(*cache->buckets));
    cache->bucket_mask = FIRST_BUCKETS - 1;
    return true;
}

void index_fini(struct cache *cache)
{
    sqlite3_free(cache->buckets);
}

void index_grow(struct cache *cache)
{
    uint32_t nr_old = cache->bucket_mask + 1;
    struct page **old = cache->buckets, **buckets;

    if (nr_old >= UINT32_C(1) << 31)
        return;
    buckets = sqlite3_malloc64(2 * (sqlite3_uint64)nr_old * sizeof(*buckets));
    if (!buckets)
        return; /* longer chains */
    memset(buckets, 0, 2 * (size_t)nr_old * sizeof(*buckets));
    cache->buckets = buckets;
    cache->bucket_mask = 2 * nr_old - 1;
    for (uint32_t i = 0; i < nr_old; i++) {
        struct page *page = old[i];

        while (page) {
            struct page *next = page->next;

            index_link(cache, page);
            page = next;
        }
    }
    sqlite3_free(old);
}

/*
 * A file that shrinks by a few pages costs a few look-ups, not a walk: `cursor` counts keys in the one case, buckets in
 * the other, and max_key, which decides, does not change meanwhile.
 */
struct page *index_take_from(struct cache *cache, uint32_t from, uint32_t *cursor)
{
    bool by_key = from <= cache->max_key && cache->max_key - from < cache->bucket_mask;

    if (from > cache->max_key)
        return NULL;
    for (; *cursor <= (by_key ? cache->max_key - from : cache->bucket_mask); ++*cursor) {
        struct page *page = by_key ? index_find(cache, from + *cursor) : cache->buckets[*cursor];

        while (page && page->key < from)
            page = page->next;
        if (page) {
            index_remove(cache, page);
            return page;
        }
    }
    cache->max_key = from ? from - 1 : 0;
    return NULL;
}
