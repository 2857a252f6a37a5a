/* SPDX-License-Identifier: MIT */
/*
 * Several threads, each with connections of its own, writing and reading one file in WAL mode, and one that changes the
 * budget, shrinks and asks for statistics; caches come and go meanwhile. What is transferred between accounts stays the
 * same in sum, in each reader's eyes. Without a budget caches are without locks, with a small one they take each other's
 * pages. Made for ThreadSanitizer.
 */
#define _POSIX_C_SOURCE 200809L

#include "genlru_sqlite.h"
#include "sqlite_rig.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { NR_WORKERS = 4, NR_ROUNDS = 40, NR_ACCOUNTS = 1500 };

static char *path;
static atomic_int nr_working;
static uint64_t budget;

static sqlite3 *open_one(struct rig_random *r)
{
    sqlite3 *db = rig_open(path);
    char sql[64];

    snprintf(sql, sizeof(sql), "PRAGMA synchronous=OFF; PRAGMA cache_size=%u", rig_below(r, 2) ? 10 : 200);
    rig_exec(db, sql);
    return db;
}

static void *work(void *arg)
{
    struct rig_random r = {rig_seed + *(int *)arg};
    sqlite3 *db = open_one(&r);
    char sql[300];

    for (int i = 0; i < NR_ROUNDS; i++) {
        uint32_t from = rig_below(&r, NR_ACCOUNTS) + 1, to = rig_below(&r, NR_ACCOUNTS) + 1,
                 amount = rig_below(&r, 100);

        snprintf(sql, sizeof(sql),
                 "BEGIN IMMEDIATE; UPDATE account SET v=v-%u WHERE a=%u; UPDATE account SET v=v+%u WHERE a=%u; COMMIT",
                 amount, from, amount, to);
        rig_exec(db, sql);
        CHECK(rig_int(db, "SELECT sum(v) FROM account") == NR_ACCOUNTS * 1000, "money came or went");
        (void)rig_int(db, "SELECT count(*) FROM (SELECT DISTINCT v, pad FROM account)");
        if (i % 20 == 19) {
            sqlite3_close(db);
            db = open_one(&r);
        }
    }
    sqlite3_close(db);
    nr_working--;
    return NULL;
}

static void *disturb(void *arg)
{
    struct rig_random r = {rig_seed + 99};
    const struct timespec pause = {0, 1000000};
    sqlite3 *db = open_one(&r);

    while (nr_working > 0) {
        (void)rig_int(db, "SELECT sum(v) FROM account");
        (void)rig_int(db, "SELECT genlru_stat('hits') + length(genlru_stat())");
        if (budget)
            CHECK(genlru_sqlite_set_budget(budget / 2 + rig_below(&r, 200000)) == SQLITE_OK, "set_budget");
        if (rig_below(&r, 4) == 0)
            sqlite3_db_release_memory(db);
        nanosleep(&pause, NULL);
    }
    sqlite3_close(db);
    return arg;
}

static void run(uint64_t initial_budget)
{
    struct genlru_sqlite_stat stat;
    pthread_t threads[NR_WORKERS + 1];
    int numbers[NR_WORKERS];
    sqlite3 *db;

    budget = initial_budget;
    CHECK(genlru_sqlite_install(budget) == SQLITE_OK, "install");
    unlink(path);
    db = rig_open(path);
    rig_exec(db,
             "PRAGMA journal_mode=WAL; CREATE TABLE account(a INTEGER PRIMARY KEY, v, pad);"
             "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<1500) INSERT INTO account SELECT x, "
             "1000, hex(zeroblob(50)) FROM c");
    nr_working = NR_WORKERS;
    for (int i = 0; i < NR_WORKERS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0, "thread");
    }
    CHECK(pthread_create(&threads[NR_WORKERS], NULL, disturb, NULL) == 0, "thread");
    for (int i = 0; i <= NR_WORKERS; i++)
        pthread_join(threads[i], NULL);
    rig_check_integrity(db);
    sqlite3_close(db);
    CHECK(sqlite3_shutdown() == SQLITE_OK && sqlite3_memory_used() == 0, "leak");
    genlru_sqlite_stat(&stat);
    CHECK(stat.bytes == 0 && stat.caches == 0 && stat.evicted > 0, "%llu bytes left", (unsigned long long)stat.bytes);
}

int main(int argc, char **argv)
{
    rig_begin(argc, argv);
    path = rig_path("threads.db");
    run(GENLRU_SQLITE_NO_BUDGET);
    run(300000);
    run(40000); /* less than the pages in use */
    free(path);
    return 0;
}
