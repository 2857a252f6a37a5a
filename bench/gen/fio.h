/* SPDX-License-Identifier: MIT */
/*
 * fio.h - the offsets of fio's random_distribution=zipf, one job
 *
 * Streamed by `table`, which needs the blocks of one job as ids; the generator fio-zipf interleaves
 * several jobs.
 */
#ifndef GENLRU_BENCH_GEN_FIO_H
#define GENLRU_BENCH_GEN_FIO_H

#include <stddef.h>
#include <stdint.h>

/* The constants of the law for n blocks. */
struct fio_law {
    uint64_t n;
    double zetan;
    double two; /* 1 + 0.5^theta: below it u * zetan is rank 1 */
    double alpha;
    double eta;
};

/* Combined Tausworthe generator with 32-bit words (L'Ecuyer 1996). */
struct fio_taus {
    uint32_t s1;
    uint32_t s2;
    uint32_t s3;
};

struct fio_job {
    struct fio_taus taus;
    uint32_t rand_off;
};

/* O(n). theta > 0 and not 1, n > 1. */
void fio_law_init(struct fio_law *law, double theta, uint64_t n);
/* Rank 0 … n (the law's rounding lets n itself occur, for the largest draw) for a 32-bit draw. */
uint64_t fio_law_rank(const struct fio_law *law, uint32_t draw);
/* The block a rank stands for. Not a bijection: some blocks have no rank, some several. */
uint64_t fio_block(uint64_t rank, uint32_t rand_off, uint64_t n);

void fio_taus_init(struct fio_taus *taus, uint32_t seed);
uint32_t fio_taus_next(struct fio_taus *taus);

/* Seed 6 (the block generator's) of a thread of a run with the default seed; threads count from 1. */
uint64_t fio_thread_seed(uint32_t thread);
/* Bob Jenkins' lookup3 (2006, public domain) of len bytes; fio begins with base FIO_HASH_BASE. */
#define FIO_HASH_BASE UINT32_C(0x61c88647)
uint32_t fio_hash(const void *bytes, size_t len, uint32_t base);

/* The job of a thread that reads the file of that path. */
void fio_job_init(struct fio_job *job, const char *path, uint32_t thread);
void fio_job_seed(struct fio_job *job, uint32_t seed);
/* The next n blocks. */
void fio_job_fill(struct fio_job *job, const struct fio_law *law, uint32_t *blocks, size_t n);

#endif
