/* SPDX-License-Identifier: MIT */
/*
 * fio.c - the law and the generator of fio's zipf reads; see fio.h
 *
 *      32-bit draw ──▶ u ──▶ rank ──▶ rank · golden mod 2^64 + rand_off mod n = block
 *
 * The rank is Gray et al.'s approximation (Quickly generating billion-record synthetic databases,
 * SIGMOD 1994): exact for the two most frequent ranks, a power law for the others.
 */
#include "gen/fio.h"

#include <math.h>
#include <string.h>

/* fio sums the law's normalization over so many ranks at most. */
#define ZETA_TERMS_MAX UINT64_C(10000000)
#define GOLDEN UINT64_C(0x61c8864680b583eb)

void fio_law_init(struct fio_law *law, double theta, uint64_t n)
{
    uint64_t terms = n < ZETA_TERMS_MAX ? n : ZETA_TERMS_MAX;
    double zetan = 0;

    for (uint64_t i = 1; i <= terms; i++) {
        zetan += pow(1.0 / (double)i, theta);
    }
    law->n = n;
    law->zetan = zetan;
    law->two = 1.0 + pow(0.5, theta);
    law->alpha = 1.0 / (1.0 - theta);
    law->eta = (1.0 - pow(2.0 / (double)n, 1.0 - theta)) / (1.0 - law->two / zetan);
}

uint64_t fio_law_rank(const struct fio_law *law, uint32_t draw)
{
    double u = (double)draw / 4294967295.0;
    double z = u * law->zetan;

    if (z < 1.0) {
        return 0;
    }
    if (z < law->two) {
        return 1;
    }
    return (uint64_t)((double)law->n * pow(law->eta * u - law->eta + 1.0, law->alpha));
}

uint64_t fio_block(uint64_t rank, uint32_t rand_off, uint64_t n)
{
    return (rank * GOLDEN + rand_off) % n;
}

uint32_t fio_taus_next(struct fio_taus *t)
{
    t->s1 = ((t->s1 & ~UINT32_C(1)) << 12) ^ (((t->s1 << 13) ^ t->s1) >> 19);
    t->s2 = ((t->s2 & ~UINT32_C(7)) << 4) ^ (((t->s2 << 2) ^ t->s2) >> 25);
    t->s3 = ((t->s3 & ~UINT32_C(15)) << 17) ^ (((t->s3 << 3) ^ t->s3) >> 11);
    return t->s1 ^ t->s2 ^ t->s3;
}

/* A component's state must not be too small, or it is all zeros after masking. */
static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value < least ? value + least : value;
}

void fio_taus_init(struct fio_taus *t, uint32_t seed)
{
    t->s1 = at_least((UINT32_C(53) * 69069) ^ seed, 1);
    t->s2 = at_least((t->s1 * 69069) ^ seed, 7);
    t->s3 = at_least((t->s2 * 69069) ^ seed, 15);
    for (int i = 0; i < 6; i++) {
        fio_taus_next(t);
    }
}

uint64_t fio_thread_seed(uint32_t thread)
{
    uint64_t base = 0x89;

    for (int i = 0; i < 4 + 6; i++) {
        base *= UINT64_C(0x9e370001);
    }
    return base * thread + 6;
}

static uint32_t rotate(uint32_t x, unsigned k)
{
    return x << k | x >> (32 - k);
}

uint32_t fio_hash(const void *bytes, size_t len, uint32_t base)
{
    const unsigned char *at = bytes;
    uint32_t a = base + (uint32_t)len;
    uint32_t b = a;
    uint32_t c = a;

    if (len == 0) {
        return c;
    }
    for (;;) {
        uint32_t word[3] = {0, 0, 0};
        size_t piece = len < 12 ? len : 12;

        for (size_t i = 0; i < piece; i++) {
            word[i / 4] |= (uint32_t)at[i] << 8 * (i % 4);
        }
        a += word[0];
        b += word[1];
        c += word[2];
        if (len <= 12) {
            break;
        }
        a = (a - c) ^ rotate(c, 4), c += b;
        b = (b - a) ^ rotate(a, 6), a += c;
        c = (c - b) ^ rotate(b, 8), b += a;
        a = (a - c) ^ rotate(c, 16), c += b;
        b = (b - a) ^ rotate(a, 19), a += c;
        c = (c - b) ^ rotate(b, 4), b += a;
        at += 12;
        len -= 12;
    }
    c = (c ^ b) - rotate(b, 14);
    a = (a ^ c) - rotate(c, 11);
    b = (b ^ a) - rotate(a, 25);
    c = (c ^ b) - rotate(b, 16);
    a = (a ^ c) - rotate(c, 4);
    b = (b ^ a) - rotate(a, 14);
    c = (c ^ b) - rotate(b, 24);
    return c;
}

void fio_job_seed(struct fio_job *job, uint32_t seed)
{
    fio_taus_init(&job->taus, seed);
    job->rand_off = fio_taus_next(&job->taus);
}

void fio_job_init(struct fio_job *job, const char *path, uint32_t thread)
{
    uint32_t hash = fio_hash(path, strlen(path), FIO_HASH_BASE);
    uint64_t seed = hash * (uint64_t)thread * fio_thread_seed(thread);

    fio_job_seed(job, (uint32_t)seed);
}

void fio_job_fill(struct fio_job *job, const struct fio_law *law, uint32_t *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = fio_law_rank(law, fio_taus_next(&job->taus));

        blocks[i] = (uint32_t)fio_block(rank, job->rand_off, law->n);
    }
}
