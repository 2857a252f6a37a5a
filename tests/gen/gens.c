/* SPDX-License-Identifier: MIT */
/*
 * gens: every generator is deterministic, gives what it was asked for whatever the size of the
 * pieces, follows another seed elsewhere; and each has the property it is named for.
 */
#include "gen/gen.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    size_t n;
    uint64_t *keys;
    uint8_t *channels;
};

static struct run run(const char *spec, size_t n, size_t piece)
{
    struct run r = {0, malloc(n * sizeof(*r.keys)), malloc(n)};
    struct trace_error error = {""};
    struct gen *g = NULL;
    size_t got;

    cr_assert(r.keys && r.channels);
    cr_assert_eq(gen_create(spec, &g, &error), 0, "%s", error.text);
    while (r.n < n && (got = gen_fill(g, r.keys + r.n, r.channels + r.n, n - r.n < piece ? n - r.n : piece))) {
        r.n += got;
    }
    gen_destroy(g);
    return r;
}

static void run_free(struct run *r)
{
    free(r->keys);
    free(r->channels);
}

Test(gens, deterministic_whatever_the_pieces)
{
    const struct gen_ops *ops;

    for (size_t i = 0; (ops = gen_at(i)); i++) {
        char spec[128];

        snprintf(spec, sizeof(spec), "%s:requests=50000", ops->name);
        struct run a = run(spec, 60000, 4096);
        struct run b = run(spec, 60000, 7);

        cr_assert_eq(a.n, 50000, "%s", ops->name);
        cr_assert_eq(b.n, 50000, "%s", ops->name);
        cr_assert_eq(memcmp(a.keys, b.keys, a.n * sizeof(*a.keys)), 0, "%s", ops->name);
        cr_assert_eq(memcmp(a.channels, b.channels, a.n), 0, "%s", ops->name);
        snprintf(spec, sizeof(spec), "%s:requests=50000,seed=77,offset=1000000000000", ops->name);
        struct run c = run(spec, 60000, 4096);
        bool differs = false;

        for (size_t k = 0; k < c.n; k++) {
            cr_assert_geq(c.keys[k], 1000000000000u);
            differs |= c.keys[k] - 1000000000000u != a.keys[k];
            cr_assert_leq(c.channels[k], ops->has_channels ? POLICY_PREFETCH : POLICY_READ);
        }
        cr_assert_eq(differs, strcmp(ops->name, "loop") != 0, "%s", ops->name);
        run_free(&a);
        run_free(&b);
        run_free(&c);
    }
}

/* Shares of the first ranks within five standard deviations of the law; all keys in range. */
Test(gens, zipf_is_exact)
{
    static const double thetas[] = {0, 0.5, 0.99, 1, 1.5, 3};
    const size_t n = 400000;

    for (size_t i = 0; i < sizeof(thetas) / sizeof(thetas[0]); i++) {
        char spec[128];
        double zeta = 0;
        uint32_t count[1000] = {0};

        snprintf(spec, sizeof(spec), "zipf:theta=%g,keys=1000,requests=%zu", thetas[i], n);
        struct run r = run(spec, n, 4096);

        for (int k = 1; k <= 1000; k++) {
            zeta += pow(k, -thetas[i]);
        }
        for (size_t k = 0; k < n; k++) {
            cr_assert_lt(r.keys[k], 1000);
            count[r.keys[k]]++;
        }
        for (int k = 1; k <= 1000; k++) {
            double want = (double)n * pow(k, -thetas[i]) / zeta;

            cr_assert_lt(fabs(count[k - 1] - want), 5 * sqrt(want) + 5, "theta %g rank %d", thetas[i], k);
        }
        run_free(&r);
    }
}

Test(gens, uniform_loop_phase)
{
    struct run u = run("uniform:keys=10,requests=100000", 100000, 4096);
    struct run l = run("loop:keys=3,requests=7,offset=5", 10, 4096);
    struct run p = run("phase:keys=10,sets=3,length=4,requests=20", 20, 4096);
    uint32_t count[10] = {0};

    for (size_t i = 0; i < u.n; i++) {
        count[u.keys[i]]++;
    }
    for (int k = 0; k < 10; k++) {
        cr_assert_float_eq((double)count[k], 10000.0, 500.0);
    }
    for (size_t i = 0; i < 7; i++) {
        cr_assert_eq(l.keys[i], 5 + i % 3);
    }
    cr_assert_eq(l.n, 7);
    for (size_t i = 0; i < 20; i++) {
        cr_assert_eq(p.keys[i] / 10, i / 4 % 3);
    }
    run_free(&u);
    run_free(&l);
    run_free(&p);
}

/*
 * Reads of a scan are of consecutive blocks, all prefetched before, and there are as many of them for
 * a get as was asked.
 */
