/* SPDX-License-Identifier: MIT */
/*
 * The page cache's methods against a model, called as SQLite calls them, with random calls on several caches.
 *
 * The model knows of each cache which pages are pinned, where they are and what was written into them. What must hold:
 *   1. a pinned page is found, at the same address, with the same contents in data and extra
 *   2. a page that was made has zeros at the start of its extra bytes; one that was found has what it had
 *   3. createFlag 0 makes nothing, 2 never fails, 1 fails only while most of the limit is pinned or the budget is used up
 *   4. discarded, truncated and overwritten (rekey) pages are not found
 *   5. with nothing pinned there are no more pages than the limit; a cache that is not purgeable loses none
 *   6. the bytes counted are those of the pages that are there; at the end none
 * All but "2 never fails" must hold, too, when one allocation in three fails.
 */
#include "cache.h"
#include "genlru_sqlite.h"
#include "sqlite_rig.h"

#include <string.h>

enum { NR_KEYS = 400, NR_CACHES = 4, NR_STEPS = 200000 };

struct model {
    sqlite3_pcache *cache;
    int page_bytes, extra_bytes, limit, is_purgeable;
    uint32_t nr_pinned;
    sqlite3_pcache_page *pinned[NR_KEYS + 1]; /* by key; NULL: not pinned */
    uint32_t stamp[NR_KEYS + 1];              /* what was last written; 0: the page must not be found */
};

static const sqlite3_pcache_methods2 *const m = &cache_methods;
static struct rig_random rnd;
static uint32_t last_stamp;

static bool is_failing; /* SQLite's malloc: one time in three */
static uint32_t nr_failed;
static int largest; /* of what was asked for */
static sqlite3_mem_methods inner;

static void *on_malloc(int bytes)
{
    if (bytes > largest)
        largest = bytes;
    if (is_failing && rig_below(&rnd, 3) == 0) {
        nr_failed++;
        return NULL;
    }
    return inner.xMalloc(bytes);
}

static void write_stamp(struct model *o, uint32_t key, sqlite3_pcache_page *page)
{
    uint32_t stamp = ++last_stamp;

    o->stamp[key] = stamp;
    memcpy(page->pBuf, &stamp, sizeof(stamp));
    memcpy((char *)page->pBuf + o->page_bytes - sizeof(stamp), &stamp, sizeof(stamp));
    memcpy(page->pExtra, &stamp, sizeof(stamp));
    memcpy((char *)page->pExtra + o->extra_bytes - sizeof(stamp), &stamp, sizeof(stamp));
}

static void check_stamp(const struct model *o, uint32_t key, const sqlite3_pcache_page *page)
{
    const char *at[] = {page->pBuf, (char *)page->pBuf + o->page_bytes - 4, page->pExtra,
                        (char *)page->pExtra + o->extra_bytes - 4};

    for (int i = 0; i < 4; i++)
        CHECK(memcmp(at[i], &o->stamp[key], 4) == 0, "key %u, place %d", key, i);
}

/* Pages that a fetch may take from its cache: a few, and as many as the budget is exceeded by, since others' pages had to be made. */
static int may_take(const struct model *o)
{
    struct genlru_sqlite_stat stat;

    genlru_sqlite_stat(&stat);
    return 64 + (shared_has_budget() && stat.bytes > stat.budget
                     ? (int)((stat.bytes - stat.budget) / (uint64_t)o->page_bytes)
                     : 0);
}

