/* SPDX-License-Identifier: MIT */
/*
 * Out of memory at every allocation. SQLite's malloc, from which pages and genlru's own structures come too, fails at the
 * n-th call, or from the n-th on; for every 13th n of a workload from a random first on (`sqlite_oom SEED 1`: every n), until
 * one has fewer calls. Each statement ends well or with
 * SQLITE_NOMEM, the file stays sound, nothing leaks; and when memory is back, all is done.
 */
#include "genlru_sqlite.h"
#include "sqlite_rig.h"

#include <string.h>
#include <unistd.h>

static sqlite3_mem_methods inner;
static struct {
    uint64_t n, nr; /* the failing call; calls so far */
    bool is_on, all_later;
    uint64_t nr_failed;
} fault;

static bool fails(void)
{
    bool is_failing;

    if (!fault.is_on)
        return false;
    fault.nr++;
    is_failing = fault.all_later ? fault.nr >= fault.n : fault.nr == fault.n;
    fault.nr_failed += is_failing;
    return is_failing;
}

static void *on_malloc(int bytes)
{
    return fails() ? NULL : inner.xMalloc(bytes);
}

static void *on_realloc(void *memory, int bytes)
{
    return fails() ? NULL : inner.xRealloc(memory, bytes);
}

/* Writes, evicts and reads with 12 pages. Returns the first error. */
static int workload(sqlite3 *db)
{
    static const char *const statements[] = {
        "PRAGMA synchronous=OFF",
        "PRAGMA cache_size=12",
        "BEGIN",
        ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<160) INSERT OR REPLACE INTO t SELECT x, "
         "printf('%.*c', 300, 'z') FROM c"),
        "SAVEPOINT s",
        "UPDATE t SET b=b||a WHERE a%3=0",
        "ROLLBACK TO s",
        "COMMIT",
        "SELECT sum(length(b)) FROM t",
        "SELECT DISTINCT length(b) FROM t ORDER BY b LIMIT 5",
        "PRAGMA cache_size=40",
        "DELETE FROM t WHERE a%2=0",
        "SELECT sum(length(b)) FROM t",
        "PRAGMA shrink_memory",
        "PRAGMA incremental_vacuum",
    };

    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        int error = sqlite3_exec(db, statements[i], NULL, NULL, NULL);

        if (error != SQLITE_OK)
            return error;
    }
    return SQLITE_OK;
}

static void check_after(sqlite3 *db)
{
    if (!sqlite3_get_autocommit(db))
        rig_exec(db, "ROLLBACK");
    rig_check_integrity(db);
    CHECK(workload(db) == SQLITE_OK, "memory is back: %s", sqlite3_errmsg(db));
    CHECK(rig_int(db, "SELECT count(*) FROM t") == 80, "rows");
    rig_check_integrity(db);
}

/* Returns false when the n-th call was not reached. */
static bool run(const char *path, uint64_t n, bool all_later)
{
    sqlite3 *db = rig_open(path);
    bool is_reached;
    int error;

    fault.n = n;
    fault.nr = 0;
    fault.nr_failed = 0;
    fault.all_later = all_later;
    fault.is_on = true;
    error = workload(db);
    fault.is_on = false;
    CHECK(error == SQLITE_OK || error == SQLITE_NOMEM, "call %d: %s", (int)n, sqlite3_errmsg(db));
    is_reached = fault.nr_failed > 0;
    check_after(db);
    CHECK(sqlite3_close(db) == SQLITE_OK, "close");
    return is_reached;
}

int main(int argc, char **argv)
{
    static const uint64_t budgets[] = {GENLRU_SQLITE_NO_BUDGET, 60000};
    uint64_t step = argc > 2 ? strtoull(argv[2], NULL, 10) : 13;
    sqlite3_mem_methods failing;
    uint64_t nr_walked = 0;
    char *path;

    rig_begin(argc, argv);
    path = rig_path("oom.db");
    CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &inner) == SQLITE_OK, "config");
    failing = inner;
    failing.xMalloc = on_malloc;
    failing.xRealloc = on_realloc;
    CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK, "config");
    CHECK(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK, "config");
    for (int i = 0; i < 2; i++) {
        sqlite3 *db;

        CHECK(genlru_sqlite_install(budgets[i]) == SQLITE_OK, "install");
        unlink(path);
        db = rig_open(path);
        rig_exec(db,
                 "PRAGMA page_size=1024; PRAGMA auto_vacuum=2; PRAGMA journal_mode=MEMORY; CREATE TABLE t(a INTEGER "
                 "PRIMARY KEY, b)");
        sqlite3_close(db);
        for (int all_later = 0; all_later < 2; all_later++)
            for (uint64_t n = 1 + rig_seed % step; run(path, n, all_later); n += step)
                nr_walked++;
        CHECK(sqlite3_shutdown() == SQLITE_OK, "shutdown");
        CHECK(sqlite3_memory_used() == 0, "%lld bytes leaked", sqlite3_memory_used());
    }
    CHECK(nr_walked * step > 1000, "only %d calls walked", (int)nr_walked);
    printf("%llu failures walked\n", (unsigned long long)nr_walked);
    free(path);
    return 0;
}
