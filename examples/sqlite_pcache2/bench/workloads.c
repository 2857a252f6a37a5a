/* SPDX-License-Identifier: MIT */
/*
 * The workloads with a database:
 *
 *   oltp       point reads (9 of 10) and updates, ten to a transaction, zipf 0.99; the cache holds a fifth of the table
 *   oltp-scan  the same, and a scan of another table, four times as large as the cache, that goes on beside them
 *   hot-cold   hot rows are read, then a cold table larger than the cache is scanned once, then hot rows are looked up:
 *              those look-ups are what counts. The proportions of the published test (hot table : memory : cold table
 *              = 60 : 300 : 1000) at a 20th of its size
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLTP_ROWS = 20000, SCAN_ROWS = 16000, HOT_ROWS = 6000, COLD_ROWS = 25000, NR_OPS = 20000, NR_LOOKUPS = 1000 };

static uint64_t random_state;

static double uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* Rank by the formula of Gray et al. (SIGMOD 1994), spread over the rows by a multiplication prime to their number. */
static uint32_t zipf(uint32_t n, double zeta)
{
    const double theta = 0.99, alpha = 1 / (1 - theta);
    double eta = (1 - pow(2.0 / n, 1 - theta)) / (1 - (1 + pow(0.5, theta)) / zeta), u = uniform(), uz = u * zeta;
    uint64_t rank = uz < 1 ? 0 : uz < 1 + pow(0.5, theta) ? 1 : (uint64_t)(n * pow(eta * u - eta + 1, alpha));

    return (uint32_t)(rank % n * 7919 % n) + 1;
}

static void exec(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        bench_die(sql, sqlite3_errmsg(db));
}

static sqlite3 *open_db(const char *path, const char *vfs, int cache_pages)
{
    char sql[200];
    sqlite3 *db;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs) != SQLITE_OK)
        bench_die(path, sqlite3_errmsg(db));
    snprintf(sql, sizeof(sql),
             "PRAGMA page_size=4096; PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF; "
             "PRAGMA mmap_size=0; PRAGMA cache_size=%d",
             cache_pages);
    exec(db, sql);
    return db;
}

static sqlite3_stmt *prepare_one(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        bench_die(sql, sqlite3_errmsg(db));
    return statement;
}

/* Steps to the end; the row, if there is one, is read. */
static void run_with(sqlite3_stmt *statement, uint32_t key)
{
    int result;

    sqlite3_bind_int64(statement, 1, key);
    while ((result = sqlite3_step(statement)) == SQLITE_ROW)
        (void)sqlite3_column_int64(statement, 0);
    if (result != SQLITE_DONE)
        bench_die("step", sqlite3_errmsg(sqlite3_db_handle(statement)));
    sqlite3_reset(statement);
}

static void fill(sqlite3 *db, const char *table, uint32_t rows, unsigned bytes)
{
    char sql[300];

    snprintf(
        sql, sizeof(sql),
        "CREATE TABLE %s(id INTEGER PRIMARY KEY, n, pad); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c "
        "WHERE x<%u) INSERT INTO %s SELECT x, 0, randomblob(%u) FROM c",
        table, rows, table, bytes);
    exec(db, sql);
}

/* Fetches of this connection and how many of them missed, since the last call. */
static double miss_percent(sqlite3 *db)
{
    int hits, misses, unused;

    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_HIT, &hits, &unused, 1);
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &unused, 1);
    return hits + misses ? 100.0 * misses / (hits + misses) : 0;
}

static void prepare_oltp(const struct options *options, const char *path)
{
    sqlite3 *db = open_db(path, NULL, 10000);

    fill(db, "item", OLTP_ROWS * options->scale, 480);
    fill(db, "history", SCAN_ROWS * options->scale, 480);
    sqlite3_close(db);
}

