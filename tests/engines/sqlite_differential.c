/* SPDX-License-Identifier: MIT */
/*
 * Random SQL on genlru and on SQLite's own page cache: every result must be the same, row by row, and both files sound.
 *
 * The script is a function of its number, so that each cache runs the same one; results are compared by a hash of all
 * values, statement by statement. Cache sizes from 10 pages, changed while in use; savepoints and rollbacks (which ask
 * with createFlag 0 and discard), temporary tables, VACUUM, auto_vacuum (rekey, truncate), memory databases, page sizes.
 *
 * SQLite 3.40 itself, on its own cache, takes the temporary table for malformed after one in some 250 of these scripts (rollbacks with
 * journal_mode=MEMORY). Such a script ends before that statement for both, and what is checked at the end is the file that stays.
 */
#define _POSIX_C_SOURCE 200809L

#include "genlru_sqlite.h"
#include "sqlite_rig.h"

#include <string.h>
#include <unistd.h>

enum { NR_STATEMENTS = 300, NR_SCRIPTS = 4 };

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Runs one statement; a hash of its rows and of its error. *ret_corrupt (if not NULL): SQLite calls the file malformed. */
static uint64_t run_statement(sqlite3 *db, const char *sql, int *ret_corrupt)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    sqlite3_stmt *statement;
    int error = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (error == SQLITE_OK) {
        while ((error = sqlite3_step(statement)) == SQLITE_ROW)
            for (int i = 0; i < sqlite3_column_count(statement); i++) {
                const char *text = (const char *)sqlite3_column_text(statement, i);
                int bytes = sqlite3_column_bytes(statement, i);

                hash = hash_bytes(hash, text ? text : "", text ? (size_t)bytes + 1 : 0);
            }
        error = sqlite3_finalize(statement);
    }
    /* "no such savepoint", "cannot VACUUM from within a transaction": part of the result; these are not. */
    if (ret_corrupt)
        *ret_corrupt = error == SQLITE_CORRUPT;
    CHECK(error != SQLITE_NOMEM && (ret_corrupt || error != SQLITE_CORRUPT) && error != SQLITE_IOERR, "%s: %s", sql,
          sqlite3_errmsg(db));
    return hash_bytes(hash, &error, sizeof(error));
}

static void make_statement(struct rig_random *r, char *sql, size_t bytes)
{
    uint32_t a = rig_below(r, 4000), b = rig_below(r, 200), table = rig_below(r, 3);
    static const char *const tables[] = {"t", "u", "temp.v"};
    const char *t = tables[table];

    switch (rig_below(r, 22)) {
    case 0:
    case 1:
    case 2: /* clang-format off */
        snprintf(sql, bytes, "WITH RECURSIVE c(x) AS (SELECT %u UNION ALL SELECT x+1 FROM c WHERE x<%u) INSERT OR REPLACE INTO %s "
                 "SELECT x, hex(x*%u), printf('%%.*c', x*7%%%u, 'x') FROM c", a, a + b, t, b + 3, 10 + b * 12); break;
    case 3: snprintf(sql, bytes, "UPDATE %s SET c=printf('%%.*c', (a*%u)%%900, 'y'), b=b||'%u' WHERE a%%%u=0", t, b + 1, b, 3 + b); break;
    case 4: snprintf(sql, bytes, "DELETE FROM %s WHERE a BETWEEN %u AND %u", t, a, a + b); break;
    case 5: snprintf(sql, bytes, "SELECT count(*), sum(length(c)), max(b) FROM %s", t); break;
    case 6: snprintf(sql, bytes, "SELECT * FROM %s WHERE b>='%u' ORDER BY b LIMIT %u", t, a, b); break;
    case 7: snprintf(sql, bytes, "SELECT t.a, u.b FROM t JOIN u USING(a) WHERE t.a>%u LIMIT %u", a, b); break;
    case 8: snprintf(sql, bytes, "SAVEPOINT s%u", rig_below(r, 3)); break;
    case 9: case 10: snprintf(sql, bytes, "ROLLBACK TO s%u", rig_below(r, 3)); break;
    case 11: snprintf(sql, bytes, "RELEASE s%u", rig_below(r, 3)); break;
    case 12: snprintf(sql, bytes, "BEGIN"); break;
    case 13: snprintf(sql, bytes, "COMMIT"); break;
    case 14: snprintf(sql, bytes, "ROLLBACK"); break;
    case 15: snprintf(sql, bytes, "PRAGMA cache_size=%u", rig_below(r, 2) ? 10 : 10 + b * 3); break;
    case 16: snprintf(sql, bytes, "PRAGMA shrink_memory"); break;
    case 17: snprintf(sql, bytes, rig_below(r, 4) ? "PRAGMA incremental_vacuum(20)" : "VACUUM"); break;
    case 18: snprintf(sql, bytes, "SELECT DISTINCT length(c)%%%u, count(*) FROM %s GROUP BY 1 ORDER BY 2, 1", 2 + b, t); break;
    case 19: snprintf(sql, bytes, "INSERT OR IGNORE INTO m.w SELECT a, b, c FROM %s WHERE a<%u", t, a); break;
    case 20: snprintf(sql, bytes, "DELETE FROM m.w WHERE a%%%u=0", 2 + b % 5); break;
    default: snprintf(sql, bytes, "SELECT a, substr(c, 1, 9) FROM m.w WHERE a>%u LIMIT %u", a, b); break; /* clang-format on */
    }
}

