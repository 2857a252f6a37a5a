/* SPDX-License-Identifier: MIT */
/*
 * keymap: ids in order of first appearance, keys told apart by their bytes alone, through many
 * growths.
 */
#include "trace/keymap.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t id_of(struct keymap *m, const char *text)
{
    uint32_t id = UINT32_MAX;

    cr_assert_eq(keymap_text(m, text, strlen(text), &id), 0);
    return id;
}

Test(keymap, order_of_appearance)
{
    struct keymap *m = keymap_create(100);

    cr_assert_eq(id_of(m, "7"), 0);
    cr_assert_eq(id_of(m, "x"), 1);
    cr_assert_eq(id_of(m, "7"), 0);
    cr_assert_eq(id_of(m, "0"), 2);
    cr_assert_eq(id_of(m, "x"), 1);
    cr_assert_eq(keymap_count(m), 3);
    keymap_destroy(m);
}

/* A number and a text that a careless reader would take for it are two keys. */
Test(keymap, bytes_decide)
{
    static const char *const keys[] = {
        "1",
        "01",
        "001",
        "+1",
        "-1",
        " 1",
        "1 ",
        "1.0",
        "0x1",
        "",
        "0",
        "00",
        "-0",
        "18446744073709551615",
        "18446744073709551616",
        "018446744073709551615",
        "99999999999999999999",
        "100000000000000000000",
        "a",
        "A",
        "\xc3\xa4",
    };
    const uint32_t n = sizeof(keys) / sizeof(keys[0]);
    struct keymap *m = keymap_create(100);

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < n; i++) {
            cr_assert_eq(id_of(m, keys[i]), i, "%s", keys[i]);
        }
    }
    cr_assert_eq(keymap_count(m), n);
    keymap_destroy(m);
}

Test(keymap, number_and_its_text_are_one)
{
    static const uint64_t numbers[] = {
        0, 1, 9, 10, UINT32_MAX, UINT64_MAX / 10, UINT64_MAX - 1, UINT64_MAX,
    };
    struct keymap *m = keymap_create(100);

    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        char text[32];
        uint32_t id = UINT32_MAX;

        snprintf(text, sizeof(text), "%" PRIu64, numbers[i]);
        cr_assert_eq(keymap_number(m, numbers[i], &id), 0);
        cr_assert_eq(id, i);
        cr_assert_eq(id_of(m, text), i);
    }
    keymap_destroy(m);
}

/* 200 000 numbers of several kinds and as many texts: dozens of growths of both tables. */
Test(keymap, grows)
{
    const uint32_t n = 200000;
    struct keymap *m = keymap_create(UINT32_MAX);

    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < n; i++) {
            char text[32];
            uint32_t id = UINT32_MAX;
            uint64_t key = i % 3 == 0 ? i : i % 3 == 1 ? (uint64_t)i << 32 : UINT64_MAX - i;

            snprintf(text, sizeof(text), "key/%u", (unsigned)i);
            cr_assert_eq(keymap_number(m, key, &id), 0);
            cr_assert_eq(id, 2 * i);
            cr_assert_eq(id_of(m, text), 2 * i + 1);
        }
    }
    cr_assert_eq(keymap_count(m), 2 * n);
    keymap_destroy(m);
}

Test(keymap, limit)
{
    struct keymap *m = keymap_create(2);
    uint32_t id = 77;

    cr_assert_eq(id_of(m, "a"), 0);
    cr_assert_eq(id_of(m, "1"), 1);
    cr_assert_eq(keymap_text(m, "b", 1, &id), -ENOSPC);
    cr_assert_eq(keymap_number(m, 2, &id), -ENOSPC);
    cr_assert_eq(id, 77);
    cr_assert_eq(id_of(m, "1"), 1);
    cr_assert_eq(id_of(m, "a"), 0);
    cr_assert_eq(keymap_count(m), 2);
    keymap_destroy(m);
}

/* Many at once give what one by one gives, also where the table grows and ids run out. */
Test(keymap, batches)
{
    struct keymap *one = keymap_create(60000);
    struct keymap *many = keymap_create(60000);
    uint64_t x = 1;
    bool full = false;

    cr_assert(one && many);
    for (int round = 0; round < 3000 && !full; round++) {
        uint64_t keys[KEYMAP_BATCH];
        uint32_t ids[KEYMAP_BATCH];
        size_t n = (size_t)round % KEYMAP_BATCH + 1;

        for (size_t i = 0; i < n; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            keys[i] = i % 7 == 3 ? keys[i - 1] : x >> 46;
        }
        int rc = keymap_numbers(many, keys, n, ids);

        for (size_t i = 0; i < n && !full; i++) {
            uint32_t id;

            if (keymap_number(one, keys[i], &id)) {
                full = true;
                cr_assert_eq(rc, -ENOSPC);
            } else if (rc == 0) {
                cr_assert_eq(ids[i], id);
            }
        }
    }
    cr_assert(full);
    cr_assert_eq(keymap_count(many), 60000);
    keymap_destroy(one);
    keymap_destroy(many);
}
