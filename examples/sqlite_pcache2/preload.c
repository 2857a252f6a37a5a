/* SPDX-License-Identifier: MIT */
/*
 * libgenlru-sqlite.so: genlru under a program that uses libsqlite3.so and knows nothing of it.
 *
 *     LD_PRELOAD=./libgenlru-sqlite.so sqlite3 my.db
 *
 *   GENLRU_SQLITE_BUDGET=64M     one budget for all caches of the process, in bytes (K, M, G: times 1024); default: none
 *   GENLRU_SQLITE_STAT=1 | FILE  at exit, a line of figures to stderr, or appended to FILE; also: SELECT genlru_stat();
 *
 * What cannot be done is said on stderr, and SQLite keeps the page cache it has. A program that carries SQLite inside
 * itself, or configures a page cache of its own, is not reached.
 */
#define _POSIX_C_SOURCE 200809L

#include "genlru_sqlite.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_installed;

/* "64M" to bytes; false: no such number. 0 is none: it would mean that there is no budget. */
static bool parse_bytes(const char *text, uint64_t *ret_bytes)
{
    static const char units[] = "KMG";
    unsigned long long number;
    const char *unit;
    char *end;
    unsigned shift = 0;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    number = strtoull(text, &end, 10);
    if (*end && (unit = strchr(units, *end))) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (errno || *end || number == 0 || number > UINT64_MAX >> shift)
        return false;
    *ret_bytes = (uint64_t)number << shift;
    return true;
}

/* Before main(): a page cache can be configured only while SQLite is not initialised. */
__attribute__((constructor)) static void install(void)
{
    const char *text = getenv("GENLRU_SQLITE_BUDGET");
    uint64_t budget = GENLRU_SQLITE_NO_BUDGET;
    int error;

    if (text && !parse_bytes(text, &budget)) {
        fprintf(stderr, "genlru-sqlite: not installed: GENLRU_SQLITE_BUDGET=%s is no number of bytes (64M)\n", text);
        return;
    }
    error = genlru_sqlite_install(budget);
    if (error == SQLITE_OK)
        is_installed = true;
    else
        fprintf(stderr, "genlru-sqlite: not installed: %s\n", sqlite3_errstr(error));
}

/* exit() and the end of main() come by here; _exit() and signals don't. */
__attribute__((destructor)) static void report(void)
{
    const char *where = getenv("GENLRU_SQLITE_STAT");
    struct genlru_sqlite_stat stat;
    FILE *file;

    if (!is_installed || !where || !*where)
        return;
    file = strcmp(where, "1") == 0 ? stderr : fopen(where, "a");
    if (!file) {
        fprintf(stderr, "genlru-sqlite: cannot write to %s: %s\n", where, strerror(errno));
        return;
    }
    genlru_sqlite_stat(&stat);
    fprintf(file,
            "genlru-sqlite: hits %" PRIu64 " misses %" PRIu64 " remembered %" PRIu64 " refused %" PRIu64
            " evicted %" PRIu64 " put_back %" PRIu64 " caches %" PRIu64 " bytes %" PRIu64 " budget %" PRIu64 "\n",
            stat.hits, stat.misses, stat.remembered, stat.refused, stat.evicted, stat.put_back, stat.caches, stat.bytes,
            stat.budget);
    if (file != stderr)
        fclose(file);
}
