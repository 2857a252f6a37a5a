/* SPDX-License-Identifier: MIT */
/*
 * Case 12 (a callback that calls back). release and can_evict call stat, get, insert (which evicts more), erase of the same and
 * of other keys, iterate, maintain, set_capacity; called themselves from insert, erase, clear, maintain, drain and destroy.
 * All of it works; removals in a callback are released later, so calls do not nest; destroy and drain are
 * refused. Every value is released once.
 */
#include <errno.h>

#include "cache_test.h"

enum { CAPACITY = 50, INSERTS_MAX = 3000 };

struct caller {
    struct cache_test_owner owner;
    struct genlru_cache *cache;
    struct stress_random random;
    unsigned depth;
    unsigned nr_calls;
    unsigned nr_inserts;
    bool is_ending;
};

static int count(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    (void)e;
    (void)info;
    return ++*(unsigned *)ctx > 10; /* ends the walk */
}

static void call_back(struct caller *c, uint64_t own_key)
{
    uint64_t other = stress_below(&c->random, 100);
    struct genlru_cache_entry *e;
    unsigned nr = 0;

    STRESS_CHECK(c->depth == 0, "callbacks nest");
    c->depth++;
    c->nr_calls++;
    STRESS_CHECK(genlru_cache_destroy(c->cache) == -EDEADLK, "destroy from a callback");
    STRESS_CHECK(genlru_cache_drain(c->cache) == -EDEADLK, "drain from a callback");
    (void)cache_test_stat(c->cache);
    e = genlru_cache_get_u64(c->cache, other);
    genlru_cache_release(c->cache, e);
    (void)genlru_cache_iterate(c->cache, count, &nr);
    (void)genlru_cache_erase_u64(c->cache, own_key);
    (void)genlru_cache_erase_u64(c->cache, other);
    if (!c->is_ending && c->nr_inserts < INSERTS_MAX) {
        c->nr_inserts += 2;
        (void)cache_test_put(c->cache, &c->owner, own_key, 1);
        (void)cache_test_put(c->cache, &c->owner, 1000 + c->nr_inserts, 1);
        genlru_cache_set_capacity(c->cache, CAPACITY / 2 + stress_below(&c->random, CAPACITY));
    }
    (void)genlru_cache_maintain(c->cache, 4);
    if (stress_once_in(&c->random, 50))
        (void)genlru_cache_clear(c->cache);
    c->depth--;
}

static void release(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause)
{
    struct caller *c = ctx;
    uint64_t key = ((struct cache_test_value *)info->value)->key;

    call_back(c, key);
    cache_test_release(&c->owner, info, cause);
}

static int can_evict(void *ctx, const struct genlru_cache_info *info)
{
    struct caller *c = ctx;

    if (c->depth == 0 && stress_once_in(&c->random, 4))
        call_back(c, ((struct cache_test_value *)info->value)->key); /* erases the very entry it is asked about */
    return !stress_once_in(&c->random, 10);
}

static void run(const struct stress_options *options, bool is_asking)
{
    struct caller c = {.random = stress_random(options->seed, is_asking)};
    struct genlru_cache_config config = cache_test_config(NULL, CAPACITY);

    config.release = release;
    config.can_evict = is_asking ? can_evict : NULL;
    config.ctx = &c;
    c.cache = cache_test_create(&config);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t key = stress_below(&c.random, 100);

        switch (stress_below(&c.random, 40)) {
        case 0:
            (void)genlru_cache_clear(c.cache);
            break;
        case 1:
            (void)genlru_cache_maintain(c.cache, 0);
            break;
        case 2:
            if (stress_once_in(&c.random, 10))
                STRESS_CHECK(genlru_cache_drain(c.cache) == 0, "drain");
            break;
        case 3:
            (void)genlru_cache_erase_u64(c.cache, key);
            break;
        default:
            (void)cache_test_put(c.cache, &c.owner, key, 0);
        }
    }
    STRESS_CHECK(genlru_cache_drain(c.cache) == 0, "drain");
    STRESS_CHECK(c.nr_calls > 100, "only %u callbacks", c.nr_calls);
    cache_test_verify(c.cache);
    c.nr_inserts = INSERTS_MAX - 10; /* destroy's callbacks may insert, too, a little */
    cache_test_destroy(c.cache, &c.owner);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    run(&options, false);
    run(&options, true);
    genlru_cache_unregister_thread();
    return 0;
}
