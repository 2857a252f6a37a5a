/* SPDX-License-Identifier: MIT */
/*
 * A leveldb::Cache in front of any other that counts what happens, for each class of requests apart, and follows each block
 * from life to life. It is there for every subject, so it costs every subject the same.
 *
 *      get misses ─▶ entry {uses = 1} ─▶ removed by the subject: used once, by that get alone?
 *                                             │ remembered by key
 *      get misses again ◀─────────────────────┘ reloaded: the subject let it go too early
 */
#ifndef GENLRU_LEVELDB_WATCH_H
#define GENLRU_LEVELDB_WATCH_H

#include <atomic>
#include <cstdint>

#include <leveldb/cache.h>

namespace bench
{

enum Class { OTHER, GET, SCAN, NR_CLASSES };

/* Of one thread; others read it when it has ended. */
struct Tally {
    uint64_t misses[NR_CLASSES];
    uint64_t reloaded_after_one_get; /* by gets */
};

/* Of all threads, since values are given back by any. */
struct Removals {
    std::atomic<uint64_t> all{0};
    std::atomic<uint64_t> of_gets{0};       /* that a get had brought in */
    std::atomic<uint64_t> after_one_get{0}; /* of these, nobody used again */
    std::atomic<uint64_t> inserted{0};
    std::atomic<uint64_t> inserted_bytes{0};
};

/* What the calling thread does, and where it is counted. */
void watch_thread(Class what, Tally *tally);

/* Takes the subject over. `removals` must outlive it. */
leveldb::Cache *new_watch(leveldb::Cache *subject, Removals *removals);

} // namespace bench

#endif
