/* SPDX-License-Identifier: MIT */
/* See leveldb_rig.h. */
#include "leveldb_rig.h"

namespace rig
{

std::atomic<uint64_t> nr_made, nr_deleted;

static void delete_value(const leveldb::Slice &key, void *value)
{
    Value *v = static_cast<Value *>(value);

    STRESS_CHECK(v->state.exchange(Value::DEAD) == Value::ALIVE, "deleted twice: %s", key.ToString().c_str());
    STRESS_CHECK(key.ToString() == v->key, "deleted under the key %s: %s", key.ToString().c_str(), v->key.c_str());
    nr_deleted.fetch_add(1);
    delete v;
}

leveldb::Cache::Handle *insert(leveldb::Cache &cache, const std::string &key, uint64_t version, size_t charge)
{
    Value *v = new Value;

    v->key = key;
    v->version = version;
    nr_made.fetch_add(1);
    leveldb::Cache::Handle *handle = cache.Insert(key, v, charge, delete_value);
    STRESS_CHECK(handle, "Insert gave no handle");
    STRESS_CHECK(cache.Value(handle) == v, "the handle does not lead to the value");
    return handle;
}

void put(leveldb::Cache &cache, const std::string &key, uint64_t version, size_t charge)
{
    cache.Release(insert(cache, key, version, charge));
}

uint64_t version_of(leveldb::Cache &cache, leveldb::Cache::Handle *handle, const std::string &key)
{
    const Value *v = static_cast<Value *>(cache.Value(handle));

    STRESS_CHECK(v->state.load() == Value::ALIVE, "a dead value under a handle");
    STRESS_CHECK(v->key == key, "found %s, wanted %s", v->key.c_str(), key.c_str());
    return v->version;
}

uint64_t find(leveldb::Cache &cache, const std::string &key)
{
    leveldb::Cache::Handle *handle = cache.Lookup(key);
    uint64_t version;

    if (!handle)
        return 0;
    version = version_of(cache, handle, key);
    cache.Release(handle);
    return version;
}

void check_all_deleted()
{
    STRESS_CHECK(nr_made == nr_deleted, "%llu values made, %llu deleted",
                 static_cast<unsigned long long>(nr_made.load()), static_cast<unsigned long long>(nr_deleted.load()));
}

} // namespace rig
