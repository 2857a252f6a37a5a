/* SPDX-License-Identifier: MIT */
/*
 * Case 11 (batch eviction empties a small cache). Capacities 1 to 300: all of it is used; one more insert evicts at least one
 * and at most max(1, 1/64 of the capacity); the one just inserted is there. The same by bytes. Capacity 0 keeps nothing,
 * and says so.
 */
#include <errno.h>
#include <string.h>

#include "cache_test.h"

static struct cache_test_owner owner;

static void by_count(uint64_t capacity)
{
    struct genlru_cache_config config = cache_test_config(&owner, capacity);
    struct genlru_cache *cache = cache_test_create(&config);
    uint64_t slack = capacity / 64 > 1 ? capacity / 64 : 1, key;

    stress_context("capacity %llu", (unsigned long long)capacity);
    for (key = 0; key < capacity; key++)
        STRESS_CHECK(cache_test_put(cache, &owner, key, 0) == 0, "put");
    STRESS_CHECK(cache_test_stat(cache).entries == capacity, "not all of it is used");
    for (; key < capacity + 50; key++) {
        uint64_t entries;

        STRESS_CHECK(cache_test_put(cache, &owner, key, 0) == 0, "put");
        STRESS_CHECK(genlru_cache_contains(cache, &key, 8), "what was inserted is gone");
        entries = cache_test_stat(cache).entries;
        STRESS_CHECK(entries <= capacity && entries + slack > capacity, "%llu left", (unsigned long long)entries);
    }
    cache_test_destroy(cache, &owner);
}

static void by_bytes(uint64_t capacity)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    char value[40] = "value", key[16] = "key";
    struct genlru_cache_insert how = {.value = value};
    struct genlru_cache *cache;

    config.capacity = capacity;
    config.value_kind = GENLRU_CACHE_VALUE_INLINE;
    config.limit = GENLRU_CACHE_HARD;
    cache = cache_test_create(&config);
    for (unsigned i = 0; i < 200; i++) {
        size_t key_bytes = 1 + i % sizeof(key);
        int result;

        key[0] = (char)i;
        how.value_bytes = i * 7 % sizeof(value);
        result = genlru_cache_insert(cache, key, key_bytes, &how, NULL);
        if (key_bytes + how.value_bytes > capacity)
            STRESS_CHECK(result == -EFBIG, "%d", result);
        else
            STRESS_CHECK(result >= 0 && genlru_cache_contains(cache, key, key_bytes), "insert: %d", result);
        STRESS_CHECK(cache_test_stat(cache).charge <= capacity, "over the capacity");
    }
    cache_test_verify(cache);
    STRESS_CHECK(genlru_cache_destroy(cache) == 0, "destroy");
}

static void nothing(void)
{
    struct genlru_cache_config config = cache_test_config(&owner, 0);
    struct genlru_cache *cache = cache_test_create(&config);
    struct genlru_cache_insert weightless = {.flags = GENLRU_CACHE_INSERT_WEIGHTLESS};

    STRESS_CHECK(cache_test_put(cache, &owner, 1, 0) == -EFBIG, "capacity 0 took an entry");
    STRESS_CHECK(genlru_cache_insert_u64(cache, 1, &weightless, NULL) == -EFBIG, "... or one that weighs nothing");
    STRESS_CHECK(!genlru_cache_get_u64(cache, 1) && cache_test_stat(cache).entries == 0, "kept something");
    genlru_cache_set_capacity(cache, 2);
    STRESS_CHECK(cache_test_put(cache, &owner, 1, 0) == 0, "capacity 2");
    cache_test_destroy(cache, &owner);
}

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    for (uint64_t capacity = 1; capacity <= 300;
         capacity += capacity < 66 || capacity > 125 ? 1 + 6 * (capacity > 66 && capacity < 299) : 1)
        by_count(capacity);
    for (uint64_t capacity = 1; capacity <= 300; capacity += 13)
        by_bytes(capacity);
    nothing();
    genlru_cache_unregister_thread();
    return 0;
}
