// SPDX-License-Identifier: MIT
// leveldb.cpp - LevelDB's NewLRUCache (Debian's libleveldb): 16 shards, a mutex each
#include <leveldb/cache.h>

#include "cache/subject.h"

namespace
{

leveldb::Slice slice(const uint64_t &key)
{
    return leveldb::Slice(reinterpret_cast<const char *>(&key), sizeof(key));
}

void no_deleter(const leveldb::Slice &, void *)
{
}

void *create(size_t capacity)
{
    return leveldb::NewLRUCache(capacity);
}

void destroy(void *cache)
{
    delete static_cast<leveldb::Cache *>(cache);
}

bool look_up(leveldb::Cache *cache, const uint64_t &key)
{
    leveldb::Cache::Handle *handle = cache->Lookup(slice(key));
    if (!handle)
        return false;
    bool has_value = cache->Value(handle) != nullptr;
    cache->Release(handle);
    return has_value;
}

size_t get(void *user, const uint64_t *keys, size_t nr)
{
    auto *cache = static_cast<leveldb::Cache *>(user);
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++)
        nr_hits += look_up(cache, keys[i]);
    return nr_hits;
}

size_t get_or_insert(void *user, const uint64_t *keys, size_t nr)
{
    auto *cache = static_cast<leveldb::Cache *>(user);
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++) {
        if (look_up(cache, keys[i]))
            nr_hits++;
        else
            cache->Release(cache->Insert(slice(keys[i]), reinterpret_cast<void *>(keys[i]), 1, no_deleter));
    }
    return nr_hits;
}

} // namespace

extern "C" const struct cache_subject_ops cache_subject_leveldb = {"leveldb", create, destroy, nullptr,
                                                                   nullptr,   get,    nullptr, get_or_insert};
