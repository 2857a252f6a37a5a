/* SPDX-License-Identifier: MIT */
/*
 * Core's lock is in other hands, which this program is, and threads insert into a full cache. Under a soft limit an insert goes on
 * until as much is over as cache.h says, and no further: then it waits, as it does under a hard limit from the start.
 * With nobody in the way no insert leaves anything over. And many threads at once, with one that keeps the lock busy: at no time is
 * more over than that and what is being inserted.
 */
#include "cache_test.h"
#include "gens/lru.h"
#include "internal.h"

enum { CAPACITY = 64 * 20, NR_THREADS = 4, BATCH = 8, SPARE = 2 * BATCH + 4 };

struct busy {
    struct genlru_cache *cache;
    struct cache_test_owner owner;
    struct stress_barrier barrier;
    uint64_t next_key;
    uint64_t bound;
    uint32_t nr_done;
    unsigned nr_inserts;
};

static void put(struct busy *busy)
{
    uint64_t key = __atomic_fetch_add(&busy->next_key, 1, __ATOMIC_RELAXED);

    STRESS_CHECK(cache_test_put(busy->cache, &busy->owner, key, 0) == 0, "put");
}

static uint64_t slack(uint64_t capacity)
{
    return capacity / 64 < BATCH ? capacity / 64 : BATCH;
}

/* Full, and with room in the block that adds go to, as an add without waits for the lock, too. */
static void begin(struct busy *busy, enum genlru_cache_limit limit, uint64_t capacity)
{
    struct genlru_cache_config config = cache_test_config(&busy->owner, capacity);
    const struct genlru__stripe *stripe;

    config.limit = limit;
    config.stripes = 1;
    busy->cache = cache_test_create(&config);
    busy->bound = slack(capacity);
    stripe = genlru__stripe(busy->cache->lru, 0);
    while (cache_test_stat(busy->cache).charge < capacity)
        put(busy);
    for (unsigned i = 0;
         i < 2 * GENLRU__SLOTS && (!stripe->memo.window || stripe->open[0].block->fill > GENLRU__SLOTS - SPARE); i++) {
        put(busy);
        STRESS_CHECK(cache_test_stat(busy->cache).over == 0, "over with one thread");
    }
    while (cache_test_stat(busy->cache).charge < capacity) /* what was evicted ahead */
        put(busy);
}

static void end(struct busy *busy)
{
    cache_test_verify(busy->cache);
    cache_test_destroy(busy->cache, &busy->owner);
}

/* Thread 0 has the lock; thread 1 inserts meanwhile. */
static void beside_the_lock(void *ctx, unsigned thread)
{
    struct busy *busy = ctx;
    struct genlru__mutex *lock = &busy->cache->lru->lock;
    uint64_t over;
    unsigned i;

    if (thread == 0) {
        genlru__mutex_lock(lock);
        stress_wait(&busy->barrier);              /* the lock is held */
        stress_wait(&busy->barrier);              /* so many inserts are done */
        over = cache_test_stat(busy->cache).over; /* the one that waits may have come already */
        STRESS_CHECK(over == busy->nr_inserts || over == busy->nr_inserts + 1, "%llu over", (unsigned long long)over);
        for (i = 0; i < 1000; i++)
            sched_yield();
        STRESS_CHECK(!__atomic_load_n(&busy->nr_done, __ATOMIC_RELAXED), "an insert did not wait");
        genlru__mutex_unlock(lock);
        return;
    }
    stress_wait(&busy->barrier);
    for (i = 0; i < busy->nr_inserts; i++)
        put(busy);
    stress_wait(&busy->barrier);
    put(busy);
    __atomic_store_n(&busy->nr_done, 1, __ATOMIC_RELAXED);
}

static void one(enum genlru_cache_limit limit, uint64_t capacity)
{
    struct busy busy = {.next_key = 1};

    stress_context("limit %d, capacity %llu", (int)limit, (unsigned long long)capacity);
    begin(&busy, limit, capacity);
    busy.nr_inserts = limit == GENLRU_CACHE_SOFT ? (unsigned)busy.bound : 0;
    stress_barrier_init(&busy.barrier, 2);
    cache_test_run(2, beside_the_lock, &busy);
    STRESS_CHECK(cache_test_stat(busy.cache).over <= 1, "over, though somebody waited to make room");
    put(&busy); /* the one that waited came on top of what was over */
    STRESS_CHECK(cache_test_stat(busy.cache).over == 0, "over, and nobody there but one");
    end(&busy);
}

static void insert_or_hold(void *ctx, unsigned thread)
{
    struct busy *busy = ctx;
    uint64_t over, most = busy->bound + NR_THREADS;

    for (unsigned i = 0; i < busy->nr_inserts; i++) {
        if (thread == 0) {
            genlru__mutex_lock(&busy->cache->lru->lock);
            sched_yield();
            genlru__mutex_unlock(&busy->cache->lru->lock);
        } else {
            put(busy);
        }
        over = cache_test_stat(busy->cache).over;
        STRESS_CHECK(over <= most, "%llu over", (unsigned long long)over);
    }
}

static void many(uint64_t capacity, unsigned nr_inserts)
{
    struct busy busy = {.next_key = 1, .nr_inserts = nr_inserts};

    stress_context("capacity %llu", (unsigned long long)capacity);
    begin(&busy, GENLRU_CACHE_SOFT, capacity);
    cache_test_run(NR_THREADS + 1, insert_or_hold, &busy);
    put(&busy);
    STRESS_CHECK(cache_test_stat(busy.cache).over == 0, "over, and nobody there but one");
    end(&busy);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    one(GENLRU_CACHE_SOFT, CAPACITY);
    one(GENLRU_CACHE_SOFT, 64);
    one(GENLRU_CACHE_SOFT, 200);
    one(GENLRU_CACHE_HARD, CAPACITY);
    many(CAPACITY, (unsigned)stress_scaled(&options, 20000));
    many(100, (unsigned)stress_scaled(&options, 20000));
    genlru_cache_unregister_thread();
    return 0;
}
