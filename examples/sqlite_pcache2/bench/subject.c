/* SPDX-License-Identifier: MIT */
/* Which page cache SQLite runs on. It is one per process, so that a change means to shut SQLite down and start again. */
#include "bench.h"
#include "genlru_sqlite.h"

const char *const subject_names[NR_SUBJECTS] = {"pcache1", "genlru"};

static sqlite3_pcache_methods2 methods;

const sqlite3_pcache_methods2 *subject_methods(void)
{
    return &methods;
}

void subject_set(enum subject subject)
{
    static sqlite3_pcache_methods2 own;
    int error;

    if (!own.xFetch) { /* SQLite fills its own in when it is initialised */
        sqlite3_initialize();
        sqlite3_shutdown();
        sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &own);
    }
    sqlite3_shutdown();
    error = subject == SUBJECT_OWN ? sqlite3_config(SQLITE_CONFIG_PCACHE2, &own)
                                   : genlru_sqlite_install(GENLRU_SQLITE_NO_BUDGET);
    if (error == SQLITE_OK)
        error = sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &methods); /* only while it is not initialised */
    if (error != SQLITE_OK || (error = sqlite3_initialize()) != SQLITE_OK)
        bench_die(subject_names[subject], sqlite3_errstr(error));
}
