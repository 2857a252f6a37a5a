/* SPDX-License-Identifier: MIT */
/*
 * size: what is a size, and that a share is floored exactly.
 */
#include "sim/size.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct sim_size parse(const char *text)
{
    struct sim_size size;

    cr_assert_eq(sim_size_parse(text, strlen(text), &size), 0, "%s", text);
    cr_assert_str_eq(size.text, text);
    return size;
}

static uint64_t capacity(const char *text, uint32_t distinct)
{
    struct sim_size size = parse(text);

    return sim_size_capacity(&size, distinct);
}

Test(size, entries)
{
    cr_assert_eq(capacity("0", 100), 0);
    cr_assert_eq(capacity("1", 100), 1);
    cr_assert_eq(capacity("1000", 100), 1000);
    cr_assert_eq(capacity("0001000", 100), 1000);
    cr_assert_eq(capacity("4294967231", 100), UINT32_MAX - 64);
}

/* The last four would be one less in floating point, or are at the edge of 64 bits. */
Test(size, shares)
{
    cr_assert_eq(capacity("10%", 186880), 18688);
    cr_assert_eq(capacity("0.1%", 186880), 186);
    cr_assert_eq(capacity("1%", 99), 0);
    cr_assert_eq(capacity("1%", 100), 1);
    cr_assert_eq(capacity("0%", 100), 0);
    cr_assert_eq(capacity("100%", 7), 7);
    cr_assert_eq(capacity("50%", 7), 3);
    cr_assert_eq(capacity(".5%", 1000), 5);
    cr_assert_eq(capacity("12.5%", 8), 1);
    cr_assert_eq(capacity("0.1%", 1000), 1);
    cr_assert_eq(capacity("29%", 100), 29);
    cr_assert_eq(capacity("57%", 100), 57);
    cr_assert_eq(capacity("99.999999%", UINT32_MAX), 4294967252u);
    cr_assert_eq(capacity("100.000000%", UINT32_MAX), UINT32_MAX);
}

Test(size, refused)
{
    static const char *const texts[] = {
        "",
        "%",
        ".",
        ".%",
        "1.%",
        "1.5",
        "1.",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1%%",
        "1%x",
        "1k",
        "0x10",
        "1e3",
        "1..5%",
        "1.2.3%",
        "100.000001%",
        "101%",
        "0.0000001%",
        "4294967232",
        "99999999999999999999",
        "00000000000000000000000001",
        "nan",
        "1,2",
    };
    struct sim_size size = {.number = 4711};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_assert_eq(sim_size_parse(texts[i], strlen(texts[i]), &size), -EINVAL, "'%s'", texts[i]);
        cr_assert_eq(size.number, 4711, "output untouched on failure");
    }
}

/* Only len bytes are looked at. */
Test(size, part_of_a_list)
{
    struct sim_size size;

    cr_assert_eq(sim_size_parse("5%,7", 2, &size), 0);
    cr_assert_str_eq(size.text, "5%");
    cr_assert_eq(sim_size_capacity(&size, 100), 5);
}

Test(size, bytes)
{
    static const struct {
        const char *text;
        uint64_t whole;
        uint64_t capacity;
    } cases[] = {
        {"0", 5, 0},
        {"4611686018427387904", 5, UINT64_C(1) << 62},
        {"3KiB", 5, 3072},
        {"64MiB", 5, 64 << 20},
        {"5GiB", 5, UINT64_C(5) << 30},
        {"4194304TiB", 5, UINT64_C(1) << 62},
        {"1%", 2029769728, 20297697},
        /* whole * number would need 90 bits. */
        {"99.999999%", UINT64_MAX, UINT64_C(18446743889242110877)},
        {"100%", UINT64_MAX, UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sim_size size;

        cr_assert_eq(sim_size_parse_bytes(cases[i].text, strlen(cases[i].text), &size), 0, "%s", cases[i].text);
        cr_assert_eq(sim_size_capacity(&size, cases[i].whole), cases[i].capacity, "%s", cases[i].text);
    }
}

Test(size, bytes_refused)
{
    static const char *const texts[] = {
        "",           "KiB",
        "1.5GiB",     "1kib",
        "1 KiB",      "1KB",
        "-1KiB",      "%KiB",
        "1KiB%",      "4611686018427387905",
        "4194305TiB", "18446744073709551616",
        "101%",       "1KiBKiB",
    };
    struct sim_size size = {.number = 4711};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_assert_eq(sim_size_parse_bytes(texts[i], strlen(texts[i]), &size), -EINVAL, "'%s'", texts[i]);
        cr_assert_eq(size.number, 4711, "output untouched on failure");
    }
}
