/* SPDX-License-Identifier: MIT */
/*
 * spec: names with parameters: numbers with units, defaults, ranges, and what is refused
 */
#include "trace/spec.h"

#include <criterion/criterion.h>
#include <errno.h>

static const struct spec_param params[] = {
    {"keys", SPEC_COUNT, NULL, 1, 1e9, ""},
    {"theta", SPEC_REAL, "0.5", 0, 2, ""},
    {"path", SPEC_TEXT, "x", 0, 0, ""},
    {NULL, SPEC_TEXT, NULL, 0, 0, NULL},
};

Test(spec, good)
{
    struct spec_value v[4];
    struct trace_error error;

    cr_assert_eq(spec_parse("g", "keys=10k", params, v, &error), 0);
    cr_assert_eq(v[0].count, 10000);
    cr_assert_eq(v[1].real, 0.5);
    cr_assert_str_eq(v[2].text, "x");
    cr_assert_eq(spec_parse("g", "path=a=b,theta=1.25e0,keys=1M", params, v, &error), 0);
    cr_assert_eq(v[0].count, 1000000);
    cr_assert_eq(v[1].real, 1.25);
    cr_assert_str_eq(v[2].text, "a=b");
}

static void refuse(const char *text, const char *message)
{
    struct spec_value v[4];
    struct trace_error error;

    cr_assert_eq(spec_parse("g", text, params, v, &error), -EINVAL, "%s", text);
    cr_assert_str_eq(error.text, message);
}

Test(spec, bad)
{
    refuse("", "g: keys= is missing");
    refuse("keys", "g: 'keys' has no value");
    refuse("keys=", "g: keys= is no whole number");
    refuse("keys=1,", "g: nothing follows the last comma");
    refuse("keys=1,,theta=1", "g: there is no parameter ''");
    refuse("keys=1,keys=2", "g: keys is given twice");
    refuse("keys=0", "g: keys=0 is not within 1 and 1000000000");
    refuse("keys=2G", "g: keys=2G is not within 1 and 1000000000");
    refuse("keys=-1", "g: keys=-1 is no whole number");
    refuse("keys=1.5", "g: keys=1.5 is no whole number");
    refuse("keys=18446744073709551616", "g: keys=18446744073709551616 is no whole number");
    refuse("keys=18446744073709551615k", "g: keys=18446744073709551615k is no whole number");
    refuse("keys=1,theta=inf", "g: theta=inf is no number");
    refuse("keys=1,theta=1x", "g: theta=1x is no number");
    refuse("keys=1,theta=1e999", "g: theta=1e999 is no number");
    refuse("keys=1,theta=3", "g: theta=3 is not within 0 and 2");
    refuse("keys=1,zeta=3", "g: there is no parameter 'zeta'");
}
