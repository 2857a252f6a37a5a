/* SPDX-License-Identifier: MIT */
/*
 * What leveldb/cache.h promises, asked of LevelDB's own cache and of genlru's: so each expectation is shown to be LevelDB's. Where
 * genlru promises something else (genlru_leveldb.h), LevelDB's is not asked. At the end of each part every value has been
 * deleted once.
 */
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leveldb_rig.h"

using leveldb::Cache;
using rig::find;
using rig::GENLRU;
using rig::insert;
using rig::key_of;
using rig::Kind;
using rig::OWN;
using rig::put;
using rig::Subject;
using rig::version_of;

namespace
{

void replaces(Kind kind)
{
    Subject cache(kind, 1000);

    STRESS_CHECK(find(*cache, "a") == 0, "found in an empty cache");
    put(*cache, "a", 1);
    STRESS_CHECK(find(*cache, "a") == 1, "not found");
    STRESS_CHECK(find(*cache, "b") == 0, "found what was not put in");
    put(*cache, "b", 2);
    put(*cache, "a", 3);
    STRESS_CHECK(find(*cache, "a") == 3 && find(*cache, "b") == 2, "not replaced, or too much");
    STRESS_CHECK(cache.nr_deleted() == 1, "the old value was not given back");
    STRESS_CHECK(cache->TotalCharge() == 2, "%zu charged", cache->TotalCharge());
}

void erases(Kind kind)
{
    Subject cache(kind, 1000);

    cache->Erase("a");
    put(*cache, "a", 1);
    put(*cache, "b", 2);
    cache->Erase("a");
    STRESS_CHECK(find(*cache, "a") == 0 && find(*cache, "b") == 2, "erased nothing, or too much");
    STRESS_CHECK(cache.nr_deleted() == 1, "an erased value was not given back");
    cache->Erase("a");
    STRESS_CHECK(cache.nr_deleted() == 1, "erased twice");
}

/* Handles outlive the mapping. */
void holds(Kind kind)
{
    Subject cache(kind, 1000);
    Cache::Handle *first = insert(*cache, "a", 1, 1), *again = cache->Lookup("a"), *second;

    STRESS_CHECK(again && version_of(*cache, again, "a") == 1, "not found");
    second = insert(*cache, "a", 2, 1);
    STRESS_CHECK(version_of(*cache, first, "a") == 1 && version_of(*cache, second, "a") == 2, "handles were mixed up");
    cache->Release(first);
    STRESS_CHECK(cache.nr_deleted() == 0, "given back with a handle out");
    cache->Release(again);
    STRESS_CHECK(cache.nr_deleted() == 1, "not given back with the last handle");
    cache->Erase("a");
    STRESS_CHECK(find(*cache, "a") == 0, "found after it was erased");
    STRESS_CHECK(version_of(*cache, second, "a") == 2 && cache.nr_deleted() == 1, "erased under a handle");
    put(*cache, "a", 3);
    STRESS_CHECK(find(*cache, "a") == 3 && version_of(*cache, second, "a") == 2, "inserted again while it was held");
    cache->Release(second);
    STRESS_CHECK(cache.nr_deleted() == 2 && find(*cache, "a") == 3, "the wrong one went");
}

/* What is in use stays: what is looked up often, and what is held. */
void keeps(Kind kind)
{
    enum { CAPACITY = 1000 };
    Subject cache(kind, CAPACITY);
    Cache::Handle *held = insert(*cache, "held", 7, 1);

    put(*cache, "hot", 8);
    put(*cache, "cold", 9);
    for (unsigned i = 0; i < 5 * CAPACITY; i++) {
        put(*cache, key_of(i), i + 10);
        STRESS_CHECK(find(*cache, key_of(i)) == i + 10, "lost at once");
        STRESS_CHECK(find(*cache, "hot") == 8, "what is used all the time was evicted");
    }
    STRESS_CHECK(find(*cache, "cold") == 0, "what nobody used stayed");
    STRESS_CHECK(find(*cache, "held") == 7, "what is held was evicted");
    STRESS_CHECK(cache->TotalCharge() <= CAPACITY + CAPACITY / 10, "%zu charged", cache->TotalCharge());
    STRESS_CHECK(cache.nr_deleted() >= 3 * CAPACITY, "values are not given back");
    cache->Release(held);
}

/* Handles may exceed the capacity; all of them are found, and it is made up for. */
void exceeds(Kind kind)
{
    enum { CAPACITY = 500, NR = 800 };
    Subject cache(kind, CAPACITY);
    std::vector<Cache::Handle *> handles;

    for (unsigned i = 0; i < NR; i++)
        handles.push_back(insert(*cache, key_of(i), i + 1, 1));
    for (unsigned i = 0; i < NR; i++)
        STRESS_CHECK(find(*cache, key_of(i)) == i + 1, "%u of %u held ones is not found", i, unsigned(NR));
    STRESS_CHECK(cache->TotalCharge() >= NR, "%zu charged", cache->TotalCharge());
    for (Cache::Handle *handle : handles)
        cache->Release(handle);
    for (unsigned i = 0; i < 2 * NR; i++)
        put(*cache, key_of(NR + i), 1);
    STRESS_CHECK(cache->TotalCharge() <= CAPACITY + CAPACITY / 10, "%zu charged", cache->TotalCharge());
}

/* Charges of several sizes sum up to the capacity. */
void weighs(Kind kind)
{
    enum { CAPACITY = 2000 };
    Subject cache(kind, CAPACITY);
    size_t found = 0;

    for (unsigned i = 0; i < 3 * CAPACITY; i++)
        put(*cache, key_of(i), i + 1, i % 3 ? 1 : 10);
    for (unsigned i = 0; i < 3 * CAPACITY; i++)
        if (find(*cache, key_of(i)))
            found += i % 3 ? 1 : 10;
    STRESS_CHECK(found == cache->TotalCharge(), "%zu found, %zu charged", found, cache->TotalCharge());
    STRESS_CHECK(found <= CAPACITY + CAPACITY / 10 && found > CAPACITY / 2, "%zu found", found);
    found = cache->TotalCharge();
    put(*cache, "nothing", 1, 0);
    STRESS_CHECK(find(*cache, "nothing") == 1 && cache->TotalCharge() == found, "a charge of 0");
}

void holds_nothing(Kind kind)
{
    Subject cache(kind, 0);
    Cache::Handle *handle = insert(*cache, "a", 1, 1);

    STRESS_CHECK(find(*cache, "a") == 0, "found in a cache of capacity 0");
    STRESS_CHECK(version_of(*cache, handle, "a") == 1 && cache.nr_deleted() == 0, "the handle is no good");
    cache->Release(handle);
    STRESS_CHECK(cache.nr_deleted() == 1 && cache->TotalCharge() == 0, "kept");
}

void prunes(Kind kind)
{
    Subject cache(kind, 1000);
    Cache::Handle *held;

    for (unsigned i = 0; i < 300; i++)
        put(*cache, key_of(i), i + 1);
    held = cache->Lookup(key_of(7));
    STRESS_CHECK(held, "not found");
    cache->Prune();
    STRESS_CHECK(rig::nr_deleted == 299, "%llu given back", static_cast<unsigned long long>(rig::nr_deleted.load()));
    for (unsigned i = 0; i < 300; i++)
        STRESS_CHECK(find(*cache, key_of(i)) == (i == 7 ? 8 : 0), "key %u", i);
    STRESS_CHECK(cache->TotalCharge() == 1, "%zu charged", cache->TotalCharge());
    cache->Release(held);
}

void takes_any_key(Kind kind)
{
    Subject cache(kind, 1000);
    const std::string keys[] = {"",
                                std::string(1, '\0'),
                                std::string(2, '\0'),
                                "a",
                                std::string("a\0b", 3),
                                std::string("a\0c", 3),
                                std::string(10000, 'x'),
                                std::string(10001, 'x')};
    uint64_t version = 0;
    std::set<uint64_t> ids;

    for (const std::string &key : keys)
        put(*cache, key, ++version);
    version = 0;
    for (const std::string &key : keys)
        STRESS_CHECK(find(*cache, key) == ++version, "key of %zu bytes", key.size());
    for (unsigned i = 0; i < 100; i++)
        ids.insert(cache->NewId());
    STRESS_CHECK(ids.size() == 100, "ids are not all different");
}

/* ---- what only genlru's promises ---- */

std::unique_ptr<genlru_leveldb::Cache> make(size_t capacity, genlru_leveldb::CacheOptions options = {})
{
    options.mean_charge = 1;
    return std::unique_ptr<genlru_leveldb::Cache>(genlru_leveldb::NewCache(capacity, options));
}

/* A heavy entry is not kept, takes nobody's place, and hides what was there. */
void refuses_the_heavy()
{
    auto cache = make(100);
    Cache::Handle *handle;

    for (unsigned i = 0; i < 50; i++)
        put(*cache, key_of(i), i + 1);
    for (size_t charge : {size_t(101), size_t(1) << 33}) {
        handle = insert(*cache, key_of(7), 100, charge);
        STRESS_CHECK(version_of(*cache, handle, key_of(7)) == 100, "the handle is no good");
        STRESS_CHECK(find(*cache, key_of(7)) == 0, "a heavy entry was kept, or an old one is found");
        cache->Release(handle);
        put(*cache, key_of(7), 8);
    }
    for (unsigned i = 0; i < 50; i++)
        STRESS_CHECK(find(*cache, key_of(i)) == i + 1, "a heavy entry drove out another");
}

void changes_its_capacity()
{
    auto cache = make(1000);
    struct genlru_cache_stat stat;

    for (unsigned i = 0; i < 1000; i++)
        put(*cache, key_of(i), 1);
    STRESS_CHECK(cache->TotalCharge() > 900, "not filled");
    cache->SetCapacity(100);
    cache->Shrink();
    STRESS_CHECK(cache->TotalCharge() <= 100, "%zu charged", cache->TotalCharge());
    Cache::Handle *held = insert(*cache, "held", 5, 1);
    cache->SetCapacity(0);
    cache->Shrink();
    STRESS_CHECK(cache->TotalCharge() == 1 && find(*cache, "held") == 5, "%zu charged", cache->TotalCharge());
    cache->Release(held);
    cache->Shrink();
    STRESS_CHECK(cache->TotalCharge() == 0, "%zu charged", cache->TotalCharge());
    cache->SetCapacity(1000);
    for (unsigned i = 0; i < 900; i++)
        put(*cache, key_of(i), 2);
    STRESS_CHECK(cache->TotalCharge() == 900, "%zu charged", cache->TotalCharge());
    cache->Stat(&stat);
    STRESS_CHECK(stat.inserted == 1901 && stat.hits >= 1, "statistics");
}

genlru_leveldb::Cache *called_back;
unsigned nr_calls_back, nr_given;

void call_back(const leveldb::Slice &key, void *)
{
    nr_calls_back++;
    if (nr_given == 3000)
        return;
    nr_given++;
    called_back->Release(called_back->Insert(key.ToString() + "'", nullptr, 1, call_back));
    called_back->Erase(key);
    called_back->Prune();
}

/* A deleter may call the cache, even while that is being deleted. */
void calls_back()
{
    auto cache = make(10);

    called_back = cache.get();
    nr_calls_back = 0;
    for (nr_given = 0; nr_given < 1000; nr_given++)
        cache->Release(cache->Insert(key_of(nr_given), nullptr, 1, call_back));
    cache->Drain();
    STRESS_CHECK(nr_calls_back > 900, "%u deleters were called", nr_calls_back);
    cache.reset();
    STRESS_CHECK(nr_given == 3000 && nr_calls_back == 3000, "%u deleters of %u were called", nr_calls_back, nr_given);
}

void takes_options()
{
    struct genlru_policy broken = GENLRU_POLICY_DEFAULT;
    genlru_leveldb::CacheOptions options;

    for (const struct genlru_policy *policy :
         {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_TUNED_FG}) {
        options.policy = policy;
        options.maintenance = true;
        auto cache = make(100, options);
        for (unsigned i = 0; i < 1000; i++)
            put(*cache, key_of(i), i + 1);
        STRESS_CHECK(cache->TotalCharge() <= 110, "%zu charged", cache->TotalCharge());
    }
    broken.size = 3;
    options.policy = &broken;
    STRESS_CHECK(!make(100, options), "a policy that is none was taken");
}

struct Part {
    const char *name;
    void (*of_both)(Kind kind);
    void (*of_genlru)();
};

const Part parts[] = {
    {"replaces", replaces, nullptr},
    {"erases", erases, nullptr},
    {"holds", holds, nullptr},
    {"keeps", keeps, nullptr},
    {"exceeds", exceeds, nullptr},
    {"weighs", weighs, nullptr},
    {"holds nothing", holds_nothing, nullptr},
    {"prunes", prunes, nullptr},
    {"takes any key", takes_any_key, nullptr},
    {"refuses the heavy", nullptr, refuses_the_heavy},
    {"changes its capacity", nullptr, changes_its_capacity},
    {"calls back", nullptr, calls_back},
    {"takes options", nullptr, takes_options},
};

void run(const Part &part, Kind kind)
{
    stress_context("%s %s", kind == OWN ? "leveldb" : "genlru", part.name);
    rig::nr_made = rig::nr_deleted = 0;
    part.of_both ? part.of_both(kind) : part.of_genlru();
    rig::check_all_deleted();
}

} // namespace

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    for (const Part &part : parts) {
        if (part.of_both)
            run(part, OWN);
        run(part, GENLRU);
    }
    return 0;
}
