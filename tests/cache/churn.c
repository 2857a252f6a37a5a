/* SPDX-License-Identifier: MIT */
/*
 * Everything at once: threads insert, replace, look up, hold, erase, expire, recharge and reserve over a few keys while others
 * evict, change the capacity, walk and take statistics. Each value is an allocation of its own that is poisoned and
 * freed when it is released, so a use after that, a double release or a leak is seen by the sanitizers and by the count; at
 * the end genlru_cache_verify must find nothing. Run once per limit and kind of room: nothing to spare, little, plenty.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"

enum { NR_THREADS = 4, NR_KEYS = 300, HELD = 4 };

struct churn {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    uint64_t seed;
    uint64_t now_ns;
    uint64_t capacity;
    unsigned nr_steps;
};

static void check_entry(struct churn *c, const struct genlru_cache_entry *e, uint64_t key)
{
    const struct cache_test_value *value = genlru_cache_value(c->cache, e);

    STRESS_CHECK(value->key == key, "key %llu has the value of %llu", (unsigned long long)key,
                 (unsigned long long)value->key);
    STRESS_CHECK(!__atomic_load_n(&value->is_released, __ATOMIC_RELAXED), "a released value was found");
}

static void insert(struct churn *c, struct stress_random *random, uint64_t key)
{
    struct genlru_cache_insert how = {.charge = 1 + stress_below(random, 3)};
    struct cache_test_value *value = cache_test_make(&c->owner, key, 0);
    struct genlru_cache_reservation reservation = {0};
    struct genlru_cache_entry *e = NULL;
    int result;

    how.value = value;
    how.mode = (enum genlru_cache_mode)stress_below(random, 3);
    how.flags = stress_once_in(random, 8) ? 1u << stress_below(random, 4) : 0;
    if (stress_once_in(random, 6))
        how.ttl_ns = GENLRU_CACHE_TICK_NS * (1 + stress_below(random, 50));
    if (stress_once_in(random, 5) && genlru_cache_reserve(c->cache, how.charge, &reservation) == 0)
        how.reservation = &reservation;
    result = genlru_cache_insert_u64(c->cache, key, &how, stress_once_in(random, 2) ? &e : NULL);
    genlru_cache_unreserve(c->cache, &reservation);
    if (result < 0) {
        STRESS_CHECK(result == -EEXIST || result == -ENOENT || result == -ENOBUFS || result == -EAGAIN ||
                         result == -EPERM || result == -EFBIG,
                     "insert: %d", result);
        cache_test_free(&c->owner, value);
    }
    if (!e)
        return;
    check_entry(c, e, key);
    if (stress_once_in(random, 3))
        (void)genlru_cache_recharge(c->cache, e, stress_below(random, 5));
    if (stress_once_in(random, 8))
        (void)genlru_cache_erase_entry(c->cache, e);
    check_entry(c, e, key);
    genlru_cache_release(c->cache, e);
}

static int load(void *ctx, const void *key, size_t key_bytes, struct genlru_cache_insert *ret_how)
{
    struct churn *c = ctx;
    uint64_t number;

    STRESS_CHECK(key_bytes == 8, "%zu bytes", key_bytes);
    memcpy(&number, key, 8);
    if (number % 17 == 3)
        return -EIO;
    ret_how->value = cache_test_make(&c->owner, number, 1);
    ret_how->charge = 1;
    return 0;
}

struct held {
    struct genlru_cache_entry *entry;
    uint64_t key;
};

static void look(struct churn *c, struct stress_random *random, uint64_t key, struct held *held)
{
    struct genlru_cache_load how = {load, c, 1, GENLRU_NO_LIMIT};
    struct held *slot = &held[stress_below(random, HELD)];
    struct genlru_cache_entry *e = NULL;
    int error;

    switch (stress_below(random, 4)) {
    case 0:
        genlru_cache_read_lock();
        e = genlru_cache_get_rcu_u64(c->cache, key);
        if (e)
            check_entry(c, e, key);
        if (e && genlru_cache_pin(c->cache, e) != 0)
            e = NULL;
        genlru_cache_read_unlock();
        break;
    case 1:
        error = genlru_cache_get_or_load(c->cache, &key, sizeof(key), &how, &e);
        STRESS_CHECK(error == 0 || (error == -EIO && key % 17 == 3), "get_or_load: %d", error);
        break;
    case 2:
        e = genlru_cache_peek(c->cache, &key, sizeof(key));
        break;
    default:
        e = genlru_cache_get_u64(c->cache, key);
    }
    if (!e)
        return;
    check_entry(c, e, key);
    if (stress_once_in(random, 10))
        (void)genlru_cache_set_ttl(c->cache, e, GENLRU_CACHE_TICK_NS * stress_below(random, 20));
    if (slot->entry) {
        check_entry(c, slot->entry, slot->key);
        genlru_cache_release(c->cache, slot->entry);
    }
    *slot = (struct held){e, key};
}

static int visit(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    struct churn *c = ctx;
    uint64_t key;

    memcpy(&key, info->key, 8);
    check_entry(c, e, key);
    return 0;
}

static void oversee(struct churn *c, struct stress_random *random)
{
    struct genlru_cache_stat stat;

    switch (stress_below(random, 6)) {
    case 0:
        STRESS_CHECK(genlru_cache_iterate(c->cache, visit, c) == 0, "iterate");
        break;
    case 1:
        genlru_cache_set_capacity(c->cache,
                                  stress_once_in(random, 4) ? 0 : stress_below(random, 2 * (unsigned)c->capacity));
        genlru_cache_maintain(c->cache, 20);
        genlru_cache_set_capacity(c->cache, c->capacity);
        break;
    case 2:
        __atomic_fetch_add(&c->now_ns, GENLRU_CACHE_TICK_NS * stress_below(random, 3), __ATOMIC_RELAXED);
        break;
    case 3:
        if (stress_once_in(random, 10))
            (void)(stress_once_in(random, 2) ? genlru_cache_clear(c->cache) : genlru_cache_prune(c->cache));
        break;
    case 4:
        if (stress_once_in(random, 20))
            (void)genlru_cache_drain(c->cache);
        break;
    default:
        stat = cache_test_stat(c->cache);
        STRESS_CHECK(stat.entries < 100000 && stat.charge < 1000000 && stat.waiting < 10000000, "a figure wrapped");
    }
}

static void play(void *ctx, unsigned thread)
{
    struct churn *c = ctx;
    struct stress_random random = stress_random(c->seed, thread);
    struct held held[HELD] = {{NULL, 0}};

    for (unsigned i = 0; i < c->nr_steps; i++) {
        uint64_t key = stress_below(&random, stress_once_in(&random, 2) ? NR_KEYS : 8);
        unsigned what = stress_below(&random, 100);

        if (what < 35)
            insert(c, &random, key);
        else if (what < 90)
            look(c, &random, key, held);
        else if (what < 98)
            (void)genlru_cache_erase_u64(c->cache, key);
        else
            oversee(c, &random);
        if (i % 64 == 0)
            genlru_cache_quiescent();
    }
    for (unsigned i = 0; i < HELD; i++)
        genlru_cache_release(c->cache, held[i].entry);
}

static void run(const struct stress_options *options, uint64_t capacity, enum genlru_cache_limit limit, uint32_t flags)
{
    struct churn *c = calloc(1, sizeof(*c));
    struct genlru_cache_config config;

    STRESS_CHECK(c, "no memory");
    stress_context("capacity %llu, limit %d, flags %u", (unsigned long long)capacity, (int)limit, flags);
    config = cache_test_config(&c->owner, capacity);
    config.limit = limit;
    config.flags = flags;
    config.stripes = 2;
    config.now_ns = cache_test_now;
    config.clock_ctx = &c->now_ns;
    c->cache = cache_test_create(&config);
    c->seed = options->seed;
    c->capacity = capacity;
    c->nr_steps = stress_scaled(options, 40000);
    cache_test_run(NR_THREADS, play, c);
    if (!flags)
        cache_test_verify(c->cache);
    cache_test_destroy(c->cache, &c->owner);
    free(c);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    run(&options, 3, GENLRU_CACHE_SOFT, 0);
    run(&options, 64, GENLRU_CACHE_HARD, 0);
    run(&options, 200, GENLRU_CACHE_SOFT, GENLRU_CACHE_MAINTENANCE | GENLRU_CACHE_COUNT_LOOKUPS);
    run(&options, 2000, GENLRU_CACHE_RESERVE_FIRST, 0);
    genlru_cache_unregister_thread();
    return 0;
}
