/* SPDX-License-Identifier: MIT */
/*
 * Case 8 (one slow victim blocks the rest). The release of one value, and later can_evict for one, does not return before
 * the test says so. Meanwhile other threads insert ten times the capacity, look up, erase and walk: no lock of the cache's is
 * held around the owner's functions, and liburcu's thread does not run them.
 */
#include <sched.h>

#include "cache_test.h"

enum { CAPACITY = 200, SLOW_KEY = 7, NR_THREADS = 3 };

struct slow {
    struct cache_test_owner owner;
    struct genlru_cache *cache;
    bool in_release; /* it is release that is slow, else can_evict */
    unsigned is_blocked;
    unsigned may_go;
    unsigned nr_working;
    unsigned nr_inserts;
};

static void wait(struct slow *s)
{
    if (__atomic_exchange_n(&s->is_blocked, 1, __ATOMIC_ACQ_REL))
        return;
    genlru_cache_offline();
    while (!__atomic_load_n(&s->may_go, __ATOMIC_ACQUIRE))
        sched_yield();
    genlru_cache_online();
}

static void release(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause)
{
    struct slow *s = ctx;

    if (s->in_release && ((struct cache_test_value *)info->value)->key == SLOW_KEY)
        wait(s);
    cache_test_release(&s->owner, info, cause);
}

static int can_evict(void *ctx, const struct genlru_cache_info *info)
{
    struct slow *s = ctx;

    if (!s->in_release && ((struct cache_test_value *)info->value)->key == SLOW_KEY)
        wait(s);
    return 1;
}

static void insert_until_blocked(struct slow *s)
{
    for (uint64_t key = 1000000; !__atomic_load_n(&s->is_blocked, __ATOMIC_ACQUIRE); key++) {
        (void)cache_test_put(s->cache, &s->owner, key, 0);
        genlru_cache_quiescent();
    }
}

static void go_on(struct slow *s, uint64_t first)
{
    for (unsigned i = 0; i < s->nr_inserts; i++) {
        uint64_t key = first + i;

        STRESS_CHECK(cache_test_put(s->cache, &s->owner, key, 0) == 0, "put");
        (void)genlru_cache_touch(s->cache, &key, 8);
        if (i % 7 == 0)
            (void)genlru_cache_erase_u64(s->cache, key);
        genlru_cache_quiescent();
    }
}

static void play(void *ctx, unsigned thread)
{
    struct slow *s = ctx;

    if (thread == 0) { /* the one that gets stuck */
        insert_until_blocked(s);
        return;
    }
    /* the blocked one may be this thread as well: then the others are the ones that go on */
    while (!__atomic_load_n(&s->is_blocked, __ATOMIC_ACQUIRE)) {
        genlru_cache_quiescent();
        sched_yield();
    }
    go_on(s, thread * UINT64_C(1000000000));
    if (__atomic_sub_fetch(&s->nr_working, 1, __ATOMIC_ACQ_REL) == 0)
        __atomic_store_n(&s->may_go, 1, __ATOMIC_RELEASE);
}

static void run(const struct stress_options *options, bool in_release)
{
    struct slow s = {.in_release = in_release, .nr_working = NR_THREADS - 1};
    struct genlru_cache_config config = cache_test_config(NULL, CAPACITY);

    s.nr_inserts = 10 * CAPACITY + stress_scaled(options, 5000);
    config.release = release;
    config.can_evict = can_evict;
    config.ctx = &s;
    s.cache = cache_test_create(&config);
    STRESS_CHECK(cache_test_put(s.cache, &s.owner, SLOW_KEY, 0) == 0, "put");
    cache_test_run(NR_THREADS, play, &s);
    cache_test_verify(s.cache);
    cache_test_destroy(s.cache, &s.owner);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    run(&options, true);
    run(&options, false);
    genlru_cache_unregister_thread();
    return 0;
}
