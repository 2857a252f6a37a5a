/* SPDX-License-Identifier: MIT */
/*
 * The memory of a page, one allocation from SQLite's own malloc, so that its limits and statistics see the cache:
 *
 *     base.pBuf                         base.pExtra
 *     ▼                                 ▼
 *     ┌───────────────────┬─────────────┬─────────────┐
 *     │ page_bytes        │ struct page │ extra_bytes │
 *     └───────────────────┴─────────────┴─────────────┘
 *
 * A page size is a power of two of at least 512, so that all three are aligned as the allocation is, to 8.
 */
#include "cache.h"

#include <string.h>

struct page *page_alloc(struct cache *cache)
{
    char *memory = sqlite3_malloc64(cache->alloc_bytes);
    struct page *page;

    if (!memory)
        return NULL;
    page = (struct page *)(void *)(memory + cache->page_bytes);
    page->base.pBuf = memory;
    page->base.pExtra = page + 1;
    page->state = PAGE_UNLISTED;
    if (cache->is_purgeable)
        shared_account((int64_t)cache->alloc_bytes);
    return page;
}

void page_free(struct cache *cache, struct page *page)
{
    if (cache->is_purgeable)
        shared_account(-(int64_t)cache->alloc_bytes);
    sqlite3_free(page->base.pBuf);
}
