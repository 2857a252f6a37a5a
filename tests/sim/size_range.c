/* SPDX-License-Identifier: MIT */
/*
 * size_range: the steps are geometric, the ends exact, and every size's text is that size.
 */
#include "sim/size_range.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct sim_size_range parse(const char *text, bool bytes)
{
    struct sim_size_range range;

    cr_assert(sim_size_is_range(text, strlen(text)), "%s", text);
    cr_assert_eq(sim_size_range_parse(text, strlen(text), bytes, &range), 0, "%s", text);
    return range;
}

static void expect(const char *text, bool bytes, const char *sizes)
{
    struct sim_size_range range = parse(text, bytes);
    char got[512] = "";

    for (unsigned i = 0; i < range.nr; i++) {
        struct sim_size size;
        struct sim_size again;

        sim_size_range_at(&range, i, &size);
        strcat(strcat(got, i ? " " : ""), size.text);
        cr_assert_eq(bytes ? sim_size_parse_bytes(size.text, strlen(size.text), &again)
                           : sim_size_parse(size.text, strlen(size.text), &again),
                     0, "%s", size.text);
        cr_assert_eq(sim_size_capacity(&again, 1234567), sim_size_capacity(&size, 1234567));
    }
    cr_assert_str_eq(got, sizes);
}

/* Worked out by hand: powers, and 0.1 · 400^(i/4). */
Test(size_range, steps)
{
    expect("1..10000:5", false, "1 10 100 1000 10000");
    expect("0.01%..100%:5", false, "0.01% 0.1% 1% 10% 100%");
    expect("0.1%..40%:5", false, "0.1% 0.4472% 2% 8.944% 40%");
    expect(".5%..8%:3", false, ".5% 2% 8%");
    expect(".1%...9%:3", false, ".1% 0.3% .9%");
    expect("1KiB..1MiB:3", true, "1KiB 32768 1MiB");
    expect("1..3:4", false, "1 1 2 3"); /* narrow: neighbours are the same */
    expect("0.000001%..0.000004%:3", false, "0.000001% 0.000002% 0.000004%");
}

Test(size_range, refused)
{
    static const char *const texts[] = {
        "1..",    "..2",       "..",       "1..2",       "1..2:",      "1..2:1",     "1..2:0",   "1..2:1001",
        "1..2:x", "1..2:+3",   "0..5:3",   "0%..5%:3",   "5..1:3",     "5..5:3",     "1..50%:3", "1%..50:3",
        "1:3..5", "1..2..3:4", "1....5:3", "1%..101%:3", "1%..2%:3:4", "1..2:00003",
    };
    struct sim_size_range range = {.nr = 4711};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        cr_assert_eq(sim_size_range_parse(texts[i], strlen(texts[i]), false, &range), -EINVAL, "'%s'", texts[i]);
        cr_assert_eq(range.nr, 4711, "output untouched on failure");
    }
    cr_assert_not(sim_size_is_range(".5%", 3));
    cr_assert_not(sim_size_is_range("1..2:3", 2), "only len bytes are looked at");
}
