/* SPDX-License-Identifier: MIT */
/* The reserve of movers: filled before it is needed, used when the pool is empty, refilled by what is dropped. */
#include "gens/reserve.h"

#include "unit.h"

Test(reserve, fill_get_put_drain)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_pool_stat stat = {.size = sizeof(stat)};
    struct genlru__block *blocks[GENLRU__RESERVE];
    unsigned i;

    cr_assert(lru->nr_reserve == 0 && unit.nr_allocs == 2, "an lru without nodes has no blocks");
    cr_assert(genlru__reserve_fill(lru) && lru->nr_reserve == GENLRU__RESERVE);
    cr_assert(genlru_pool_stat(lru->pool, &stat) == 0 && stat.blocks - stat.free_blocks == GENLRU__RESERVE);
    cr_assert(genlru__reserve_fill(lru), "full already");
    genlru__mutex_lock(&lru->lock);
    while (genlru__pool_get(lru->pool, false))
        ;
    for (i = 0; i < GENLRU__RESERVE; i++) {
        blocks[i] = genlru__reserve_get(lru);
        cr_assert(blocks[i] && blocks[i]->owner == lru && !blocks[i]->fill && !blocks[i]->scan);
    }
    cr_assert(genlru__reserve_get(lru) == NULL && lru->nr_reserve == 0, "it never allocates");
    for (i = 0; i < GENLRU__RESERVE; i++) {
        genlru__reserve_put(lru, blocks[i]);
        cr_assert(blocks[i]->owner == NULL && lru->nr_reserve == i + 1);
    }
    genlru__reserve_drain(lru);
    genlru__mutex_unlock(&lru->lock);
    cr_assert(lru->nr_reserve == 0);
    cr_assert(genlru_pool_stat(lru->pool, &stat) == 0 && stat.free_blocks == GENLRU__RESERVE);
    unit_end(&unit, lru, NULL, 0);
}

Test(reserve, no_memory)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    unsigned n;

    for (n = 1; n <= 4; n++) {
        unit_fail_from(&unit, n);
        if (!genlru__reserve_fill(lru))
            cr_assert(lru->nr_reserve < GENLRU__RESERVE);
        unit_verify(lru);
        unit.fail_nr = 0;
    }
    cr_assert(genlru__reserve_fill(lru));
    unit_end(&unit, lru, NULL, 0);
}