static void fetch(struct model *o, uint32_t key, int create_flag)
{
    int before = m->xPagecount(o->cache), most = may_take(o);
    sqlite3_pcache_page *page = m->xFetch(o->cache, key, create_flag);
    static const char zeros[8];

    CHECK(!o->pinned[key] || page == o->pinned[key], "key %u moved", key);
    if (!page) {
        CHECK(create_flag == 0 || (create_flag == 1 && o->is_purgeable) || is_failing, "key %u refused", key);
        if (create_flag == 1 && !shared_has_budget() && !is_failing)
            CHECK(o->nr_pinned * 10 >= (uint32_t)o->limit * 8, "refused with %u of %d pinned", o->nr_pinned, o->limit);
        CHECK(o->is_purgeable || !o->stamp[key], "page %u of a cache that keeps all is lost", key);
        o->stamp[key] = 0; /* evicted */
        return;
    }
    if (memcmp(page->pExtra, zeros, 8) == 0) {
        CHECK(create_flag != 0, "key %u: 0 made a page", key);
        CHECK(o->is_purgeable || !o->stamp[key], "page %u of a cache that keeps all is lost", key);
        CHECK(before <= m->xPagecount(o->cache) + most, "a fetch takes %d of %d pages, at most %d",
              before - m->xPagecount(o->cache), before, most);
        write_stamp(o, key, page);
    } else {
        CHECK(o->stamp[key], "key %u is there and must not be", key);
        check_stamp(o, key, page);
        if (rig_below(&rnd, 4) == 0)
            write_stamp(o, key, page);
    }
    o->nr_pinned += !o->pinned[key];
    o->pinned[key] = page;
}

static void forget(struct model *o, uint32_t key)
{
    o->nr_pinned -= o->pinned[key] != NULL;
    o->pinned[key] = NULL;
    o->stamp[key] = 0;
}

static void unpin(struct model *o, uint32_t key, int discard)
{
    if (!o->pinned[key] || (!o->is_purgeable && !discard))
        return;
    check_stamp(o, key, o->pinned[key]);
    m->xUnpin(o->cache, o->pinned[key], discard);
    if (discard) {
        forget(o, key);
        return;
    }
    o->pinned[key] = NULL;
    o->nr_pinned--;
}

static void rekey(struct model *o, uint32_t from, uint32_t to)
{
    sqlite3_pcache_page *page = o->pinned[from];
    uint32_t stamp = o->stamp[from];

    if (!page || from == to || o->pinned[to])
        return;
    m->xRekey(o->cache, page, from, to);
    forget(o, from);
    forget(o, to);
    o->pinned[to] = page;
    o->stamp[to] = stamp;
    o->nr_pinned++;
}

static void truncate_from(struct model *o, uint32_t key)
{
    m->xTruncate(o->cache, key);
    for (uint32_t i = key; i <= NR_KEYS; i++)
        forget(o, i);
}

static void open_cache(struct model *o, int page_bytes, int extra_bytes, int limit, int is_purgeable)
{
    memset(o, 0, sizeof(*o));
    o->page_bytes = page_bytes;
    o->extra_bytes = extra_bytes;
    o->limit = limit;
    o->is_purgeable = is_purgeable;
    o->cache = m->xCreate(page_bytes, extra_bytes, is_purgeable);
    CHECK(o->cache, "create");
    m->xCachesize(o->cache, limit);
}

static void unpin_all(struct model *o)
{
    for (uint32_t key = 1; key <= NR_KEYS; key++)
        unpin(o, key, 0);
    if (!o->is_purgeable)
        return;
    CHECK(m->xPagecount(o->cache) <= o->limit, "%d pages, limit %d", m->xPagecount(o->cache), o->limit);
    if (rig_below(&rnd, 3) == 0) {
        m->xShrink(o->cache);
        CHECK(m->xPagecount(o->cache) == 0, "shrunk to %d", m->xPagecount(o->cache));
    }
}

static void step(struct model *o)
{
    uint32_t key = rig_below(&rnd, rig_below(&rnd, 2) ? NR_KEYS : 40) + 1, what = rig_below(&rnd, 1000);

    if (what < 450)
        fetch(o, key, (int)rig_below(&rnd, 3));
    else if (what < 900)
        unpin(o, key, 0);
    else if (what < 920)
        unpin(o, key, 1);
    else if (what < 960)
        rekey(o, key, rig_below(&rnd, NR_KEYS) + 1);
    else if (what < 964)
        truncate_from(o, rig_below(&rnd, NR_KEYS) + 1);
    else if (what < 967)
        unpin_all(o);
    else if (what < 975 && o->is_purgeable)
        m->xCachesize(o->cache, o->limit = (int)(rig_below(&rnd, 2) ? 10 : 1 + rig_below(&rnd, 300)));
    else if (what < 977)
        m->xShrink(o->cache);
    for (uint32_t i = 0; i < 3; i++) { /* what is pinned stays what it is */
        key = rig_below(&rnd, NR_KEYS) + 1;
        if (o->pinned[key])
            check_stamp(o, key, o->pinned[key]);
    }
}

