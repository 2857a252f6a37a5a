/* SPDX-License-Identifier: MIT */
/* The pool: blocks that are aligned, empty and distinct; slabs that grow with what exists; trim and back; no memory. */
#include "base/blocks.h"

#include "base/bits.h"
#include "unit.h"

static struct genlru_pool_stat stat_of(const struct genlru_pool *pool)
{
    struct genlru_pool_stat stat = {.size = sizeof(stat)};

    cr_assert(genlru_pool_stat(pool, &stat) == 0);
    return stat;
}

static int by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;

    return x < y ? -1 : x > y;
}

/* Distinct, aligned, with empty slots: what was put in them before is the user's to take out. */
static void expect_sound(struct genlru__block **blocks, size_t nr)
{
    size_t i;
    unsigned k;

    qsort(blocks, nr, sizeof(*blocks), by_address);
    for (i = 0; i < nr; i++) {
        unit_check((uintptr_t)blocks[i] % GENLRU__BLOCK_BYTES == 0, "not aligned");
        unit_check(i == 0 || (uintptr_t)blocks[i] - (uintptr_t)blocks[i - 1] >= GENLRU__BLOCK_BYTES,
                   "handed out twice");
        unit_check(!blocks[i]->next && !blocks[i]->prev && !blocks[i]->fill && !blocks[i]->scan, "not empty");
        for (k = 0; k < GENLRU__SLOTS; k++)
            unit_check(!blocks[i]->slot[k], "slot in use");
    }
}

Test(blocks, get_and_put)
{
    enum { NR = 5000 };
    struct unit unit;
    struct genlru_pool *pool;
    struct genlru__block **blocks = malloc(NR * sizeof(*blocks));
    size_t i;

    (void)unit_config(&unit);
    cr_assert(genlru_pool_create(&unit.heap, &pool) == 0);
    cr_assert(genlru__pool_get(pool, false) == NULL, "nothing is allocated before it is needed");
    for (i = 0; i < NR; i++) {
        struct genlru_pool_stat stat;

        blocks[i] = genlru__pool_get(pool, true);
        cr_assert(blocks[i]);
        stat = stat_of(pool);
        unit_check(stat.blocks - stat.free_blocks == i + 1, "%zu", i);
        unit_check(stat.blocks <= i + 1 + genlru__max(1, (i + 1) / 8), "grows by an eighth: %llu for %zu",
                   (unsigned long long)stat.blocks, i + 1);
    }
    expect_sound(blocks, NR);
    cr_assert(stat_of(pool).slabs < 100 && stat_of(pool).block_bytes == GENLRU__BLOCK_BYTES);
    for (i = 0; i < NR; i++)
        genlru__pool_put(pool, blocks[i]);
    cr_assert(stat_of(pool).free_blocks == stat_of(pool).blocks);
    for (i = 0; i < NR; i++)
        blocks[i] = genlru__pool_get(pool, false);
    expect_sound(blocks, NR);
    cr_assert(genlru_pool_trim(pool) == 0, "slabs of an owner's allocator keep their addresses");
    genlru__pool_attach(pool);
    cr_assert(genlru_pool_destroy(pool) == -EBUSY);
    genlru__pool_detach(pool);
    cr_assert(genlru_pool_destroy(pool) == 0 && unit.bytes == 0);
    free(blocks);
}

Test(blocks, no_memory)
{
    struct unit unit;
    struct genlru_pool *pool = NULL;
    unsigned n, got;

    (void)unit_config(&unit);
    unit_fail_from(&unit, 1);
    cr_assert(genlru_pool_create(&unit.heap, &pool) == -ENOMEM && !pool && unit.bytes == 0);
    for (n = 1; n < 60; n++) {
        unit.fail_nr = 0;
        cr_assert(genlru_pool_create(&unit.heap, &pool) == 0);
        unit_fail_from(&unit, n);
        for (got = 0; genlru__pool_get(pool, true); got++)
            cr_assert(got < 10000);
        cr_assert(stat_of(pool).free_blocks == 0 && stat_of(pool).blocks == got);
        unit.fail_nr = 0;
        cr_assert(genlru__pool_get(pool, true), "it recovers");
        cr_assert(genlru_pool_destroy(pool) == 0 && unit.bytes == 0);
    }
    cr_assert(genlru_pool_create(&unit.heap, NULL) == -EINVAL);
    cr_assert(genlru_pool_destroy(NULL) == 0 && genlru_pool_trim(NULL) == 0);
}

Test(blocks, stat)
{
    struct genlru_pool_stat stat = {.size = sizeof(stat)};
    struct genlru_pool *pool;

    cr_assert(genlru_pool_create(NULL, &pool) == 0);
    cr_assert(genlru_pool_stat(NULL, &stat) == -EINVAL && genlru_pool_stat(pool, NULL) == -EINVAL);
    stat.size = 0;
    cr_assert(genlru_pool_stat(pool, &stat) == -EINVAL);
    memset(&stat, 0x77, sizeof(stat));
    stat.size = offsetof(struct genlru_pool_stat, slabs);
    cr_assert(genlru_pool_stat(pool, &stat) == 0 && stat.blocks == 0);
    cr_assert(stat.slabs == UINT64_C(0x7777777777777777), "beyond its size nothing is written");
    stat.size = SIZE_MAX;
    cr_assert(genlru_pool_stat(pool, &stat) == -EINVAL, "a size that was never set");
    cr_assert(genlru_pool_destroy(pool) == 0);
}

/* Mapped slabs give their memory back and keep their addresses: a stale slot reads NULL; then they serve again. */
Test(blocks, trim)
{
    enum { NR = 45000 * (8 / (int)sizeof(void *)) }; /* slabs are mapped once an eighth of all is 2 MiB */
    struct genlru_pool *pool;
    struct genlru__block **blocks = malloc(NR * sizeof(*blocks)), **again = malloc(NR * sizeof(*again));
    struct genlru_pool_stat full, trimmed;
    uint64_t bytes;
    size_t i, k;

    cr_assert(genlru_pool_create(NULL, &pool) == 0);
    for (i = 0; i < NR; i++) {
        blocks[i] = genlru__pool_get(pool, true);
        cr_assert(blocks[i]);
    }
    full = stat_of(pool);
    cr_assert(genlru_pool_trim(pool) == 0, "every slab is in use");
    expect_sound(blocks, NR);
    for (i = 0; i < NR; i++)
        genlru__pool_put(pool, blocks[i]);
    bytes = genlru_pool_trim(pool);
    trimmed = stat_of(pool);
    cr_assert(bytes >= 2u << 20 && bytes % (2u << 20) == 0, "%llu", (unsigned long long)bytes);
    cr_assert(trimmed.trimmed_bytes == bytes && trimmed.blocks == full.blocks && trimmed.free_blocks == trimmed.blocks);
    cr_assert(genlru_pool_trim(pool) == 0, "once");
    for (i = 0; i < NR; i++)
        for (k = 0; k < GENLRU__SLOTS; k += 59)
            unit_check(!blocks[i]->slot[k], "a stale slot is readable, and empty");
    for (i = 0; i < NR; i++) {
        again[i] = genlru__pool_get(pool, true);
        unit_check(again[i] != NULL, "no block");
    }
    expect_sound(again, NR);
    cr_assert(stat_of(pool).blocks == full.blocks && stat_of(pool).trimmed_bytes == 0, "nothing new was allocated");
    cr_assert(memcmp(blocks, again, NR * sizeof(*blocks)) == 0 || stat_of(pool).free_blocks > 0);
    free(blocks);
    free(again);
    cr_assert(genlru_pool_destroy(pool) == 0);
}
