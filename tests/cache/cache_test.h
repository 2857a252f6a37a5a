/* SPDX-License-Identifier: MIT */
/* What the tests of libgenlru-cache share: a cache that counts its values, and checks. */
#ifndef GENLRU_TESTS_CACHE_TEST_H
#define GENLRU_TESTS_CACHE_TEST_H

#include <genlru/cache.h>

#include "../stress/stress.h"

/* Everything holds: genlru_cache_verify finds nothing. No other call may be running. */
void cache_test_verify(struct genlru_cache *cache);

struct genlru_cache_stat cache_test_stat(struct genlru_cache *cache);

/* A value made of an allocation of its own, so that sanitizers see its life: made once, released once. */
struct cache_test_value {
    uint64_t key;
    uint64_t version;
    uint32_t is_released; /* then poisoned and freed */
};

/* Counts values made and released, by cause. */
struct cache_test_owner {
    uint64_t made;
    uint64_t released[6];
};

struct cache_test_value *cache_test_make(struct cache_test_owner *owner, uint64_t key, uint64_t version);
/* For values that no cache took. */
void cache_test_free(struct cache_test_owner *owner, struct cache_test_value *value);
/* config.release with ctx = owner. */
void cache_test_release(void *owner, const struct genlru_cache_info *info, enum genlru_cache_cause cause);
uint64_t cache_test_released(const struct cache_test_owner *owner);

/* KEY_U64 and pointers, with `owner`'s release. */
struct genlru_cache_config cache_test_config(struct cache_test_owner *owner, uint64_t capacity);
struct genlru_cache *cache_test_create(const struct genlru_cache_config *config);
/* Destroys it, and every value made must have been released. */
void cache_test_destroy(struct genlru_cache *cache, const struct cache_test_owner *owner);

/* A value of charge 1 under `key`: the answer of genlru_cache_insert_u64; a refused value is freed. */
int cache_test_put(struct genlru_cache *cache, struct cache_test_owner *owner, uint64_t key, uint64_t version);

/* A clock that tests set. */
uint64_t cache_test_now(void *now_ns);

/* stress_run with threads that are registered. */
void cache_test_run(unsigned nr_threads, void (*body)(void *ctx, unsigned thread), void *ctx);

#endif
