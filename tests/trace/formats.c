/* SPDX-License-Identifier: MIT */
/*
 * formats: every published format, found by its content, plain and compressed: which requests come
 * out of a file written by hand, and with which words a malformed one is refused.
 */
#include "trace/trace.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

TestSuite(formats, .init = files_make, .fini = files_remove);

/* "id" or "id:size" of every request; with w for a write. */
static void expect(const struct trace *t, const char *want)
{
    char got[4096] = "";
    size_t n = 0;

    for (uint64_t i = 0; i < t->nr_requests && n < sizeof(got) - 64; i++) {
        n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u", i ? " " : "", t->ids[i]);
        if (t->sizes) {
            n += (size_t)snprintf(got + n, sizeof(got) - n, ":%llu", (unsigned long long)t->sizes[t->ids[i]]);
        }
        if (t->channels && t->channels[i] != POLICY_READ) {
            n += (size_t)snprintf(got + n, sizeof(got) - n, "w");
        }
    }
    cr_assert_str_eq(got, want);
}

/* Loads bytes plain, as zstd, as gzip; all must give `want` and skip so many. */
static void check(const char *name, enum trace_format format, const char *params, const void *bytes, size_t len,
                  const char *want, uint64_t skipped)
{
    char packed[2][64];

    snprintf(packed[0], sizeof(packed[0]), "%s.zst", name);
    snprintf(packed[1], sizeof(packed[1]), "%s.gz", name);
    for (int kind = 0; kind < 3; kind++) {
        const char *path = kind == 0   ? files_write(name, bytes, len)
                           : kind == 1 ? files_zstd(packed[0], bytes, len, 0, "")
                                       : files_gzip(packed[1], bytes, len, 0, "");
        struct trace_options options = {.format = format, .format_params = params};
        struct trace_error error = {""};
        struct trace *t = NULL;

        cr_assert_eq(trace_load(path, &options, &t, &error), 0, "%s", error.text);
        expect(t, want);
        cr_assert_eq(t->nr_skipped, skipped);
        cr_assert_eq(t->nr_first_touch, t->nr_ids);
        trace_destroy(t);
    }
}

static void check_text(const char *name, const char *text, const char *want, uint64_t skipped)
{
    check(name, TRACE_FORMAT_AUTO, NULL, text, strlen(text), want, skipped);
}

static void refuse(enum trace_format format, const void *bytes, size_t len, const char *message)
{
    const char *path = files_write("bad", bytes, len);
    struct trace_options options = {.format = format};
    struct trace_error error = {""};
    struct trace *t = NULL;

    cr_assert_eq(trace_load(path, &options, &t, &error), -EINVAL, "%s", message);
    cr_assert_null(t);
    cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
    cr_assert_str_eq(error.text + strlen(path), message);
}

static void refuse_text(enum trace_format format, const char *text, const char *message)
{
    refuse(format, text, strlen(text), message);
}

Test(formats, arc)
{
    check_text("a.lis", "10 2\n11 1\n", "0 1 1", 0);
    check_text("a", "10 3 0 1\r\n12\t1 0 2\n5 0 0 3\n", "0 1 2 2", 1);
    check_text("a.txt", "10 3 0 1\n12 1 0 2\n", "0 1", 0); /* text by its name */
    check("a", TRACE_FORMAT_ARC, NULL, "10 2", 4, "0 1", 0);
    refuse_text(TRACE_FORMAT_ARC, "10 2\n10\n", ":2: expected numbers: start count …");
    refuse_text(TRACE_FORMAT_ARC, "10 2x\n", ":1: expected numbers: start count …");
    refuse_text(TRACE_FORMAT_ARC, "10 1048577\n", ":1: the count is more than 1048576");
    refuse_text(TRACE_FORMAT_ARC, "18446744073709551615 2\n", ":1: the last block is 2^64 or more");
    refuse_text(TRACE_FORMAT_ARC, "1 0\n", ": there is no request in it");
    refuse_text(TRACE_FORMAT_ARC, "", ": the file is empty");
}

