/* SPDX-License-Identifier: MIT */
/*
 * leveldb::Cache, call by call, on genlru_cache.
 *
 *      Handle* ── bit 0 = 0 ──▶ genlru_cache_entry: key, Payload {value, deleter}     kept: found by Lookup
 *             └── bit 0 = 1 ──▶ Loose: the same                                       not kept, see loose.h
 *
 * A value and its deleter are the inline bytes of an entry, so that an entry is one object of the cache's heap. The cache's
 * pins are LevelDB's handles, its release callback is where deleters are called.
 */
#include "genlru_leveldb.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "loose.h"
#include "thread.h"

namespace genlru_leveldb
{

namespace
{

void *plain_alloc(void *, size_t size, size_t)
{
    return std::malloc(size);
}

void plain_free(void *, void *memory, size_t, size_t)
{
    std::free(memory);
}

/* config.release */
void call_deleter(void *, const struct genlru_cache_info *info, enum genlru_cache_cause)
{
    Payload payload;

    std::memcpy(&payload, info->value, sizeof(payload));
    payload.deleter(leveldb::Slice(static_cast<const char *>(info->key), info->key_bytes), payload.value);
}

struct genlru_cache_entry *entry_of(leveldb::Cache::Handle *handle)
{
    return reinterpret_cast<struct genlru_cache_entry *>(handle);
}

leveldb::Cache::Handle *handle_of(struct genlru_cache_entry *entry)
{
    return reinterpret_cast<leveldb::Cache::Handle *>(entry);
}

class Adapter final : public Cache
{
  public:
    explicit Adapter(const CacheOptions &options) : are_threads_registered_(options.are_threads_registered)
    {
        allocator_ = options.allocator ? *options.allocator : genlru_allocator{plain_alloc, plain_free, nullptr};
    }

    bool Init(size_t capacity, const CacheOptions &options)
    {
        struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;

        know_thread();
        config.capacity = capacity;
        config.value_kind = GENLRU_CACHE_VALUE_INLINE;
        config.flags = GENLRU_CACHE_COUNT_LOOKUPS | (options.maintenance ? unsigned(GENLRU_CACHE_MAINTENANCE) : 0);
        config.expected_entries = capacity / (options.mean_charge ? options.mean_charge : 1);
        if (config.expected_entries > UINT32_MAX)
            config.expected_entries = UINT32_MAX;
        config.policy = options.policy;
        config.release = call_deleter;
        config.allocator = options.allocator;
        return genlru_cache_create(&config, &cache_) == 0;
    }

    ~Adapter() override
    {
        if (!cache_)
            return;
        know_thread();
        /* What a handle leads to may be in use, so it stays. */
        if (genlru_cache_destroy(cache_) == -EBUSY)
            std::fputs("genlru-leveldb: a cache is deleted while handles are out; it is leaked\n", stderr);
    }

    Handle *Insert(const leveldb::Slice &key, void *value, size_t charge, Deleter deleter) override
    {
        Payload payload = {value, deleter};
        struct genlru_cache_insert how = {};
        struct genlru_cache_entry *entry = nullptr;

        know_thread();
        how.value = &payload;
        how.value_bytes = sizeof(payload);
        how.charge = charge;
        how.flags = charge ? 0 : unsigned(GENLRU_CACHE_INSERT_WEIGHTLESS);
        if (genlru_cache_insert(cache_, key.data(), key.size(), &how, &entry) >= 0)
            return handle_of(entry);
        /* Not kept; but what was kept under this key is out of date. */
        (void)genlru_cache_erase(cache_, key.data(), key.size());
        return insert_loose(key, payload);
    }

    Handle *Lookup(const leveldb::Slice &key) override
    {
        know_thread();
        return handle_of(genlru_cache_get(cache_, key.data(), key.size()));
    }

    void Release(Handle *handle) override
    {
        Loose *loose = loose_of(handle);

        know_thread();
        if (loose)
            loose_delete(allocator_, loose);
        else
            genlru_cache_release(cache_, entry_of(handle));
    }

    void *Value(Handle *handle) override
    {
        const Loose *loose = loose_of(handle);
        Payload payload;

        if (loose)
            return loose->payload.value;
        std::memcpy(&payload, genlru_cache_value(cache_, entry_of(handle)), sizeof(payload));
        return payload.value;
    }

    void Erase(const leveldb::Slice &key) override
    {
        know_thread();
        (void)genlru_cache_erase(cache_, key.data(), key.size());
    }

    uint64_t NewId() override
    {
        return last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    void Prune() override
    {
        know_thread();
        (void)genlru_cache_prune(cache_);
        (void)genlru_cache_drain(cache_); /* who asks for memory wants to have it (in a deleter: when it comes) */
    }

    size_t TotalCharge() const override
    {
        struct genlru_cache_stat stat;

        Stat(&stat);
        return static_cast<size_t>(stat.charge);
    }

    void SetCapacity(size_t capacity) override
    {
        genlru_cache_set_capacity(cache_, capacity);
    }

    void Shrink() override
    {
        struct genlru_cache_stat stat;

        know_thread();
        do
            Stat(&stat);
        while (stat.over && genlru_cache_maintain(cache_, 1024));
    }

    void Drain() override
    {
        know_thread();
        (void)genlru_cache_drain(cache_);
    }

    void Stat(struct genlru_cache_stat *ret_stat) const override
    {
        ret_stat->size = sizeof(*ret_stat);
        (void)genlru_cache_stat(cache_, ret_stat);
    }

  private:
    void know_thread() const
    {
        if (!are_threads_registered_)
            know_this_thread();
    }

    Handle *insert_loose(const leveldb::Slice &key, const Payload &payload)
    {
        Loose *loose = loose_new(allocator_, key, payload);

        if (!loose) {
            Prune();
            loose = loose_new(allocator_, key, payload);
        }
        if (!loose) {
            std::fputs("genlru-leveldb: no memory for an entry, and LevelDB cannot be told\n", stderr);
            std::abort();
        }
        return loose->handle();
    }

    struct genlru_cache *cache_ = nullptr;
    const bool are_threads_registered_;
    struct genlru_allocator allocator_;
    std::atomic<uint64_t> last_id_{0};
};

} // namespace

Cache *NewCache(size_t capacity, const CacheOptions &options)
{
    Adapter *adapter;

    if (std::strcmp(genlru_cache_rcu_flavour(), "qsbr") == 0)
        return nullptr;
    adapter = new (std::nothrow) Adapter(options);
    if (adapter && !adapter->Init(capacity, options)) {
        delete adapter;
        return nullptr;
    }
    return adapter;
}

} // namespace genlru_leveldb
