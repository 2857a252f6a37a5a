/* SPDX-License-Identifier: MIT */
/*
 * The SQL function genlru_stat(): all figures as JSON text; genlru_stat('misses'): one of them. Every connection has it.
 *
 * It is registered when the first cache is made, which happens inside the first connection's opening, before SQLite looks
 * for extensions. Earlier is too early: sqlite3_auto_extension() initialises SQLite, after which a program may no longer
 * configure it; and called from xInit, while SQLite initialises, it waits for itself.
 */
#include "cache.h"
#include "genlru_sqlite.h"

#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} figures[] = {
#define FIGURE(name)                                     \
    {                                                    \
#name, offsetof(struct genlru_sqlite_stat, name) \
    }
    FIGURE(hits),     FIGURE(misses), FIGURE(remembered), FIGURE(refused), FIGURE(evicted),
    FIGURE(put_back), FIGURE(caches), FIGURE(bytes),      FIGURE(budget),
#undef FIGURE
};

enum { NR_FIGURES = sizeof(figures) / sizeof(figures[0]) };

static sqlite3_int64 figure(const struct genlru_sqlite_stat *stat, size_t i)
{
    uint64_t value;

    memcpy(&value, (const char *)stat + figures[i].offset, sizeof(value));
    return value > INT64_MAX ? INT64_MAX : (sqlite3_int64)value;
}

static void stat_all(sqlite3_context *context, const struct genlru_sqlite_stat *stat)
{
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(context));
    char *result;

    for (size_t i = 0; i < NR_FIGURES; i++)
        sqlite3_str_appendf(text, "%s\"%s\":%lld", i ? "," : "{", figures[i].name, figure(stat, i));
    sqlite3_str_appendchar(text, 1, '}');
    result = sqlite3_str_finish(text);
    if (result)
        sqlite3_result_text(context, result, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

static void on_stat(sqlite3_context *context, int nr_args, sqlite3_value **args)
{
    const char *name = nr_args ? (const char *)sqlite3_value_text(args[0]) : NULL;
    struct genlru_sqlite_stat stat;

    genlru_sqlite_stat(&stat);
    if (nr_args == 0) {
        stat_all(context, &stat);
        return;
    }
    for (size_t i = 0; name && i < NR_FIGURES; i++)
        if (strcmp(name, figures[i].name) == 0) {
            sqlite3_result_int64(context, figure(&stat, i));
            return;
        }
    sqlite3_result_error(context, "genlru_stat: no such figure", -1);
}

/* Has the signature of an extension's entry. */
static int on_open(sqlite3 *db, char **ret_error, const void *api)
{
    int error = SQLITE_OK;

    (void)ret_error;
    (void)api;
    for (int nr_args = 0; nr_args <= 1 && error == SQLITE_OK; nr_args++)
        error = sqlite3_create_function(db, "genlru_stat", nr_args, SQLITE_UTF8, NULL, on_stat, NULL, NULL);
    return error;
}

static atomic_bool is_registered;

void stat_register(void)
{
    /* Out of memory now: the cache works, the function is missing until the next cache is made. */
    if (!atomic_load_explicit(&is_registered, memory_order_relaxed) &&
        sqlite3_auto_extension((void (*)(void))on_open) == SQLITE_OK)
        atomic_store_explicit(&is_registered, true, memory_order_relaxed);
}

void stat_forget(void)
{
    atomic_store_explicit(&is_registered, false, memory_order_relaxed); /* SQLite has, too */
}
