/* SPDX-License-Identifier: MIT */
/* libgenlru-cache as a subject of the cache_ benchmarks: made as its users make it, nothing tuned. */
#include <genlru/cache.h>

#include "cache/subject.h"

static void *create(size_t capacity)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    struct genlru_cache *cache;

    config.capacity = capacity;
    config.expected_entries = capacity;
    config.key_kind = GENLRU_CACHE_KEY_U64;
    config.stripes = 2;
    return genlru_cache_create(&config, &cache) == 0 ? cache : NULL;
}

static void destroy(void *cache)
{
    (void)genlru_cache_destroy(cache);
}

static void enter(void)
{
    genlru_cache_register_thread();
}

static void leave(void)
{
    genlru_cache_unregister_thread();
}

static size_t get(void *cache, const uint64_t *keys, size_t nr)
{
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++) {
        struct genlru_cache_entry *e = genlru_cache_get_u64(cache, keys[i]);

        if (e) {
            nr_hits += genlru_cache_value(cache, e) != NULL;
            genlru_cache_release(cache, e);
        }
    }
    genlru_cache_quiescent();
    return nr_hits;
}

static size_t get_section(void *cache, const uint64_t *keys, size_t nr)
{
    size_t nr_hits = 0;

    genlru_cache_read_lock();
    for (size_t i = 0; i < nr; i++) {
        const struct genlru_cache_entry *e = genlru_cache_get_rcu_u64(cache, keys[i]);

        nr_hits += e && genlru_cache_value(cache, e) != NULL;
    }
    genlru_cache_read_unlock();
    genlru_cache_quiescent();
    return nr_hits;
}

static size_t get_or_insert(void *cache, const uint64_t *keys, size_t nr)
{
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++) {
        struct genlru_cache_entry *e = genlru_cache_get_u64(cache, keys[i]);
        struct genlru_cache_insert how = {.value = (void *)(uintptr_t)keys[i], .charge = 1};

        if (e) {
            nr_hits++;
            genlru_cache_release(cache, e);
        } else if (genlru_cache_insert_u64(cache, keys[i], &how, NULL) < 0) {
            break;
        }
    }
    genlru_cache_quiescent();
    return nr_hits;
}

const struct cache_subject_ops cache_subject_genlru = {
    "genlru", create, destroy, enter, leave, get, get_section, get_or_insert,
};
