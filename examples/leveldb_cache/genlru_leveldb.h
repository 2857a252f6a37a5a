/* SPDX-License-Identifier: MIT */
/*
 * LevelDB's block cache on libgenlru-cache.
 *
 *      leveldb::Options options;
 *      std::unique_ptr<leveldb::Cache> cache(genlru_leveldb::NewCache(256 << 20));
 *      options.block_cache = cache.get(); // a null pointer makes LevelDB use 8 MiB of its own
 *
 * In the place of leveldb::NewLRUCache(): the same calls with the same meaning, from any number of threads. Threads need not
 * be registered with liburcu: their first call does that, and their end undoes it. What differs:
 *
 *   deleters  are called once for each value, as ever, but a few milliseconds after it was removed and let go, by a thread
 *             that is in a call at that time (or by the maintenance thread, if it is asked for; Drain() waits for
 *             them). They are called without a lock and may call the cache.
 *   capacity  is one for the whole cache, not one for each of 16 shards, and may be changed. Entries that are held may exceed
 *             it, as in LevelDB's.
 *   heavy     entries, whose charge exceeds the capacity or 2^32 - 1, are never kept: the handle is the only way to them. So
 *             are all with a capacity of 0.
 *   memory    Insert cannot fail. Without memory for an entry it is not kept, as if it were heavy; without memory for that
 *             handle (some 32 bytes and the key), Prune() is tried, and then the process is aborted with a message, where
 *             LevelDB's own would crash.
 *
 * Before LevelDB's default Env is used with it, or with any other block cache: that Env maps the first 1000 table files into
 * memory, and LevelDB never caches blocks of mapped files that are not compressed.
 */
#ifndef GENLRU_LEVELDB_H
#define GENLRU_LEVELDB_H

#include <cstddef>
#include <cstdint>

#include <genlru/cache.h>
#include <leveldb/cache.h>

namespace genlru_leveldb
{

struct CacheOptions {
    const struct genlru_policy *policy = nullptr; /* copied; nullptr = genlru's default */
    size_t mean_charge = 4096;           /* of an entry, about: says how many fit. LevelDB charges a block's bytes */
    bool maintenance = false;            /* a thread that calls deleters when nobody calls the cache */
    bool are_threads_registered = false; /* the program does that itself: genlru_cache_register_thread() */
    const struct genlru_allocator *allocator = nullptr; /* copied; nullptr = malloc */
};

class Cache : public leveldb::Cache
{
  public:
    /* At once; what is too much goes with the inserts to come, or by Shrink(). */
    virtual void SetCapacity(size_t capacity) = 0;
    /* Evicts until the capacity holds, or all that is left is held. */
    virtual void Shrink() = 0;
    /* Returns when the deleters of everything removed so far have been called, but for what is held. Not from a deleter. */
    virtual void Drain() = 0;
    /* Hits and misses are counted, too: see genlru_cache_stat. */
    virtual void Stat(struct genlru_cache_stat *ret_stat) const = 0;
};

/*
 * nullptr: no memory, a policy that genlru_policy_check refuses, or a libgenlru-cache built for liburcu's qsbr, whose threads must
 * tell more than LevelDB's can.
 * Deleting it, after every handle was released, calls the deleters that are left.
 */
Cache *NewCache(size_t capacity, const CacheOptions &options = {});

} // namespace genlru_leveldb

#endif
