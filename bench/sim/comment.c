/* SPDX-License-Identifier: MIT */
/*
 * comment.c - see comment.h
 */
#include "sim/comment.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Needs no quotes in any shell. */
static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";

    return *text && text[strspn(text, plain)] == '\0';
}

static void print_argument(const char *text)
{
    bool quote = !is_plain(text);

    fputs(quote ? " '" : " ", stdout);
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(*c == '\n' || *c == '\r' ? ' ' : *c);
        }
    }
    fputs(quote ? "'" : "", stdout);
}

void comment_print(const char *command, int argc, char **argv)
{
    printf("# command: genlru-sim %s", command);
    for (int i = 1; i < argc; i++) {
        const char *value = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
        const char *path = value ? value + 1 : argv[i];

        if (path[0] != '/' || !strrchr(path, '/')[1]) {
            print_argument(argv[i]);
            continue;
        }
        if (value) {
            printf(" %.*s", (int)(value - argv[i]), argv[i]);
        }
        print_argument(strrchr(path, '/') + 1);
    }
    putchar('\n');
}
