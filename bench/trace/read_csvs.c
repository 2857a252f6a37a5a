/* SPDX-License-Identifier: MIT */
/*
 * read_csvs.c - published csv traces: libCacheSim's, Twitter's clusters, MSR Cambridge
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader.h"

/* ---- libCacheSim: columns by a header, by parameter, or time,key,size ---- */

#define COLUMNS_MAX 64

static const char *const key_names[] = {"obj_id", "obj-id", "objid", "object", "object_id",
                                        "key",    "id",     "lbn",   "oid",    NULL};
static const char *const size_names[] = {"obj_size", "obj-size", "objsize",     "size",
                                         "len",      "bytes",    "object_size", NULL};

/* Number of the column, from 1, that has one of the names; 0 = none. */
static uint64_t column_named(const struct field *fields, size_t n, const char *const *names)
{
    for (; *names; names++) {
        for (size_t i = 0; i < n; i++) {
            struct field f = fields[i];

            /* Headers begin with # in some files, and have blanks behind the commas. */
            while (f.len && (*f.text == ' ' || *f.text == '#')) {
                f.text++;
                f.len--;
            }
            if (field_is(f, *names)) {
                return i + 1;
            }
        }
    }
    return 0;
}

/* Decides from the first line which columns count. True if it is a header. */
static bool learn_columns(struct reading *r, const struct field *fields, size_t n)
{
    uint64_t key = column_named(fields, n, key_names);
    uint64_t size = column_named(fields, n, size_names);

    r->columns = n;
    if (key) {
        r->how.key_column = r->how.key_column ? r->how.key_column : key;
        r->how.size_column = r->how.size_column ? r->how.size_column : size;
        return true;
    }
    if (!r->how.key_column) {
        r->how.key_column = n >= 2 ? 2 : 1;
        r->how.size_column = r->how.size_column ? r->how.size_column : n >= 3 ? 3 : 0;
    }
    return false;
}

static int libcachesim_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    struct field fields[COLUMNS_MAX];
    size_t n = field_split(line, ',', fields, COLUMNS_MAX);
    uint64_t size = SINK_NO_SIZE;

    if (line->len == 0) {
        *ret_reason = "the line is empty";
        return -EINVAL;
    }
    if (n > COLUMNS_MAX) {
        *ret_reason = "more than 64 columns";
        return -EINVAL;
    }
    if (r->columns == 0 && learn_columns(r, fields, n)) {
        return 0;
    }
    if (n != r->columns) {
        *ret_reason = "not as many columns as in the first line";
        return -EINVAL;
    }
    if (r->how.key_column > n || r->how.size_column > n) {
        *ret_reason = "fewer columns than the number of the key's or the size's";
        return -EINVAL;
    }
    struct field key = fields[r->how.key_column - 1];

    if (key.len == 0) {
        *ret_reason = "the key is empty";
        return -EINVAL;
    }
    if (r->how.size_column) {
        if (field_number(fields[r->how.size_column - 1], &size) || size == SINK_NO_SIZE) {
            *ret_reason = "the size is not a decimal number below 2^64 - 1";
            return -EINVAL;
        }
        sink_has_sizes(r->sink);
    }
    return sink_text(r->sink, key.text, key.len, size, POLICY_READ);
}

/* A header that names a key, or three columns and more of which the first and third are numbers. */
static bool libcachesim_claims(const struct head *head)
{
    struct field fields[COLUMNS_MAX];
    size_t n = field_split(&head->first, ',', fields, COLUMNS_MAX);

    if (n < 2 || n > COLUMNS_MAX) {
        return false;
    }
    return column_named(fields, n, key_names) || (n >= 3 && field_is_number(fields[0]) && field_is_number(fields[2]));
}

const struct reader reader_libcachesim_csv = {
    .name = "libcachesim-csv",
    .what = "csv with a header that names the key's and the size's column, else time,key,size,…",
    .takes_columns = true,
    .claims = libcachesim_claims,
    .line = libcachesim_line,
};

