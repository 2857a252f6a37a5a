/* SPDX-License-Identifier: MIT */
/*
 * html.c - see html.h
 */
#include "report/html.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD"

/* Bytes of the UTF-8 sequence at s, its code point in *ret; 0 = none there (RFC 3629). */
static int decode(const unsigned char *s, uint32_t *ret)
{
    int len = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    uint32_t code = len == 1 ? s[0] : len ? s[0] & (0x7Fu >> len) : 0;

    for (int i = 1; i < len; i++) {
        if ((s[i] & 0xC0) != 0x80) { /* the terminating NUL included */
            return 0;
        }
        code = code << 6 | (s[i] & 0x3F);
    }
    if ((len == 3 && code < 0x800) || (len == 4 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code <= 0xDFFF)) {
        return 0;
    }
    *ret = code;
    return len;
}

static int is_harmful(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFFFE || code == 0xFFFF;
}

void html_text(FILE *out, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const unsigned char *s = (const unsigned char *)text;

    while (*s) {
        uint32_t code = 0;
        int len = decode(s, &code);
        const char *at = len == 1 ? strchr(special, *s) : NULL;

        if (at) {
            fputs(entity[at - special], out);
        } else if (len == 0 || is_harmful(code)) {
            fputs(REPLACEMENT, out);
        } else {
            fwrite(s, 1, (size_t)len, out);
        }
        s += len ? len : 1;
    }
}
