/* SPDX-License-Identifier: MIT */
/*
 * Threads that come and go insert, look up, hold, hand over, erase and prune, while one changes the capacity. A look-up finds a
 * live value of its key, and no thread sees a version older than one it saw before under that key; each value is
 * deleted once. Some threads use the cache in the destructor of a thread_local, when their registration may be gone. Made for
 * ThreadSanitizer, too.
 */
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "leveldb_rig.h"

using leveldb::Cache;
using rig::key_of;

namespace
{

enum { NR_THREADS = 4, NR_ROUNDS = 6, NR_KEYS = 2000, CAPACITY = 700, NR_HELD = 8, NR_SHELVES = 16 };

genlru_leveldb::Cache *cache;
std::atomic<uint64_t> last_version;
std::atomic<Cache::Handle *> shelf[NR_SHELVES]; /* handles that go from thread to thread */
uint64_t seed;
unsigned nr_steps;

/* Outlives this thread's first goodbye. */
struct LastWords {
    bool are_wanted = false;

    ~LastWords()
    {
        if (are_wanted) {
            rig::put(*cache, "last words", ++last_version);
            (void)rig::find(*cache, "last words");
        }
    }
};
thread_local LastWords last_words;

struct Life {
    struct stress_random random;
    Cache::Handle *held[NR_HELD] = {};
    unsigned held_nr[NR_HELD] = {};
    uint64_t seen[NR_KEYS] = {};
};

void let_go(Life *life, unsigned at)
{
    if (life->held[at]) {
        (void)rig::version_of(*cache, life->held[at], key_of(life->held_nr[at]));
        cache->Release(life->held[at]);
    }
    life->held[at] = nullptr;
}

/* One writer a key, so that versions of a key are inserted in order. */
bool is_mine(unsigned nr, unsigned thread)
{
    return nr % NR_THREADS == thread;
}

void hold(Life *life, unsigned at, unsigned nr, Cache::Handle *handle)
{
    uint64_t version = rig::version_of(*cache, handle, key_of(nr));

    STRESS_CHECK(version >= life->seen[nr], "key %u: version %llu after %llu", nr,
                 static_cast<unsigned long long>(version), static_cast<unsigned long long>(life->seen[nr]));
    life->seen[nr] = version;
    life->held[at] = handle;
    life->held_nr[at] = nr;
}

void step(Life *life, unsigned thread)
{
    unsigned nr = stress_below(&life->random, stress_once_in(&life->random, 3) ? NR_KEYS : NR_KEYS / 20);
    unsigned at = stress_below(&life->random, NR_HELD);
    Cache::Handle *handle;

    switch (stress_below(&life->random, 12)) {
    case 0:
        cache->Erase(key_of(nr));
        break;
    case 1: /* the charge of a few exceeds what the cache may hold when it is small */
        rig::put(*cache, "heavy", ++last_version, 1 + stress_below(&life->random, CAPACITY / 2));
        break;
    case 2:
        handle = cache->Lookup("shelf");
        if (!handle)
            handle = rig::insert(*cache, "shelf", ++last_version, 1);
        handle = shelf[stress_below(&life->random, NR_SHELVES)].exchange(handle);
        if (handle) {
            (void)rig::version_of(*cache, handle, "shelf");
            cache->Release(handle);
        }
        break;
    case 3:
        if (stress_once_in(&life->random, 200))
            cache->Prune();
        (void)cache->TotalCharge();
        break;
    case 4:
    case 5:
    case 6:
        let_go(life, at);
        if (is_mine(nr, thread))
            hold(life, at, nr, rig::insert(*cache, key_of(nr), ++last_version, stress_below(&life->random, 3)));
        break;
    default:
        let_go(life, at);
        handle = cache->Lookup(key_of(nr));
        if (handle)
            hold(life, at, nr, handle);
    }
}

void live(unsigned thread, unsigned round)
{
    std::unique_ptr<Life> life(new Life);

    life->random = stress_random(seed, thread * 1000 + round);
    last_words.are_wanted = round % 2;
    for (unsigned i = 0; i < nr_steps; i++)
        step(life.get(), thread);
    for (unsigned at = 0; at < NR_HELD; at++)
        let_go(life.get(), at);
}

/* Threads of their own for each round: they register, and are forgotten. */
void body(void *, unsigned thread)
{
    static const size_t capacities[] = {CAPACITY, 50, CAPACITY, 0, 2 * CAPACITY, CAPACITY};

    for (unsigned round = 0; round < NR_ROUNDS; round++) {
        std::thread one(live, thread, round);

        if (thread == 0) {
            cache->SetCapacity(capacities[round]);
            cache->Shrink();
        }
        one.join();
    }
}

void run(bool maintenance)
{
    genlru_leveldb::CacheOptions options;

    stress_context(maintenance ? "with a maintenance thread" : "without one");
    options.mean_charge = 1;
    options.maintenance = maintenance;
    rig::nr_made = rig::nr_deleted = 0;
    cache = genlru_leveldb::NewCache(CAPACITY, options);
    STRESS_CHECK(cache, "no cache");
    stress_run(NR_THREADS, body, nullptr);
    for (auto &place : shelf)
        if (Cache::Handle *handle = place.exchange(nullptr))
            cache->Release(handle);
    rig::put(*cache, "more", 1);
    cache->Shrink();
    STRESS_CHECK(cache->TotalCharge() <= CAPACITY, "%zu charged", cache->TotalCharge());
    delete cache;
    rig::check_all_deleted();
}

} // namespace

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    seed = options.seed;
    nr_steps = stress_scaled(&options, 20000);
    run(false);
    run(true);
    return 0;
}