Test(formats, libcachesim_csv)
{
    check_text("a.csv", "time, obj_id, obj_size, x\n1,a,7,\n2,b,8,\n3,a,9,\n", "0:7 1:8 0:7", 0);
    check_text("a.csv", "key,size\n5,7\n6,8\n", "0:7 1:8", 0);
    check_text("a", "1,77,10\n2,78,20\n2,77,10\n", "0:10 1:20 0:10", 0);
    check("a", TRACE_FORMAT_LIBCACHESIM_CSV, "key=1", "7,5\n8,5\n7,6\n", 12, "0 1 0", 0);
    check("a", TRACE_FORMAT_LIBCACHESIM_CSV, "key=3,size=1", "7,5,x\n8,5,y\n", 12, "0:7 1:8", 0);
    refuse_text(TRACE_FORMAT_LIBCACHESIM_CSV, "1,2,3\n1,2\n", ":2: not as many columns as in the first line");
    refuse_text(TRACE_FORMAT_LIBCACHESIM_CSV, "1,2,3\n1,2,x\n", ":2: the size is not a decimal number below 2^64 - 1");
    refuse_text(TRACE_FORMAT_LIBCACHESIM_CSV, "1,2,3\n1,,4\n", ":2: the key is empty");
    refuse_text(TRACE_FORMAT_LIBCACHESIM_CSV, "id,size\n", ": there is no request in it");
}

Test(formats, twitter)
{
    check_text("a.csv",
               "0,q:q:1,8,213,4,get,0\n0,k,3,x,8,0,5,get,0\n1,k,3,x,8,12,5,set,100\n"
               "2,q:q:1,8,0,4,delete,0\n2,q:q:1,8,213,4,get,0\n",
               "0:221 1:20 1:20w 0:221", 1);
    refuse_text(TRACE_FORMAT_TWITTER, "0,k,1,2,3,get\n",
                ":1: expected time,key,key size,value size,client,operation,TTL");
    refuse_text(TRACE_FORMAT_TWITTER, "0,k,1,2,3,got,0\n",
                ":1: the operation is none of get gets set add replace cas append prepend delete "
                "incr decr");
    refuse_text(TRACE_FORMAT_TWITTER, "0,k,1,4294967296,3,get,0\n", ":1: a size is not a number below 2^32");
    refuse_text(TRACE_FORMAT_TWITTER, "x,k,1,2,3,get,0\n", ":1: the time or the TTL is not a number");
    refuse_text(TRACE_FORMAT_TWITTER, "0,,1,2,3,get,0\n", ":1: the key is empty");
}

Test(formats, msr)
{
    static const char text[] = "128166372003061629,usr,0,Read,7014609920,24576,41286\n"
                               "128166372016382155,usr,0,Write,7014613000,100,9000\n"
                               "128166372026382245,usr,1,Read,7014609920,512,1\n"
                               "128166372026382245,usr,1,Read,7014609920,0,1\n";

    /* 7014609920 = 4096 * 1712551.25: 7 blocks, of which the second record touches the second. */
    check_text("m.csv", text, "0:4096 1:4096 2:4096 3:4096 4:4096 5:4096 6:4096 1:4096w 7:4096", 1);
    check("m.csv", TRACE_FORMAT_MSR, "block=0", text, strlen(text), "0:24576 1:100w 2:512", 1);
    refuse_text(TRACE_FORMAT_MSR, "1,usr,0,Read,5\n",
                ":1: expected time,host,disk,Read|Write,offset,size,response time");
    refuse_text(TRACE_FORMAT_MSR, "1,usr,0,Trim,5,5,1\n", ":1: the fourth field is neither Read nor Write");
    refuse_text(TRACE_FORMAT_MSR, "1,usr,0,Read,5,99999999999,1\n", ":1: the record touches more than 1048576 blocks");
    refuse_text(TRACE_FORMAT_MSR, "1,usr,0,Read,18446744073709551615,2,1\n", ":1: the record ends beyond 2^64 bytes");
    refuse_text(TRACE_FORMAT_MSR, "1,usr,0,Read,9223372036854775808,2,1\n", ":1: the block number is 2^48 or more");
    refuse_text(TRACE_FORMAT_MSR, "1,usr,x,Read,5,5,1\n", ":1: a time or the disk is not a number");
}

