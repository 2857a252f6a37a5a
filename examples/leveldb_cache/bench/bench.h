/* SPDX-License-Identifier: MIT */
/*
 * genlru-leveldb-bench: LevelDB's get and scan beside each other, on its own block cache and on others.
 *
 *   main.cpp ─ options, order of runs ─▶ run.cpp: a fresh copy of the database, warm-up, measurement
 *      │                                    │ threads of workload.cpp
 *      │                                    ▼
 *      │                                leveldb::DB ──▶ watch.cpp ──▶ subject.cpp: LevelDB's LRU, genlru, lab_cache.cpp
 *      │                                    │           counts
 *      │                                    ▼ misses
 *      │                                device_env.cpp: O_DIRECT, or a latency
 *      └─▶ report.cpp: medians, intervals, verdicts (summary.cpp)
 */
#ifndef GENLRU_LEVELDB_BENCH_H
#define GENLRU_LEVELDB_BENCH_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <leveldb/cache.h>
#include <leveldb/env.h>

namespace bench
{

/* Says what is wrong and ends the program. */
[[noreturn]] void die(const std::string &what);

uint64_t now_ns();

struct Options {
    std::vector<std::string> subjects = {"leveldb", "clru", "mglru", "mglru-fg", "arc", "s3fifo", "genlru"};
    std::vector<std::string> mixes; /* of the workload; empty = all */
    std::string folder = "/tmp";    /* the database, its copies */
    uint64_t entries = 4000000;     /* 16-byte keys, 200-byte values */
    uint64_t cache_bytes = 0;       /* 0 = 1/11 of the data */
    uint64_t scan_entries = 10000;  /* of one scan */
    double theta = 0.99;            /* of Zipf's law */
    double seconds = 3;             /* of a warm-up, and of a measurement */
    unsigned rounds = 3;            /* each round is every subject twice, there and back */
    unsigned shards = 16;           /* of the caches of lab_cache.cpp */
    bool has_direct_io = false;     /* else the device is a latency */
    unsigned latency_us = 400;      /* of a read from the device */
    unsigned readahead_kib = 128;   /* read with one latency, once a thread reads on where it was */
    uint64_t seed = 1;
};

/* ---- database.cpp ---- */

enum : unsigned { KEY_BYTES = 16, VALUE_BYTES = 200 };

/* Entry `number`; keys are in the order of numbers. */
void make_key(uint64_t number, char key[KEY_BYTES]);
void make_value(uint64_t number, char value[VALUE_BYTES]);
/* Whether it is a value of that number, of any version. */
bool is_value_of(uint64_t number, const std::string &value);
/* Loads the database if it is not there as these options want it, and returns its folder. */
std::string prepare_database(const Options &options);
/*
 * A fresh copy of it, into a new folder. Table files are never written again once they are there, so those of the copy are
 * hard links; everything else is copied.
 */
std::string copy_database(const std::string &from, const Options &options);
void remove_copy();
void remove_folder(const std::string &folder);

/* ---- subject.cpp ---- */

struct Sizes {
    uint64_t cache_bytes;
    uint64_t mean_block; /* bytes that LevelDB charges for a block, in the mean */
    uint64_t blocks;     /* of the database */
};

/* nullptr: no subject of that name. */
leveldb::Cache *new_subject(const std::string &name, const Sizes &sizes, const Options &options);
/* What to choose from, for --help. */
std::string subject_names();
/* lab_cache.cpp: a policy of bench/policy; nullptr if there is none of that name. */
leveldb::Cache *new_lab_cache(const std::string &policy, const Sizes &sizes, unsigned shards);

/* ---- device_env.cpp ---- */

/* Owned by the caller; files read through it take a device's time. */
leveldb::Env *new_device_env(const Options &options);

/* ---- results of a run ---- */

struct Result {
    double gets_per_s, scans_per_s, ops_per_s, writes_per_s;
    double misses_per_get, misses_per_scan;
    double get_p50_us, get_p99_us;
    double removed_per_s;          /* entries of the block cache */
    double removed_after_one_get;  /* of them, share that one get used and no more */
    double reloaded_after_one_get; /* per get: misses for such an entry */
    double over_capacity;          /* largest charge seen / capacity */
};

struct Workload;
Result run_one(const Workload &workload, const std::string &subject, const std::string &database, const Sizes &sizes,
               const Options &options, uint64_t seed);
/* Blocks, and bytes of one, as LevelDB charges them. */
Sizes measure_sizes(const std::string &database, const Options &options);

} // namespace bench

#endif
