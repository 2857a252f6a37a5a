/* SPDX-License-Identifier: MIT */
/*
 * SQLite's page cache on genlru: call genlru_sqlite_install() before SQLite is first used, and every connection of the
 * process keeps its pages in it. (libgenlru-sqlite.so does so in a program that knows nothing of it: preload.c.)
 *
 * Two bounds hold at the same time: PRAGMA cache_size for each cache, and one budget in bytes for all caches together,
 * if one was given. Both may be changed while the caches are in use.
 */
#ifndef GENLRU_SQLITE_H
#define GENLRU_SQLITE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No shared budget: then a fetch takes no lock at all, as a cache is used by one thread at a time (SQLite sees to it). */
#define GENLRU_SQLITE_NO_BUDGET 0
/* No limit yet, but genlru_sqlite_set_budget() may set one later. */
#define GENLRU_SQLITE_UNLIMITED UINT64_MAX

/*
 * Configures SQLite to use genlru. `budget_bytes` as above. Also gives every connection the SQL function genlru_stat().
 * SQLITE_OK, or what sqlite3_config() says: SQLITE_MISUSE if SQLite is initialised already.
 */
int genlru_sqlite_install(uint64_t budget_bytes);

/*
 * Changes the budget, and evicts until it holds or all that is left is pinned or in use by another thread just now (which
 * then evicts itself when it next needs a page). SQLITE_OK; SQLITE_MISUSE without a budget from the start, or for 0.
 * Any thread, but not from inside SQLite's calls into the cache. O(pages to evict).
 */
int genlru_sqlite_set_budget(uint64_t budget_bytes);

/* Sums over all purgeable caches since the start, those that are gone included. */
struct genlru_sqlite_stat {
    uint64_t hits;       /* fetches of a page that was there (askings whether one is there don't count) */
    uint64_t misses;     /* pages made */
    uint64_t remembered; /* of these, made again while their shadow was still there */
    uint64_t refused;    /* fetches with createFlag 1 that were refused: SQLite writes a dirty page, and asks again */
    uint64_t evicted;    /* pages evicted for a limit or the budget */
    uint64_t put_back;   /* victims that were found pinned or used, and stayed */
    uint64_t caches;     /* now */
    uint64_t bytes;      /* now: page, extra and our header */
    uint64_t budget;     /* 0 = none */
};
/* A loose snapshot. Any thread. */
void genlru_sqlite_stat(struct genlru_sqlite_stat *ret_stat);

#ifdef __cplusplus
}
#endif
#endif