static uint64_t bytes_there(const struct model *caches)
{
    uint64_t bytes = 0;

    for (int i = 0; i < NR_CACHES; i++)
        if (caches[i].is_purgeable)
            bytes += (uint64_t)m->xPagecount(caches[i].cache) *
                     ((uint64_t)caches[i].page_bytes + (uint64_t)caches[i].extra_bytes + sizeof(struct page));
    return bytes;
}

static void print_stat(void)
{
    struct genlru_sqlite_stat stat;

    genlru_sqlite_stat(&stat);
    printf(
        "%llu hits, %llu misses, %llu remembered, %llu refused, %llu evicted, %llu put back; %u allocations failed\n",
        (unsigned long long)stat.hits, (unsigned long long)stat.misses, (unsigned long long)stat.remembered,
        (unsigned long long)stat.refused, (unsigned long long)stat.evicted, (unsigned long long)stat.put_back,
        nr_failed);
}

static void run(uint64_t budget, int nr_steps, bool with_failures)
{
    static struct model caches[NR_CACHES];
    struct genlru_sqlite_stat stat;

    shared_init(budget);
    open_cache(&caches[0], 4096, 136, 100, 1);
    open_cache(&caches[1], 512, 248, 10, 1);
    open_cache(&caches[2], 65536, 8, 50, 1);
    open_cache(&caches[3], 1024, 136, 10, 0);
    is_failing = with_failures;
    for (int i = 0; i < nr_steps; i++) {
        step(&caches[rig_below(&rnd, NR_CACHES)]);
        if (i % 1000 == 0) {
            genlru_sqlite_stat(&stat);
            CHECK(stat.bytes == bytes_there(caches), "%llu bytes", (unsigned long long)stat.bytes);
        }
        if (budget && i % 5000 == 4999) {
            for (int j = 0; j < NR_CACHES; j++)
                unpin_all(&caches[j]);
            CHECK(genlru_sqlite_set_budget(budget / 2) == SQLITE_OK, "set_budget");
            genlru_sqlite_stat(&stat);
            CHECK(stat.bytes <= budget / 2 || budget == GENLRU_SQLITE_UNLIMITED, "%llu bytes",
                  (unsigned long long)stat.bytes);
            CHECK(genlru_sqlite_set_budget(budget) == SQLITE_OK, "set_budget");
        }
    }
    is_failing = false;
    for (int i = 0; i < NR_CACHES; i++)
        m->xDestroy(caches[i].cache);
    genlru_sqlite_stat(&stat);
    CHECK(stat.bytes == 0 && stat.caches == 0, "%llu bytes left", (unsigned long long)stat.bytes);
    CHECK(stat.hits && stat.misses && stat.evicted && stat.put_back && stat.remembered && stat.refused, "idle");
    shared_fini();
}

/* An idle cache's pages go to the one that needs them. */
static void idle_gives(void)
{
    struct model idle, busy;
    uint64_t budget = 200 * (4096 + 136 + sizeof(struct page));

    shared_init(budget);
    open_cache(&idle, 4096, 136, 1000, 1);
    open_cache(&busy, 4096, 136, 1000, 1);
    for (uint32_t key = 1; key <= 180; key++) {
        fetch(&idle, key, 2);
        unpin(&idle, key, 0);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        fetch(&busy, i % 180 + 1, 2);
        unpin(&busy, i % 180 + 1, 0);
    }
    CHECK(m->xPagecount(idle.cache) < 30, "idle keeps %d", m->xPagecount(idle.cache));
    CHECK(m->xPagecount(busy.cache) >= 150, "busy has %d", m->xPagecount(busy.cache));
    m->xDestroy(idle.cache);
    m->xDestroy(busy.cache);
    shared_fini();
}

/* Makes the page if it is not there; whether genlru then remembered it. */
static bool is_remembered(sqlite3_pcache *cache, uint32_t key)
{
    struct genlru_sqlite_stat before, after;
    sqlite3_pcache_page *page;

    genlru_sqlite_stat(&before);
    page = m->xFetch(cache, key, 2);
    CHECK(page, "key %u", key);
    m->xUnpin(cache, page, 0);
    genlru_sqlite_stat(&after);
    return after.remembered != before.remembered;
}

