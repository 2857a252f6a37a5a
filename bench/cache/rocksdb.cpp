// SPDX-License-Identifier: MIT
// rocksdb.cpp - RocksDB's LRUCache and HyperClockCache (Debian's librocksdb), as its block cache makes them
//
// Charge is per entry, without metadata; HyperClockCache is told the true average charge. Their keys are 16 bytes, as RocksDB's
// own are.
#include <memory>
#include <new>

#include <rocksdb/cache.h>

#include "cache/subject.h"

namespace
{

struct Key {
    uint64_t word[2];

    explicit Key(uint64_t key) : word{key, ~key}
    {
    }
    rocksdb::Slice slice() const
    {
        return rocksdb::Slice(reinterpret_cast<const char *>(word), sizeof(word));
    }
};

void no_deleter(const rocksdb::Slice &, void *)
{
}

using Shared = std::shared_ptr<rocksdb::Cache>;

void *create_lru(size_t capacity)
{
    return new (std::nothrow) Shared(rocksdb::NewLRUCache(
        capacity, -1, false, 0.0, nullptr, rocksdb::kDefaultToAdaptiveMutex, rocksdb::kDontChargeCacheMetadata));
}

void *create_hyperclock(size_t capacity)
{
    return new (std::nothrow)
        Shared(rocksdb::HyperClockCacheOptions(capacity, 1, -1, false, nullptr, rocksdb::kDontChargeCacheMetadata)
                   .MakeSharedCache());
}

void destroy(void *cache)
{
    delete static_cast<Shared *>(cache);
}

bool look_up(rocksdb::Cache *cache, const Key &key)
{
    rocksdb::Cache::Handle *handle = cache->Lookup(key.slice());
    if (!handle)
        return false;
    bool has_value = cache->Value(handle) != nullptr;
    cache->Release(handle);
    return has_value;
}

size_t get(void *user, const uint64_t *keys, size_t nr)
{
    rocksdb::Cache *cache = static_cast<Shared *>(user)->get();
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++)
        nr_hits += look_up(cache, Key(keys[i]));
    return nr_hits;
}

size_t get_or_insert(void *user, const uint64_t *keys, size_t nr)
{
    rocksdb::Cache *cache = static_cast<Shared *>(user)->get();
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++) {
        Key key(keys[i]);

        if (look_up(cache, key))
            nr_hits++;
        else if (!cache->Insert(key.slice(), reinterpret_cast<void *>(keys[i]), 1, no_deleter).ok())
            break;
    }
    return nr_hits;
}

} // namespace

extern "C" {
const struct cache_subject_ops cache_subject_rocksdb_lru = {"rocksdb_lru", create_lru, destroy, nullptr,
                                                            nullptr,       get,        nullptr, get_or_insert};
const struct cache_subject_ops cache_subject_hyperclock = {
    "hyperclock", create_hyperclock, destroy, nullptr, nullptr, get, nullptr, get_or_insert};
}
