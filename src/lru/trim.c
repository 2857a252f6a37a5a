/* SPDX-License-Identifier: MIT */
/* Giving memory back: compaction to its end, then the pool's free slabs. */
#include "gens/compact.h"
#include "gens/lru.h"

uint64_t genlru_trim(struct genlru *lru)
{
    uint64_t pieces_left = 4;
    bool is_sparse = true, is_first = true;

    if (!lru)
        return 0;
    while (is_sparse && pieces_left-- > 0) {
        genlru__mutex_lock(&lru->lock);
        if (is_first) /* two passes of at least one block a piece end whatever others do meanwhile */
            pieces_left += 2 * lru->nr_linked;
        is_first = false;
        genlru__compact_some(lru);
        is_sparse = genlru__is_sparse(lru);
        genlru__mutex_unlock(&lru->lock);
    }
    return genlru_pool_trim(lru->pool);
}
