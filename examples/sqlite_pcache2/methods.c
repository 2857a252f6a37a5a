/* SPDX-License-Identifier: MIT */
/*
 * sqlite3_pcache_methods2, in its order. What SQLite documents of it, in short:
 *
 *   xFetch     pins the page. createFlag 0: only if it is there; 1: make it if that is easy; 2: make it. When 1 is
 *              refused SQLite writes a dirty page, whose unpin gives us something to evict, and asks with 2, which fails
 *              for want of memory alone, never for a limit
 *   xUnpin     one unpin ends all pins. Discard: the page is not wanted again
 *   xRekey     the pinned page gets another number; a page which has that number is gone
 *   xTruncate  pages from a number on are gone, pinned or not
 *   a page     that was made has zeros at the start of its extra bytes, by which SQLite tells it from one that was there
 *
 * Caches that are not purgeable hold what exists nowhere else (:memory:). They have no lru and no limit.
 */
#include "cache.h"
#include "genlru_sqlite.h"

#include <string.h>

static struct cache *cache_of(sqlite3_pcache *pcache)
{
    return (struct cache *)(void *)pcache;
}

static uint64_t initial_budget; /* of genlru_sqlite_install() */

int genlru_sqlite_install(uint64_t budget_bytes)
{
    sqlite3_pcache_methods2 methods = cache_methods;
    int error = sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);

    if (error == SQLITE_OK)
        initial_budget = budget_bytes;
    return error;
}

static int on_init(void *arg)
{
    (void)arg;
    shared_init(initial_budget);
    return SQLITE_OK;
}

static void on_shutdown(void *arg)
{
    (void)arg;
    shared_fini();
    stat_forget();
}

static void set_limit(struct cache *cache, uint32_t nr_pages)
{
    cache->limit = nr_pages;
    cache->crowded = nr_pages - nr_pages / 10;
}

static sqlite3_pcache *on_create(int page_bytes, int extra_bytes, int is_purgeable)
{
    struct cache *cache = sqlite3_malloc64(sizeof(*cache));

    stat_register();
    if (!cache)
        return NULL;
    memset(cache, 0, sizeof(*cache));
    atomic_flag_clear(&cache->lock);
    cache->page_bytes = (uint32_t)page_bytes;
    cache->alloc_bytes =
        (size_t)page_bytes + sizeof(struct page) + (size_t)(extra_bytes > EXTRA_ZEROS ? extra_bytes : EXTRA_ZEROS);
    cache->is_purgeable = is_purgeable != 0;
    cache->is_shared = cache->is_purgeable && shared_has_budget();
    set_limit(cache, is_purgeable ? 1 : UINT32_MAX); /* SQLite sets it at once */
    if (!index_init(cache)) {
        sqlite3_free(cache);
        return NULL;
    }
    if (cache->is_purgeable)
        shared_add(cache);
    return (sqlite3_pcache *)(void *)cache;
}

static void on_cachesize(sqlite3_pcache *pcache, int nr_pages)
{
    struct cache *cache = cache_of(pcache);

    if (!cache->is_purgeable)
        return;
    cache_enter(cache);
    set_limit(cache, nr_pages > 1 ? (uint32_t)nr_pages : 1);
    if (cache->lru)
        genlru_set_capacity(cache->lru, cache->limit);
    reclaim_shrink(cache, cache->limit);
    cache_leave(cache);
}

static int on_pagecount(sqlite3_pcache *pcache)
{
    struct cache *cache = cache_of(pcache);
    uint32_t nr_pages;

    cache_enter(cache);
    nr_pages = cache->nr_pages;
    cache_leave(cache);
    return (int)nr_pages;
}

/* Would one page more leave too few that are not pinned? Asked for createFlag 1. */
static bool is_crowded(const struct cache *cache)
{
    return cache->nr_pinned >= cache->crowded ||
           (cache->is_shared && cache->nr_pinned > cache->nr_pages / 2 && shared_is_over(cache->alloc_bytes));
}

/* Memory for one page more where there is room, or nothing to evict. NULL: none is to be had. */
static __attribute__((noinline)) struct page *get_memory(struct cache *cache)
{
    struct page *page;

    if (cache->is_shared && shared_is_over(cache->alloc_bytes))
        shared_reclaim(cache, cache->alloc_bytes);
    page = page_alloc(cache);
    return page ? page : reclaim_take(cache); /* no memory but what we have */
}

/*
 * An lru costs a little, and most ephemeral tables never have a page to evict: it is made for the 16th page, or when the
 * limit is near. Where others may come for pages, for the first one.
 */
static uint32_t lru_from(const struct cache *cache)
{
    if (cache->is_shared)
        return 1;
    return cache->limit < LRU_FROM_PAGES ? cache->limit : LRU_FROM_PAGES;
}

static __attribute__((noinline)) struct page *make_page(struct cache *cache, uint32_t key, int create_flag)
{
    struct page *page = NULL;

    if (!cache->lru && cache->is_purgeable)
        reclaim_begin(cache, lru_from(cache));
    if (create_flag == 1 && is_crowded(cache)) {
        count(&cache->counters.refused);
        return NULL;
    }
    if (cache->nr_pages >= cache->limit)
        page = reclaim_take(cache);
    if (!page && !(page = get_memory(cache)))
        return NULL;
    memset(page->base.pExtra, 0, EXTRA_ZEROS);
    page->key = key;
    page->state = PAGE_PINNED | PAGE_USED | PAGE_UNLISTED;
    index_insert(cache, page);
    cache->nr_pinned++;
    if (cache->lru)
        reclaim_list(cache, page);
    count(&cache->counters.misses);
    return page;
}

