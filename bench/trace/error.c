/* SPDX-License-Identifier: MIT */
/*
 * error.c - see error.h
 */
#include "trace/error.h"

#include <stdarg.h>
#include <stdio.h>

int trace_fail(struct trace_error *error, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return code;
}