/*
 * The first `nr` statements of script `number` in the file of that name; fills in a hash for each. With may_be_corrupt it ends before the
 * statement at which SQLite calls a file malformed. Returns how many there were.
 */
static int run_script(const char *name, uint64_t number, int nr, int may_be_corrupt, uint64_t *hashes)
{
    struct rig_random r = {rig_seed + number * 7919};
    static const char *const journals[] = {"DELETE", "WAL", "MEMORY", "PERSIST"};
    char *path = rig_path(name), sql[512];
    sqlite3 *db = rig_open(path);

    snprintf(sql, sizeof(sql), "PRAGMA page_size=%u; PRAGMA auto_vacuum=%u; PRAGMA journal_mode=%s", 512u << number % 4,
             (unsigned)(number % 3), journals[number % 4]);
    rig_exec(db, sql);
    rig_exec(db, "PRAGMA synchronous=OFF; PRAGMA cache_size=10; PRAGMA temp_store=FILE; ATTACH ':memory:' AS m;"
                 "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX tb ON t(b);"
                 "CREATE TABLE u(a INTEGER PRIMARY KEY, b, c); CREATE INDEX ub ON u(b, c);"
                 "CREATE TEMP TABLE v(a INTEGER PRIMARY KEY, b, c); CREATE TABLE m.w(a INTEGER PRIMARY KEY, b, c)");
    int is_corrupt = 0, i;

    for (i = 0; i < nr && !is_corrupt; i++) {
        make_statement(&r, sql, sizeof(sql));
        hashes[i] = run_statement(db, sql, may_be_corrupt ? &is_corrupt : NULL);
    }
    if (is_corrupt) {
        printf("script %d ends at %d: SQLite's own cache: %s\n", (int)number, --i, sql);
    } else {
        if (!sqlite3_get_autocommit(db))
            rig_exec(db, "COMMIT");
        if (nr == NR_STATEMENTS)
            rig_check_main(db);
    }
    sqlite3_close(db);
    unlink(path);
    free(path);
    return i;
}

/* Says which statement it was. */
static void compare(const uint64_t *a, const uint64_t *b, uint64_t number, int nr)
{
    struct rig_random r = {rig_seed + number * 7919};
    char sql[512];

    for (int i = 0; i < nr; i++) {
        make_statement(&r, sql, sizeof(sql));
        CHECK(a[i] == b[i], "script %d, statement %d: %s", (int)number, i, sql);
    }
}

int main(int argc, char **argv)
{
    static const uint64_t budgets[] = {GENLRU_SQLITE_NO_BUDGET, 100000};
    static uint64_t expected[NR_SCRIPTS][NR_STATEMENTS], hashes[NR_STATEMENTS];
    struct genlru_sqlite_stat stat;
    sqlite3_pcache_methods2 own;
    int nr[NR_SCRIPTS], nr_alike = 0;

    rig_begin(argc, argv);
    CHECK(sqlite3_initialize() == SQLITE_OK && sqlite3_shutdown() == SQLITE_OK, "SQLite");
    CHECK(sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &own) == SQLITE_OK, "config");
    for (uint64_t number = 0; number < NR_SCRIPTS; number++)
        nr_alike += nr[number] = run_script("own", number, NR_STATEMENTS, 1, expected[number]);
    CHECK(nr_alike > NR_SCRIPTS / 2 * NR_STATEMENTS, "%d statements: too few to compare", nr_alike);
    for (int i = 0; i < 2; i++) {
        sqlite3_shutdown();
        CHECK(genlru_sqlite_install(budgets[i]) == SQLITE_OK, "install");
        for (uint64_t number = 0; number < NR_SCRIPTS; number++) {
            run_script("genlru", number, nr[number], 0, hashes);
            compare(expected[number], hashes, number, nr[number]);
        }
        genlru_sqlite_stat(&stat);
        CHECK(stat.bytes == 0 && stat.caches == 0, "%llu bytes left", (unsigned long long)stat.bytes);
    }
    CHECK(stat.hits && stat.evicted && stat.refused && stat.put_back, "genlru was not used");
    sqlite3_shutdown();
    CHECK(sqlite3_memory_used() == 0, "%lld bytes leaked", sqlite3_memory_used());
    printf("%d statements three times alike\n", nr_alike);
    return 0;
}