Test(formats, redis)
{
    check_text("monitor.log",
               "OK\n1339518083.107412 [0 127.0.0.1:60866] \"keys\" \"*\"\n"
               "1339518087.877697 [0 127.0.0.1:60866] \"GET\" \"a\"\n"
               "1339518087.877697 [0 unix:/tmp/my sock] \"mget\" \"a\" \"b\\n\\x41\\\"\"\n"
               "1339518087.877697 [1 127.0.0.1:60866] \"get\" \"a\"\n"
               "1339518087.877697 [0 lua] \"mset\" \"a\" \"1\" \"c\" \"b\"\n"
               "1339518087.877697 [0 127.0.0.1:60866] \"get\" \"b\\nA\\\"\"\n"
               "1339518087.877697 [0 127.0.0.1:60866] \"del\" \"a\"\n"
               "1339518087.877697 [0 127.0.0.1:60866] \"ping\"\n",
               "0 0 1 2 0w 3w 1", 4);
    refuse_text(TRACE_FORMAT_REDIS, "hello\n", ":1: expected time [db client] \"command\" …");
    refuse_text(TRACE_FORMAT_REDIS, "1.5 [0 x] \"get\" \"a\n",
                ":1: an argument is not in quotes, or its escape or end is missing");
    refuse_text(TRACE_FORMAT_REDIS, "1.5 [0 x] \"get\" \"a\\x4\"\n",
                ":1: an argument is not in quotes, or its escape or end is missing");
    refuse_text(TRACE_FORMAT_REDIS, "1.5 [0 x] \"ping\"\n", ": there is no request in it");
}

Test(formats, memcached)
{
    check_text("memcached.log",
               "<32 new auto-negotiating client connection\n32: Client using the ascii protocol\n"
               "<32 get foo bar\n>32 END\n<32 set foo 0 0 5\n>32 STORED\n<32 gat 100 bar baz\n"
               "<32 delete foo\n<32 mg baz v\n",
               "0 1 0w 1 2 2", 5);
    check_text("watch.log",
               "ts=1.5 gid=1 type=item_get key=foo status=not_found clsid=0 cfd=30 size=0\n"
               "ts=1.6 gid=2 type=item_store key=foo status=stored cmd=set ttl=0 clsid=1 size=5\n"
               "ts=1.7 gid=3 type=item_get key=a%3Ab status=found clsid=1 cfd=30 size=7\n"
               "ts=1.7 gid=3 type=eviction key=foo fetch=yes\n"
               "ts=1.6 gid=2 type=item_get key=a%3ab status=found\n",
               "0:5 0:5w 1:7 1:7", 1);
    refuse_text(TRACE_FORMAT_MEMCACHED, "ts=1 type=item_get x=1\n", ":1: there is no key=");
    refuse_text(TRACE_FORMAT_MEMCACHED, "ts=1 type=item_get key=a%4\n",
                ":1: the key's % is not followed by two hexadecimal digits");
    refuse_text(TRACE_FORMAT_MEMCACHED, "ts=1 type=item_get key=a size=x\n", ":1: size= is not a number below 2^32");
    refuse_text(TRACE_FORMAT_MEMCACHED, "slab class   1\n", ": there is no request in it");
}

/* ---- binary ---- */

static unsigned char *le(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *at++ = (unsigned char)(value >> 8 * i);
    }
    return at;
}

static unsigned char *vscsi(unsigned char *at, int version, unsigned command, uint32_t bytes, uint64_t sector)
{
    unsigned ver = (unsigned)version << 8;

    if (version == 2) {
        at = le(le(le(at, command, 2), ver, 2), 7, 4);
        at = le(le(at, bytes, 4), 1, 4);
    } else {
        at = le(le(le(at, 7, 4), bytes, 4), 1, 4);
        at = le(le(at, command, 2), ver, 2);
    }
    at = le(le(at, sector, 8), 99, 8);
    return version == 2 ? le(at, 5, 8) : at;
}

Test(formats, vscsi)
{
    for (int version = 1; version <= 2; version++) {
        unsigned char bytes[256];
        unsigned char *end = vscsi(bytes, version, 0x28, 8192, 16);
        size_t record = (size_t)(end - bytes);

        end = vscsi(end, version, 0x2a, 512, 17);
        end = vscsi(end, version, 0x12, 36, 0); /* INQUIRY */
        end = vscsi(end, version, 0x88, 4096, 1000);
        check("v.vscsi", TRACE_FORMAT_AUTO, NULL, bytes, (size_t)(end - bytes), "0:4096 1:4096 0:4096w 2:4096", 1);
        check("v", TRACE_FORMAT_AUTO, NULL, bytes, (size_t)(end - bytes), "0:4096 1:4096 0:4096w 2:4096", 1);
        check("v", TRACE_FORMAT_VSCSI, "block=0", bytes, (size_t)(end - bytes), "0:8192 1:512w 2:4096", 1);
        refuse(TRACE_FORMAT_AUTO, bytes, (size_t)(end - bytes) - 1,
               version == 1 ? ": at byte 96: the record is cut off" : ": at byte 120: the record is cut off");
        vscsi(bytes + record, version, 0x28, 512, UINT64_MAX);
        refuse(TRACE_FORMAT_VSCSI, bytes, (size_t)(end - bytes),
               version == 1 ? ": at byte 32: the sector lies beyond 2^64 bytes"
                            : ": at byte 40: the sector lies beyond 2^64 bytes");
    }
    refuse(TRACE_FORMAT_VSCSI, "hello", 5, ": at byte 0: no vscsi record of version 1 or 2");
    refuse(TRACE_FORMAT_VSCSI, "", 0, ": the file is empty");
}