/* A page is remembered until one whose number has the same low bits is evicted after it; and once. */
static void ghosts(void)
{
    enum { LIMIT = 100, PLACES = 128, LAST = 1000, MANY = 20 };
    sqlite3_pcache *cache;
    unsigned nr_gone = 0;

    shared_init(GENLRU_SQLITE_NO_BUDGET);
    cache = m->xCreate(4096, 136, 1);
    CHECK(cache, "create");
    m->xCachesize(cache, LIMIT);
    for (uint32_t key = 1; key <= LAST; key++)
        CHECK(!is_remembered(cache, key), "key %u was never there", key);
    for (uint32_t key = 1; key <= MANY; key++)
        CHECK(!is_remembered(cache, key), "key %u is long gone", key);
    for (uint32_t key = LAST - PLACES + 1; key <= LAST && nr_gone < MANY; key++) {
        if (m->xFetch(cache, key, 0)) {
            m->xUnpin(cache, m->xFetch(cache, key, 0), 0);
            continue;
        }
        if ((key & (PLACES - 1)) > MANY || (key & (PLACES - 1)) == 0) { /* its place was not taken by one of those */
            CHECK(is_remembered(cache, key), "key %u has just gone", key);
            m->xUnpin(cache, m->xFetch(cache, key, 0), 1);
            CHECK(!is_remembered(cache, key), "key %u was discarded, not evicted", key);
            nr_gone++;
        }
    }
    CHECK(nr_gone > 0, "all are there");
    m->xDestroy(cache);
    shared_fini();
}

/* Who is asked for memory gets none for ghosts, and gives what they have. */
static void shrinking(void)
{
    enum { LIMIT = 100, MANY = 200, LARGE_LIMIT = 100000, GHOST_BYTES = 16 };
    sqlite3_pcache *cache;

    shared_init(GENLRU_SQLITE_NO_BUDGET);
    cache = m->xCreate(4096, 136, 1);
    CHECK(cache, "create");
    m->xCachesize(cache, LARGE_LIMIT);
    for (uint32_t key = 1; key <= MANY; key++)
        CHECK(!is_remembered(cache, key), "key %u was never there", key);
    largest = 0;
    m->xShrink(cache);
    CHECK(m->xPagecount(cache) == 0, "%d are there", m->xPagecount(cache));
    CHECK(largest < LARGE_LIMIT * GHOST_BYTES, "%d bytes were got to give some back", largest);
    m->xCachesize(cache, LIMIT);
    for (uint32_t key = 1; key <= MANY; key++)
        CHECK(!is_remembered(cache, key), "key %u left nothing when memory was asked for", key);
    CHECK(is_remembered(cache, 1), "key 1 was evicted");
    m->xShrink(cache);
    CHECK(!is_remembered(cache, 2) && !is_remembered(cache, MANY), "the ghosts were to go");
    m->xDestroy(cache);
    shared_fini();
}

int main(int argc, char **argv)
{
    sqlite3_mem_methods failing;

    rig_begin(argc, argv);
    rnd.state = rig_seed;
    CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &inner) == SQLITE_OK, "config");
    failing = inner;
    failing.xMalloc = on_malloc;
    CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK, "config");
    CHECK(sqlite3_initialize() == SQLITE_OK, "initialize");
    run(GENLRU_SQLITE_NO_BUDGET, NR_STEPS, false);
    run(GENLRU_SQLITE_UNLIMITED, NR_STEPS, false);
    run(1500000, NR_STEPS, false);
    for (int i = 0; i < 30; i++) /* short, as it is at the start that genlru allocates: lrus, blocks, tables */
        run(i % 2 ? GENLRU_SQLITE_NO_BUDGET : 1500000, NR_STEPS / 20, true);
    CHECK(nr_failed > 1000, "only %u allocations failed", nr_failed);
    print_stat();
    idle_gives();
    ghosts();
    shrinking();
    CHECK(genlru_sqlite_install(0) == SQLITE_MISUSE, "SQLite is initialised");
    sqlite3_shutdown();
    return 0;
}
