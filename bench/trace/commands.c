/* SPDX-License-Identifier: MIT */
/*
 * commands.c - see commands.h
 */
#include "trace/commands.h"

#include <string.h>

static bool is_listed(const char *names, struct field name)
{
    while (*names) {
        struct field one;

        names += strspn(names, " ");
        one = (struct field){names, strcspn(names, " ")};
        names += one.len;
        if (one.len == name.len && one.len) {
            size_t i = 0;

            while (i < one.len && (one.text[i] == name.text[i] || (name.text[i] >= 'A' && name.text[i] <= 'Z' &&
                                                                   one.text[i] == name.text[i] - 'A' + 'a'))) {
                i++;
            }
            if (i == one.len) {
                return true;
            }
        }
    }
    return false;
}

const struct commands *commands_find(const struct commands *table, struct field name)
{
    while (table->names && !is_listed(table->names, name)) {
        table++;
    }
    return table->names ? table : NULL;
}

int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}
