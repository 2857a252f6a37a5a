/* SPDX-License-Identifier: MIT */
/* json.h - a JSON text as a tree: what Google Benchmark writes, read strictly */
#ifndef GENLRU_BENCH_MICRO_RESULTS_JSON_H
#define GENLRU_BENCH_MICRO_RESULTS_JSON_H

#include <stddef.h>

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    double number;
    char *string;
    char *key;          /* inside an object */
    struct json *child; /* first of an array or object */
    struct json *next;  /* of the same array or object */
};

/*
 * Parses a text that ends with NUL. NULL when it is no JSON or there is no memory; *ret_line then tells the line.
 * The tree is to be given to json_free.
 */
struct json *json_parse(const char *text, unsigned *ret_line);
void json_free(struct json *json);

/* A member of an object; NULL if there is none, or it is no object. */
const struct json *json_get(const struct json *object, const char *key);
/* The member's value, or the fallback where it is not there or of another type. */
const char *json_string(const struct json *object, const char *key, const char *fallback);
double json_number(const struct json *object, const char *key, double fallback);

#endif
