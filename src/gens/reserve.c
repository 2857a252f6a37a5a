/* SPDX-License-Identifier: MIT */
/* Blocks for movers: see reserve.h. */
#include "gens/reserve.h"

static bool is_full(const struct genlru *lru)
{
    return genlru_impl_load_relaxed(&lru->nr_reserve) >= GENLRU__RESERVE;
}

struct genlru__block *genlru__reserve_get(struct genlru *lru)
{
    struct genlru__block *block = genlru__pool_get(lru->pool, false);

    if (!block && lru->nr_reserve > 0) {
        genlru__bump(&lru->nr_reserve, (uint64_t)-1);
        block = lru->reserve[lru->nr_reserve];
    }
    if (block) {
        block->fill = block->scan = 0;
        __atomic_store_n(&block->owner, lru, __ATOMIC_RELAXED);
    }
    return block;
}

void genlru__reserve_put(struct genlru *lru, struct genlru__block *block)
{
    __atomic_store_n(&block->owner, NULL, __ATOMIC_RELAXED);
    if (is_full(lru)) {
        genlru__pool_put(lru->pool, block);
        return;
    }
    lru->reserve[lru->nr_reserve] = block;
    genlru__bump(&lru->nr_reserve, 1);
}

bool genlru__reserve_fill(struct genlru *lru)
{
    while (!is_full(lru)) {
        struct genlru__block *block = genlru__pool_get(lru->pool, true);

        if (!block)
            return false;
        genlru__mutex_lock(&lru->lock);
        genlru__reserve_put(lru, block);
        genlru__mutex_unlock(&lru->lock);
    }
    return true;
}

void genlru__reserve_drain(struct genlru *lru)
{
    while (lru->nr_reserve > 0) {
        genlru__bump(&lru->nr_reserve, (uint64_t)-1);
        genlru__pool_put(lru->pool, lru->reserve[lru->nr_reserve]);
    }
}
