/* SPDX-License-Identifier: MIT */
/*
 * size.c - see size.h
 */
#include "sim/size.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Largest capacity a policy takes; ids end there too. */
#define ENTRIES_MAX (UINT32_MAX - 64)
#define DECIMALS_MAX 6
#define BYTES_MAX (UINT64_C(1) << 62)

/*
 * Digits with at most one point among them. The point is counted out: 1.25 is 125 with scale 100.
 */
static int parse_decimal(const char *text, size_t len, uint64_t *ret_number, uint64_t *ret_scale)
{
    uint64_t number = 0;
    uint64_t scale = 1;
    bool point = false;
    size_t digits = 0;
    size_t decimals = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++digits > 19) {
            return -EINVAL;
        }
        number = number * 10 + (uint64_t)(text[i] - '0');
        if (point) {
            scale *= 10;
            decimals++;
        }
    }
    if (digits == 0 || decimals > DECIMALS_MAX || (point && decimals == 0)) {
        return -EINVAL;
    }
    *ret_number = number;
    *ret_scale = scale;
    return 0;
}

/* `factor` = of a number that is no percentage, which must not exceed max then. */
static int parse(const char *text, size_t len, size_t unit_len, uint64_t factor, uint64_t max, struct sim_size *ret)
{
    bool percent = len > 0 && text[len - 1] == '%';
    uint64_t number;
    uint64_t scale;

    if (len >= SIM_SIZE_TEXT || parse_decimal(text, percent ? len - 1 : len - unit_len, &number, &scale)) {
        return -EINVAL;
    }
    if (percent ? number > 100 * scale : number > max / factor || scale != 1) {
        return -EINVAL;
    }
    *ret = (struct sim_size){
        .number = percent ? number : number * factor,
        .scale = percent ? scale : 0,
    };
    memcpy(ret->text, text, len);
    return 0;
}

int sim_size_parse(const char *text, size_t len, struct sim_size *ret)
{
    return parse(text, len, 0, 1, ENTRIES_MAX, ret);
}

int sim_size_parse_bytes(const char *text, size_t len, struct sim_size *ret)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};

    for (unsigned i = 0; len > 3 && i < 4; i++) {
        if (memcmp(text + len - 3, units[i], 3) == 0) {
            return parse(text, len, 3, UINT64_C(1) << (10 * (i + 1)), BYTES_MAX, ret);
        }
    }
    return parse(text, len, 0, 1, BYTES_MAX, ret);
}

uint64_t sim_size_capacity(const struct sim_size *size, uint64_t whole)
{
    if (size->scale == 0) {
        return size->number;
    }
    uint64_t parts = 100 * size->scale;

    /* In two steps, since whole * number may not fit; parts and number are at most 10^8. */
    return whole / parts * size->number + whole % parts * size->number / parts;
}
