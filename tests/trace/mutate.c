/* SPDX-License-Identifier: MIT */
/*
 * mutate: readers meet bytes that nobody meant as a trace: good files with bytes changed, removed,
 * repeated, and pure noise. Each load must come back with a whole trace or with an error that names
 * the file, and a trace must be sound. Run it under a sanitizer for what it is worth most.
 */
#include "trace/trace.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files.h"

TestSuite(mutate, .init = files_make, .fini = files_remove);

#define ROUNDS 250
#define BYTES_MAX 4096

static uint64_t state;

static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t n)
{
    return (size_t)(next_random() % n);
}

static const char *const seeds[TRACE_NR_FORMATS] = {
    [TRACE_FORMAT_TEXT] = "1\n2\nabc\n1\n",
    [TRACE_FORMAT_CSV] = "1,2\n2,3\nabc,4\n1,2\n",
    [TRACE_FORMAT_ARC] = "1 2 0 1\n7 3 0 2\n",
    [TRACE_FORMAT_LIBCACHESIM_CSV] = "time,id,size\n1,2,3\n4,5,6\n",
    [TRACE_FORMAT_TWITTER] = "0,q:q:1,8,213,4,get,0\n1,k,3,8,12,set,100\n2,q,8,0,4,delete,0\n",
    [TRACE_FORMAT_MSR] = "128166372003061629,usr,0,Read,7014609920,24576,41286\n"
                         "128166372016382155,usr,1,Write,7014613000,100,9000\n",
    [TRACE_FORMAT_REDIS] = "OK\n1339518087.877697 [0 127.0.0.1:60866] \"mget\" \"a\" \"b\\x41\"\n"
                           "1339518087.8 [1 127.0.0.1:6] \"set\" \"a\" \"1\"\n",
    [TRACE_FORMAT_MEMCACHED] = "<32 get foo bar\n>32 END\n"
                               "ts=1.5 gid=1 type=item_get key=fo%6f status=found size=9\n",
};

/* Good bytes of a format; the binary ones are zeros with what makes them be taken. */
static size_t good(enum trace_format format, unsigned char *buf)
{
    size_t n = 0;

    if (seeds[format]) {
        n = strlen(seeds[format]);
        memcpy(buf, seeds[format], n);
        return n;
    }
    memset(buf, 0, 400);
    if (format == TRACE_FORMAT_VSCSI) {
        for (n = 0; n < 400; n += 40) {
            buf[n] = 0x28;
            buf[n + 3] = 2;
            buf[n + 9] = 0x20;
            buf[n + 16] = (unsigned char)n;
        }
    } else if (format == TRACE_FORMAT_ORACLE_GENERAL) {
        for (n = 0; n < 240; n += 24) {
            buf[n + 4] = (unsigned char)n;
            memset(buf + n + 16, 0xff, 8);
        }
    } else {
        static const unsigned char packed[] = {0x89, 'G', 'L', 'T', '\r', '\n', 0x1a, '\n', 1, 0,
                                               0,    0,   0,   0,   0,    0,    3,    0,    0, 0};

        n = sizeof(packed);
        memcpy(buf, packed, n);
        n += 56;
    }
    return n;
}

static size_t mutate(unsigned char *buf, size_t n)
{
    for (size_t k = below(8); k > 0 && n > 0; k--) {
        size_t at = below(n);
        size_t len = below(n - at) % 64;

        switch (below(6)) {
        case 0:
            buf[at] ^= (unsigned char)(1u << below(8));
            break;
        case 1:
            buf[at] = (unsigned char)next_random();
            break;
        case 2: /* remove */
            memmove(buf + at, buf + at + len, n - at - len);
            n -= len;
            break;
        case 3: /* repeat */
            if (n + len <= BYTES_MAX) {
                memmove(buf + at + len, buf + at, n - at);
                n += len;
            }
            break;
        case 4: /* what parsers count and cut by */
            buf[at] = (unsigned char)"\n\r,\" \\%<[]=09-\0"[below(16)];
            break;
        default: /* digits that overflow */
            memset(buf + at, '9', len);
            break;
        }
    }
    return n;
}

static void check_sound(const struct trace *t)
{
    uint32_t seen = 0;

    cr_assert_gt(t->nr_requests, 0);
    for (uint64_t i = 0; i < t->nr_requests; i++) {
        cr_assert_leq(t->ids[i], seen);
        seen += t->ids[i] == seen;
    }
    cr_assert_eq(seen, t->nr_ids);
    cr_assert_leq(t->nr_first_touch, t->nr_ids);
    /* Every size may be read. */
    uint64_t sum = 0;

    for (uint32_t id = 0; t->sizes && id < t->nr_ids; id++) {
        sum += t->sizes[id];
    }
    cr_assert(sum == 0 || t->sizes);
}

static void load(enum trace_format format, const char *path)
{
    struct trace_options options = {.format = format};
    struct trace_error error = {""};
    struct trace *t = NULL;

    if (trace_load(path, &options, &t, &error) == 0) {
        check_sound(t);
        trace_destroy(t);
    } else {
        cr_assert_null(t);
        cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
        cr_assert_gt(strlen(error.text), strlen(path) + 3, "%s", error.text);
    }
}

static void run(enum trace_format format)
{
    const char *given = getenv("GENLRU_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    unsigned char buf[BYTES_MAX + 64];

    printf("mutate %s: GENLRU_SEED=%llu\n", trace_format_name(format), (unsigned long long)seed);
    fflush(stdout);
    state = seed;
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = good(format, buf);

        if (round % 10 == 9) {
            n = below(BYTES_MAX);
            for (size_t i = 0; i < n; i++) {
                buf[i] = (unsigned char)next_random();
            }
        }
        n = mutate(buf, n);
        load(round % 4 == 3 ? TRACE_FORMAT_AUTO : format, round % 16 == 1   ? files_gzip("m.gz", buf, n, below(4), "")
                                                          : round % 16 == 2 ? files_zstd("m.zst", buf, n, below(4), "")
                                                                            : files_write("m", buf, n));
    }
}

Test(mutate, text)
{
    run(TRACE_FORMAT_TEXT);
}
Test(mutate, csv)
{
    run(TRACE_FORMAT_CSV);
}
Test(mutate, arc)
{
    run(TRACE_FORMAT_ARC);
}
Test(mutate, oracle_general)
{
    run(TRACE_FORMAT_ORACLE_GENERAL);
}
Test(mutate, libcachesim_csv)
{
    run(TRACE_FORMAT_LIBCACHESIM_CSV);
}
Test(mutate, vscsi)
{
    run(TRACE_FORMAT_VSCSI);
}
Test(mutate, twitter)
{
    run(TRACE_FORMAT_TWITTER);
}
Test(mutate, msr)
{
    run(TRACE_FORMAT_MSR);
}
Test(mutate, redis)
{
    run(TRACE_FORMAT_REDIS);
}
Test(mutate, memcached)
{
    run(TRACE_FORMAT_MEMCACHED);
}
Test(mutate, genlru)
{
    run(TRACE_FORMAT_GENLRU);
}
