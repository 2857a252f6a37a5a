/* SPDX-License-Identifier: MIT */
/*
 * Lifetimes on a clock of the test's: never early, at most two ticks late; the default, its exception, changed lifetimes; who removes the
 * expired: a look-up, inserts in passing, maintain, the maintenance thread; with cause EXPIRED. And the maintenance thread keeps
 * the cache at its low watermark.
 */
#include <errno.h>
#include <sched.h>

#include "cache_test.h"

static struct cache_test_owner owner;
static uint64_t now_ns;

#define TICKS(n) ((n)*GENLRU_CACHE_TICK_NS)

static struct genlru_cache *create(uint64_t capacity, uint64_t ttl_ns, uint32_t flags, uint64_t low)
{
    struct genlru_cache_config config = cache_test_config(&owner, capacity);

    owner = (struct cache_test_owner){0, {0}};
    config.ttl_ns = ttl_ns;
    config.flags = flags;
    config.low_watermark = low;
    config.now_ns = cache_test_now;
    config.clock_ctx = &now_ns;
    return cache_test_create(&config);
}

static void set_now(uint64_t ns)
{
    __atomic_store_n(&now_ns, ns, __ATOMIC_RELAXED);
}

static int put(struct genlru_cache *cache, uint64_t key, uint64_t ttl_ns)
{
    struct genlru_cache_insert how = {.value = cache_test_make(&owner, key, 0), .charge = 1, .ttl_ns = ttl_ns};

    return genlru_cache_insert_u64(cache, key, &how, NULL);
}

static bool is_there(struct genlru_cache *cache, uint64_t key)
{
    return genlru_cache_contains(cache, &key, 8);
}

static void times(uint64_t start)
{
    struct genlru_cache *cache = create(100, 0, 0, 0);
    struct genlru_cache_entry *e;
    uint64_t key;

    stress_context("from %llu", (unsigned long long)start);
    set_now(start);
    for (key = 1; key <= 20; key++)
        STRESS_CHECK(put(cache, key, TICKS(key) / 2) == 0, "put");
    for (uint64_t t = 0; t < TICKS(14); t += GENLRU_CACHE_TICK_NS / 4) {
        set_now(start + t);
        for (key = 1; key <= 20; key++) {
            if (t < TICKS(key) / 2)
                STRESS_CHECK(is_there(cache, key), "expired early");
            if (t >= TICKS(key) / 2 + TICKS(2))
                STRESS_CHECK(!is_there(cache, key), "expired late");
        }
    }
    STRESS_CHECK(put(cache, 30, TICKS(5)) == 0 && (e = genlru_cache_get_u64(cache, 30)) != NULL, "put");
    STRESS_CHECK(genlru_cache_set_ttl(cache, e, TICKS(50)) == 0, "longer");
    set_now(now_ns + TICKS(20));
    STRESS_CHECK(is_there(cache, 30), "a longer life");
    STRESS_CHECK(genlru_cache_set_ttl(cache, e, 0) == 0, "for ever");
    set_now(now_ns + TICKS(1000));
    STRESS_CHECK(is_there(cache, 30), "for ever");
    STRESS_CHECK(genlru_cache_set_ttl(cache, e, GENLRU_CACHE_TTL_MAX_NS + 1) == -ERANGE, "too long");
    STRESS_CHECK(genlru_cache_set_ttl(cache, e, 1) == 0, "at once");
    set_now(now_ns + TICKS(2));
    STRESS_CHECK(!is_there(cache, 30) && !genlru_cache_get_u64(cache, 30), "expired");
    STRESS_CHECK(((struct cache_test_value *)genlru_cache_value(cache, e))->key == 30, "held all the same");
    genlru_cache_release(cache, e);
    cache_test_destroy(cache, &owner);
}

static void who_removes(void)
{
    struct genlru_cache *cache = create(1000, TICKS(3), 0, 0);
    uint64_t key, nr_slices = 0;

    set_now(TICKS(100));
    for (key = 0; key < 100; key++)
        STRESS_CHECK(put(cache, key, key < 10 ? GENLRU_NO_LIMIT : 0) == 0, "put");
    set_now(TICKS(110));
    STRESS_CHECK(!genlru_cache_get_u64(cache, 50), "expired");
    STRESS_CHECK(cache_test_stat(cache).removed[GENLRU_CACHE_EXPIRED] == 1, "a look-up removes what it finds expired");
    STRESS_CHECK(genlru_cache_erase_u64(cache, 51) == -ENOENT, "erase of an expired one");
    for (key = 1000; key < 1300; key++)
        STRESS_CHECK(put(cache, key, GENLRU_NO_LIMIT) == 0, "put");
    STRESS_CHECK(cache_test_stat(cache).removed[GENLRU_CACHE_EXPIRED] > 20, "inserts remove them in passing");
    while (cache_test_stat(cache).entries > 310) {
        (void)genlru_cache_maintain(cache, 64);
        STRESS_CHECK(++nr_slices < 1000, "maintain does not");
    }
    for (key = 0; key < 10; key++)
        STRESS_CHECK(is_there(cache, key), "those without a lifetime stay");
    STRESS_CHECK(genlru_cache_drain(cache) == 0 && owner.released[GENLRU_CACHE_EXPIRED] == 90, "%llu released",
                 (unsigned long long)owner.released[GENLRU_CACHE_EXPIRED]);
    cache_test_verify(cache);
    cache_test_destroy(cache, &owner);
}

static void keeper(void)
{
    struct genlru_cache *cache = create(1000, 0, GENLRU_CACHE_MAINTENANCE, 600);
    uint64_t key;

    set_now(TICKS(100));
    for (key = 0; key < 1000; key++)
        STRESS_CHECK(put(cache, key, key % 2 ? 0 : TICKS(3)) == 0, "put");
    genlru_cache_offline();
    while (cache_test_stat(cache).charge > 600) /* ends, or the test's time does */
        sched_yield();
    set_now(TICKS(200));
    while (cache_test_stat(cache).removed[GENLRU_CACHE_EXPIRED] + cache_test_stat(cache).removed[GENLRU_CACHE_EVICTED] +
                   500 <
               1000 ||
           cache_test_stat(cache).waiting)
        sched_yield();
    genlru_cache_online();
    cache_test_destroy(cache, &owner);
}

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    times(TICKS(10));
    times(TICKS((UINT64_C(1) << 32) - 7)); /* ticks wrap */
    times(TICKS((UINT64_C(1) << 31) - 7) + 5);
    who_removes();
    keeper();
    genlru_cache_unregister_thread();
    return 0;
}
