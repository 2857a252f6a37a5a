/* SPDX-License-Identifier: MIT */
/* What the tests of examples/leveldb_cache share: values whose lives are watched. */
#ifndef GENLRU_TESTS_LEVELDB_RIG_H
#define GENLRU_TESTS_LEVELDB_RIG_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "genlru_leveldb.h"

extern "C" {
#include "../stress/stress.h"
}

namespace rig
{

extern std::atomic<uint64_t> nr_made, nr_deleted;

/* A value, made once and deleted once. Deleting checks that it comes with its own key, and poisons it. */
struct Value {
    static constexpr uint32_t ALIVE = 0x600d, DEAD = 0xdead;
    std::atomic<uint32_t> state{ALIVE};
    std::string key;
    uint64_t version;
};

leveldb::Cache::Handle *insert(leveldb::Cache &cache, const std::string &key, uint64_t version, size_t charge);
/* The same, and lets go of it. */
void put(leveldb::Cache &cache, const std::string &key, uint64_t version, size_t charge = 1);
/* The version that a handle leads to; fails if the value is dead or another key's. */
uint64_t version_of(leveldb::Cache &cache, leveldb::Cache::Handle *handle, const std::string &key);
/* The version that is found, or 0. */
uint64_t find(leveldb::Cache &cache, const std::string &key);

/* Every value that was made since the two counts were set to 0. */
void check_all_deleted();

/* LevelDB's own cache, or genlru's. */
enum Kind { OWN, GENLRU };

struct Subject {
    Kind kind;
    std::unique_ptr<leveldb::Cache> cache;

    Subject(Kind kind_, size_t capacity) : kind(kind_)
    {
        genlru_leveldb::CacheOptions options;

        options.mean_charge = 1;
        cache.reset(kind == OWN ? leveldb::NewLRUCache(capacity) : genlru_leveldb::NewCache(capacity, options));
        STRESS_CHECK(cache, "no cache");
    }
    leveldb::Cache &operator*()
    {
        return *cache;
    }
    leveldb::Cache *operator->()
    {
        return cache.get();
    }
    /* Deleters of genlru's come a little later. */
    uint64_t nr_deleted()
    {
        if (kind == GENLRU)
            static_cast<genlru_leveldb::Cache *>(cache.get())->Drain();
        return rig::nr_deleted;
    }
};

inline std::string key_of(unsigned nr)
{
    return "key " + std::to_string(nr);
}

} // namespace rig

#endif
