/* SPDX-License-Identifier: MIT */
/*
 * size_range.c - see size_range.h
 */
#include "sim/size_range.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 4
#define DECIMALS_MAX 6

/* Where the ".." is; of three points the third belongs to the number behind. len = nowhere. */
static size_t find_dots(const char *text, size_t len)
{
    for (size_t i = 0; i + 1 < len; i++) {
        if (text[i] == '.' && text[i + 1] == '.') {
            return i;
        }
    }
    return len;
}

bool sim_size_is_range(const char *text, size_t len)
{
    return find_dots(text, len) < len;
}

static int parse_count(const char *text, size_t len, unsigned *ret)
{
    unsigned n = 0;

    if (len == 0 || len > 4) {
        return -EINVAL;
    }
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -EINVAL;
        }
        n = n * 10 + (unsigned)(text[i] - '0');
    }
    if (n < 2 || n > SIM_SIZE_RANGE_MAX) {
        return -EINVAL;
    }
    *ret = n;
    return 0;
}

static double value(const struct sim_size *size)
{
    return (double)size->number / (double)(size->scale ? size->scale : 1);
}

static int parse_one(const char *text, size_t len, bool bytes, struct sim_size *ret)
{
    return bytes ? sim_size_parse_bytes(text, len, ret) : sim_size_parse(text, len, ret);
}

int sim_size_range_parse(const char *text, size_t len, bool bytes, struct sim_size_range *ret)
{
    struct sim_size_range r = {.bytes = bytes};
    size_t dots = find_dots(text, len);
    const char *colon = memchr(text, ':', len);

    if (dots == len || !colon || colon < text + dots + 2) {
        return -EINVAL;
    }
    const char *last = text + dots + 2;

    if (parse_one(text, dots, bytes, &r.first) || parse_one(last, (size_t)(colon - last), bytes, &r.last) ||
        parse_count(colon + 1, (size_t)(text + len - colon - 1), &r.nr)) {
        return -EINVAL;
    }
    if (!r.first.scale != !r.last.scale || r.first.number == 0 || value(&r.first) >= value(&r.last)) {
        return -EINVAL;
    }
    *ret = r;
    return 0;
}

void sim_size_range_at(const struct sim_size_range *r, unsigned i, struct sim_size *ret)
{
    char text[64];
    int rc;

    if (i == 0 || i == r->nr - 1) {
        *ret = i == 0 ? r->first : r->last;
        return;
    }
    double step = log(value(&r->last) / value(&r->first)) / (r->nr - 1);
    double at = value(&r->first) * exp(step * i);

    if (r->first.scale) {
        int decimals = DIGITS - 1 - (int)floor(log10(at));

        snprintf(text, sizeof(text), "%.*f", decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals, at);
        if (strchr(text, '.')) { /* 1.500 is 1.5 */
            size_t n = strlen(text);

            while (text[n - 1] == '0') {
                n--;
            }
            text[text[n - 1] == '.' ? n - 1 : n] = '\0';
        }
        strcat(text, "%");
    } else {
        snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)llround(at));
    }
    rc = parse_one(text, strlen(text), r->bytes, ret);
    assert(rc == 0);
    (void)rc;
}
