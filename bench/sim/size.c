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
        if (text[i] < '0' || text[i] > '9' || ++digits > 16) {
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

int sim_size_parse(const char *text, size_t len, struct sim_size *ret)
{
    bool percent = len > 0 && text[len - 1] == '%';
    uint64_t number;
    uint64_t scale;

    if (len >= SIM_SIZE_TEXT || parse_decimal(text, percent ? len - 1 : len, &number, &scale)) {
        return -EINVAL;
    }
    if (percent ? number > 100 * scale : number > ENTRIES_MAX || scale != 1) {
        return -EINVAL;
    }
    *ret = (struct sim_size){.number = number, .scale = percent ? scale : 0};
    memcpy(ret->text, text, len);
    return 0;
}

uint32_t sim_size_capacity(const struct sim_size *size, uint32_t distinct)
{
    if (size->scale == 0) {
        return (uint32_t)size->number;
    }
    /* Below 2^32 * 10^8, so it fits. */
    return (uint32_t)(distinct * size->number / (100 * size->scale));
}
