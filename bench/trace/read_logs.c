/* SPDX-License-Identifier: MIT */
/*
 * read_logs.c - what key-value servers log: `redis-cli monitor`, memcached -vv, memcached's watch
 *
 *      1339518083.107412 [0 127.0.0.1:60866] "get" "user:1000"
 *      <32 get user:1000 user:1001
 *      ts=1529361337.51 gid=1 type=item_get key=user%3A1000 status=found clsid=1 cfd=25 size=67
 *
 * Commands that read or write objects become requests for their keys. Deletions and commands
 * without keys are skipped and counted, and so is what the servers say in between. A deletion is no
 * request, and no policy here knows what to do with one.
 */
#include <errno.h>
#include <string.h>

#include "trace/reader.h"

/* Where the keys of a command are. */
enum keys { NO_KEY, FIRST, ALL, EVERY_OTHER };

struct command {
    const char *name;
    enum keys keys;
    enum policy_channel channel;
};

static const struct command *find_command(const struct command *commands, struct field name)
{
    while (commands->name && !field_is(name, commands->name)) {
        commands++;
    }
    return commands->name ? commands : NULL;
}

/* ---- redis ---- */

#define R(name)                  \
    {                            \
        name, FIRST, POLICY_READ \
    }
#define W(name)                   \
    {                             \
        name, FIRST, POLICY_WRITE \
    }

static const struct command redis_commands[] = {
    R("get"),
    W("set"),
    {"mget", ALL, POLICY_READ},
    {"mset", EVERY_OTHER, POLICY_WRITE},
    {"msetnx", EVERY_OTHER, POLICY_WRITE},
    {"exists", ALL, POLICY_READ},
    {"touch", ALL, POLICY_READ},
    R("hget"),
    R("hmget"),
    R("hgetall"),
    W("hset"),
    W("hmset"),
    W("hsetnx"),
    W("hincrby"),
    W("hincrbyfloat"),
    W("hdel"),
    R("hlen"),
    R("hexists"),
    R("hkeys"),
    R("hvals"),
    R("hscan"),
    R("hstrlen"),
    R("hrandfield"),
    W("setex"),
    W("psetex"),
    W("setnx"),
    W("getset"),
    W("getdel"),
    W("getex"),
    W("append"),
    W("incr"),
    W("decr"),
    W("incrby"),
    W("decrby"),
    W("incrbyfloat"),
    R("getrange"),
    R("substr"),
    W("setrange"),
    R("strlen"),
    R("getbit"),
    W("setbit"),
    R("bitcount"),
    R("bitpos"),
    W("bitfield"),
    R("bitfield_ro"),
    R("lrange"),
    R("lindex"),
    R("llen"),
    R("lpos"),
    W("lpush"),
    W("rpush"),
    W("lpushx"),
    W("rpushx"),
    W("lpop"),
    W("rpop"),
    W("ltrim"),
    W("lset"),
    W("linsert"),
    W("lrem"),
    R("smembers"),
    R("sismember"),
    R("smismember"),
    R("scard"),
    R("srandmember"),
    R("sscan"),
    W("sadd"),
    W("srem"),
    W("spop"),
    R("zrange"),
    R("zrevrange"),
    R("zrangebyscore"),
    R("zrevrangebyscore"),
    R("zrangebylex"),
    R("zrevrangebylex"),
    R("zscore"),
    R("zmscore"),
    R("zcard"),
    R("zcount"),
    R("zlexcount"),
    R("zrank"),
    R("zrevrank"),
    R("zscan"),
    R("zrandmember"),
    W("zadd"),
    W("zincrby"),
    W("zrem"),
    W("zpopmin"),
    W("zpopmax"),
    W("zremrangebyrank"),
    W("zremrangebyscore"),
    W("zremrangebylex"),
    R("type"),
    R("ttl"),
    R("pttl"),
    R("dump"),
    W("restore"),
    W("expire"),
    W("pexpire"),
    W("expireat"),
    W("pexpireat"),
    W("persist"),
    W("pfadd"),
    R("xrange"),
    R("xrevrange"),
    R("xlen"),
    W("xadd"),
    W("xtrim"),
    W("geoadd"),
    R("geopos"),
    R("geodist"),
    R("geohash"),
    {NULL, NO_KEY, POLICY_READ},
};

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The byte an escape stands for; *at is behind the backslash, and then behind the escape. -1 = none. */
static int unescape(const char **at, const char *end)
{
    static const char from[] = "nrtab\\\"";
    static const char to[] = "\n\r\t\a\b\\\"";
    char c = **at;
    const char *known = strchr(from, c);

    if (c == 'x' && end - *at >= 3 && hex_value((*at)[1]) >= 0 && hex_value((*at)[2]) >= 0) {
        int byte = hex_value((*at)[1]) * 16 + hex_value((*at)[2]);

        *at += 3;
        return byte;
    }
    if (c == '\0' || !known) {
        return -1;
    }
    ++*at;
    return (unsigned char)to[known - from];
}

/*
 * The next argument in quotes, unescaped behind what buf holds already. 1; 0 = none follows;
 * -EINVAL.
 */
static int next_argument(const char **at, const char *end, char *buf, size_t *len)
{
    while (*at < end && **at == ' ') {
        ++*at;
    }
    if (*at == end) {
        return 0;
    }
    if (*(*at)++ != '"') {
        return -EINVAL;
    }
    while (*at < end && **at != '"') {
        int byte = (unsigned char)*(*at)++;

        if (byte == '\\') {
            byte = *at < end ? unescape(at, end) : -1;
        }
        if (byte < 0) {
            return -EINVAL;
        }
        buf[(*len)++] = (char)byte; /* never longer than the line */
    }
    if (*at == end) {
        return -EINVAL;
    }
    ++*at;
    return 1;
}

