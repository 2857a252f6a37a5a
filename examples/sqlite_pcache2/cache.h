/* SPDX-License-Identifier: MIT */
/*
 * One cache: what SQLite knows as sqlite3_pcache, one connection's view of one file.
 *
 *    sqlite3 ── xFetch, xUnpin ──▶ methods.c
 *                                     │
 *      ┌──────────────────────────────▼────────────────────────────┐
 *      │ struct cache                                              │   roster of all caches, budget
 *      │   buckets ─▶ page ─▶ page         index.c                 │◀──── shared.c
 *      │              │ node ◀── slot ── lru  (genlru)             │
 *      │              ▼                    │ genlru_evict          │
 *      │   queue of victims, isolated ◀────┘ reclaim.c             │
 *      │   ghosts: the shadows of evicted pages  ghosts.c          │
 *      └───────────────────────────────────────────────────────────┘
 *
 * A page is one allocation: the data of the page, struct page, SQLite's extra bytes. Header and extra are side by side,
 * since SQLite reads its own when it has fetched a page.
 *
 * Threads. SQLite calls into one cache from one thread at a time. Without a shared budget nobody else comes, and there is
 * no lock. With one, another connection may take pages, so each call holds cache->lock: two stores, when nobody waits.
 *
 * Pins. A page that is fetched is pinned: a plain bit, as a genlru_pin for each fetch would cost two atomic swaps. Only
 * when eviction meets a pinned page it is pinned in genlru as well, which moves it out of the scan's way until the unpin.
 * (SQLite keeps its dirty pages pinned until they are written. There can be many.)
 */
#ifndef GENLRU_SQLITE_CACHE_H
#define GENLRU_SQLITE_CACHE_H

#include <genlru/genlru.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum page_state {
    PAGE_PINNED = 1u << 0,  /* fetched and not unpinned */
    PAGE_USED = 1u << 1,    /* fetched since it was isolated: a victim that is used again stays */
    PAGE_PARKED = 1u << 2,  /* pinned in genlru as well */
    PAGE_VICTIM = 1u << 3,  /* isolated, in the queue */
    PAGE_UNLISTED = 1u << 4 /* on no list: the cache has no lru yet, or genlru had no memory */
};

struct page {
    sqlite3_pcache_page base; /* first: SQLite's pointer is ours */
    struct genlru_node node;
    struct page *next; /* in its bucket */
    uint32_t key;
    uint32_t state; /* enum page_state */
};

/* What an evicted page leaves. */
struct ghost {
    genlru_shadow shadow; /* 0 = none */
    uint32_t key;
};

/* Counters: one writer at a time, read by whoever asks for statistics. */
struct counters {
    _Atomic uint64_t hits, misses, remembered, refused, evicted, put_back;
};

enum {
    QUEUE_LENGTH = 32,
    LRU_FROM_PAGES = 16,
    EXTRA_ZEROS = 8 /* bytes of a made page's extra that are 0: by the first pointer SQLite sees that it is new */
};

struct cache {
    /* What a hit reads. */
    struct page **buckets;
    struct genlru *lru; /* NULL while there are few pages (ephemeral tables come and go), or if not purgeable */
    uint32_t bucket_mask;
    uint32_t nr_pages;  /* in the index, victims in the queue included */
    uint32_t nr_pinned; /* of these */
    uint32_t limit;     /* PRAGMA cache_size in pages, at least 1; UINT32_MAX if not purgeable */
    uint32_t crowded;   /* pinned pages from which createFlag 1 is refused */
    bool is_purgeable;
    bool is_shared; /* under a budget: `lock` is used */
    atomic_flag lock;
    struct counters counters;

    uint32_t page_bytes;
    uint32_t max_key; /* no page has a greater one */
    size_t alloc_bytes;
    struct ghost *ghosts; /* NULL until the first page is to go */
    uint32_t ghost_mask;
    struct {
        struct genlru_victim victims[QUEUE_LENGTH];
        unsigned next, nr; /* victims[next..nr-1] wait */
    } queue;

    /* Under the roster's lock. */
    struct cache *prev, *next;
    uint64_t last_fetches; /* when the hand last came by */
};

