/*
 * sqlite_pages: logs every page an unmodified SQLite program asks its page cache for.
 *
 *   program ──▶ libsqlite3: b-tree ──▶ pager ──▶ sqlite3_pcache_methods2
 *                                                  │
 *                 LD_PRELOAD puts this file here:  ├──▶ one line for each access
 *                                                  ▼
 *                                         SQLite's own page cache ──▶ file, on a miss
 *
 * Why here and not in a VFS: below the cache one sees its misses only. Its size and its LRU are
 * then part of the trace, and the repeats that a cache lives from are gone. Above it one sees what
 * the engine wants, whatever is cached.
 *
 * What is an access: xFetch(page, createFlag) has three uses, and one of them is none.
 *   0       "Is it cached?", asked for pages that needn't be read if they are not (rollback,
 *           backup, free list). The answer depends on the cache. Not logged.
 *   1 or 2  "I need this page." Logged, hit or miss; 2 says that the cache must not refuse.
 *   2, after 1 was refused for the same page: SQLite has written dirty pages out in between, and
 *           tries the same access again. Not logged twice.
 * So a trace doesn't depend on the size of SQLite's cache; tests/capture holds it to that. (Two
 * corners do: PRAGMA secure_delete, on in Debian's build, reads a page of a freed overflow chain
 * if the answer to 0 was no; auto_vacuum, off by default, moves pages that were written out another
 * way. `run` has both off.)
 * Accesses of one page in a row are kept: SQLite asks its cache that often.
 *
 * Keys: page number + 2^32 × cache number. A cache is one connection's view of one file (main
 * database, attached database, nameless temporary table). They are numbered from 0 by their first
 * access and no number comes twice. One connection to one database logs plain page numbers.
 *
 * Use:  GENLRU_CAPTURE=trace.txt LD_PRELOAD=./genlru-capture-sqlite.so sqlite3 my.db
 *
 * keylog.h says when trace.txt appears. If the trace can't be begun, SQLite refuses to start; if it
 * can't be continued, the program goes on without it. Both are said on stderr. The variable leaves
 * the environment once the trace is begun, so that programs this one starts don't compete for it.
 *
 * Not seen: pages read through PRAGMA mmap_size (off by default), and programs that carry SQLite
 * inside themselves instead of using libsqlite3.so.
 */
#define _POSIX_C_SOURCE 200809L

#include "keylog.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "GENLRU_CAPTURE"

#define NUMBER_NONE UINT32_MAX

/* What SQLite holds for a sqlite3_pcache. It never uses one from two threads at once. */
struct cache {
    sqlite3_pcache *inner; /* SQLite's own */
    uint32_t number;       /* of the key; NUMBER_NONE until the first access: SQLite also makes
                              caches it never uses, and they would shift the numbers */
    bool has_refused;      /* the fetch just before was a createFlag 1 that got nothing … */
    unsigned refused_page; /* … for this page */
};

/* SQLite's configuration is one per process, and so is this. */
static struct {
    sqlite3_pcache_methods2 inner; /* set before main(), then constant */
    pthread_mutex_t lock;          /* over what follows */
    struct keylog log;
    bool is_open;
    bool has_complained; /* SQLite tries to start again and again; one message is enough */
    uint32_t nr_caches;  /* numbers given out */
} capture;

/* ---- the log ---- */

