/* SPDX-License-Identifier: MIT */
/* JSON by recursive descent (RFC 8259): see json.h. */
#include "micro/results/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

struct parser {
    const char *at;
    const char *start;
};

static struct json *parse_value(struct parser *p, unsigned depth);

static void skip_space(struct parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

/* Takes the text if it comes next. */
static bool take(struct parser *p, const char *text)
{
    size_t n = strlen(text);

    if (strncmp(p->at, text, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* Four hexadecimal digits; halves of pairs become U+FFFD, which nobody here needs. False if they are none. */
static bool take_code(struct parser *p, unsigned *ret)
{
    unsigned code = 0;

    for (unsigned i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF";
        const char *found = *p->at ? strchr(digits, *p->at) : NULL;

        if (!found) {
            return false;
        }
        code = code * 16 + (unsigned)(found - digits) - (found - digits > 15 ? 6 : 0);
        p->at++;
    }
    *ret = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
    return true;
}

static bool take_escape(struct parser *p, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = *p->at ? strchr(from, *p->at) : NULL;
    unsigned code;

    if (found) {
        p->at++;
        *(*out)++ = to[found - from];
        return true;
    }
    if (!take(p, "u") || !take_code(p, &code) || code == 0) {
        return false;
    }
    *out = put_utf8(*out, code);
    return true;
}

/* A string; NULL = none. An escape is never shorter than what it stands for. */
static char *parse_string(struct parser *p)
{
    const char *begin = p->at;
    char *text, *out;

    if (!take(p, "\"")) {
        return NULL;
    }
    for (begin = p->at; *begin && *begin != '"'; begin++) {
        begin += *begin == '\\' && begin[1];
    }
    text = out = malloc((size_t)(begin - p->at) + 1);
    while (text && *p->at != '"') {
        bool is_good = (unsigned char)*p->at >= 0x20;

        if (is_good && *p->at == '\\') {
            p->at++;
            is_good = take_escape(p, &out);
        } else if (is_good) {
            *out++ = *p->at++;
        }
        if (!is_good) {
            free(text);
            return NULL;
        }
    }
    if (text) {
        *out = '\0';
        p->at++;
    }
    return text;
}

/* Members or elements up to `end`. */
static bool parse_children(struct parser *p, struct json *parent, const char *end, unsigned depth)
{
    struct json **to = &parent->child;

    skip_space(p);
    if (take(p, end)) {
        return true;
    }
    do {
        char *key = NULL;

        skip_space(p);
        if (parent->type == JSON_OBJECT) {
            key = parse_string(p);
            skip_space(p);
            if (!key || !take(p, ":")) {
                free(key);
                return false;
            }
        }
        *to = parse_value(p, depth + 1);
        if (!*to) {
            free(key);
            return false;
        }
        (*to)->key = key;
        to = &(*to)->next;
        skip_space(p);
    } while (take(p, ","));
    return take(p, end);
}

/* strtod takes more than JSON has: hexadecimal numbers, infinity. Google Benchmark writes NaN for "none". */
static bool parse_number(struct parser *p, struct json *json)
{
    char *end;

    if (take(p, "NaN") || take(p, "-NaN") || take(p, "Infinity") || take(p, "-Infinity")) {
        json->type = JSON_NULL;
        return true;
    }
    if (strspn(p->at, "-0123456789") == 0 || p->at[strspn(p->at, "-0")] == 'x') {
        return false;
    }
    json->number = strtod(p->at, &end);
    json->type = JSON_NUMBER;
    if (end == p->at) {
        return false;
    }
    p->at = end;
    return true;
}

static bool parse_into(struct parser *p, struct json *json, unsigned depth)
{
    if (take(p, "null")) {
        json->type = JSON_NULL;
        return true;
    }
    if (take(p, "true") || take(p, "false")) {
        json->type = p->at[-1] == 'e' && p->at[-2] == 'u' ? JSON_TRUE : JSON_FALSE;
        return true;
    }
    if (*p->at == '"') {
        json->type = JSON_STRING;
        json->string = parse_string(p);
        return json->string != NULL;
    }
    if (take(p, "{")) {
        json->type = JSON_OBJECT;
        return parse_children(p, json, "}", depth);
    }
    if (take(p, "[")) {
        json->type = JSON_ARRAY;
        return parse_children(p, json, "]", depth);
    }
    return parse_number(p, json);
}

static struct json *parse_value(struct parser *p, unsigned depth)
{
    struct json *json = depth < DEPTH_MAX ? calloc(1, sizeof(*json)) : NULL;

    skip_space(p);
    if (json && !parse_into(p, json, depth)) {
        json_free(json);
        json = NULL;
    }
    return json;
}

struct json *json_parse(const char *text, unsigned *ret_line)
{
    struct parser p = {text, text};
    struct json *json = parse_value(&p, 0);

    skip_space(&p);
    if (json && *p.at) {
        json_free(json);
        json = NULL;
    }
    if (!json) {
        *ret_line = 1;
        for (const char *c = p.start; c < p.at; c++) {
            *ret_line += *c == '\n';
        }
    }
    return json;
}

void json_free(struct json *json)
{
    while (json) {
        struct json *next = json->next;

        json_free(json->child);
        free(json->string);
        free(json->key);
        free(json);
        json = next;
    }
}

const struct json *json_get(const struct json *object, const char *key)
{
    const struct json *member = object && object->type == JSON_OBJECT ? object->child : NULL;

    while (member && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}

const char *json_string(const struct json *object, const char *key, const char *fallback)
{
    const struct json *member = json_get(object, key);

    return member && member->type == JSON_STRING ? member->string : fallback;
}

double json_number(const struct json *object, const char *key, double fallback)
{
    const struct json *member = json_get(object, key);

    return member && member->type == JSON_NUMBER ? member->number : fallback;
}
