/* SPDX-License-Identifier: MIT */
/*
 * read_memcached.c - the log of memcached -vv, and of its `watch fetchers mutations`
 *
 *      <32 get user:1000 user:1001
 *      ts=1529361337.51 gid=1 type=item_get key=user%3A1000 status=found clsid=1 cfd=25 size=67
 *
 * Commands that read or write objects become requests for their keys. Deletions, and what the server
 * says in between, are skipped and counted.
 */
#include <errno.h>
#include <string.h>

#include "trace/commands.h"

static const struct commands memcached_commands[] = {
    {"get gets", ALL, POLICY_READ},
    {"mg", FIRST, POLICY_READ},
    {"set add replace append prepend cas incr decr touch ms ma", FIRST, POLICY_WRITE},
    {"delete md", NO_KEY, POLICY_READ},
    {NULL, NO_KEY, POLICY_READ},
};

/* gat and gats have an expiry time in front of their keys. */
static bool is_gat(struct field name)
{
    return field_is(name, "gat") || field_is(name, "gats");
}

/* The next word; len 0 at the end. */
static struct field next_word(const char **at, const char *end)
{
    struct field f;

    while (*at < end && **at == ' ') {
        ++*at;
    }
    f.text = *at;
    while (*at < end && **at != ' ') {
        ++*at;
    }
    f.len = (size_t)(*at - f.text);
    return f;
}

/* `<descriptor command keys`, which memcached -vv writes for what a client says. */
static int memcached_command(struct reading *r, const char *at, const char *end)
{
    struct field descriptor = next_word(&at, end);
    struct field name = next_word(&at, end);
    const struct commands *command = commands_find(memcached_commands, name);
    enum keys keys = command ? command->keys : is_gat(name) ? ALL : NO_KEY;
    unsigned requests = 0;

    if (!field_is_number(descriptor)) {
        keys = NO_KEY;
    }
    if (!command && keys == ALL) {
        (void)next_word(&at, end);
    }
    for (struct field key; keys != NO_KEY && (key = next_word(&at, end)).len;) {
        int rc = sink_text(r->sink, key.text, key.len, SINK_NO_SIZE, command ? command->channel : POLICY_READ);

        if (rc) {
            return rc;
        }
        requests++;
        if (keys == FIRST) {
            break;
        }
    }
    if (requests == 0) {
        sink_skip(r->sink);
    }
    return 0;
}

/* The value of `name=` among the words of a line; len 0 = there is none. */
static struct field word_value(const struct line *line, const char *name)
{
    const char *at = line->text;
    const char *end = line->text + line->len;
    size_t n = strlen(name);

    for (struct field word; (word = next_word(&at, end)).len;) {
        if (word.len > n && memcmp(word.text, name, n) == 0) {
            return (struct field){word.text + n, word.len - n};
        }
    }
    return (struct field){end, 0};
}

/* %XX to bytes. Returns the length, or -1. */
static int decode_uri(struct field f, char *buf)
{
    int len = 0;

    for (size_t i = 0; i < f.len; i++) {
        char c = f.text[i];

        if (c == '%') {
            if (f.len - i < 3 || hex_value(f.text[i + 1]) < 0 || hex_value(f.text[i + 2]) < 0) {
                return -1;
            }
            c = (char)(hex_value(f.text[i + 1]) * 16 + hex_value(f.text[i + 2]));
            i += 2;
        }
        buf[len++] = c;
    }
    return len;
}

/* A line of `watch fetchers mutations`. */
static int memcached_watched(struct reading *r, const struct line *line, const char **ret_reason)
{
    char buf[LINES_MAX_BYTES];
    struct field type = word_value(line, "type=");
    struct field key = word_value(line, "key=");
    struct field bytes = word_value(line, "size=");
    bool is_get = field_is(type, "item_get");
    uint64_t size = 0;

    if (!is_get && !field_is(type, "item_store")) {
        sink_skip(r->sink);
        return 0;
    }
    int len = decode_uri(key, buf);

    if (len <= 0) {
        *ret_reason = len ? "the key's % is not followed by two hexadecimal digits" : "there is no key=";
        return -EINVAL;
    }
    if (bytes.len) {
        if (field_number(bytes, &size) || size > UINT32_MAX) {
            *ret_reason = "size= is not a number below 2^32";
            return -EINVAL;
        }
        sink_has_sizes(r->sink);
    }
    return sink_text(r->sink, buf, (size_t)len, size ? size : SINK_NO_SIZE, is_get ? POLICY_READ : POLICY_WRITE);
}

static bool is_watched(const struct line *line)
{
    return line->len > 3 && memcmp(line->text, "ts=", 3) == 0;
}

static int memcached_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    if (is_watched(line)) {
        return memcached_watched(r, line, ret_reason);
    }
    if (line->len > 1 && line->text[0] == '<') {
        return memcached_command(r, line->text + 1, line->text + line->len);
    }
    sink_skip(r->sink);
    return 0;
}

static bool memcached_claims(const struct head *head)
{
    const char *at = head->first.text + 1;
    const char *end = head->first.text + head->first.len;

    if (is_watched(&head->first)) {
        return word_value(&head->first, "type=").len > 0;
    }
    if (head->first.len < 2 || head->first.text[0] != '<' || !field_is_number(next_word(&at, end))) {
        return false;
    }
    struct field name = next_word(&at, end);

    return commands_find(memcached_commands, name) || is_gat(name) || field_is(name, "new");
}

const struct reader reader_memcached = {
    .name = "memcached",
    .what = "the log of memcached -vv, or of its `watch fetchers mutations`",
    .claims = memcached_claims,
    .line = memcached_line,
};