Test(gens, scan_get)
{
    const size_t n = 300000;
    struct run r = run("scan-get:entries=190000,per_block=19,gets=10,scan=1900,ahead=8,index=0,"
                       "requests=300000",
                       n, 4096);
    struct run all = run("scan-get:entries=19000,gets=0,scan=190,ahead=4,index=0,requests=1000", 1000, 64);
    struct run gets = run("scan-get:entries=1900,gets=5,scan=0,index=3,requests=1000", 1000, 64);
    uint64_t reads = 0;
    uint64_t prefetches = 0;

    for (size_t i = 0; i < n; i++) {
        cr_assert_lt(r.keys[i], 10000);
        prefetches += r.channels[i] == POLICY_PREFETCH;
        reads += r.channels[i] == POLICY_READ;
    }
    /* 10 gets go with a scan of 100 blocks, read ahead in 13 pieces of 8: 104. */
    cr_assert_float_eq((double)prefetches / (double)(reads - prefetches), 104.0 / 6, 2);
    /* Without gets: four prefetches, then the same four blocks read, in order. */
    for (size_t i = 0; i + 8 <= 80; i += 8) {
        for (size_t k = 0; k < 4 && i % 24 != 16; k++) {
            cr_assert_eq(all.channels[i % 24 + k], POLICY_PREFETCH);
            cr_assert_eq(all.channels[i % 24 + 4 + k], POLICY_READ);
            cr_assert_eq(all.keys[i % 24 + k], all.keys[i % 24 + 4 + k]);
        }
    }
    /* Without scans: index block, data block, in turn. */
    for (size_t i = 0; i < 1000; i += 2) {
        cr_assert_geq(gets.keys[i], 100);
        cr_assert_lt(gets.keys[i], 103);
        cr_assert_lt(gets.keys[i + 1], 100);
        cr_assert_eq(gets.keys[i] - 100, gets.keys[i + 1] * 3 / 100);
        cr_assert_eq(gets.channels[i], POLICY_READ);
    }
    run_free(&r);
    run_free(&all);
    run_free(&gets);
}

/* A round by hand: 4 leaves scanned (read ahead in twos), 1 lookup, 3 files of 2 a directory, 1 lookup. */
Test(gens, sqlite_grep)
{
    struct run r = run("sqlite-grep:hot=4,ahead=2,lookups=1,files=3,per_dir=2,after=1,requests=44", 44, 5);
    /* leaves 0-3, root 4, inner 5, (spare) 6; inodes 6; dirs 7, 8; files 9 … : see create */
    static const char scan[] = "PPRRPPRR";

    for (size_t i = 0; i < 8; i++) {
        cr_assert_eq(r.channels[i], scan[i] == 'P' ? POLICY_PREFETCH : POLICY_READ);
        cr_assert_eq(r.keys[i], i % 2 + i / 4 * 2);
    }
    cr_assert_eq(r.keys[8], 4);
    cr_assert_eq(r.keys[9], 5);
    cr_assert_lt(r.keys[10], 4);
    /* dir, inode, file, inode, file, dir, inode, file */
    cr_assert_eq(r.keys[11], 7);
    cr_assert_eq(r.keys[12], 6);
    cr_assert_eq(r.keys[13], 9);
    cr_assert_eq(r.keys[14], 6);
    cr_assert_eq(r.keys[15], 10);
    cr_assert_eq(r.keys[16], 8);
    cr_assert_eq(r.keys[18], 11);
    cr_assert_eq(r.keys[19], 4);
    /* the next round */
    cr_assert_eq(r.channels[22], POLICY_PREFETCH);
    cr_assert_eq(r.keys[22], 0);
    run_free(&r);
}

Test(gens, ycsb)
{
    const size_t n = 100000;
    struct run b = run("ycsb-b:records=1000,requests=100000", n, 4096);
    struct run d = run("ycsb-d:records=1000,requests=100000", n, 4096);
    uint64_t writes = 0;
    uint64_t newest = 999;
    uint64_t inserts = 0;

    for (size_t i = 0; i < n; i++) {
        cr_assert_lt(b.keys[i], 1000);
        writes += b.channels[i] == POLICY_WRITE;
        if (d.channels[i] == POLICY_WRITE) {
            cr_assert_eq(d.keys[i], ++newest);
            inserts++;
        } else {
            cr_assert_leq(d.keys[i], newest);
            cr_assert_gt(d.keys[i] + 1000, newest);
        }
    }
    cr_assert_float_eq((double)writes, 5000, 400);
    cr_assert_float_eq((double)inserts, 5000, 400);
    run_free(&b);
    run_free(&d);
}

/* With jobs in turn, each within its own file. */
Test(gens, fio_jobs)
{
    struct run r = run("fio-zipf:theta=0.9,blocks=1000,jobs=4,requests=4000", 4000, 333);

    for (size_t i = 0; i < r.n; i++) {
        cr_assert_eq(r.keys[i] / 1000, i % 4);
    }
    run_free(&r);
}

static void refuse(const char *spec, const char *message)
{
    struct trace_error error = {""};
    struct gen *g = NULL;

    cr_assert_eq(gen_create(spec, &g, &error), -EINVAL, "%s", spec);
    cr_assert_null(g);
    cr_assert_str_eq(error.text, message);
}

Test(gens, refused)
{
    refuse("nosuch", "no generator 'nosuch' (see genlru-sim generators)");
    refuse("", "no generator '' (see genlru-sim generators)");
    refuse("zipf:keys=0", "zipf: keys=0 is not within 1 and 4294967231");
    refuse("zipf:theta=x", "zipf: theta=x is no number");
    refuse("loop:theta=1", "loop: there is no parameter 'theta'");
    refuse("fio-zipf:theta=1", "fio-zipf: theta=1 is what fio's formula has no value for");
    refuse("scan-get:gets=0,scan=0", "scan-get: gets=0 and scan=0 leave nothing to do");
    refuse("zipf:requests=0", "zipf: requests=0 is not within 1 and 1e+15");
}
