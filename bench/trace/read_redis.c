/* SPDX-License-Identifier: MIT */
/*
 * read_redis.c - what `redis-cli monitor` prints
 *
 *      1339518083.107412 [0 127.0.0.1:60866] "get" "user:1000"
 *
 * Commands that read or write objects become requests for their keys. Deletions and commands
 * without keys are skipped and counted: a deletion is no request, and no policy here knows what to do
 * with one.
 */
#include <errno.h>
#include <string.h>

#include "trace/commands.h"

static const struct commands redis_commands[] = {
    {"get hget hmget hgetall hlen hexists hkeys hvals hscan hstrlen hrandfield getrange substr "
     "strlen getbit bitcount bitpos bitfield_ro lrange lindex llen lpos smembers sismember "
     "smismember scard srandmember sscan zrange zrevrange zrangebyscore zrevrangebyscore "
     "zrangebylex zrevrangebylex zscore zmscore zcard zcount zlexcount zrank zrevrank zscan "
     "zrandmember type ttl pttl dump xrange xrevrange xlen geopos geodist geohash",
     FIRST, POLICY_READ},
    {"set hset hmset hsetnx hincrby hincrbyfloat hdel setex psetex setnx getset getdel getex append "
     "incr decr incrby decrby incrbyfloat setrange setbit bitfield lpush rpush lpushx rpushx lpop "
     "rpop ltrim lset linsert lrem sadd srem spop zadd zincrby zrem zpopmin zpopmax zremrangebyrank "
     "zremrangebyscore zremrangebylex restore expire pexpire expireat pexpireat persist pfadd xadd "
     "xtrim geoadd",
     FIRST, POLICY_WRITE},
    {"mget exists touch", ALL, POLICY_READ},
    {"mset msetnx", EVERY_OTHER, POLICY_WRITE},
    {NULL, NO_KEY, POLICY_READ},
};

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
    return keys == ALL || (keys == FIRST && argument == 0) || (keys == EVERY_OTHER && argument % 2 == 0);
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
    const struct commands *command = rc > 0 ? commands_find(redis_commands, (struct field){buf, len}) : NULL;
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
