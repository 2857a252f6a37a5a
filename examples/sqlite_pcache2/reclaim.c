/* SPDX-License-Identifier: MIT */
/*
 * Between the index and the lru: what is listed, what is evicted.
 *
 * Victims come in batches, which is cheaper, but go one at a time, when their memory is needed. Until then they wait in
 * the cache's queue and stay in the index; one that is fetched meanwhile is put back. So a batch does not make the
 * cache smaller, not even one of ten pages.
 *
 *    lru ── genlru_evict ──▶ queue ── not fetched since ──▶ out of the index, shadow kept, memory reused
 *     ▲                        │
 *     └──── genlru_putback ────┘ fetched, or still pinned (then also genlru_pin, until it is unpinned)
 *
 * All of it runs under the one rule that makes it short: a cache's index and lru change under the same exclusion.
 */
#include "cache.h"

#include <assert.h>

/* ---- onto the lru ---- */

void reclaim_list(struct cache *cache, struct page *page)
{
    const struct genlru_add how = {.shadow = ghost_take(cache, page->key)};

    if (how.shadow)
        count(&cache->counters.remembered);
    (void)genlru_node_init(&page->node, 1, 0); /* all pages of a cache weigh the same */
    if (genlru_add(cache->lru, &page->node, how.shadow ? &how : NULL) == 0)
        page->state &= ~PAGE_UNLISTED;
}

/* What cannot be listed goes at its unpin; what is not pinned, at once, as no eviction would find it. */
static void list_bucket(struct cache *cache, struct page *page)
{
    while (page) {
        struct page *next = page->next;

        reclaim_list(cache, page);
        if ((page->state & (PAGE_UNLISTED | PAGE_PINNED)) == PAGE_UNLISTED) {
            index_remove(cache, page);
            reclaim_drop(cache, page);
        }
        page = next;
    }
}

void reclaim_begin(struct cache *cache, uint32_t from_pages)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    if (cache->lru || cache->nr_pages < from_pages)
        return;
    config.capacity = cache->limit;
    config.stripes = 1; /* one thread adds */
    config.allocator = &shared_allocator;
    config.pool = shared_pool();
    if (!config.pool || genlru_create(&config, &cache->lru) != 0)
        return; /* no memory: unlisted pages go when they are unpinned; tried again at the next one */
    for (uint32_t i = 0; i <= cache->bucket_mask; i++)
        list_bucket(cache, cache->buckets[i]);
}

/* ---- off the lru ---- */

static struct page *page_of(const struct genlru_victim *victim)
{
    return GENLRU_ENTRY(victim->node, struct page, node);
}

/* A batch of victims into the empty queue. False: there are none. `with_ghosts`: room for what they leave is seen to. */
static bool refill(struct cache *cache, bool with_ghosts)
{
    size_t max = cache->nr_pages / 16 + 1;
    int nr;

    if (!cache->lru)
        return false;
    if (with_ghosts)
        ghosts_fit(cache);
    nr = genlru_evict(cache->lru, NULL, cache->queue.victims, max < QUEUE_LENGTH ? max : QUEUE_LENGTH, NULL);
    cache->queue.next = 0;
    cache->queue.nr = nr > 0 ? (unsigned)nr : 0;
    for (unsigned i = 0; i < cache->queue.nr; i++) {
        struct page *page = page_of(&cache->queue.victims[i]);

        page->state = (page->state & ~PAGE_USED) | PAGE_VICTIM;
    }
    return cache->queue.nr > 0;
}

/* False: no memory to list it again. */
static bool put_back(struct cache *cache, const struct genlru_victim *victim)
{
    struct page *page = page_of(victim);

    count(&cache->counters.put_back);
    if (genlru_putback(cache->lru, victim) != 0) {
        page->state |= PAGE_UNLISTED; /* it was isolated, and ours: it is on no list now */
        return false;
    }
    if ((page->state & PAGE_PINNED) && genlru_pin(cache->lru, &page->node) == 0)
        page->state |= PAGE_PARKED;
    return true;
}

static struct page *take(struct cache *cache, bool with_ghosts)
{
    while (cache->queue.next < cache->queue.nr || refill(cache, with_ghosts)) {
        struct genlru_victim *victim = &cache->queue.victims[cache->queue.next++];
        struct page *page = page_of(victim);

        page->state &= ~PAGE_VICTIM;
        if ((page->state & (PAGE_PINNED | PAGE_USED)) && (put_back(cache, victim) || (page->state & PAGE_PINNED)))
            continue;
        ghost_keep(cache, page->key, victim->shadow);
        index_remove(cache, page);
        page->state = PAGE_UNLISTED;
        count(&cache->counters.evicted);
        return page;
    }
    return NULL;
}

struct page *reclaim_take(struct cache *cache)
{
    return take(cache, true);
}

/* Without an lru, for which there was no memory: any pages that are not pinned. */
static void shrink_unlisted(struct cache *cache, uint32_t nr_pages)
{
    for (uint32_t i = 0; i <= cache->bucket_mask; i++) {
        struct page *page = cache->buckets[i];

        while (page && cache->nr_pages > nr_pages) {
            struct page *next = page->next;

            if (!(page->state & PAGE_PINNED)) {
                index_remove(cache, page);
                reclaim_drop(cache, page);
            }
            page = next;
        }
    }
}

void reclaim_shrink(struct cache *cache, uint32_t nr_pages)
{
    bool with_ghosts = nr_pages > 0;
    struct page *page;

    if (!with_ghosts)
        ghosts_fini(cache); /* SQLite wants memory back: none is got for ghosts, and theirs goes as well */
    if (cache->nr_pages > nr_pages)
        reclaim_begin(cache, 1);
    if (!cache->lru)
        shrink_unlisted(cache, nr_pages);
    while (cache->nr_pages > nr_pages && (page = take(cache, with_ghosts)))
        page_free(cache, page);
}

void reclaim_unpark(struct cache *cache, struct page *page)
{
    int error = genlru_unpin(cache->lru, &page->node);

    assert(error == 0);
    (void)error;
    page->state &= ~PAGE_PARKED;
}

static void forget_victim(struct cache *cache, const struct page *page)
{
    for (unsigned i = cache->queue.next; i < cache->queue.nr; i++)
        if (cache->queue.victims[i].node == &page->node) {
            cache->queue.victims[i] = cache->queue.victims[cache->queue.next++];
            return;
        }
    assert(!"a victim waits in the queue");
}

void reclaim_drop(struct cache *cache, struct page *page)
{
    if (page->state & PAGE_PINNED)
        cache->nr_pinned--;
    if (page->state & PAGE_PARKED)
        reclaim_unpark(cache, page);
    if (page->state & PAGE_VICTIM) {
        forget_victim(cache, page); /* isolated and out of the index: no call is needed */
    } else if (!(page->state & PAGE_UNLISTED)) {
        int answer = genlru_del(cache->lru, &page->node);

        assert(answer == GENLRU_YOURS);
        (void)answer;
    }
    page_free(cache, page);
}

void reclaim_end(struct cache *cache)
{
    int error = genlru_destroy(cache->lru);

    assert(error == 0); /* every page has been dropped */
    (void)error;
    ghosts_fini(cache);
}