static inline void count(_Atomic uint64_t *counter)
{
    /* relaxed, and no swap: one writer */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* ---- index.c: pages by number; buckets of a power of two, doubled as pages come: at least two a page ---- */

/* False: no memory for the first buckets. Later failures only make chains longer. */
bool index_init(struct cache *cache);
void index_fini(struct cache *cache);
/* Doubles the buckets, if there is memory. */
void index_grow(struct cache *cache);
/* Takes one page with a key >= `from` out, any of them; NULL if there is none. `*cursor` starts at 0. */
struct page *index_take_from(struct cache *cache, uint32_t from, uint32_t *cursor);

static inline struct page *index_find(const struct cache *cache, uint32_t key)
{
    struct page *page = cache->buckets[key & cache->bucket_mask];

    while (page && page->key != key)
        page = page->next;
    return page;
}

static inline void index_link(struct cache *cache, struct page *page)
{
    struct page **bucket = &cache->buckets[page->key & cache->bucket_mask];

    page->next = *bucket;
    *bucket = page;
}

static inline void index_insert(struct cache *cache, struct page *page)
{
    if (cache->nr_pages > cache->bucket_mask / 2)
        index_grow(cache);
    index_link(cache, page);
    cache->nr_pages++;
    if (page->key > cache->max_key)
        cache->max_key = page->key;
}

static inline void index_remove(struct cache *cache, struct page *page)
{
    struct page **link = &cache->buckets[page->key & cache->bucket_mask];

    while (*link != page)
        link = &(*link)->next;
    *link = page->next;
    cache->nr_pages--;
}

/* ---- ghosts.c: the shadow of each evicted page, until another page takes its place ---- */

/* Sees to as many places as the cache's limit has pages; all is as before if there is no memory. */
void ghosts_fit(struct cache *cache);
/* Forgets them; they may be made anew. */
void ghosts_fini(struct cache *cache);

static inline void ghost_keep(struct cache *cache, uint32_t key, genlru_shadow shadow)
{
    if (cache->ghosts)
        cache->ghosts[key & cache->ghost_mask] = (struct ghost){shadow, key};
}

/* The shadow that the page left; 0: none. */
static inline genlru_shadow ghost_take(struct cache *cache, uint32_t key)
{
    struct ghost *ghost = cache->ghosts ? &cache->ghosts[key & cache->ghost_mask] : NULL;
    genlru_shadow shadow;

    if (!ghost || ghost->key != key)
        return 0;
    shadow = ghost->shadow;
    ghost->shadow = 0;
    return shadow;
}

/* ---- page.c: the memory of a page ---- */

/* Not in the index, UNLISTED; NULL: no memory. */
struct page *page_alloc(struct cache *cache);
void page_free(struct cache *cache, struct page *page);

/* ---- reclaim.c: between index and lru ---- */

/* Puts a page that is in the index on the lru, with the shadow it left; it stays UNLISTED if there is no memory. */
void reclaim_list(struct cache *cache, struct page *page);
/* Makes the lru if there is none and there are so many pages, and lists them. */
void reclaim_begin(struct cache *cache, uint32_t from_pages);
/* Evicts one page; it is the caller's, in neither index nor lru, UNLISTED. NULL: all are pinned. */
struct page *reclaim_take(struct cache *cache);
/* Evicts until there are no more than nr_pages, or all are pinned. Not under the roster's lock. */
void reclaim_shrink(struct cache *cache, uint32_t nr_pages);
/* Frees a page that has been taken out of the index, whatever state it is in. */
void reclaim_drop(struct cache *cache, struct page *page);
/* The unpin of a page that eviction met meanwhile. */
void reclaim_unpark(struct cache *cache, struct page *page);
void reclaim_end(struct cache *cache);

/* ---- shared.c: all caches ---- */

/* What genlru's own structures are allocated with, SQLite's malloc; and their pool. NULL: no memory. */
extern const struct genlru_allocator shared_allocator;
struct genlru_pool *shared_pool(void);

void shared_init(uint64_t budget_bytes);
void shared_fini(void);
bool shared_has_budget(void);
void shared_add(struct cache *cache);
void shared_del(struct cache *cache);
/* Bytes came or went. */
void shared_account(int64_t bytes);
/* Does the budget have no room for so many bytes more? */
bool shared_is_over(size_t bytes);
/* Takes pages from whichever caches have most to spare until there is room. `self` is the cache whose lock is held. */
void shared_reclaim(struct cache *self, size_t bytes);

void cache_lock_slow(struct cache *cache);

static inline void cache_enter(struct cache *cache)
{
    if (cache->is_shared && atomic_flag_test_and_set_explicit(&cache->lock, memory_order_acquire))
        cache_lock_slow(cache);
}

static inline bool cache_try_enter(struct cache *cache)
{
    return !atomic_flag_test_and_set_explicit(&cache->lock, memory_order_acquire);
}

static inline void cache_leave(struct cache *cache)
{
    if (cache->is_shared)
        atomic_flag_clear_explicit(&cache->lock, memory_order_release);
}

/* ---- methods.c, stat.c ---- */

extern const sqlite3_pcache_methods2 cache_methods;

/* Gives every new connection the function genlru_stat(), unless it does already. Twice at once is harmless. */
void stat_register(void);
void stat_forget(void);

#endif