/* Error-checking, so that publish() notices when it interrupted the holder in its own thread. */
static void lock_init(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&capture.lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void complain(const char *what, const char *path, int error)
{
    if (!capture.has_complained)
        fprintf(stderr, "genlru-capture: %s %s: %s\n", what, path, strerror(-error));
    capture.has_complained = true;
}

static int begin_locked(void)
{
    const char *path = getenv(VARIABLE);
    int error;

    if (capture.is_open || path == NULL)
        return 0;
    error = keylog_open(&capture.log, path);
    if (error != 0) {
        complain(error == -EEXIST ? "will not overwrite (or its .part)" : "cannot write to", path, error);
        return error;
    }
    capture.is_open = true;
    unsetenv(VARIABLE);
    return 0;
}

static void note_access(struct cache *cache, unsigned page)
{
    pthread_mutex_lock(&capture.lock);
    if (capture.is_open) {
        int error;

        if (cache->number == NUMBER_NONE)
            cache->number = capture.nr_caches++;
        error = keylog_put(&capture.log, (uint64_t)cache->number << 32 | page);
        if (error != 0) {
            complain("trace ends too early, in", capture.log.part, error);
            keylog_abandon(&capture.log);
            capture.is_open = false;
        }
    }
    pthread_mutex_unlock(&capture.lock);
}

/* ---- sqlite3_pcache_methods2, in its order ---- */

static int on_init(void *arg)
{
    int error;

    (void)arg;
    pthread_mutex_lock(&capture.lock);
    error = begin_locked();
    pthread_mutex_unlock(&capture.lock);
    if (error != 0)
        return SQLITE_CANTOPEN;
    return capture.inner.xInit(capture.inner.pArg);
}

static void on_shutdown(void *arg)
{
    (void)arg; /* the log stays open: SQLite may be started again */
    if (capture.inner.xShutdown != NULL)
        capture.inner.xShutdown(capture.inner.pArg);
}

static sqlite3_pcache *on_create(int page_bytes, int extra_bytes, int is_purgeable)
{
    struct cache *cache = malloc(sizeof(*cache));

    if (cache == NULL)
        return NULL;
    *cache = (struct cache){.number = NUMBER_NONE};
    cache->inner = capture.inner.xCreate(page_bytes, extra_bytes, is_purgeable);
    if (cache->inner == NULL) {
        free(cache);
        return NULL;
    }
    return (sqlite3_pcache *)cache;
}

static void on_cachesize(sqlite3_pcache *pcache, int nr_pages)
{
    capture.inner.xCachesize(((struct cache *)pcache)->inner, nr_pages);
}

static int on_pagecount(sqlite3_pcache *pcache)
{
    return capture.inner.xPagecount(((struct cache *)pcache)->inner);
}

static sqlite3_pcache_page *on_fetch(sqlite3_pcache *pcache, unsigned page, int create_flag)
{
    struct cache *cache = (struct cache *)pcache;
    bool is_retry = create_flag == 2 && cache->has_refused && cache->refused_page == page;
    sqlite3_pcache_page *found;

    if (create_flag != 0 && !is_retry)
        note_access(cache, page);
    found = capture.inner.xFetch(cache->inner, page, create_flag);
    cache->has_refused = create_flag == 1 && found == NULL;
    cache->refused_page = page;
    return found;
}

static void on_unpin(sqlite3_pcache *pcache, sqlite3_pcache_page *page, int discard)
{
    capture.inner.xUnpin(((struct cache *)pcache)->inner, page, discard);
}

static void on_rekey(sqlite3_pcache *pcache, sqlite3_pcache_page *page, unsigned from, unsigned to)
{
    capture.inner.xRekey(((struct cache *)pcache)->inner, page, from, to);
}

static void on_truncate(sqlite3_pcache *pcache, unsigned limit)
{
    capture.inner.xTruncate(((struct cache *)pcache)->inner, limit);
}

static void on_destroy(sqlite3_pcache *pcache)
{
    struct cache *cache = (struct cache *)pcache;

    capture.inner.xDestroy(cache->inner);
    free(cache);
}

static void on_shrink(sqlite3_pcache *pcache)
{
    capture.inner.xShrink(((struct cache *)pcache)->inner);
}

/* ---- into the host, and out of it ---- */

/* The child of a fork() has a copy of the unwritten lines; were it to write them, too, they would
 * come twice. Whoever held the lock may not exist here. */
static void on_fork_child(void)
{
    lock_init();
    if (capture.is_open)
        keylog_abandon(&capture.log);
    capture.is_open = false;
}

/* Before main(): a page cache can be configured only while SQLite isn't started. */
__attribute__((constructor)) static void install(void)
{
    sqlite3_pcache_methods2 outer = {
        .iVersion = 1,
        .xInit = on_init,
        .xShutdown = on_shutdown,
        .xCreate = on_create,
        .xCachesize = on_cachesize,
        .xPagecount = on_pagecount,
        .xFetch = on_fetch,
        .xUnpin = on_unpin,
        .xRekey = on_rekey,
        .xTruncate = on_truncate,
        .xDestroy = on_destroy,
        .xShrink = on_shrink,
    };
    int error;

    if (getenv(VARIABLE) == NULL)
        return;
    lock_init();
    error = sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &capture.inner);
    if (error == SQLITE_OK)
        error = sqlite3_config(SQLITE_CONFIG_PCACHE2, &outer);
    if (error == SQLITE_OK)
        pthread_atfork(NULL, NULL, on_fork_child);
    else
        fprintf(stderr, "genlru-capture: no trace: SQLite refuses the page cache: %s\n", sqlite3_errstr(error));
}

/*
 * exit() and the end of main() come by here; _exit() and signals don't, and leave PATH.part. If a
 * signal handler calls exit() in the middle of note_access(), a line may be missing: same thing.
 */
__attribute__((destructor)) static void publish(void)
{
    int error;

    if (capture.inner.xFetch == NULL) /* never installed */
        return;
    if (pthread_mutex_lock(&capture.lock) == EDEADLK) {
        complain("trace ends too early, in", capture.log.part, -EDEADLK);
        return;
    }
    if (capture.is_open) {
        error = keylog_close(&capture.log);
        if (error != 0)
            complain("trace ends too early, in", capture.log.part, error);
        capture.is_open = false;
    }
    pthread_mutex_unlock(&capture.lock);
}
