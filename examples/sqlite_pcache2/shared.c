/* SPDX-License-Identifier: MIT */
/*
 * All caches: the memory they use together, and the budget for it.
 *
 *          hand
 *           ▼
 *      ┌─▶ cache ─▶ cache ─▶ cache ─┐      each gives a part of what it has, when the hand comes by:
 *      └────────────────────────────┘      1/16 if it was used since the last time, else half
 *
 * So caches in use keep shares by what they need, and an idle connection's pages go within a few rounds. Which pages a
 * cache gives is its lru's choice.
 *
 * Locks: a cache's own, then the roster's, then other caches' own, which are only tried: a cache that is busy is passed
 * over, and nobody waits for two.
 */
#include "cache.h"
#include "genlru_sqlite.h"

#include <sched.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct cache *hand; /* any cache of the ring, or NULL */
    uint64_t nr_caches;
    struct genlru_pool *pool;       /* made when first asked for */
    struct genlru_sqlite_stat gone; /* counters of caches that are no more */
    _Atomic uint64_t bytes;
    _Atomic uint64_t budget;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- memory of genlru's structures ---- */

/* SQLite's malloc aligns to 8: ask for more, and keep the address that it gave in front of what is handed out. */
static void *aligned_alloc_(void *ctx, size_t size, size_t align)
{
    size_t more = align + sizeof(void *);
    char *memory = size <= SIZE_MAX - more ? sqlite3_malloc64(size + more) : NULL;
    uintptr_t address;

    (void)ctx;
    if (!memory)
        return NULL;
    address = ((uintptr_t)memory + more - 1) & ~(uintptr_t)(align - 1);
    ((void **)address)[-1] = memory;
    return (void *)address;
}

static void aligned_free_(void *ctx, void *memory, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    if (memory)
        sqlite3_free(((void **)memory)[-1]);
}

const struct genlru_allocator shared_allocator = {aligned_alloc_, aligned_free_, NULL};

struct genlru_pool *shared_pool(void)
{
    struct genlru_pool *pool;

    pthread_mutex_lock(&shared.lock);
    if (!shared.pool && genlru_pool_create(&shared_allocator, &shared.pool) != 0)
        shared.pool = NULL;
    pool = shared.pool;
    pthread_mutex_unlock(&shared.lock);
    return pool;
}

void shared_init(uint64_t budget_bytes)
{
    atomic_store(&shared.budget, budget_bytes);
}

void shared_fini(void)
{
    if (genlru_pool_destroy(shared.pool) == 0) /* -EBUSY: a connection was left open; its memory stays with it */
        shared.pool = NULL;
}

bool shared_has_budget(void)
{
    return atomic_load_explicit(&shared.budget, memory_order_relaxed) != GENLRU_SQLITE_NO_BUDGET;
}

/* ---- the roster ---- */

void cache_lock_slow(struct cache *cache)
{
    do
        sched_yield();
    while (atomic_flag_test_and_set_explicit(&cache->lock, memory_order_acquire));
}

void shared_add(struct cache *cache)
{
    pthread_mutex_lock(&shared.lock);
    if (shared.hand) {
        cache->next = shared.hand;
        cache->prev = shared.hand->prev;
        cache->prev->next = cache;
        cache->next->prev = cache;
    } else {
        cache->next = cache->prev = cache;
        shared.hand = cache;
    }
    shared.nr_caches++;
    pthread_mutex_unlock(&shared.lock);
}

static void add_counters(struct genlru_sqlite_stat *sum, const struct counters *counters)
{
    sum->hits += atomic_load_explicit(&counters->hits, memory_order_relaxed);
    sum->misses += atomic_load_explicit(&counters->misses, memory_order_relaxed);
    sum->remembered += atomic_load_explicit(&counters->remembered, memory_order_relaxed);
    sum->refused += atomic_load_explicit(&counters->refused, memory_order_relaxed);
    sum->evicted += atomic_load_explicit(&counters->evicted, memory_order_relaxed);
    sum->put_back += atomic_load_explicit(&counters->put_back, memory_order_relaxed);
}

void shared_del(struct cache *cache)
{
    pthread_mutex_lock(&shared.lock);
    add_counters(&shared.gone, &cache->counters);
    cache->prev->next = cache->next;
    cache->next->prev = cache->prev;
    if (shared.hand == cache)
        shared.hand = cache->next == cache ? NULL : cache->next;
    shared.nr_caches--;
    pthread_mutex_unlock(&shared.lock);
}

void genlru_sqlite_stat(struct genlru_sqlite_stat *ret_stat)
{
    struct cache *cache;

    pthread_mutex_lock(&shared.lock);
    *ret_stat = shared.gone;
    cache = shared.hand;
    for (uint64_t i = 0; i < shared.nr_caches; i++, cache = cache->next)
        add_counters(ret_stat, &cache->counters);
    ret_stat->caches = shared.nr_caches;
    pthread_mutex_unlock(&shared.lock);
    ret_stat->bytes = atomic_load_explicit(&shared.bytes, memory_order_relaxed);
    ret_stat->budget = atomic_load_explicit(&shared.budget, memory_order_relaxed);
}

/* ---- the budget ---- */

void shared_account(int64_t bytes)
{
    atomic_fetch_add_explicit(&shared.bytes, (uint64_t)bytes, memory_order_relaxed);
}

bool shared_is_over(size_t bytes)
{
    uint64_t budget = atomic_load_explicit(&shared.budget, memory_order_relaxed);
    uint64_t used = atomic_load_explicit(&shared.bytes, memory_order_relaxed);

    return budget != GENLRU_SQLITE_NO_BUDGET && (used > budget || bytes > budget - used);
}

/* Takes this cache's part, under its lock. Returns pages taken. */
static uint32_t take_part(struct cache *cache, size_t bytes)
{
    uint64_t fetches = atomic_load_explicit(&cache->counters.hits, memory_order_relaxed) +
                       atomic_load_explicit(&cache->counters.misses, memory_order_relaxed);
    uint32_t part = cache->nr_pages / (fetches != cache->last_fetches ? 16 : 2) + 1, nr = 0;
    struct page *page;

    cache->last_fetches = fetches;
    for (; nr < part && shared_is_over(bytes) && (page = reclaim_take(cache)); nr++)
        page_free(cache, page);
    return nr;
}

void shared_reclaim(struct cache *self, size_t bytes)
{
    uint64_t nr_without = 0; /* caches in a row that gave nothing */

    pthread_mutex_lock(&shared.lock);
    while (shared.hand && shared_is_over(bytes) && nr_without < shared.nr_caches) {
        struct cache *cache = shared.hand;
        uint32_t nr = 0;

        shared.hand = cache->next;
        if (cache == self) {
            nr = take_part(cache, bytes);
        } else if (cache_try_enter(cache)) {
            nr = take_part(cache, bytes);
            cache_leave(cache);
        }
        nr_without = nr ? 0 : nr_without + 1;
    }
    pthread_mutex_unlock(&shared.lock);
}

int genlru_sqlite_set_budget(uint64_t budget_bytes)
{
    if (budget_bytes == GENLRU_SQLITE_NO_BUDGET || !shared_has_budget())
        return SQLITE_MISUSE;
    atomic_store(&shared.budget, budget_bytes);
    shared_reclaim(NULL, 0);
    return SQLITE_OK;
}
