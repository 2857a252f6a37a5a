/* SPDX-License-Identifier: MIT */
/*
 * commands.h - the commands of key-value servers, as their logs have them
 */
#ifndef GENLRU_BENCH_TRACE_COMMANDS_H
#define GENLRU_BENCH_TRACE_COMMANDS_H

#include "trace/reader.h"

/* Where the keys of a command are. */
enum keys { NO_KEY, FIRST, ALL, EVERY_OTHER };

/* Commands that are alike. */
struct commands {
    const char *names; /* between blanks, lower case; NULL ends a table */
    enum keys keys;
    enum policy_channel channel;
};

/* Those the name, of any case, belongs to. NULL = none. */
const struct commands *commands_find(const struct commands *table, struct field name);

/* 0 … 15, or -1. */
int hex_value(char c);

#endif
