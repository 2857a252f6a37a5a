/* SPDX-License-Identifier: MIT */
/*
 * Entries whose values need no release are given to inserters again without a free in between (genlru__dead_reuse), so
 * nothing is poisoned, and no sanitizer of memory sees one that is reused too early. But who found an entry in a read section
 * sees it, since a value is made of its key: until the section ends, the entry has both. Every thread inserts, erases and
 * reads, so that each lane has dead of its own and uses them again; now and then all entries die at once, which is more than
 * a lane lets wait, and it waits for a grace period itself. At the end none may wait, and no insert may be missing.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"

enum { NR_THREADS = 4, AT_ONCE = 6 };

struct reuse {
    struct genlru_cache *cache;
    uint64_t seed;
    unsigned nr_keys;
    unsigned nr_steps;
};

static void *value_of(uint64_t key)
{
    return (void *)(uintptr_t)((key + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static void check_entry(const struct reuse *r, const struct genlru_cache_entry *e, uint64_t key)
{
    struct genlru_cache_info info;
    uint64_t is;

    genlru_cache_info(r->cache, e, &info);
    memcpy(&is, info.key, sizeof(is));
    STRESS_CHECK(is == key, "the entry of key %llu is that of %llu now", (unsigned long long)key,
                 (unsigned long long)is);
    STRESS_CHECK(info.value == value_of(key), "key %llu has the value of another", (unsigned long long)key);
}

static void insert(struct reuse *r, struct stress_random *random, uint64_t key)
{
    struct genlru_cache_insert how = {.value = value_of(key), .charge = 1};
    struct genlru_cache_entry *e = NULL;

    how.mode = stress_once_in(random, 3) ? GENLRU_CACHE_IF_ABSENT : GENLRU_CACHE_UPSERT;
    (void)genlru_cache_insert_u64(r->cache, key, &how, stress_once_in(random, 4) ? &e : NULL);
    if (!e)
        return;
    check_entry(r, e, key);
    genlru_cache_release(r->cache, e);
}

/* A few entries in one section, looked at when others had time to remove them; one of them is held beyond it. */
static void read_some(struct reuse *r, struct stress_random *random)
{
    struct genlru_cache_entry *found[AT_ONCE], *held = NULL;
    uint64_t key[AT_ONCE];

    genlru_cache_read_lock();
    for (unsigned i = 0; i < AT_ONCE; i++) {
        key[i] = stress_below(random, r->nr_keys);
        found[i] = genlru_cache_get_rcu_u64(r->cache, key[i]);
    }
    if (stress_once_in(random, 4))
        sched_yield();
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (found[i])
            check_entry(r, found[i], key[i]);
    if (found[0] && stress_once_in(random, 4) && genlru_cache_pin(r->cache, found[0]) == 0)
        held = found[0];
    genlru_cache_read_unlock();
    if (!held)
        return;
    (void)genlru_cache_erase_u64(r->cache, key[0]);
    check_entry(r, held, key[0]);
    genlru_cache_release(r->cache, held);
}

static void play(void *ctx, unsigned thread)
{
    struct reuse *r = ctx;
    struct stress_random random = stress_random(r->seed, thread);

    for (unsigned i = 0; i < r->nr_steps; i++) {
        uint64_t key = stress_below(&random, r->nr_keys);
        unsigned what = stress_below(&random, 100);

        if (what < 50)
            insert(r, &random, key);
        else if (what < 70)
            (void)genlru_cache_erase_u64(r->cache, key);
        else
            read_some(r, &random);
        if (stress_once_in(&random, 3000))
            (void)(stress_once_in(&random, 2) ? genlru_cache_clear(r->cache) : (uint64_t)genlru_cache_drain(r->cache));
        if (i % 64 == 0)
            genlru_cache_quiescent();
    }
}

static void check_end(struct reuse *r)
{
    struct genlru_cache_stat stat;
    uint64_t removed = 0;

    STRESS_CHECK(genlru_cache_drain(r->cache) == 0, "drain");
    stat = cache_test_stat(r->cache);
    for (unsigned i = 0; i < sizeof(stat.removed) / sizeof(*stat.removed); i++)
        removed += stat.removed[i];
    STRESS_CHECK(stat.waiting == 0, "%llu wait", (unsigned long long)stat.waiting);
    STRESS_CHECK(stat.detached == 0, "%llu are detached", (unsigned long long)stat.detached);
    STRESS_CHECK(stat.inserted == stat.entries + removed, "%llu inserted, %llu entries and %llu removed",
                 (unsigned long long)stat.inserted, (unsigned long long)stat.entries, (unsigned long long)removed);
    cache_test_verify(r->cache);
}

/* The first `nr_filled` keys are there at the beginning. */
static void run(const struct stress_options *options, uint64_t capacity, unsigned nr_keys, unsigned nr_filled,
                unsigned stripes)
{
    struct genlru_cache_config config = cache_test_config(NULL, capacity);
    struct stress_random random = stress_random(options->seed, NR_THREADS);
    struct reuse r = {NULL, options->seed, nr_keys, stress_scaled(options, 200000)};

    stress_context("capacity %llu, %u keys, %u stripes", (unsigned long long)capacity, nr_keys, stripes);
    config.release = NULL;
    config.stripes = stripes;
    r.cache = cache_test_create(&config);
    for (uint64_t key = 0; key < nr_filled; key++)
        insert(&r, &random, key);
    cache_test_run(NR_THREADS, play, &r);
    check_end(&r);
    STRESS_CHECK(genlru_cache_destroy(r.cache) == 0, "destroy");
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    run(&options, 3, 40, 0, 2);
    run(&options, 200, 400, 0, 2);
    run(&options, 2000, 3000, 0, 1);
    run(&options, GENLRU_NO_LIMIT, 30000, 30000, 2); /* more than a lane lets wait (MANY_DEAD in cache/retire.c) */
    genlru_cache_unregister_thread();
    return 0;
}