/* The hit is short, and what is rare is called last: so it needs no stack frame. A page's base is its first member. */
static inline sqlite3_pcache_page *fetch_unlocked(struct cache *cache, uint32_t key, int create_flag)
{
    struct page *page = index_find(cache, key);

    if (!page)
        return create_flag ? (sqlite3_pcache_page *)make_page(cache, key, create_flag) : NULL;
    if (!(page->state & PAGE_PINNED)) {
        cache->nr_pinned++;
        page->state |= PAGE_PINNED | PAGE_USED;
    }
    if (create_flag) { /* "is it there?" is no use of the page */
        count(&cache->counters.hits);
        if (!(page->state & PAGE_UNLISTED))
            genlru_access(cache->lru, &page->node);
    }
    return &page->base;
}

static __attribute__((noinline)) sqlite3_pcache_page *fetch_locked(struct cache *cache, uint32_t key, int create_flag)
{
    sqlite3_pcache_page *base;

    cache_enter(cache);
    base = fetch_unlocked(cache, key, create_flag);
    cache_leave(cache);
    return base;
}

static sqlite3_pcache_page *on_fetch(sqlite3_pcache *pcache, unsigned key, int create_flag)
{
    struct cache *cache = cache_of(pcache);

    if (cache->is_shared)
        return fetch_locked(cache, key, create_flag);
    return fetch_unlocked(cache, key, create_flag);
}

/* The unpin that has more to do than to say so. */
static __attribute__((noinline)) void finish_unpin(struct cache *cache, struct page *page, int discard)
{
    if (!cache->lru && cache->nr_pages > cache->limit)
        reclaim_begin(cache, 1); /* before the page, which may be unlisted, can go */
    page->state &= ~(uint32_t)PAGE_PINNED;
    cache->nr_pinned--;
    if (page->state & PAGE_PARKED)
        reclaim_unpark(cache, page);
    /* On no list, no eviction would ever find it: that there was no memory is not to hold memory. */
    if ((page->state & PAGE_UNLISTED) && cache->is_purgeable && (cache->lru || cache->nr_pages > cache->limit))
        discard = 1;
    if (discard) {
        index_remove(cache, page);
        reclaim_drop(cache, page);
    } else if (cache->nr_pages > cache->limit) {
        reclaim_shrink(cache, cache->limit); /* pages were made in spite of the limit; this may be one that goes */
    }
}

static inline void unpin_unlocked(struct cache *cache, struct page *page, int discard)
{
    if (discard || (page->state & (PAGE_PARKED | PAGE_UNLISTED)) || cache->nr_pages > cache->limit) {
        finish_unpin(cache, page, discard);
        return;
    }
    page->state &= ~(uint32_t)PAGE_PINNED;
    cache->nr_pinned--;
}

static __attribute__((noinline)) void unpin_locked(struct cache *cache, struct page *page, int discard)
{
    cache_enter(cache);
    unpin_unlocked(cache, page, discard);
    cache_leave(cache);
}

static void on_unpin(sqlite3_pcache *pcache, sqlite3_pcache_page *base, int discard)
{
    struct cache *cache = cache_of(pcache);
    struct page *page = (struct page *)(void *)base;

    if (cache->is_shared)
        unpin_locked(cache, page, discard);
    else
        unpin_unlocked(cache, page, discard);
}

static void on_rekey(sqlite3_pcache *pcache, sqlite3_pcache_page *base, unsigned old_key, unsigned new_key)
{
    struct cache *cache = cache_of(pcache);
    struct page *page = (struct page *)(void *)base, *other;

    (void)old_key;
    cache_enter(cache);
    other = index_find(cache, new_key);
    if (other && other != page) {
        index_remove(cache, other);
        reclaim_drop(cache, other);
    }
    index_remove(cache, page);
    page->key = new_key;
    index_insert(cache, page);
    cache_leave(cache);
}

static void drop_from(struct cache *cache, uint32_t key)
{
    struct page *page;
    uint32_t cursor = 0;

    while ((page = index_take_from(cache, key, &cursor)))
        reclaim_drop(cache, page);
}

static void on_truncate(sqlite3_pcache *pcache, unsigned key)
{
    struct cache *cache = cache_of(pcache);

    cache_enter(cache);
    drop_from(cache, key);
    cache_leave(cache);
}

static void on_destroy(sqlite3_pcache *pcache)
{
    struct cache *cache = cache_of(pcache);

    if (cache->is_purgeable)
        shared_del(cache); /* nobody else comes from now on */
    drop_from(cache, 0);
    if (cache->lru)
        reclaim_end(cache);
    index_fini(cache);
    sqlite3_free(cache);
}

static void on_shrink(sqlite3_pcache *pcache)
{
    struct cache *cache = cache_of(pcache);

    cache_enter(cache);
    if (cache->is_purgeable) {
        reclaim_shrink(cache, 0);
        if (cache->lru)
            (void)genlru_trim(cache->lru);
    }
    cache_leave(cache);
}

const sqlite3_pcache_methods2 cache_methods = {
    .iVersion = 1,
    .xInit = on_init,
    .xShutdown = on_shutdown,
    .xCreate = on_create,
    .xCachesize = on_cachesize,
    .xPagecount = on_pagecount,
    .xFetch = on_fetch,
    .xUnpin = on_unpin,
    .xRekey = on_rekey,
    .xTruncate = on_truncate,
    .xDestroy = on_destroy,
    .xShrink = on_shrink,
};