/* `seconds.fraction [db client] `; the database's number and what follows. */
static bool redis_prefix(const struct line *line, struct field *ret_db, const char **ret_rest)
{
    const char *end = line->text + line->len;
    const char *at = line->text;
    const char *close;

    while (at < end && ((*at >= '0' && *at <= '9') || *at == '.')) {
        at++;
    }
    if (at == line->text || end - at < 3 || at[0] != ' ' || at[1] != '[') {
        return false;
    }
    at += 2;
    ret_db->text = at;
    while (at < end && *at != ' ') {
        at++;
    }
    ret_db->len = (size_t)(at - ret_db->text);
    /* The client may be a path with blanks; the first argument's quote ends it. */
    close = at;
    while (close + 2 < end && !(close[0] == ']' && close[1] == ' ' && close[2] == '"')) {
        close++;
    }
    if (close + 2 >= end || !field_is_number(*ret_db)) {
        return false;
    }
    *ret_rest = close + 1;
    return true;
}

static bool redis_takes(enum keys keys, unsigned argument)
{
    return keys == ALL || (keys == FIRST && argument == 0) ||
           (keys == EVERY_OTHER && argument % 2 == 0);
}

static int redis_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    char buf[LINES_MAX_BYTES];
    const char *end = line->text + line->len;
    const char *at;
    struct field db;
    size_t len = 0;

    if (line->len == 2 && memcmp(line->text, "OK", 2) == 0) {
        sink_skip(r->sink);
        return 0;
    }
    if (!redis_prefix(line, &db, &at)) {
        *ret_reason = "expected time [db client] \"command\" …";
        return -EINVAL;
    }
    int rc = next_argument(&at, end, buf, &len);
    const struct command *command =
        rc > 0 ? find_command(redis_commands, (struct field){buf, len}) : NULL;
    unsigned requests = 0;

    /* Keys of different databases are different objects: the number goes in front. */
    for (unsigned i = 0; rc > 0; i++) {
        memcpy(buf, db.text, db.len);
        buf[db.len] = ':';
        len = db.len + 1;
        rc = next_argument(&at, end, buf, &len);
        if (rc > 0 && command && redis_takes(command->keys, i)) {
            int sunk = sink_text(r->sink, buf, len, SINK_NO_SIZE, command->channel);

            requests++;
            if (sunk) {
                return sunk;
            }
        }
    }
    if (rc < 0) {
        *ret_reason = "an argument is not in quotes, or its escape or end is missing";
        return rc;
    }
    if (requests == 0) {
        sink_skip(r->sink);
    }
    return 0;
}

static bool redis_claims(const struct head *head)
{
    struct line line = head->first;
    struct field db;
    const char *rest;
    const char *second = (const char *)head->bytes;

    if (head->nr > 3 && memcmp(head->bytes, "OK\n", 3) == 0) {
        const char *newline = memchr(second + 3, '\n', head->nr - 3);

        line.text = second + 3;
        line.len = newline ? (size_t)(newline - line.text) : head->nr - 3;
    }
    return redis_prefix(&line, &db, &rest);
}

const struct reader reader_redis = {
    .name = "redis",
    .what = "what `redis-cli monitor` prints",
    .claims = redis_claims,
    .line = redis_line,
};

/* ---- memcached ---- */

static const struct command memcached_commands[] = {
    {"get", ALL, POLICY_READ},
    {"gets", ALL, POLICY_READ},
    R("mg"),
    W("set"),
    W("add"),
    W("replace"),
    W("append"),
    W("prepend"),
    W("cas"),
    W("incr"),
    W("decr"),
    W("touch"),
    W("ms"),
    W("ma"),
    {"delete", NO_KEY, POLICY_READ},
    {"md", NO_KEY, POLICY_READ},
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
    const struct command *command = find_command(memcached_commands, name);
    enum keys keys = command ? command->keys : is_gat(name) ? ALL : NO_KEY;
    unsigned requests = 0;

    if (!field_is_number(descriptor)) {
        keys = NO_KEY;
    }
    if (!command && keys == ALL) {
        (void)next_word(&at, end);
    }
    for (struct field key; keys != NO_KEY && (key = next_word(&at, end)).len;) {
        int rc = sink_text(r->sink, key.text, key.len, SINK_NO_SIZE,
                           command ? command->channel : POLICY_READ);

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
        *ret_reason =
            len ? "the key's % is not followed by two hexadecimal digits" : "there is no key=";
        return -EINVAL;
    }
    if (bytes.len) {
        if (field_number(bytes, &size) || size > UINT32_MAX) {
            *ret_reason = "size= is not a number below 2^32";
            return -EINVAL;
        }
        sink_has_sizes(r->sink);
    }
    return sink_text(r->sink, buf, (size_t)len, size ? size : SINK_NO_SIZE,
                     is_get ? POLICY_READ : POLICY_WRITE);
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
    if (head->first.len < 2 || head->first.text[0] != '<' ||
        !field_is_number(next_word(&at, end))) {
        return false;
    }
    struct field name = next_word(&at, end);

    return find_command(memcached_commands, name) || is_gat(name) || field_is(name, "new");
}

const struct reader reader_memcached = {
    .name = "memcached",
    .what = "the log of memcached -vv, or of its `watch fetchers mutations`",
    .claims = memcached_claims,
    .line = memcached_line,
};
