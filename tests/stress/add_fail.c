/* SPDX-License-Identifier: MIT */
/*
 * An allocator that fails. Adds and putbacks may then be refused, and nothing else may go wrong: no node is lost,
 * evict goes on, unpin never fails, and when memory comes back so do the adds.
 *
 *   creation   each allocation of a creation fails once: -ENOMEM, nothing leaks
 *   churn      the toy cache while 15 of 16 allocations fail, while all do, and while none does
 *   starved    parked nodes are unpinned where there is not one block to move them to, by threads
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "stress.h"
#include "toy.h"

enum { NR_THREADS = 4, STEPS = 4000, NR_KEYS = 2048, NR_PARKED = 400, MAX_STASH = 4096 };

/* What the allocator does; relaxed atomics. */
struct failing {
    uint64_t left;   /* allocations that succeed before all fail; UINT64_MAX = all do */
    uint64_t one_in; /* of the others this many one succeeds; 0 = all do */
    uint64_t calls;
    uint64_t nr_failed;
    uint64_t nr_live;
};

static void *failing_alloc(void *ctx, size_t size, size_t align)
{
    struct failing *f = ctx;
    uint64_t left = __atomic_load_n(&f->left, __ATOMIC_RELAXED), one_in = __atomic_load_n(&f->one_in, __ATOMIC_RELAXED);
    uint64_t calls = __atomic_add_fetch(&f->calls, 1, __ATOMIC_RELAXED);
    void *memory = NULL;

    while (left != UINT64_MAX && left > 0 &&
           !__atomic_compare_exchange_n(&f->left, &left, left - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (left > 0 && (one_in == 0 || calls % one_in == 0) &&
        posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) == 0) {
        __atomic_fetch_add(&f->nr_live, 1, __ATOMIC_RELAXED);
        return memory;
    }
    __atomic_fetch_add(&f->nr_failed, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void failing_free(void *ctx, void *memory, size_t size, size_t align)
{
    struct failing *f = ctx;

    (void)align;
    memset(memory, 0xdb, size);
    free(memory);
    __atomic_fetch_sub(&f->nr_live, 1, __ATOMIC_RELAXED);
}

static void set(struct failing *f, uint64_t left, uint64_t one_in)
{
    __atomic_store_n(&f->left, left, __ATOMIC_RELAXED);
    __atomic_store_n(&f->one_in, one_in, __ATOMIC_RELAXED);
}

/* ---- creation ----------------------------------------------------------------------------------------- */

static void test_creation(void)
{
    struct failing f = {0, 0, 0, 0, 0};
    struct genlru_allocator allocator = {failing_alloc, failing_free, &f};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    uint64_t left;

    stress_context("creation");
    config.allocator = &allocator;
    for (left = 0;; left++) {
        struct genlru *lru = NULL;
        int result;

        set(&f, left, 0);
        result = genlru_create(&config, &lru);
        if (result == 0) {
            STRESS_CHECK(genlru_destroy(lru) == 0, "destroy");
            break;
        }
        STRESS_CHECK(result == -ENOMEM && !lru, "create: %d", result);
        STRESS_CHECK(f.nr_live == 0, "%llu allocations leak", (unsigned long long)f.nr_live);
    }
    STRESS_CHECK(left >= 2 && f.nr_live == 0, "%llu allocations of a creation, %llu leak", (unsigned long long)left,
                 (unsigned long long)f.nr_live);
}

/* ---- churn -------------------------------------------------------------------------------------------- */

static const struct {
    uint64_t left;
    uint64_t one_in;
} weathers[] = {{UINT64_MAX, 16}, {3, 0}, {UINT64_MAX, 0}, {0, 0}, {UINT64_MAX, 3}, {UINT64_MAX, 0}};
enum { NR_WEATHERS = sizeof(weathers) / sizeof(weathers[0]) };

struct world {
    struct toy toy;
    struct failing failing;
    struct stress_barrier barrier;
    uint64_t seed;
    unsigned steps;
    uint64_t refused[NR_WEATHERS];
};

/* Whatever the weather, what is not pinned can be evicted. */
static void evict_all(struct toy_thread *thread)
{
    struct genlru_evict_result result;
    unsigned nr_calls = 0;

    while (toy_evict(thread, NULL, 64, &result) > 0)
        STRESS_CHECK(++nr_calls < 10 * NR_KEYS, "evict puts back more than it isolates");
    STRESS_CHECK(result.reason == GENLRU_EVICT_NOTHING, "evict found no more, and said %d", (int)result.reason);
    toy_check(thread->toy);
    STRESS_CHECK(thread->toy->nr_entries == 0, "%llu entries were not evicted",
                 (unsigned long long)thread->toy->nr_entries);
}

static void play(void *ctx, unsigned nr)
{
    struct world *world = ctx;
    struct toy_thread thread = toy_thread(&world->toy, world->seed, nr);
    unsigned weather, step;

    for (weather = 0; weather < NR_WEATHERS; weather++) {
        uint64_t refused = world->toy.nr_refused;

        if (nr == 0)
            set(&world->failing, weathers[weather].left, weathers[weather].one_in);
        stress_wait(&world->barrier);
        for (step = 0; step < world->steps; step++) {
            if (nr == 0 && stress_once_in(&thread.random, 32))
                toy_move(&thread);
            else
                toy_step(&thread);
        }
        toy_let_go(&thread);
        stress_wait(&world->barrier);
        if (nr == 0) {
            toy_check(&world->toy);
            world->refused[weather] = world->toy.nr_refused - refused;
            if (weather % 2)
                evict_all(&thread);
        }
        stress_wait(&world->barrier);
    }
}

static void test_churn(const struct stress_options *options, unsigned nr_types, unsigned stripes)
{
    static struct world world;
    struct genlru_allocator allocator = {failing_alloc, failing_free, &world.failing};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    unsigned i;

    stress_context("churn, %u types, %u stripes", nr_types, stripes);
    memset(&world, 0, sizeof(world));
    set(&world.failing, UINT64_MAX, 0);
    config.allocator = &allocator;
    config.nr_types = nr_types;
    config.stripes = stripes;
    config.capacity = 20000;
    STRESS_CHECK(toy_create(&world.toy, &config, NR_KEYS) == 0, "create");
    world.seed = options->seed;
    world.steps = stress_scaled(options, STEPS);
    stress_barrier_init(&world.barrier, NR_THREADS);
    stress_run(NR_THREADS, play, &world);
    for (i = 0; i < NR_WEATHERS; i++) {
        bool is_fair = weathers[i].left == UINT64_MAX && !weathers[i].one_in;

        STRESS_CHECK(!is_fair || !world.refused[i], "weather %u: %llu adds refused, with memory", i,
                     (unsigned long long)world.refused[i]);
    }
    STRESS_CHECK(world.toy.nr_refused > 0, "the allocator's failures reached no add");
    printf("churn: added %llu, refused %llu, putbacks refused %llu, evicted %llu, deleted %llu, handed over %llu\n",
           (unsigned long long)world.toy.nr_added, (unsigned long long)world.toy.nr_refused,
           (unsigned long long)world.toy.nr_putback_refused, (unsigned long long)world.toy.nr_evicted,
           (unsigned long long)world.toy.nr_deleted, (unsigned long long)world.toy.nr_met);
    toy_destroy(&world.toy);
    STRESS_CHECK(world.failing.nr_live == 0, "%llu allocations leak", (unsigned long long)world.failing.nr_live);
}

/* ---- starved ------------------------------------------------------------------------------------------ */

struct parked {
    struct genlru_node node;
    unsigned is_removed; /* from an index that there is none of; relaxed atomic */
    unsigned given_up;
};

struct starved {
    struct genlru *lru;
    struct parked entry[NR_PARKED];
    bool with_deletes;
    struct stress_barrier barrier;
};

static void starved_on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)error;
    (void)node;
    stress_fail(__FILE__, __LINE__, "error hook: %s", what);
}

static void give_up(struct parked *entry)
{
    __atomic_fetch_add(&entry->given_up, 1, __ATOMIC_RELAXED);
}

/* Thread 0 unpins, thread 1 deletes every third meanwhile, thread 2 evicts and puts nothing back. */
static void starve(void *ctx, unsigned thread)
{
    struct starved *s = ctx;
    struct genlru_victim victims[8];
    unsigned i, nr_calls;

    stress_wait(&s->barrier);
    for (i = 0; thread == 0 && i < NR_PARKED; i++) {
        int result = genlru_unpin(s->lru, &s->entry[i].node);

        STRESS_CHECK(result >= 0, "unpin: %d", result);
        if (result == GENLRU_YOURS)
            give_up(&s->entry[i]);
    }
    for (i = 0; thread == 1 && s->with_deletes && i < NR_PARKED; i += 3) {
        int result;

        if (__atomic_exchange_n(&s->entry[i].is_removed, 1, __ATOMIC_RELAXED))
            continue;
        result = genlru_del(s->lru, &s->entry[i].node);
        STRESS_CHECK(result >= 0, "del: %d", result);
        if (result == GENLRU_YOURS)
            give_up(&s->entry[i]);
    }
    for (nr_calls = 0; thread == 2 && s->with_deletes && nr_calls < 50; nr_calls++) {
        int nr = genlru_evict(s->lru, NULL, victims, 8, NULL), j;

        for (j = 0; j < nr; j++) {
            struct parked *entry = GENLRU_ENTRY(victims[j].node, struct parked, node);

            if (!__atomic_exchange_n(&entry->is_removed, 1, __ATOMIC_RELAXED) ||
                genlru_release(s->lru, &entry->node) == GENLRU_YOURS)
                give_up(entry);
        }
    }
}

/* Every block of the pool that is free. */
static unsigned drain(struct genlru_pool *pool, struct genlru__block **stash)
{
    unsigned nr = 0;

    while (nr < MAX_STASH && (stash[nr] = genlru__pool_get(pool, false)))
        nr++;
    return nr;
}

static void test_starved(unsigned nr_types, bool with_deletes)
{
    static struct genlru__block *stash[MAX_STASH];
    static struct starved s;
    struct failing failing = {UINT64_MAX, 0, 0, 0, 0};
    struct genlru_allocator allocator = {failing_alloc, failing_free, &failing};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_add how = {0, 0, 0, GENLRU_ADD_PINNED};
    struct genlru_evict_result result;
    struct genlru_victim victims[8];
    struct genlru_pool *pool;
    unsigned nr_stash, i;
    int nr;

    stress_context("starved, %u types%s", nr_types, with_deletes ? ", deletes" : "");
    memset(&s, 0, sizeof(s));
    STRESS_CHECK(genlru_pool_create(&allocator, &pool) == 0, "pool");
    config.pool = pool;
    config.nr_types = nr_types;
    config.stripes = 1;
    config.on_error = starved_on_error;
    STRESS_CHECK(genlru_create(&config, &s.lru) == 0, "create");
    for (i = 0; i < NR_PARKED; i++) {
        STRESS_CHECK(genlru_node_init(&s.entry[i].node, 1, i % nr_types) == 0, "init");
        STRESS_CHECK(genlru_add(s.lru, &s.entry[i].node, &how) == 0, "add");
    }
    nr = genlru_evict(s.lru, NULL, victims, 8, &result);
    STRESS_CHECK(nr == 0 && result.reason == GENLRU_EVICT_PINNED, "evict of pinned nodes: %d, reason %d", nr,
                 (int)result.reason);
    nr_stash = drain(pool, stash);
    set(&failing, 0, 0);
    s.with_deletes = with_deletes;
    stress_barrier_init(&s.barrier, 3);
    stress_run(3, starve, &s);
    stress_verify(s.lru);
    do {
        nr = genlru_evict(s.lru, NULL, victims, 8, &result);
        for (i = 0; (int)i < nr; i++) {
            struct parked *entry = GENLRU_ENTRY(victims[i].node, struct parked, node);

            STRESS_CHECK(!entry->is_removed, "a node that was deleted is a victim");
            entry->is_removed = 1;
            give_up(entry);
        }
        nr_stash += drain(pool, stash + nr_stash); /* no block that became free helps */
        stress_verify(s.lru);
    } while (nr > 0);
    STRESS_CHECK(result.reason == GENLRU_EVICT_NOTHING, "evict found no more, and said %d", (int)result.reason);
    for (i = 0; i < NR_PARKED; i++)
        STRESS_CHECK(s.entry[i].given_up == 1, "node %u was given up %u times", i, s.entry[i].given_up);
    for (i = 0; i < nr_stash; i++)
        genlru__pool_put(pool, stash[i]);
    STRESS_CHECK(genlru_destroy(s.lru) == 0 && genlru_pool_destroy(pool) == 0, "destroy");
    STRESS_CHECK(failing.nr_live == 0, "%llu allocations leak", (unsigned long long)failing.nr_live);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;

    if (stress_is_wanted(&options, "creation"))
        test_creation();
    if (stress_is_wanted(&options, "starved"))
        for (i = 0; i < stress_scaled(&options, 20); i++) {
            test_starved(1, i % 2);
            test_starved(4, i % 2);
        }
    if (stress_is_wanted(&options, "churn")) {
        test_churn(&options, 1, 1);
        test_churn(&options, 4, 2);
    }
    return 0;
}
