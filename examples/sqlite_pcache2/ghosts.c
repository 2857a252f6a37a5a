/* SPDX-License-Identifier: MIT */
/*
 * Ghosts: what evicted pages leave, by which genlru knows them when they come back. Numbers are dense, so a page's ghost has its
 * place by the low bits of its number, as in the index, and takes it from whichever had it. There is a place for each page of the
 * limit, and up to twice as many, as their number is a power of two.
 */
#include "cache.h"

#include <string.h>

/* Made anew, and empty, when the limit has grown. */
void ghosts_fit(struct cache *cache)
{
    uint64_t nr = 1;
    struct ghost *ghosts;

    if (cache->ghosts && cache->ghost_mask >= cache->limit - 1)
        return;
    while (nr < cache->limit)
        nr *= 2;
    ghosts = sqlite3_malloc64(nr * sizeof(*ghosts));
    if (!ghosts)
        return;
    memset(ghosts, 0, (size_t)nr * sizeof(*ghosts));
    sqlite3_free(cache->ghosts);
    cache->ghosts = ghosts;
    cache->ghost_mask = (uint32_t)(nr - 1);
}

void ghosts_fini(struct cache *cache)
{
    sqlite3_free(cache->ghosts);
    cache->ghosts = NULL;
}
