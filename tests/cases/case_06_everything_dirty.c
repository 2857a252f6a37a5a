/* SPDX-License-Identifier: MIT */
/*
 * Case 6: everything is dirty. A cache of 16 pages, clean ones of type 0 and dirty ones of type 1, all dirty; a 17th is to come:
 *
 *   spill    the dirty ones are asked for in batches; some are written and go, some are busy and are put back
 *   hard     none can be written: a clear answer, and nothing half-inserted
 *   soft     the same, and the insert goes ahead: the overshoot is told, and worked off when pages can be written again
 *   reserve  an insert that must not fail: it takes the place of an entry that was added and pinned beforehand, with no memory
 */
#include "cases.h"

enum { NR_PAGES = 16, CLEAN = 0, DIRTY = 1 };

struct cache {
    struct genlru *lru;
    struct genlru_node page[NR_PAGES + 4];
    bool has_no_memory;
};

static void *allocate(void *ctx, size_t size, size_t align)
{
    const struct cache *cache = ctx;

    return cache->has_no_memory ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void deallocate(void *ctx, void *memory, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    free(memory);
}

static void fill(struct cache *cache)
{
    struct genlru_allocator allocator = {allocate, deallocate, cache};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    unsigned i;

    memset(cache, 0, sizeof(*cache));
    config.capacity = NR_PAGES;
    config.nr_types = 2;
    config.stripes = 1;
    config.allocator = &allocator;
    cache->lru = case_create(&config);
    for (i = 0; i < NR_PAGES; i++) {
        STRESS_CHECK(genlru_node_init(&cache->page[i], 1, DIRTY) == 0, "init");
        case_add(cache->lru, &cache->page[i], 0);
    }
}

static int evict(struct cache *cache, unsigned type, struct genlru_victim *victims, size_t max,
                 enum genlru_evict_reason *ret_reason)
{
    struct genlru_evict_result result;
    int nr = genlru_evict(cache->lru, &(struct genlru_budget){.types = 1u << type}, victims, max, &result);

    *ret_reason = result.reason;
    return nr;
}

static void test_spill(void)
{
    static struct cache cache;
    struct genlru_victim victims[8];
    enum genlru_evict_reason reason;
    int nr, i;

    stress_context("spill");
    fill(&cache);
    STRESS_CHECK(evict(&cache, CLEAN, victims, 8, &reason) == 0 && reason == GENLRU_EVICT_NOTHING, "nothing is clean");
    nr = evict(&cache, DIRTY, victims, 8, &reason);
    STRESS_CHECK(nr == 8, "a batch of dirty pages: %d", nr);
    for (i = 0; i < nr; i++) {
        struct genlru_node *page = victims[i].node;

        if (i % 4 == 1) { /* busy: try later */
            STRESS_CHECK(genlru_putback(cache.lru, &victims[i]) == 0, "putback");
        } else if (i % 4 == 2) { /* never */
            STRESS_CHECK(genlru_putback(cache.lru, &victims[i]) == 0, "putback");
            STRESS_CHECK(genlru_pin(cache.lru, page) == 0, "pin");
        } else if (i % 4 == 3) { /* clean now: it stays, as a clean one */
            STRESS_CHECK(genlru_node_init(page, 1, CLEAN) == 0, "init");
            case_add(cache.lru, page, GENLRU_ADD_COLD);
        }
    }
    STRESS_CHECK(genlru_charge(cache.lru) == NR_PAGES - 2, "two of eight are gone");
    STRESS_CHECK(evict(&cache, CLEAN, victims, 8, &reason) == 2, "two are clean");
    stress_verify(cache.lru);
    for (i = 0; i < NR_PAGES; i++)
        if (genlru_node_is_pinned(&cache.page[i]))
            STRESS_CHECK(genlru_unpin(cache.lru, &cache.page[i]) == 0, "unpin");
    STRESS_CHECK(case_end(cache.lru) == NR_PAGES - 4, "pages were lost");
}

/* The owner's insert with a hard bound: room first, then the page. */
static int insert_hard(struct cache *cache, struct genlru_node *page)
{
    struct genlru_victim victims[4];
    enum genlru_evict_reason reason;

    if (genlru_charge(cache->lru) + 1 > NR_PAGES && evict(cache, CLEAN, victims, 1, &reason) < 1)
        return -EBUSY;
    return genlru_add(cache->lru, page, NULL);
}

static void test_hard_and_soft(void)
{
    static struct cache cache;
    struct genlru_victim victims[8];
    enum genlru_evict_reason reason;
    struct genlru_node *page = &cache.page[NR_PAGES];
    struct genlru_node before;
    struct genlru_stat stat;

    stress_context("hard");
    fill(&cache);
    STRESS_CHECK(genlru_node_init(page, 1, CLEAN) == 0, "init");
    before = *page;
    stat = case_stat(cache.lru);
    STRESS_CHECK(insert_hard(&cache, page) == -EBUSY, "no room");
    STRESS_CHECK(memcmp(&before, page, sizeof(before)) == 0 && case_stat(cache.lru).nodes == stat.nodes,
                 "something was half-inserted");
    stress_context("soft");
    STRESS_CHECK(genlru_add(cache.lru, page, NULL) == 0 && genlru_excess(cache.lru) == 1, "the overshoot is told");
    while (genlru_excess(cache.lru) > 0) /* later: a page can be written */
        STRESS_CHECK(evict(&cache, DIRTY, victims, (size_t)genlru_excess(cache.lru), &reason) == 1, "worked off");
    STRESS_CHECK(genlru_charge(cache.lru) == NR_PAGES, "back at the bound, and not below");
    (void)case_end(cache.lru);
}

static void test_reserve(void)
{
    static struct cache cache;
    struct genlru_victim victims[NR_PAGES];
    enum genlru_evict_reason reason;
    struct genlru_node *reserved = &cache.page[NR_PAGES];
    int nr;

    stress_context("reserve");
    fill(&cache);
    STRESS_CHECK(genlru_node_init(reserved, 0, DIRTY) == 0, "init");
    case_add(cache.lru, reserved, GENLRU_ADD_PINNED);
    nr = evict(&cache, DIRTY, victims, NR_PAGES, &reason);
    STRESS_CHECK(nr == NR_PAGES && genlru_charge(cache.lru) == 0, "all but the reserve: %d", nr);
    STRESS_CHECK(evict(&cache, DIRTY, victims, 1, &reason) == 0 && reason == GENLRU_EVICT_PINNED, "it is pinned");
    cache.has_no_memory = true;
    STRESS_CHECK(genlru_recharge(cache.lru, reserved, 1) == 0 && genlru_unpin(cache.lru, reserved) == 0,
                 "the reserve is used, with no memory");
    STRESS_CHECK(genlru_charge(cache.lru) == 1 && genlru_node_is_listed(reserved), "it is a page like others");
    STRESS_CHECK(case_end(cache.lru) == 1, "and a victim like others");
}

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    test_spill();
    test_hard_and_soft();
    test_reserve();
    return 0;
}
