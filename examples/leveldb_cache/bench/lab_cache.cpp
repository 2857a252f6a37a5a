/* SPDX-License-Identifier: MIT */
/*
 * A policy of the laboratory (bench/policy) as a leveldb::Cache, so that it meets the same requests at the same times.
 *
 *      shard: mutex │ key ─▶ id (for ever) ─▶ entry, while it has a value
 *                   │         └─▶ policy: is it resident?
 *
 * As LevelDB's own, it is 16 shards under a mutex each. A policy counts blocks, since some of these know no sizes and blocks
 * are alike: capacity / mean block. It evicts inside policy_access and does not say whom; so an entry whose id is no longer
 * resident is a miss, and its value goes when a look-up finds that out or when the sweep comes by, a few entries with each
 * insert. This costs memory, and decides nothing.
 */
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench.h"

extern "C" {
#include "policy/policy.h"
}

namespace bench
{

namespace
{

using Deleter = void (*)(const leveldb::Slice &key, void *value);

struct Entry {
    std::string key;
    void *value;
    Deleter deleter;
    size_t charge;
    uint32_t id;
    uint32_t live_at; /* in Shard::live */
    unsigned refs;    /* handles, and one of the shard's */
};

class Shard
{
  public:
    ~Shard()
    {
        while (!live_.empty())
            detach(live_.back());
        bury();
        policy_destroy(policy_);
    }

    void init(const struct policy_ops *ops, uint64_t capacity, uint32_t nr_ids)
    {
        struct policy_config config = {};

        config.capacity = capacity;
        config.nr_ids = nr_ids;
        if (policy_create(ops, &config, &policy_) != 0)
            die(std::string(ops->name) + ": cannot be created");
        entry_.resize(nr_ids);
    }

    Entry *lookup(const std::string &key)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = ids_.find(key);
        Entry *e = found == ids_.end() ? nullptr : entry_[found->second];

        if (!e)
            return nullptr;
        if (!policy_is_resident(policy_, e->id)) {
            detach(e);
            return nullptr;
        }
        policy_access(policy_, e->id, POLICY_READ);
        e->refs++;
        return e;
    }

    Entry *insert(std::string key, void *value, size_t charge, Deleter deleter)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        uint32_t id = ids_.emplace(key, static_cast<uint32_t>(ids_.size())).first->second;

        if (id >= entry_.size())
            die("more blocks came than the policies were made for");
        if (entry_[id])
            detach(entry_[id]);
        Entry *e = new Entry{std::move(key), value, deleter, charge, id, static_cast<uint32_t>(live_.size()), 2};
        entry_[id] = e;
        live_.push_back(e);
        charge_ += charge;
        policy_access(policy_, id, POLICY_READ);
        sweep();
        return e;
    }

    void release(Entry *e)
    {
        std::lock_guard<std::mutex> lock(mutex_);

        unref(e);
    }

    void erase(const std::string &key)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = ids_.find(key);

        if (found != ids_.end() && entry_[found->second])
            detach(entry_[found->second]);
    }

    void prune()
    {
        std::lock_guard<std::mutex> lock(mutex_);

        for (size_t i = live_.size(); i-- > 0;)
            if (live_[i]->refs == 1)
                detach(live_[i]);
    }

    size_t charge()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        size_t sum = 0;

        for (const Entry *e : live_)
            if (policy_is_resident(policy_, e->id))
                sum += e->charge;
        return sum;
    }

    /* Calls the deleters that are due, without the lock. */
    void bury()
    {
        std::vector<Entry *> dead;

        {
            std::lock_guard<std::mutex> lock(mutex_);

            dead.swap(dead_);
        }
        for (Entry *e : dead) {
            e->deleter(e->key, e->value);
            delete e;
        }
    }

  private:
    void unref(Entry *e)
    {
        if (--e->refs == 0)
            dead_.push_back(e);
    }

    void detach(Entry *e)
    {
        live_.back()->live_at = e->live_at;
        live_[e->live_at] = live_.back();
        live_.pop_back();
        entry_[e->id] = nullptr;
        charge_ -= e->charge;
        unref(e);
    }

    void sweep()
    {
        enum { STEPS = 8 };

        for (unsigned i = 0; i < STEPS && !live_.empty(); i++) {
            Entry *e = live_[cursor_++ % live_.size()];

            if (!policy_is_resident(policy_, e->id))
                detach(e);
        }
    }

    std::mutex mutex_;
    std::unordered_map<std::string, uint32_t> ids_;
    std::vector<Entry *> entry_; /* by id */
    std::vector<Entry *> live_;
    std::vector<Entry *> dead_;
    struct policy *policy_ = nullptr;
    size_t charge_ = 0;
    size_t cursor_ = 0;
};

class LabCache final : public leveldb::Cache
{
  public:
    LabCache(const struct policy_ops *ops, const Sizes &sizes, unsigned nr_shards) : shards_(nr_shards)
    {
        /* Ids are never used again, so there is one for every block, and room for blocks to come. */
        uint64_t nr_ids = 4 * sizes.blocks / nr_shards + 4096;

        for (Shard &shard : shards_)
            shard.init(ops, sizes.cache_bytes / sizes.mean_block / nr_shards, static_cast<uint32_t>(nr_ids));
    }

    Handle *Insert(const leveldb::Slice &key, void *value, size_t charge, Deleter deleter) override
    {
        Shard &shard = shard_of(key);
        Entry *e = shard.insert(key.ToString(), value, charge, deleter);

        shard.bury();
        return reinterpret_cast<Handle *>(e);
    }

    Handle *Lookup(const leveldb::Slice &key) override
    {
        return reinterpret_cast<Handle *>(shard_of(key).lookup(key.ToString()));
    }

    void Release(Handle *handle) override
    {
        Entry *e = reinterpret_cast<Entry *>(handle);
        Shard &shard = shard_of(e->key);

        shard.release(e);
        shard.bury();
    }

    void *Value(Handle *handle) override
    {
        return reinterpret_cast<Entry *>(handle)->value;
    }

    void Erase(const leveldb::Slice &key) override
    {
        shard_of(key).erase(key.ToString());
        shard_of(key).bury();
    }

    uint64_t NewId() override
    {
        std::lock_guard<std::mutex> lock(id_mutex_);

        return ++last_id_;
    }

    void Prune() override
    {
        for (Shard &shard : shards_) {
            shard.prune();
            shard.bury();
        }
    }

    size_t TotalCharge() const override
    {
        size_t sum = 0;

        for (Shard &shard : shards_)
            sum += shard.charge();
        return sum;
    }

  private:
    Shard &shard_of(const leveldb::Slice &key)
    {
        uint64_t h = 14695981039346656037u;

        for (size_t i = 0; i < key.size(); i++)
            h = (h ^ static_cast<unsigned char>(key[i])) * 1099511628211u;
        return shards_[(h >> 32) % shards_.size()];
    }

    mutable std::vector<Shard> shards_;
    std::mutex id_mutex_;
    uint64_t last_id_ = 0;
};

} // namespace

leveldb::Cache *new_lab_cache(const std::string &policy, const Sizes &sizes, unsigned shards)
{
    const struct policy_ops *ops = policy_find(policy.c_str());

    return ops && !ops->prepare ? new LabCache(ops, sizes, shards) : nullptr; /* belady would have to know the future */
}

} // namespace bench
