/* SPDX-License-Identifier: MIT */
/*
 * spec.c - see spec.h
 */
#include "trace/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The factor a trailing letter stands for; 1 without one. Shortens *len by the letter. */
static uint64_t take_unit(const char *text, size_t *len)
{
    static const struct {
        char letter;
        uint64_t factor;
    } units[] = {{'k', 1000}, {'M', 1000000}, {'G', 1000000000}};

    for (size_t i = 0; *len > 0 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (text[*len - 1] == units[i].letter) {
            (*len)--;
            return units[i].factor;
        }
    }
    return 1;
}

/* Decimal digits, then perhaps a unit. */
static int parse_count(const char *text, size_t len, uint64_t *ret)
{
    uint64_t factor = take_unit(text, &len);
    uint64_t value = 0;

    if (len == 0) {
        return -EINVAL;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return -EINVAL;
        }
        value = value * 10 + digit;
    }
    if (value > UINT64_MAX / factor) {
        return -EINVAL;
    }
    *ret = value * factor;
    return 0;
}

static int parse_real(const char *text, size_t len, double *ret)
{
    char copy[64];
    char *end;

    /* strtod also takes hexadecimals, "inf" and leading blanks; we do not. */
    if (len == 0 || len >= sizeof(copy) || strspn(text, "0123456789.eE+-") < len) {
        return -EINVAL;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    *ret = strtod(copy, &end);
    return *end || !isfinite(*ret) ? -EINVAL : 0;
}

static int set_value(const char *owner, const struct spec_param *param, const char *text, size_t len,
                     struct spec_value *ret, struct trace_error *error)
{
    int rc = 0;

    if (len >= sizeof(ret->text)) {
        return trace_fail(error, -EINVAL, "%s: the value of %s is too long", owner, param->name);
    }
    memcpy(ret->text, text, len);
    ret->text[len] = '\0';
    if (param->kind == SPEC_COUNT) {
        rc = parse_count(text, len, &ret->count);
        ret->real = (double)ret->count;
    } else if (param->kind == SPEC_REAL) {
        rc = parse_real(text, len, &ret->real);
    }
    if (rc) {
        return trace_fail(error, rc, "%s: %s=%s is no %s", owner, param->name, ret->text,
                          param->kind == SPEC_COUNT ? "whole number" : "number");
    }
    if (param->kind != SPEC_TEXT && (ret->real < param->least || ret->real > param->most)) {
        return trace_fail(error, -EINVAL, "%s: %s=%s is not within %.10g and %.10g", owner, param->name, ret->text,
                          param->least, param->most);
    }
    return 0;
}

static const struct spec_param *find(const struct spec_param *params, const char *name, size_t len)
{
    for (; params->name; params++) {
        if (strlen(params->name) == len && memcmp(params->name, name, len) == 0) {
            return params;
        }
    }
    return NULL;
}

static int set_given(const char *owner, const char *text, const struct spec_param *params, struct spec_value *values,
                     bool *given, struct trace_error *error)
{
    while (*text) {
        size_t len = strcspn(text, ",");
        size_t name_len = strcspn(text, "=,");
        const struct spec_param *param = find(params, text, name_len);

        if (!param) {
            return trace_fail(error, -EINVAL, "%s: there is no parameter '%.*s'", owner, (int)name_len, text);
        }
        if (name_len == len) {
            return trace_fail(error, -EINVAL, "%s: '%.*s' has no value", owner, (int)len, text);
        }
        if (given[param - params]) {
            return trace_fail(error, -EINVAL, "%s: %s is given twice", owner, param->name);
        }
        int rc = set_value(owner, param, text + name_len + 1, len - name_len - 1, &values[param - params], error);

        if (rc) {
            return rc;
        }
        given[param - params] = true;
        text += len;
        if (*text == ',' && text[1] == '\0') {
            return trace_fail(error, -EINVAL, "%s: nothing follows the last comma", owner);
        }
        text += *text == ',';
    }
    return 0;
}

int spec_parse(const char *owner, const char *text, const struct spec_param *params, struct spec_value *values,
               struct trace_error *error)
{
    bool given[32] = {false};
    int rc = set_given(owner, text, params, values, given, error);

    for (size_t i = 0; params[i].name && !rc; i++) {
        const struct spec_param *param = &params[i];

        if (given[i]) {
            continue;
        }
        if (!param->fallback) {
            return trace_fail(error, -EINVAL, "%s: %s= is missing", owner, param->name);
        }
        rc = set_value(owner, param, param->fallback, strlen(param->fallback), &values[i], error);
    }
    return rc;
}
