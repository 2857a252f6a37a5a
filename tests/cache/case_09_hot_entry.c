/* SPDX-License-Identifier: MIT */
/*
 * Case 9 (all threads hit one entry). Once the entry is hot, look-ups in read sections store nothing in it: its first
 * forty bytes, which hold key, pins, expiry and core's word, stay what they are while three threads look it up. With handles the count of
 * pins comes back to what it was.
 */
#include <string.h>

#include "cache_test.h"

enum { NR_THREADS = 3, ENTRY_BYTES = 40 };

struct hot {
    struct genlru_cache *cache;
    unsigned nr_looks;
};

static void look(void *ctx, unsigned thread)
{
    struct hot *h = ctx;

    genlru_cache_read_lock();
    for (unsigned i = 0; i < h->nr_looks; i++)
        STRESS_CHECK(genlru_cache_get_rcu_u64(h->cache, 5), "gone");
    genlru_cache_read_unlock();
    (void)thread;
}

static void hold(void *ctx, unsigned thread)
{
    struct hot *h = ctx;

    for (unsigned i = 0; i < h->nr_looks / 4; i++) {
        struct genlru_cache_entry *e = genlru_cache_get_u64(h->cache, 5);

        STRESS_CHECK(e, "gone");
        genlru_cache_release(h->cache, e);
    }
    (void)thread;
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    struct cache_test_owner owner = {0, {0}};
    struct genlru_cache_config config = cache_test_config(&owner, 100);
    struct hot h = {NULL, stress_scaled(&options, 400000)};
    struct genlru_cache_entry *e;
    unsigned char before[ENTRY_BYTES];

    genlru_cache_register_thread();
    h.cache = cache_test_create(&config);
    STRESS_CHECK(cache_test_put(h.cache, &owner, 5, 0) == 0, "put");
    for (unsigned i = 0; i < 100; i++) { /* until it is hot */
        genlru_cache_read_lock();
        STRESS_CHECK(genlru_cache_get_rcu_u64(h.cache, 5), "gone");
        genlru_cache_read_unlock();
    }
    e = genlru_cache_get_u64(h.cache, 5); /* keeps it where it is */
    memcpy(before, e, ENTRY_BYTES);
    cache_test_run(NR_THREADS, look, &h);
    STRESS_CHECK(memcmp(before, e, ENTRY_BYTES) == 0, "a look-up of a hot entry stored something");
    cache_test_run(NR_THREADS, hold, &h);
    STRESS_CHECK(memcmp(before, e, ENTRY_BYTES) == 0, "pins do not balance");
    genlru_cache_release(h.cache, e);
    cache_test_destroy(h.cache, &owner);
    genlru_cache_unregister_thread();
    return 0;
}
