/* SPDX-License-Identifier: MIT */
/*
 * ghosts.h - ARC's memory of evicted keys: two lists over a fixed pool, and a hash table of chains to find them
 *
 *      bucket[hash] ─▶ ghost ─▶ ghost ─▶ 0        ghost: key, list, 32-bit links of its list and its chain
 */
#ifndef GENLRU_BENCH_MICRO_SUBJECT_GHOSTS_H
#define GENLRU_BENCH_MICRO_SUBJECT_GHOSTS_H

#include <stddef.h>
#include <stdint.h>

enum ghost_list { GHOSTS_B1, GHOSTS_B2, GHOSTS_NONE };

struct ghost {
    uint64_t key;
    uint32_t prev; /* of its list; 0 and 1 are the lists' heads */
    uint32_t next;
    uint32_t chain; /* next with the same hash, or next free one; 0 = none */
    uint32_t list;
};

struct ghosts {
    struct ghost *pool;
    uint32_t *bucket;
    size_t nr[2];
    uint32_t free;
    size_t capacity;
    unsigned shift; /* of a 64-bit hash down to a bucket */
};

/* 0 or -ENOMEM */
int ghosts_init(struct ghosts *ghosts, size_t capacity);
void ghosts_fini(struct ghosts *ghosts);

enum ghost_list ghosts_find(const struct ghosts *ghosts, uint64_t key);
/* Remembers a key that is not remembered; when the pool is used up the longer list forgets its oldest. */
void ghosts_put(struct ghosts *ghosts, uint64_t key, enum ghost_list list);
/* Forgets a key that is remembered. */
void ghosts_take(struct ghosts *ghosts, uint64_t key);
/* Forgets the oldest of a list that is not empty. */
void ghosts_drop(struct ghosts *ghosts, enum ghost_list list);

static inline uint32_t *ghosts_bucket(const struct ghosts *ghosts, uint64_t key)
{
    return &ghosts->bucket[(key * 0x9e3779b97f4a7c15u) >> ghosts->shift];
}

static inline void ghosts_prefetch(const struct ghosts *ghosts, uint64_t key)
{
    __builtin_prefetch(ghosts_bucket(ghosts, key), 1);
}

#endif