static void oltp(const struct options *options, const char *path, struct metrics *metrics, int has_scan)
{
    uint32_t rows = OLTP_ROWS * options->scale, nr_ops = NR_OPS * options->scale;
    /* seven or eight rows a page */
    sqlite3 *db = open_db(path, "latency", (int)(rows / 8 / 5));
    sqlite3_stmt *read = prepare_one(db, "SELECT length(pad) FROM item WHERE id=?");
    sqlite3_stmt *update = prepare_one(db, "UPDATE item SET n=n+1 WHERE id=?");
    sqlite3_stmt *scan = prepare_one(db, "SELECT length(pad) FROM history");
    uint64_t start = 0, scan_ns = 0, total_ns, reads = 0;
    double zeta = 0;

    for (uint32_t i = 1; i <= rows; i++)
        zeta += pow(i, -0.99);
    random_state = 42;
    for (uint32_t i = 0; i < 2 * nr_ops; i++) {
        if (i == nr_ops) { /* the first half warms up */
            (void)miss_percent(db);
            start = bench_now_ns();
            scan_ns = 0;
            reads = latency_reads();
        }
        if (i % 10 == 0)
            exec(db, "BEGIN");
        run_with(uniform() < 0.1 ? update : read, zipf(rows, zeta));
        if (i % 10 == 9)
            exec(db, "COMMIT");
        if (has_scan && i % 10 == 9) {
            uint64_t t0 = bench_now_ns();

            for (int j = 0; j < 20; j++) {
                if (sqlite3_step(scan) == SQLITE_ROW)
                    (void)sqlite3_column_int64(scan, 0);
                else
                    sqlite3_reset(scan); /* begins anew */
            }
            scan_ns += bench_now_ns() - t0;
        }
    }
    total_ns = bench_now_ns() - start;
    metric_add(metrics, "all of it", "ms", (double)total_ns / 1e6);
    metric_add(metrics, "a read or update", "us", (double)(total_ns - scan_ns) / nr_ops / 1000);
    if (has_scan)
        metric_add(metrics, "a row scanned", "us", (double)scan_ns / nr_ops / 2 / 1000);
    metric_add(metrics, "fetches that miss", "%", miss_percent(db));
    metric_add(metrics, "page reads", "", (double)(latency_reads() - reads));
    sqlite3_finalize(read);
    sqlite3_finalize(update);
    sqlite3_finalize(scan);
    sqlite3_close(db);
}

static void run_oltp(const struct options *options, const char *path, struct metrics *metrics)
{
    oltp(options, path, metrics, 0);
}

static void run_oltp_scan(const struct options *options, const char *path, struct metrics *metrics)
{
    oltp(options, path, metrics, 1);
}

static void prepare_hot_cold(const struct options *options, const char *path)
{
    sqlite3 *db = open_db(path, NULL, 10000);

    fill(db, "hot", HOT_ROWS * options->scale, 480);
    fill(db, "cold", COLD_ROWS * options->scale, 1960);
    sqlite3_close(db);
}

static uint64_t look_up(sqlite3_stmt *statement, uint32_t nr, uint32_t rows)
{
    uint64_t start = bench_now_ns();

    for (uint32_t i = 0; i < nr; i++)
        run_with(statement, (uint32_t)(uniform() * rows) + 1);
    return bench_now_ns() - start;
}

static void run_hot_cold(const struct options *options, const char *path, struct metrics *metrics)
{
    uint32_t rows = HOT_ROWS * options->scale;
    sqlite3 *db = open_db(path, "latency", (int)(3750 * options->scale)); /* 15 MB of 3 MB hot, 50 MB cold */
    sqlite3_stmt *hot = prepare_one(db, "SELECT length(pad) FROM hot WHERE id=?");
    uint64_t start, cold_ns;

    random_state = 42;
    exec(db, "SELECT count(*) FROM hot WHERE pad LIKE '%none%'");
    (void)look_up(hot, rows, rows);
    start = bench_now_ns();
    exec(db, "SELECT sum(length(pad)) FROM cold");
    cold_ns = bench_now_ns() - start;
    (void)miss_percent(db);
    metric_add(metrics, "a hot look-up after the cold scan", "us",
               (double)look_up(hot, NR_LOOKUPS, rows) / NR_LOOKUPS / 1000);
    metric_add(metrics, "its fetches that miss", "%", miss_percent(db));
    metric_add(metrics, "the cold scan", "ms", (double)cold_ns / 1e6);
    sqlite3_finalize(hot);
    sqlite3_close(db);
}

const struct workload workloads[] = {
    {"fetch", "the methods alone, all hits", NULL, fetch_run},
    {"oltp", "point reads and updates, zipf 0.99", prepare_oltp, run_oltp},
    {"oltp-scan", "the same with a full-table scan beside", prepare_oltp, run_oltp_scan},
    {"hot-cold", "hot look-ups after a cold scan", prepare_hot_cold, run_hot_cold},
};
const size_t nr_workloads = sizeof(workloads) / sizeof(workloads[0]);
