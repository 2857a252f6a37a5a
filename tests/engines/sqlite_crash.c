/* SPDX-License-Identifier: MIT */
/*
 * kill -9 while a child writes through genlru with a cache of 10 pages, again and again into the same file. After each
 * kill the file is sound, holds every transaction whose commit was reported, and no half of one: the rows of two tables
 * are changed together, and their sums agree.
 */
#define _POSIX_C_SOURCE 200809L

#include "genlru_sqlite.h"
#include "sqlite_rig.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child(const char *path, int report, uint64_t seed, const char *journal)
{
    struct rig_random r = {seed};
    char sql[300];
    sqlite3 *db;

    CHECK(genlru_sqlite_install(GENLRU_SQLITE_NO_BUDGET) == SQLITE_OK, "install");
    db = rig_open(path);
    snprintf(sql, sizeof(sql), "PRAGMA journal_mode=%s; PRAGMA synchronous=OFF; PRAGMA cache_size=10", journal);
    rig_exec(db, sql);
    for (sqlite3_int64 last = rig_int(db, "SELECT n FROM last");;) {
        uint32_t low = rig_below(&r, 3000), high = low + rig_below(&r, 300);

        last++;
        snprintf(sql, sizeof(sql),
                 "BEGIN IMMEDIATE; UPDATE x SET v=v+%lld, pad=printf('%%.*c', %u, 'p') WHERE a BETWEEN %u AND %u;"
                 "UPDATE y SET v=v+%lld WHERE a BETWEEN %u AND %u; UPDATE last SET n=%lld; COMMIT",
                 last, rig_below(&r, 600), low, high, last, low, high, last);
        rig_exec(db, sql);
        CHECK(write(report, &last, sizeof(last)) == sizeof(last), "report");
    }
}

/* The number of the last transaction that the child reported; it has ended. */
static sqlite3_int64 last_reported(int pipe_end, sqlite3_int64 before)
{
    sqlite3_int64 number;

    while (read(pipe_end, &number, sizeof(number)) == sizeof(number))
        before = number;
    return before;
}

static sqlite3_int64 kill_one(const char *path, struct rig_random *r, sqlite3_int64 before, int round)
{
    struct timespec pause = {0, 1000000 + (long)rig_below(r, 60) * 1000000};
    int ends[2], status;
    uint64_t seed = rig_below(r, UINT32_MAX);
    pid_t pid;

    CHECK(pipe(ends) == 0, "pipe");
    pid = fork();
    CHECK(pid >= 0, "fork");
    if (pid == 0) {
        close(ends[0]);
        child(path, ends[1], seed, round % 2 ? "WAL" : "DELETE");
    }
    close(ends[1]);
    nanosleep(&pause, NULL);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid, "kill");
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child ended by itself, status %d", status);
    before = last_reported(ends[0], before);
    close(ends[0]);
    return before;
}

int main(int argc, char **argv)
{
    int nr_rounds = argc > 2 ? atoi(argv[2]) : 40;
    sqlite3_int64 reported = 0, found = 0;
    struct rig_random r;
    char *path;
    sqlite3 *db;

    rig_begin(argc, argv);
    r.state = rig_seed;
    path = rig_path("crash.db");
    /* SQLite is opened here with its own cache: a second opinion. It is shut down before each fork. */
    db = rig_open(path);
    rig_exec(db,
             "CREATE TABLE x(a INTEGER PRIMARY KEY, v, pad); CREATE TABLE y(a INTEGER PRIMARY KEY, v);"
             "CREATE INDEX yv ON y(v); CREATE TABLE last(n); INSERT INTO last VALUES(0);"
             "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<3300) INSERT INTO x SELECT x, 0, '' "
             "FROM c; INSERT INTO y SELECT a, v FROM x");
    sqlite3_close(db);
    for (int round = 0; round < nr_rounds; round++) {
        sqlite3_shutdown();
        reported = kill_one(path, &r, reported, round);
        db = rig_open(path);
        rig_check_integrity(db);
        found = rig_int(db, "SELECT n FROM last");
        CHECK(found >= reported && found <= reported + 1, "%lld reported, %lld found", reported, found);
        CHECK(rig_int(db, "SELECT (SELECT sum(v) FROM x)=(SELECT sum(v) FROM y)"), "half a transaction");
        reported = found;
        sqlite3_close(db);
    }
    CHECK(found > nr_rounds / 4, "only %lld transactions", found);
    printf("%d kills, %lld transactions\n", nr_rounds, found);
    free(path);
    return 0;
}
