/* SPDX-License-Identifier: MIT */
/* See sqlite_rig.h. */
#define _XOPEN_SOURCE 700

#include "sqlite_rig.h"

#include <ftw.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t rig_seed;

static char folder[64];
static pid_t owner;

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    if (getpid() == owner)
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void rig_begin(int argc, char **argv)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    rig_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)now.tv_nsec;
    printf("seed %llu\n", (unsigned long long)rig_seed);
    fflush(stdout);
    snprintf(folder, sizeof(folder), "/tmp/genlru-engines-XXXXXX");
    CHECK(mkdtemp(folder), "no folder");
    owner = getpid();
    atexit(remove_folder);
}

char *rig_path(const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);

    CHECK(path, "no memory");
    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

uint32_t rig_below(struct rig_random *random, uint32_t below)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random->state >> 33) % below);
}

sqlite3 *rig_open(const char *path)
{
    sqlite3 *db;
    int error = sqlite3_open(path, &db);

    CHECK(error == SQLITE_OK, "open %s: %s", path, sqlite3_errstr(error));
    sqlite3_busy_timeout(db, 20000);
    return db;
}

void rig_exec(sqlite3 *db, const char *sql)
{
    char *text = NULL;
    int error = sqlite3_exec(db, sql, NULL, NULL, &text);

    CHECK(error == SQLITE_OK, "%s: %s", sql, text ? text : sqlite3_errstr(error));
}

sqlite3_int64 rig_int(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    sqlite3_int64 value;

    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    CHECK(sqlite3_step(statement) == SQLITE_ROW, "%s: %s", sql, sqlite3_errmsg(db));
    value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static void check_integrity(sqlite3 *db, const char *pragma)
{
    sqlite3_stmt *statement;
    const char *text;

    CHECK(sqlite3_prepare_v2(db, pragma, -1, &statement, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    CHECK(sqlite3_step(statement) == SQLITE_ROW, "%s", sqlite3_errmsg(db));
    text = (const char *)sqlite3_column_text(statement, 0);
    CHECK(text && strcmp(text, "ok") == 0, "%s", text ? text : "no text");
    sqlite3_finalize(statement);
}

void rig_check_integrity(sqlite3 *db)
{
    check_integrity(db, "PRAGMA integrity_check");
}

void rig_check_main(sqlite3 *db)
{
    check_integrity(db, "PRAGMA main.integrity_check");
}
