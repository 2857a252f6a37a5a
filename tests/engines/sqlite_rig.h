/* SPDX-License-Identifier: MIT */
/* What the tests of examples/sqlite_pcache2 share: checks that say where and with which seed, a folder, a random number. */
#ifndef GENLRU_TESTS_ENGINES_SQLITE_RIG_H
#define GENLRU_TESTS_ENGINES_SQLITE_RIG_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern uint64_t rig_seed; /* printed by rig_begin() */

#define CHECK(condition, ...)                                                \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);  \
            fprintf(stderr, __VA_ARGS__);                                    \
            fprintf(stderr, " (seed %llu)\n", (unsigned long long)rig_seed); \
            abort();                                                         \
        }                                                                    \
    } while (0)

/* Takes the seed from argv[1], else from the clock; prints it; makes an empty folder, which goes when the process does. */
void rig_begin(int argc, char **argv);
/* A path in the folder; the caller frees it. */
char *rig_path(const char *name);

struct rig_random {
    uint64_t state;
};
/* 0 .. below-1. */
uint32_t rig_below(struct rig_random *random, uint32_t below);

/* Opens with a busy handler that waits; a failure ends the test. */
sqlite3 *rig_open(const char *path);
/* Must succeed. */
void rig_exec(sqlite3 *db, const char *sql);
/* The first column of the first row, as a number. Must succeed. */
sqlite3_int64 rig_int(sqlite3 *db, const char *sql);
/* PRAGMA integrity_check says "ok". */
void rig_check_integrity(sqlite3 *db);
/* The same but for temporary and attached databases. */
void rig_check_main(sqlite3 *db);

#endif
