/* SPDX-License-Identifier: MIT */
/* One run: a fresh copy, a new cache, a warm-up, and a measurement of the same length. */
#include <algorithm>
#include <chrono>
#include <thread>

#include "workload.h"

namespace bench
{

namespace
{

leveldb::Options open_options(leveldb::Env *env, leveldb::Cache *cache)
{
    leveldb::Options how;

    how.env = env;
    how.block_cache = cache;
    how.compression = leveldb::kNoCompression;
    how.write_buffer_size = 32 << 20;
    how.max_file_size = 32 << 20;
    how.max_open_files = 10000; /* a table that is closed and opened again has other keys in the cache */
    return how;
}

leveldb::DB *open_db(const std::string &folder, leveldb::Env *env, leveldb::Cache *cache)
{
    leveldb::DB *db;
    leveldb::Status status = leveldb::DB::Open(open_options(env, cache), folder, &db);

    if (!status.ok())
        die(folder + ": " + status.ToString());
    return db;
}

/* Sleeps, and looks now and then how much the cache holds. */
size_t watch_charge(const leveldb::Cache &cache, double seconds)
{
    using namespace std::chrono;
    auto end = steady_clock::now() + duration<double>(seconds);
    size_t most = 0;

    while (steady_clock::now() < end) {
        std::this_thread::sleep_for(std::min<duration<double>>(milliseconds(200), end - steady_clock::now()));
        most = std::max(most, cache.TotalCharge());
    }
    return most;
}

double percentile_us(std::vector<uint32_t> &ns, double share)
{
    if (ns.empty())
        return 0;
    auto nth = ns.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(ns.size() - 1) * share);

    std::nth_element(ns.begin(), nth, ns.end());
    return *nth / 1e3;
}

double per(uint64_t a, double b)
{
    return b > 0 ? static_cast<double>(a) / b : 0;
}

struct Snapshot {
    uint64_t of_gets, after_one_get, all, ns;

    explicit Snapshot(const Removals &r) : of_gets(r.of_gets), after_one_get(r.after_one_get), all(r.all), ns(now_ns())
    {
    }
};

Result summarise(std::vector<Worker> &workers, const Snapshot &from, const Snapshot &to)
{
    Counts sum = {};
    std::vector<uint32_t> get_ns;
    double seconds = static_cast<double>(to.ns - from.ns) / 1e9;
    Result r = {};

    for (Worker &worker : workers) {
        const Counts &c = worker.counts[MEASURED];

        sum.gets += c.gets;
        sum.scans += c.scans;
        sum.writes += c.writes;
        sum.tally.misses[GET] += c.tally.misses[GET];
        sum.tally.misses[SCAN] += c.tally.misses[SCAN];
        sum.tally.reloaded_after_one_get += c.tally.reloaded_after_one_get;
        get_ns.insert(get_ns.end(), worker.get_ns.begin(), worker.get_ns.end());
    }
    r.gets_per_s = per(sum.gets, seconds);
    r.scans_per_s = per(sum.scans, seconds);
    r.writes_per_s = per(sum.writes, seconds);
    r.ops_per_s = r.gets_per_s + r.scans_per_s + r.writes_per_s;
    r.misses_per_get = per(sum.tally.misses[GET], static_cast<double>(sum.gets));
    r.misses_per_scan = per(sum.tally.misses[SCAN], static_cast<double>(sum.scans));
    r.reloaded_after_one_get = per(sum.tally.reloaded_after_one_get, static_cast<double>(sum.gets));
    r.removed_per_s = per(to.all - from.all, seconds);
    r.removed_after_one_get =
        per(to.after_one_get - from.after_one_get, static_cast<double>(to.of_gets - from.of_gets));
    r.get_p50_us = percentile_us(get_ns, 0.50);
    r.get_p99_us = percentile_us(get_ns, 0.99);
    return r;
}

} // namespace

uint64_t now_ns()
{
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

Result run_one(const Workload &workload, const std::string &subject, const std::string &database, const Sizes &sizes,
               const Options &options, uint64_t seed)
{
    std::string folder = copy_database(database, options);
    std::unique_ptr<leveldb::Env> env(new_device_env(options));
    leveldb::Cache *inner = new_subject(subject, sizes, options);
    Removals removals;
    Shared shared;
    std::vector<Worker> workers(workload.nr_workers);
    std::vector<std::thread> threads;

    if (!inner)
        die("no subject '" + subject + "'");
    std::unique_ptr<leveldb::Cache> cache(new_watch(inner, &removals));
    std::unique_ptr<leveldb::DB> db(open_db(folder, env.get(), cache.get()));

    shared.db = db.get();
    shared.options = &options;
    shared.nr_entries = options.entries;
    shared.nr_idle = workload.nr_workers;
    zipf_init(&shared.zipf, options.theta, options.entries);
    for (unsigned i = 0; i < workload.nr_workers; i++)
        threads.emplace_back(work, &shared, i == 0 ? workload.first : workload.others, seed * 1000003 + i, &workers[i]);
    (void)watch_charge(*cache, options.seconds);
    Snapshot from(removals);
    shared.phase = MEASURED;
    size_t most = watch_charge(*cache, options.seconds);
    while (shared.nr_idle) /* on a busy machine the time may be over before some thread has run at all */
        most = std::max(most, watch_charge(*cache, 0.01));
    Snapshot to(removals);
    shared.phase = OVER;
    for (std::thread &thread : threads)
        thread.join();
    Result result = summarise(workers, from, to);
    result.over_capacity = static_cast<double>(most) / static_cast<double>(sizes.cache_bytes);
    db.reset();
    cache.reset();
    remove_copy();
    return result;
}

Sizes measure_sizes(const std::string &database, const Options &options)
{
    enum { SAMPLE = 20000 };
    std::string folder = copy_database(database, options);
    std::unique_ptr<leveldb::Env> env(new_device_env(options));
    Removals removals;
    std::unique_ptr<leveldb::Cache> cache(new_watch(leveldb::NewLRUCache(1 << 30), &removals));
    Sizes sizes = {};
    uint64_t nr = 0;

    {
        std::unique_ptr<leveldb::DB> db(open_db(folder, env.get(), cache.get()));
        std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));

        for (it->SeekToFirst(); it->Valid() && nr < SAMPLE; it->Next())
            nr++;
    }
    remove_copy();
    if (removals.inserted == 0)
        die("LevelDB caches no block of " + database);
    sizes.mean_block = removals.inserted_bytes / removals.inserted;
    sizes.blocks = options.entries * removals.inserted / nr + 1;
    sizes.cache_bytes = options.cache_bytes ? options.cache_bytes : options.entries * (KEY_BYTES + VALUE_BYTES) / 11;
    return sizes;
}

} // namespace bench
