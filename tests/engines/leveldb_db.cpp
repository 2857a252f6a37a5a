/* SPDX-License-Identifier: MIT */
/*
 * LevelDB itself on genlru's cache, against a std::map: random puts, deletes, gets, scans and snapshots, compactions, and the database
 * closed and opened again under the same cache, with a cache of a few blocks, one of none and a large one, while
 * other threads read. The values compress well: LevelDB's Env maps table files, and then only blocks that are
 * compressed are cached.
 */
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <leveldb/db.h>
#include <unistd.h>

#include "leveldb_rig.h"

namespace
{

enum { NR_KEYS = 5000, NR_READERS = 2 };

using Map = std::map<std::string, std::string>;

struct Rig {
    std::string folder;
    std::unique_ptr<genlru_leveldb::Cache> cache;
    std::unique_ptr<leveldb::DB> db;
    Map map;
    struct stress_random random;
    std::atomic<bool> goes_on{true};
};

void check(const leveldb::Status &status)
{
    STRESS_CHECK(status.ok(), "%s", status.ToString().c_str());
}

void open_db(Rig *r)
{
    leveldb::Options options;
    leveldb::DB *db;

    options.create_if_missing = true;
    options.block_cache = r->cache.get();
    options.write_buffer_size = 64 << 10;
    options.max_file_size = 1 << 20;
    check(leveldb::DB::Open(options, r->folder, &db));
    r->db.reset(db);
}

/* Begins with its key. */
std::string value_for(const std::string &key, unsigned version)
{
    return key + " " + std::to_string(version) + std::string(300, static_cast<char>('a' + version % 26));
}

void write(Rig *r)
{
    std::string key = rig::key_of(stress_below(&r->random, NR_KEYS));

    if (stress_once_in(&r->random, 4)) {
        check(r->db->Delete(leveldb::WriteOptions(), key));
        r->map.erase(key);
        return;
    }
    r->map[key] = value_for(key, stress_below(&r->random, 1000000));
    check(r->db->Put(leveldb::WriteOptions(), key, r->map[key]));
}

void read(Rig *r)
{
    std::string key = rig::key_of(stress_below(&r->random, NR_KEYS)), value;
    auto expected = r->map.find(key);
    leveldb::ReadOptions how;

    how.fill_cache = !stress_once_in(&r->random, 5);
    leveldb::Status status = r->db->Get(how, key, &value);
    STRESS_CHECK(status.IsNotFound() == (expected == r->map.end()), "%s: %s", key.c_str(), status.ToString().c_str());
    STRESS_CHECK(status.IsNotFound() || value == expected->second, "%s has another value", key.c_str());
}

void compare_all(Rig *r, const Map &map, const leveldb::Snapshot *snapshot)
{
    leveldb::ReadOptions how;
    auto expected = map.begin();

    how.snapshot = snapshot;
    how.verify_checksums = true;
    std::unique_ptr<leveldb::Iterator> it(r->db->NewIterator(how));

    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected)
        STRESS_CHECK(expected != map.end() && it->key() == expected->first && it->value() == expected->second,
                     "differs at %s", it->key().ToString().c_str());
    check(it->status());
    STRESS_CHECK(expected == map.end(), "%s is missing", expected->first.c_str());
}

void read_beside(Rig *r, unsigned thread, uint64_t seed)
{
    struct stress_random random = stress_random(seed, 100 + thread);
    std::string value;

    while (r->goes_on) {
        std::string key = rig::key_of(stress_below(&random, NR_KEYS));
        leveldb::Status status = r->db->Get(leveldb::ReadOptions(), key, &value);

        STRESS_CHECK(status.IsNotFound() || (status.ok() && value.compare(0, key.size() + 1, key + " ") == 0),
                     "%s: a foreign value", key.c_str());
    }
}

/* Writes and reads with readers beside; then all is compared, also as it was before. */
void play(Rig *r, unsigned nr_steps, uint64_t seed)
{
    std::vector<std::thread> readers;
    Map before = r->map;
    const leveldb::Snapshot *snapshot = r->db->GetSnapshot();

    r->goes_on = true;
    for (unsigned i = 0; i < NR_READERS; i++)
        readers.emplace_back(read_beside, r, i, seed);
    for (unsigned i = 0; i < nr_steps; i++)
        stress_once_in(&r->random, 3) ? write(r) : read(r);
    r->goes_on = false;
    for (std::thread &reader : readers)
        reader.join();
    compare_all(r, before, snapshot);
    compare_all(r, r->map, nullptr);
    r->db->ReleaseSnapshot(snapshot);
}

void run(size_t capacity, uint64_t seed, unsigned nr_steps)
{
    std::unique_ptr<Rig> r(new Rig);
    struct genlru_cache_stat stat;

    stress_context("capacity %zu", capacity);
    r->folder = (std::filesystem::temp_directory_path() / ("genlru-leveldb-db-" + std::to_string(getpid()))).string();
    std::filesystem::remove_all(r->folder);
    r->cache.reset(genlru_leveldb::NewCache(capacity));
    STRESS_CHECK(r->cache, "no cache");
    r->random = stress_random(seed, capacity);
    for (unsigned round = 0; round < 3; round++) {
        open_db(r.get()); /* a new DB under the old cache: its blocks have new ids */
        play(r.get(), nr_steps, seed + round);
        if (round == 1)
            r->db->CompactRange(nullptr, nullptr);
        compare_all(r.get(), r->map, nullptr);
        r->db.reset();
    }
    r->cache->Stat(&stat);
    STRESS_CHECK(capacity == 0 || (stat.inserted > 50 && stat.hits > 50), "LevelDB did not use the cache");
    STRESS_CHECK(stat.charge <= capacity, "%llu charged", static_cast<unsigned long long>(stat.charge));
    std::filesystem::remove_all(r->folder);
}

} // namespace

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned nr_steps = stress_scaled(&options, 8000);

    run(20000, options.seed, nr_steps);
    run(0, options.seed, nr_steps);
    run(4 << 20, options.seed, nr_steps);
    return 0;
}