/* ---- Twitter ---- */

enum { T_TIME, T_KEY, T_KEY_SIZE, T_VALUE_SIZE, T_CLIENT, T_OPERATION, T_TTL, T_FIELDS };

/*
 * Cut from both ends, since an anonymized key may hold commas: the first field, then the last five,
 * what is between is the key.
 */
static bool twitter_split(const struct line *line, struct field *fields)
{
    const char *end = line->text + line->len;
    const char *comma = line->len ? memchr(line->text, ',', line->len) : NULL;

    if (!comma) {
        return false;
    }
    fields[T_TIME] = (struct field){line->text, (size_t)(comma - line->text)};
    for (int i = T_TTL; i >= T_KEY_SIZE; i--) {
        const char *at = end;

        while (at > comma + 1 && at[-1] != ',') {
            at--;
        }
        if (at <= comma + 1) {
            return false;
        }
        fields[i] = (struct field){at, (size_t)(end - at)};
        end = at - 1;
    }
    fields[T_KEY] = (struct field){comma + 1, (size_t)(end - comma - 1)};
    return true;
}

/* 0 and the channel; 1 = a deletion; -EINVAL. */
static int twitter_operation(struct field f, enum policy_channel *ret)
{
    static const char *const writes[] = {"set", "add", "replace", "cas", "append", "prepend", "incr", "decr"};

    if (field_is(f, "get") || field_is(f, "gets")) {
        *ret = POLICY_READ;
        return 0;
    }
    if (field_is(f, "delete")) {
        return 1;
    }
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        if (field_is(f, writes[i])) {
            *ret = POLICY_WRITE;
            return 0;
        }
    }
    return -EINVAL;
}

static int twitter_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    struct field fields[T_FIELDS];
    enum policy_channel channel = POLICY_READ;
    uint64_t key_size;
    uint64_t value_size;

    if (!twitter_split(line, fields)) {
        *ret_reason = "expected time,key,key size,value size,client,operation,TTL";
        return -EINVAL;
    }
    if (fields[T_KEY].len == 0) {
        *ret_reason = "the key is empty";
        return -EINVAL;
    }
    if (!field_is_number(fields[T_TIME]) || !field_is_number(fields[T_TTL])) {
        *ret_reason = "the time or the TTL is not a number";
        return -EINVAL;
    }
    if (field_number(fields[T_KEY_SIZE], &key_size) || field_number(fields[T_VALUE_SIZE], &value_size) ||
        key_size > UINT32_MAX || value_size > UINT32_MAX) {
        *ret_reason = "a size is not a number below 2^32";
        return -EINVAL;
    }
    int rc = twitter_operation(fields[T_OPERATION], &channel);

    if (rc < 0) {
        *ret_reason = "the operation is none of get gets set add replace cas append prepend delete "
                      "incr decr";
        return rc;
    }
    if (rc) {
        sink_skip(r->sink);
        return 0;
    }
    /* A get that missed in the recorded cache tells no value size. */
    return sink_text(r->sink, fields[T_KEY].text, fields[T_KEY].len, value_size ? key_size + value_size : SINK_NO_SIZE,
                     channel);
}

static bool twitter_claims(const struct head *head)
{
    struct field fields[T_FIELDS];
    enum policy_channel channel;

    return twitter_split(&head->first, fields) && field_is_number(fields[T_TIME]) &&
           field_is_number(fields[T_KEY_SIZE]) && field_is_number(fields[T_VALUE_SIZE]) &&
           field_is_number(fields[T_TTL]) && twitter_operation(fields[T_OPERATION], &channel) >= 0;
}

const struct reader reader_twitter = {
    .name = "twitter",
    .what = "Twitter's cluster traces: time,key,key size,value size,client,operation,TTL",
    .has_sizes = true,
    .claims = twitter_claims,
    .line = twitter_line,
};

/* ---- MSR Cambridge ---- */

enum { M_TIME, M_HOST, M_DISK, M_TYPE, M_OFFSET, M_SIZE, M_RESPONSE, M_FIELDS };

