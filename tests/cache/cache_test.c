/* SPDX-License-Identifier: MIT */
/* See cache_test.h. */
#include "cache_test.h"

#include <stdlib.h>
#include <string.h>

void cache_test_verify(struct genlru_cache *cache)
{
    char text[200] = "";
    int broken = genlru_cache_verify(cache, text, sizeof(text));

    STRESS_CHECK(broken == 0, "invariant %d: %s", broken, text);
}

struct genlru_cache_stat cache_test_stat(struct genlru_cache *cache)
{
    struct genlru_cache_stat stat;

    memset(&stat, 0, sizeof(stat));
    stat.size = sizeof(stat);
    STRESS_CHECK(genlru_cache_stat(cache, &stat) == 0, "stat");
    return stat;
}

struct cache_test_value *cache_test_make(struct cache_test_owner *owner, uint64_t key, uint64_t version)
{
    struct cache_test_value *value = malloc(sizeof(*value));

    STRESS_CHECK(value, "no memory");
    *value = (struct cache_test_value){key, version, 0};
    __atomic_fetch_add(&owner->made, 1, __ATOMIC_RELAXED);
    return value;
}

static void end(struct cache_test_value *value)
{
    STRESS_CHECK(__atomic_exchange_n(&value->is_released, 1, __ATOMIC_RELAXED) == 0, "released twice: %llu",
                 (unsigned long long)value->key);
    value->key = value->version = UINT64_C(0xdddddddddddddddd);
    free(value);
}

void cache_test_free(struct cache_test_owner *owner, struct cache_test_value *value)
{
    end(value);
    __atomic_fetch_sub(&owner->made, 1, __ATOMIC_RELAXED);
}

void cache_test_release(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause)
{
    struct cache_test_owner *owner = ctx;
    struct cache_test_value *value = info->value;

    STRESS_CHECK(info->key_bytes == 8 && memcmp(info->key, &value->key, 8) == 0, "released under another key");
    STRESS_CHECK((unsigned)cause < 6, "cause %d", (int)cause);
    end(value);
    __atomic_fetch_add(&owner->released[cause], 1, __ATOMIC_RELAXED);
}

uint64_t cache_test_released(const struct cache_test_owner *owner)
{
    uint64_t nr = 0;

    for (unsigned i = 0; i < 6; i++)
        nr += __atomic_load_n(&owner->released[i], __ATOMIC_RELAXED);
    return nr;
}

struct genlru_cache_config cache_test_config(struct cache_test_owner *owner, uint64_t capacity)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;

    config.capacity = capacity;
    config.key_kind = GENLRU_CACHE_KEY_U64;
    config.seed = 1;
    config.release = cache_test_release;
    config.ctx = owner;
    return config;
}

struct genlru_cache *cache_test_create(const struct genlru_cache_config *config)
{
    struct genlru_cache *cache;
    int error = genlru_cache_create(config, &cache);

    STRESS_CHECK(error == 0, "create: %d", error);
    return cache;
}

void cache_test_destroy(struct genlru_cache *cache, const struct cache_test_owner *owner)
{
    int error = genlru_cache_destroy(cache);

    STRESS_CHECK(error == 0, "destroy: %d", error);
    STRESS_CHECK(cache_test_released(owner) == owner->made, "%llu values made, %llu released",
                 (unsigned long long)owner->made, (unsigned long long)cache_test_released(owner));
}

int cache_test_put(struct genlru_cache *cache, struct cache_test_owner *owner, uint64_t key, uint64_t version)
{
    struct cache_test_value *value = cache_test_make(owner, key, version);
    struct genlru_cache_insert how = {.value = value, .charge = 1};
    int result = genlru_cache_insert_u64(cache, key, &how, NULL);

    if (result < 0)
        cache_test_free(owner, value);
    return result;
}

uint64_t cache_test_now(void *now_ns)
{
    return __atomic_load_n((uint64_t *)now_ns, __ATOMIC_RELAXED);
}

struct run {
    void (*body)(void *ctx, unsigned thread);
    void *ctx;
};

static void registered(void *ctx, unsigned thread)
{
    struct run *run = ctx;

    genlru_cache_register_thread();
    run->body(run->ctx, thread);
    genlru_cache_unregister_thread();
}

void cache_test_run(unsigned nr_threads, void (*body)(void *ctx, unsigned thread), void *ctx)
{
    struct run run = {body, ctx};

    genlru_cache_offline();
    stress_run(nr_threads, registered, &run);
    genlru_cache_online();
}
