/* SPDX-License-Identifier: MIT */
/*
 * subject.h - a cache as the cache_ benchmarks see it: 64-bit keys, a pointer each, charge 1
 *
 * Calls take many keys, so that their own cost does not count. They may be made by several threads at once, between
 * enter and leave. Every subject looks its keys up, reads the value's pointer and lets the handle go; peers in C++ get the
 * bytes of the key (RocksDB's HyperClockCache wants 16 of them), and take their key from the same number.
 */
#ifndef GENLRU_BENCH_CACHE_SUBJECT_H
#define GENLRU_BENCH_CACHE_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cache_subject_ops {
    const char *name;
    /* Room for `capacity` entries; NULL: no memory. */
    void *(*create)(size_t capacity);
    void (*destroy)(void *cache);
    void (*enter)(void); /* by each thread first; may be NULL, like leave */
    void (*leave)(void);
    /* Looks up keys[0 … nr-1]; how many were there. */
    size_t (*get)(void *cache, const uint64_t *keys, size_t nr);
    /* The same in one read section, without handles; NULL: this cache has none. */
    size_t (*get_section)(void *cache, const uint64_t *keys, size_t nr);
    /* Looks up each, and inserts it if it is not there; how many were. */
    size_t (*get_or_insert)(void *cache, const uint64_t *keys, size_t nr);
};

/* A number's key, and its value: scattered, never 0. */
static inline uint64_t cache_key(uint64_t number)
{
    return (number + 1) * 0x9e3779b97f4a7c15u;
}

extern const struct cache_subject_ops cache_subject_genlru;
extern const struct cache_subject_ops cache_subject_list_map;
extern const struct cache_subject_ops cache_subject_list_map_16;
extern const struct cache_subject_ops cache_subject_leveldb;
extern const struct cache_subject_ops cache_subject_rocksdb_lru;
extern const struct cache_subject_ops cache_subject_hyperclock;
extern const struct cache_subject_ops cache_subject_libcuckoo;
extern const struct cache_subject_ops cache_subject_lfht; /* no cache: look-ups only */

#ifdef __cplusplus
}
#endif
#endif