/* Disks get numbers, which become the upper bits of the keys. A file has one, rarely a few. */
#define DISKS_MAX 1024
#define DISK_NAME_MAX 256

struct disk {
    char host[DISK_NAME_MAX];
    size_t host_len;
    uint64_t number;
};

struct disks {
    size_t nr;
    size_t last; /* the one asked for last */
    struct disk disk[];
};

static bool disk_is(const struct disk *d, struct field host, uint64_t number)
{
    return d->number == number && d->host_len == host.len && memcmp(d->host, host.text, host.len) == 0;
}

/* The disk's index; a new one for a new disk. -ENOMEM, -EINVAL with *ret_reason. */
static int find_disk(struct reading *r, struct field host, uint64_t number, uint64_t *ret, const char **ret_reason)
{
    struct disks *d = r->disks;

    if (d && disk_is(&d->disk[d->last], host, number)) {
        *ret = d->last;
        return 0;
    }
    size_t nr = d ? d->nr : 0;

    for (size_t i = 0; i < nr; i++) {
        if (disk_is(&d->disk[i], host, number)) {
            *ret = d->last = i;
            return 0;
        }
    }
    if (host.len > DISK_NAME_MAX || nr == DISKS_MAX) {
        *ret_reason = nr == DISKS_MAX ? "more than 1024 disks" : "the host's name is too long";
        return -EINVAL;
    }
    if ((nr & (nr - 1)) == 0) { /* also 0: room for the next power of two */
        size_t room = nr ? 2 * nr : 1;

        d = realloc(d, sizeof(*d) + room * sizeof(d->disk[0]));
        if (!d) {
            return -ENOMEM;
        }
        r->disks = d;
    }
    memcpy(d->disk[nr].host, host.text, host.len);
    d->disk[nr].host_len = host.len;
    d->disk[nr].number = number;
    d->nr = nr + 1;
    *ret = d->last = nr;
    return 0;
}

static int msr_line(struct reading *r, const struct line *line, const char **ret_reason)
{
    struct field fields[M_FIELDS];
    uint64_t number;
    uint64_t offset;
    uint64_t bytes;
    uint64_t disk = 0;

    if (field_split(line, ',', fields, M_FIELDS) != M_FIELDS) {
        *ret_reason = "expected time,host,disk,Read|Write,offset,size,response time";
        return -EINVAL;
    }
    bool is_write = field_is(fields[M_TYPE], "write");

    if (!is_write && !field_is(fields[M_TYPE], "read")) {
        *ret_reason = "the fourth field is neither Read nor Write";
        return -EINVAL;
    }
    if (!field_is_number(fields[M_TIME]) || !field_is_number(fields[M_RESPONSE]) ||
        field_number(fields[M_DISK], &number)) {
        *ret_reason = "a time or the disk is not a number";
        return -EINVAL;
    }
    if (field_number(fields[M_OFFSET], &offset) || field_number(fields[M_SIZE], &bytes)) {
        *ret_reason = "the offset or the size is not a number below 2^64";
        return -EINVAL;
    }
    int rc = find_disk(r, fields[M_HOST], number, &disk, ret_reason);

    return rc ? rc : reader_extent(r, disk, offset, bytes, is_write ? POLICY_WRITE : POLICY_READ, ret_reason);
}

static bool msr_claims(const struct head *head)
{
    struct field f[M_FIELDS];

    return field_split(&head->first, ',', f, M_FIELDS) == M_FIELDS && field_is_number(f[M_TIME]) &&
           field_is_number(f[M_OFFSET]) && field_is_number(f[M_SIZE]) &&
           (field_is(f[M_TYPE], "read") || field_is(f[M_TYPE], "write"));
}

const struct reader reader_msr = {
    .name = "msr",
    .what = "MSR Cambridge: time,host,disk,Read|Write,offset,size,response time; blocks of 4096",
    .has_sizes = true,
    .takes_block = true,
    .claims = msr_claims,
    .line = msr_line,
};
