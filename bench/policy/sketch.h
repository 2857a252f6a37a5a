/* SPDX-License-Identifier: MIT */
/*
 * sketch.h - how often an id was asked for lately, in a few bits: TinyLFU's frequency sketch
 *
 *      add ─▶ doorkeeper (Bloom filter): not in it? put in, done
 *                  │ in it
 *                  ▼
 *             count-min: 4 rows of 4-bit counters, one of each row is the id's
 *
 *      estimate = least of the 4 counters, + 1 if the doorkeeper knows the id
 *      after `sample` additions: all counters halved, the doorkeeper emptied
 *
 * Einziger, Friedman, Manes: TinyLFU, ACM Transactions on Storage 13(4), 2017.
 */
#ifndef GENLRU_BENCH_POLICY_SKETCH_H
#define GENLRU_BENCH_POLICY_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

struct sketch {
    uint64_t *rows;       /* one table for all rows, 16 counters a word; power of two */
    uint64_t *doorkeeper; /* bits; power of two */
    uint64_t counter_mask;
    uint64_t door_mask;
    uint64_t nr_words; /* of rows */
    uint64_t sample;
    uint64_t additions; /* since the last reset */
};

/* For a cache of so many entries (> 0). 0 or -ENOMEM; sketch_fini may follow in either case. */
int sketch_init(struct sketch *s, uint64_t capacity);
void sketch_fini(struct sketch *s);

/* Counts one request. O(1) but for the reset. */
void sketch_add(struct sketch *s, uint32_t id);
/* 0 … 16 */
unsigned sketch_estimate(const struct sketch *s, uint32_t id);
void sketch_prefetch(const struct sketch *s, uint32_t id);

#endif