static unsigned char *oracle(unsigned char *at, uint32_t time, uint64_t object, uint32_t bytes, int64_t next)
{
    return le(le(le(le(at, time, 4), object, 8), bytes, 4), (uint64_t)next, 8);
}

Test(formats, oracle_general)
{
    unsigned char bytes[256];
    unsigned char *end = oracle(bytes, 5, UINT64_MAX, 100, 2);

    end = oracle(end, 5, 7, 50, -1);
    end = oracle(end, 6, UINT64_MAX, 100, -1);
    check("a.oracleGeneral", TRACE_FORMAT_AUTO, NULL, bytes, (size_t)(end - bytes), "0:100 1:50 0:100", 0);
    check("a", TRACE_FORMAT_AUTO, NULL, bytes, (size_t)(end - bytes), "0:100 1:50 0:100", 0);
    refuse(TRACE_FORMAT_ORACLE_GENERAL, bytes, 71, ": at byte 48: the record is cut off");
    oracle(bytes + 24, 5, 7, 50, -2);
    refuse(TRACE_FORMAT_ORACLE_GENERAL, bytes, 72, ": at byte 24: the number of the next request is below -1");
    refuse(TRACE_FORMAT_ORACLE_GENERAL, "", 0, ": the file is empty");
}

/* ---- parameters ---- */

Test(formats, parameters)
{
    struct trace_error error;

    cr_assert_eq(trace_format_check(TRACE_FORMAT_MSR, "block=512", &error), 0);
    cr_assert_eq(trace_format_check(TRACE_FORMAT_MSR, NULL, &error), 0);
    cr_assert_eq(trace_format_check(TRACE_FORMAT_LIBCACHESIM_CSV, "key=2,size=3", &error), 0);
    cr_assert_eq(trace_format_check(TRACE_FORMAT_TEXT, "block=512", &error), -EINVAL);
    cr_assert_str_eq(error.text, "text: there is no parameter 'block'");
    cr_assert_eq(trace_format_check(TRACE_FORMAT_VSCSI, "key=2", &error), -EINVAL);
}

/* A long one through the fast lane: mixed with lines that are not for it, and cut at any buffer. */
Test(formats, fast_lane_equals_slow_lane)
{
    const uint32_t n = 200000;
    char *text = malloc((size_t)n * 24);
    size_t len = 0;
    uint64_t state = 88172645463325252u;
    struct trace_error error;
    struct trace *fast = NULL;
    struct trace *slow = NULL;

    cr_assert_not_null(text);
    for (uint32_t i = 0; i < n; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        unsigned kind = state % 1000;
        unsigned long long key = state >> 40;

        len += (size_t)(kind == 0   ? sprintf(text + len, "k%llu\n", key)
                        : kind == 1 ? sprintf(text + len, "0%llu\r\n", key)
                        : kind == 2 ? sprintf(text + len, "18446744073709551615\n")
                        : kind == 3 ? sprintf(text + len, "99999999999999999999\n")
                                    : sprintf(text + len, "%llu\n", key % 50000));
    }
    /* The slow lane is what a carriage return on every line forces. */
    char *crlf = malloc(len + n);
    size_t m = 0;

    cr_assert_not_null(crlf);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n' && text[i - 1] != '\r') {
            crlf[m++] = '\r';
        }
        crlf[m++] = text[i];
    }
    cr_assert_eq(trace_load(files_write("fast.txt", text, len), NULL, &fast, &error), 0);
    cr_assert_eq(trace_load(files_write("slow.txt", crlf, m), NULL, &slow, &error), 0);
    cr_assert_eq(fast->nr_requests, n);
    cr_assert_eq(slow->nr_requests, n);
    cr_assert_eq(fast->nr_ids, slow->nr_ids);
    cr_assert_eq(memcmp(fast->ids, slow->ids, n * sizeof(*fast->ids)), 0);
    trace_destroy(fast);
    trace_destroy(slow);
    free(text);
    free(crlf);
}
