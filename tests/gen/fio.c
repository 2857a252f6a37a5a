/* SPDX-License-Identifier: MIT */
/*
 * fio: the offsets are fio's own: hash, seeds, law and block numbers against known values, the share of
 * blocks that can ever be drawn, and the drawn shares against the law.
 */
#include "gen/fio.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 655360

/* Test values that lookup3's author published. */
Test(fio, hash)
{
    static const char text[] = "Four score and seven years ago";

    cr_assert_eq(fio_hash(text, 30, 0xdeadbeef), 0x17770551);
    cr_assert_eq(fio_hash(text, 30, 0xdeadbeef + 1), 0xcd628161);
    cr_assert_eq(fio_hash("", 0, 0xdeadbeef), 0xdeadbeef);
}

Test(fio, thread_seed)
{
    cr_assert_eq(fio_thread_seed(1), 6803328749335347343u);
}

/* Of all ranks, 616,804 blocks of 655,360 are reachable: 94.12 %. */
Test(fio, reachable_blocks)
{
    static uint8_t seen[BLOCKS];

    for (uint32_t off = 0; off < 3; off++) {
        uint32_t reachable = 0;

        memset(seen, 0, sizeof(seen));
        for (uint64_t rank = 0; rank < BLOCKS; rank++) {
            uint64_t block = fio_block(rank, off * 2654435761u, BLOCKS);

            reachable += !seen[block];
            seen[block] = 1;
        }
        cr_assert_eq(reachable, 616804);
    }
    cr_assert_eq(fio_block(0, 4711, BLOCKS), 4711);
}

/* Every rank comes from some draw, the extremes from the extremes; the law never rises. */
Test(fio, ranks)
{
    static const double thetas[] = {0.8, 0.9, 1.1, 1.2};

    for (size_t i = 0; i < 4; i++) {
        struct fio_law law;
        uint64_t last = 0;

        fio_law_init(&law, thetas[i], BLOCKS);
        cr_assert_eq(fio_law_rank(&law, 0), 0);
        for (uint64_t draw = 0; draw <= UINT32_MAX; draw += 65537) {
            uint64_t rank = fio_law_rank(&law, (uint32_t)draw);

            cr_assert_geq(rank, last);
            cr_assert_leq(rank, BLOCKS);
            last = rank;
        }
        cr_assert_gt(last, BLOCKS - 200);
        /* The two exact ranks take 1 / zeta and 0.5^theta / zeta of the draws. */
        uint32_t first = (uint32_t)(4294967295.0 / law.zetan);

        cr_assert_eq(fio_law_rank(&law, first - 2), 0);
        cr_assert_eq(fio_law_rank(&law, first + 2), 1);
    }
}

/* L'Ecuyer's generator from a state of which the first outputs can be worked out by hand. */
Test(fio, tausworthe)
{
    struct fio_taus t = {2, 8, 16};

    /* s1: (2 << 12) ^ (((2 << 13) ^ 2) >> 19) = 8192; s2: (8 << 4) ^ 0 = 128; s3: 16 << 17. */
    cr_assert_eq(fio_taus_next(&t), 8192u ^ 128u ^ 2097152u);
    cr_assert_eq(t.s1, 8192);
    cr_assert_eq(t.s2, 128);
    cr_assert_eq(t.s3, 2097152);
}

/* All draws over the law: the share of the most frequent block must be 1 / zeta (and what collides). */
Test(fio, drawn_shares)
{
    struct fio_law law;
    struct fio_job job;
    uint32_t *blocks = malloc(1000000 * sizeof(*blocks));
    uint32_t hits = 0;

    cr_assert_not_null(blocks);
    fio_law_init(&law, 1.2, BLOCKS);
    fio_job_init(&job, "realdk.0.img", 1);
    fio_job_fill(&job, &law, blocks, 1000000);
    for (size_t i = 0; i < 1000000; i++) {
        cr_assert_lt(blocks[i], BLOCKS);
        hits += blocks[i] == job.rand_off % BLOCKS;
    }
    double want = 1e6 / law.zetan;

    cr_assert_float_eq(hits, want, 5 * sqrt(want));
    free(blocks);
}

/* Jobs of other threads and files draw other sequences. */
Test(fio, jobs_differ)
{
    struct fio_job a;
    struct fio_job b;
    struct fio_job c;

    fio_job_init(&a, "realdk.0.img", 1);
    fio_job_init(&b, "realdk.0.img", 2);
    fio_job_init(&c, "realdk.1.img", 1);
    cr_assert_neq(a.rand_off, b.rand_off);
    cr_assert_neq(a.rand_off, c.rand_off);
}
