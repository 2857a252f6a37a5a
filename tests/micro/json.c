/* SPDX-License-Identifier: MIT */
/* JSON: values, nesting, escapes; and what is no JSON is refused with its line. */
#include "micro/results/json.h"

#include <criterion/criterion.h>
#include <string.h>

static struct json *parse(const char *text)
{
    unsigned line;

    return json_parse(text, &line);
}

Test(json, values)
{
    struct json *j = parse(" { \"a\": 1.5e1, \"b\": [true, false, null, -2], \"c\": {\"d\": \"x\"}, \"e\": NaN } ");
    const struct json *list;

    cr_assert(j);
    cr_assert_eq(json_number(j, "a", 0), 15);
    list = json_get(j, "b");
    cr_assert(list && list->type == JSON_ARRAY);
    cr_assert_eq(list->child->type, JSON_TRUE);
    cr_assert_eq(list->child->next->type, JSON_FALSE);
    cr_assert_eq(list->child->next->next->type, JSON_NULL);
    cr_assert_eq(list->child->next->next->next->number, -2);
    cr_assert_null(list->child->next->next->next->next);
    cr_assert_str_eq(json_string(json_get(j, "c"), "d", "?"), "x");
    cr_assert_str_eq(json_string(j, "a", "?"), "?", "a number is no string");
    cr_assert_eq(json_number(j, "c", 7), 7);
    cr_assert_eq(json_number(j, "e", 7), 7);
    cr_assert_null(json_get(j, "z"));
    cr_assert_null(json_get(list, "a"), "an array has no members");
    json_free(j);
}

Test(json, escapes)
{
    struct json *j = parse("[\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e4\\u20ac\\ud834z\", \"\"]");

    cr_assert(j);
    cr_assert_str_eq(j->child->string, "a\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xef\xbf\xbdz");
    cr_assert_str_eq(j->child->next->string, "");
    json_free(j);
}

Test(json, no_json)
{
    static const char *const bad[] = {"",      "{",    "[1,]",       "[1 2]",   "{\"a\"}",     "{\"a\":}",
                                      "{a:1}", "[1]]", "\"open",     "\"\\x\"", "\"\\u12g4\"", "\"\\u0000\"",
                                      "tru",   "0x10", "[\"a\nb\"]", "+1",      "\"abc\\",     "{\"a\":1,}",
                                      "--1",   "inf"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cr_expect_null(parse(bad[i]), "taken: %s", bad[i]);
    }
}

Test(json, line_of_the_mistake)
{
    unsigned line = 0;

    cr_assert_null(json_parse("{\n\"a\": 1,\n\"b\": ?\n}", &line));
    cr_assert_eq(line, 3);
}

Test(json, too_deep)
{
    char text[400];

    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    text[200] = '\0';
    cr_assert_null(parse(text));
    memset(text, '[', 50);
    memset(text + 50, ']', 50);
    text[100] = '\0';
    struct json *j = parse(text);
    cr_assert(j);
    json_free(j);
}
