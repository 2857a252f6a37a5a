/* SPDX-License-Identifier: MIT */
/*
 * The index through the cache, where it is hard on it: growth from one bucket to thousands beside readers who must never miss a
 * key that stays; hashes that all fall into one bucket, one tag, or differ in the tag only; overflow buckets that come and
 * go. genlru_cache_verify looks every entry up. And the comparison of tags, and the tables that grow, by themselves.
 */
#include <string.h>

#include "cache_test.h"
#include "memory.h" /* of cache/ */
#include "tags.h"

enum { NR_STAYING = 2000 };

/* ---- tags ---- */

/* Both ways to compare, with each other and with a loop, on few values, so that every pattern of equal ones comes. */
static void tags(const struct stress_options *options)
{
    struct stress_random random = stress_random(options->seed, 9);
    _Alignas(16) uint8_t tag[16];

    stress_context("tags");
    for (unsigned round = 0; round < 20000; round++) {
        unsigned nr_values = 1 + (unsigned)stress_below(&random, 4), base = (unsigned)stress_below(&random, 256);
        uint32_t expected = 0;

        for (unsigned i = 0; i < sizeof(tag); i++)
            tag[i] = (uint8_t)(base + stress_below(&random, nr_values)); /* of the bytes behind the tags, too */
        for (unsigned i = 0; i < GENLRU__NR_TAGS; i++)
            expected |= (uint32_t)(tag[i] == (uint8_t)base) << i;
        STRESS_CHECK(genlru__tags_match(tag, (uint8_t)base) == expected, "round %u", round);
        STRESS_CHECK(genlru__tags_match_words(tag, (uint8_t)base) == expected, "round %u, words", round);
    }
}

/* ---- tables ---- */

/* Who has read where an array is may read the array, however often it is replaced: nobody says when he is done. */
static void tables(void)
{
    struct genlru__memory memory;
    struct genlru__table table;
    void **seen[10], **prepared;
    unsigned i;

    stress_context("tables");
    genlru__memory_init(&memory, NULL);
    STRESS_CHECK(genlru__table_init(&table, &memory, 1) == 0, "init");
    for (i = 0; i < 10; i++) {
        seen[i] = table.at;
        table.at[table.size - 1] = &seen[i];
        prepared = genlru__table_prepare(&memory, 2 * table.size);
        STRESS_CHECK(prepared && genlru__table_replace(&table, prepared, 2 * table.size), "replace");
        prepared = genlru__table_prepare(&memory, table.size);
        STRESS_CHECK(prepared && !genlru__table_replace(&table, prepared, table.size), "replaced by one as large");
        genlru__table_discard(prepared, &memory);
    }
    for (i = 0; i < 10; i++) {
        STRESS_CHECK(seen[i][(1u << i) - 1] == &seen[i], "an old array");
        STRESS_CHECK(table.at[(1u << i) - 1] == &seen[i], "the last array");
    }
    genlru__table_fini(&table, &memory);
    STRESS_CHECK(memory.bytes == 0, "%llu bytes are left", (unsigned long long)memory.bytes);
}

/* ---- bad hashes ---- */

static uint64_t number_of(const void *key)
{
    uint64_t number;

    memcpy(&number, key, 8);
    return number;
}

static uint64_t one_value(void *ctx, const void *key, size_t key_bytes, uint64_t seed)
{
    (void)ctx, (void)key, (void)key_bytes, (void)seed;
    return 0;
}

static uint64_t tag_only(void *ctx, const void *key, size_t key_bytes, uint64_t seed)
{
    (void)ctx, (void)key_bytes, (void)seed;
    return number_of(key) << 56;
}

static uint64_t no_tag(void *ctx, const void *key, size_t key_bytes, uint64_t seed)
{
    (void)ctx, (void)key_bytes, (void)seed;
    return number_of(key) & 0xffffff;
}

static void bad_hash(const char *name, uint64_t (*hash)(void *, const void *, size_t, uint64_t))
{
    struct cache_test_owner owner = {0, {0}};
    struct genlru_cache_config config = cache_test_config(&owner, GENLRU_NO_LIMIT);
    struct genlru_cache *cache;
    unsigned nr = 0;

    stress_context("%s", name);
    config.hash = hash;
    cache = cache_test_create(&config);
    for (unsigned round = 0; round < 3; round++) {
        for (uint64_t key = 0; key < 300; key++)
            STRESS_CHECK(cache_test_put(cache, &owner, key, round) >= 0, "put");
        cache_test_verify(cache);
        for (uint64_t key = 0; key < 300; key += 1 + round)
            STRESS_CHECK(genlru_cache_erase_u64(cache, key) == 0, "erase");
        for (uint64_t key = 0; key < 300; key++)
            STRESS_CHECK(genlru_cache_contains(cache, &key, 8) == (key % (1 + round) != 0), "key %u", (unsigned)key);
        cache_test_verify(cache);
    }
    nr = (unsigned)genlru_cache_clear(cache);
    STRESS_CHECK(nr == 200 && cache_test_stat(cache).entries == 0, "%u cleared", nr);
    cache_test_destroy(cache, &owner);
}

/* ---- growth beside readers ---- */

struct growth {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t nr_keys;
    unsigned goes_on;
    uint64_t seed;
};

static void play(void *ctx, unsigned thread)
{
    struct growth *g = ctx;
    struct stress_random random = stress_random(g->seed, thread);

    if (thread == 0) {
        for (uint64_t key = NR_STAYING; key < g->nr_keys; key++) {
            STRESS_CHECK(cache_test_put(g->cache, &g->owner, key, 0) == 0, "put");
            if (key % 3 == 0)
                STRESS_CHECK(genlru_cache_erase_u64(g->cache, key) == 0, "erase");
            if (key % 100 == 0)
                genlru_cache_quiescent();
        }
        __atomic_store_n(&g->goes_on, 0, __ATOMIC_RELAXED);
        return;
    }
    while (__atomic_load_n(&g->goes_on, __ATOMIC_RELAXED)) {
        uint64_t key = stress_below(&random, NR_STAYING);

        STRESS_CHECK(genlru_cache_contains(g->cache, &key, 8), "key %u was not found", (unsigned)key);
        genlru_cache_quiescent();
    }
}

static void growth(const struct stress_options *options)
{
    struct growth g = {.goes_on = 1, .seed = options->seed};
    struct genlru_cache_config config = cache_test_config(&g.owner, GENLRU_NO_LIMIT);
    uint64_t before;

    stress_context("growth");
    g.nr_keys = NR_STAYING + stress_scaled(options, 200000);
    g.cache = cache_test_create(&config);
    before = cache_test_stat(g.cache).index_bytes;
    for (uint64_t key = 0; key < NR_STAYING; key++)
        STRESS_CHECK(cache_test_put(g.cache, &g.owner, key, 0) == 0, "put");
    cache_test_run(3, play, &g);
    cache_test_verify(g.cache);
    STRESS_CHECK(cache_test_stat(g.cache).index_bytes > before, "it did not grow");
    STRESS_CHECK(cache_test_stat(g.cache).index_bytes < cache_test_stat(g.cache).entries * 16,
                 "%llu bytes for %llu entries", (unsigned long long)cache_test_stat(g.cache).index_bytes,
                 (unsigned long long)cache_test_stat(g.cache).entries);
    cache_test_destroy(g.cache, &g.owner);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    tags(&options);
    tables();
    bad_hash("one value", one_value);
    bad_hash("tag only", tag_only);
    bad_hash("no tag", no_tag);
    growth(&options);
    genlru_cache_unregister_thread();
    return 0;
}
