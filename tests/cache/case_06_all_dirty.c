/* SPDX-License-Identifier: MIT */
/*
 * Case 6 (everything is dirty). A page cache of 16 pages, all dirty. can_evict (a) writes them out: the 17th page
 * goes in; (b) refuses, hard limit: a clean error, nothing half-inserted; (c) refuses, soft limit: it goes in, the overshoot is seen,
 * and worked off once the pages are clean; (d) room that was reserved before is there whatever happens.
 */
#include <errno.h>

#include "cache_test.h"

enum { PAGES = 16 };

struct pager {
    struct cache_test_owner owner;
    struct genlru_cache *cache;
    bool can_write;
    unsigned nr_asked;
    unsigned nr_written;
};

static int can_evict(void *ctx, const struct genlru_cache_info *info)
{
    struct pager *p = ctx;
    struct cache_test_value *value = info->value;

    p->nr_asked++;
    STRESS_CHECK(genlru_cache_contains(p->cache, info->key, info->key_bytes), "asked about what is gone");
    if (value->version == 0)
        return 1; /* clean */
    if (!p->can_write)
        return 0;
    value->version = 0;
    p->nr_written++;
    return 1;
}

static void release(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause)
{
    struct pager *p = ctx;

    STRESS_CHECK(cause != GENLRU_CACHE_EVICTED || ((struct cache_test_value *)info->value)->version == 0,
                 "a dirty page was evicted");
    cache_test_release(&p->owner, info, cause);
}

static void begin(struct pager *p, enum genlru_cache_limit limit, bool can_write)
{
    struct genlru_cache_config config = cache_test_config(NULL, PAGES);

    *p = (struct pager){.can_write = can_write};
    config.limit = limit;
    config.can_evict = can_evict;
    config.release = release;
    config.ctx = p;
    p->cache = cache_test_create(&config);
    for (unsigned i = 0; i < PAGES && limit != GENLRU_CACHE_RESERVE_FIRST; i++)
        STRESS_CHECK(cache_test_put(p->cache, &p->owner, i, 1) == 0, "put %u", i);
}

static void end(struct pager *p)
{
    cache_test_verify(p->cache);
    cache_test_destroy(p->cache, &p->owner);
}

static int put_reserved(struct pager *p, uint64_t key, struct genlru_cache_reservation *reservation)
{
    struct genlru_cache_insert how = {
        .value = cache_test_make(&p->owner, key, 1), .charge = 1, .reservation = reservation};

    return genlru_cache_insert_u64(p->cache, key, &how, NULL);
}

static void reserved_first(void)
{
    struct genlru_cache_reservation spare = {0}, room = {0};
    struct pager p;

    begin(&p, GENLRU_CACHE_RESERVE_FIRST, false);
    STRESS_CHECK(cache_test_put(p.cache, &p.owner, 100, 1) == -EPERM, "inserted without a reservation");
    STRESS_CHECK(genlru_cache_reserve(p.cache, 1, &spare) == 0, "the spare page");
    STRESS_CHECK(genlru_cache_reserve(p.cache, PAGES - 1, &room) == 0, "the others");
    for (unsigned i = 0; i < PAGES - 1; i++)
        STRESS_CHECK(put_reserved(&p, i, &room) == 0, "put %u", i);
    STRESS_CHECK(genlru_cache_reserve(p.cache, 1, &room) == -EAGAIN, "room, though all is dirty");
    STRESS_CHECK(cache_test_stat(p.cache).reserved == 1, "reserved");
    STRESS_CHECK(put_reserved(&p, PAGES, &spare) == 0, "must not fail");
    STRESS_CHECK(cache_test_stat(p.cache).charge == PAGES && cache_test_stat(p.cache).reserved == 0, "charge");
    end(&p);
}

int main(int argc, char **argv)
{
    struct pager p;
    int result;

    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();

    stress_context("a: written out");
    begin(&p, GENLRU_CACHE_HARD, true);
    STRESS_CHECK(cache_test_put(p.cache, &p.owner, PAGES, 1) == 0, "put");
    STRESS_CHECK(p.nr_written == 1 && cache_test_stat(p.cache).entries == PAGES, "%u written", p.nr_written);
    end(&p);

    stress_context("b: refused, hard");
    begin(&p, GENLRU_CACHE_HARD, false);
    result = cache_test_put(p.cache, &p.owner, PAGES, 1);
    STRESS_CHECK(result == -EAGAIN, "%d", result);
    STRESS_CHECK(p.nr_asked > 0 && cache_test_stat(p.cache).charge == PAGES, "half-inserted");
    for (uint64_t i = 0; i < PAGES; i++)
        STRESS_CHECK(genlru_cache_contains(p.cache, &i, 8), "page %u is gone", (unsigned)i);
    end(&p);

    stress_context("c: refused, soft");
    begin(&p, GENLRU_CACHE_SOFT, false);
    STRESS_CHECK(cache_test_put(p.cache, &p.owner, PAGES, 1) == 0, "put");
    STRESS_CHECK(cache_test_stat(p.cache).over == 1, "the overshoot");
    p.can_write = true;
    while (genlru_cache_maintain(p.cache, 0) != 0)
        ;
    STRESS_CHECK(cache_test_stat(p.cache).over == 0 && p.nr_written == 1, "worked off");
    end(&p);

    stress_context("d: reserved");
    reserved_first();
    genlru_cache_unregister_thread();
    return 0;
}
