/* SPDX-License-Identifier: MIT */
/* watch.h says what this is. An entry's value is a Watched; the directory remembers what became of each block. */
#include "watch.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace bench
{

namespace
{

using Deleter = void (*)(const leveldb::Slice &key, void *value);

thread_local Class thread_class = OTHER;
thread_local Tally no_tally;
thread_local Tally *thread_tally = nullptr;

class Watch;

struct Watched {
    void *value;
    Deleter deleter;
    Watch *owner;
    Class brought_by;
    std::atomic<uint32_t> uses;

    bool is_once_used_by_get() const
    {
        return brought_by == GET && uses.load(std::memory_order_relaxed) == 1;
    }
};

/* LevelDB's keys of blocks: file and offset. */
struct BlockKey {
    uint64_t file, offset;

    explicit BlockKey(const leveldb::Slice &key)
    {
        std::memcpy(this, key.data(), sizeof(*this));
    }
    bool operator==(const BlockKey &other) const
    {
        return file == other.file && offset == other.offset;
    }
};

struct Hash {
    size_t operator()(const BlockKey &key) const
    {
        return static_cast<size_t>((key.file * 0x9e3779b97f4a7c15u ^ key.offset) * 0xbf58476d1ce4e5b9u >> 16);
    }
};

/* A deleter may be called after the block was brought in again; then `latest` is another one already. */
struct Life {
    Watched *latest;
    bool was_once_used; /* the one before it, or the latest if that is gone */
};

struct Directory {
    std::mutex mutex;
    std::unordered_map<BlockKey, Life, Hash> lives;
};

class Watch final : public leveldb::Cache
{
  public:
    Watch(leveldb::Cache *subject, Removals *removals) : subject_(subject), removals_(removals)
    {
    }

    Handle *Insert(const leveldb::Slice &key, void *value, size_t charge, Deleter deleter) override
    {
        Watched *w = new Watched{value, deleter, this, thread_class, {1}};

        removals_->inserted.fetch_add(1, std::memory_order_relaxed);
        removals_->inserted_bytes.fetch_add(charge, std::memory_order_relaxed);
        begin_life(key, w);
        return subject_->Insert(key, w, charge, on_delete);
    }

    Handle *Lookup(const leveldb::Slice &key) override
    {
        Handle *handle = subject_->Lookup(key);

        if (handle)
            watched(handle)->uses.fetch_add(1, std::memory_order_relaxed);
        else
            tally()->misses[thread_class]++;
        return handle;
    }

    void Release(Handle *handle) override
    {
        subject_->Release(handle);
    }
    void *Value(Handle *handle) override
    {
        return watched(handle)->value;
    }
    void Erase(const leveldb::Slice &key) override
    {
        subject_->Erase(key);
    }
    uint64_t NewId() override
    {
        return subject_->NewId();
    }
    void Prune() override
    {
        subject_->Prune();
    }
    size_t TotalCharge() const override
    {
        return subject_->TotalCharge();
    }

  private:
    static Tally *tally()
    {
        return thread_tally ? thread_tally : &no_tally;
    }

    Watched *watched(Handle *handle)
    {
        return static_cast<Watched *>(subject_->Value(handle));
    }

    Directory &directory_of(const leveldb::Slice &key)
    {
        return directory_[Hash()(BlockKey(key)) % NR_DIRECTORIES];
    }

    void begin_life(const leveldb::Slice &key, Watched *w)
    {
        if (key.size() != sizeof(BlockKey))
            return;
        Directory &directory = directory_of(key);
        std::lock_guard<std::mutex> lock(directory.mutex);
        Life &life = directory.lives.emplace(BlockKey(key), Life{nullptr, false}).first->second;

        if (life.latest)
            life.was_once_used = life.latest->is_once_used_by_get();
        if (thread_class == GET && life.was_once_used)
            tally()->reloaded_after_one_get++;
        life.latest = w;
        life.was_once_used = false;
    }

    void end_life(const leveldb::Slice &key, Watched *w)
    {
        removals_->all.fetch_add(1, std::memory_order_relaxed);
        removals_->of_gets.fetch_add(w->brought_by == GET, std::memory_order_relaxed);
        removals_->after_one_get.fetch_add(w->is_once_used_by_get(), std::memory_order_relaxed);
        if (key.size() != sizeof(BlockKey))
            return;
        Directory &directory = directory_of(key);
        std::lock_guard<std::mutex> lock(directory.mutex);
        auto found = directory.lives.find(BlockKey(key));

        if (found == directory.lives.end() || found->second.latest != w)
            return;
        found->second.was_once_used = w->is_once_used_by_get();
        found->second.latest = nullptr;
    }

    static void on_delete(const leveldb::Slice &key, void *value)
    {
        Watched *w = static_cast<Watched *>(value);

        w->owner->end_life(key, w);
        w->deleter(key, w->value);
        delete w;
    }

    static constexpr unsigned NR_DIRECTORIES = 64;
    Directory directory_[NR_DIRECTORIES];
    std::unique_ptr<leveldb::Cache> subject_; /* goes first: it calls on_delete */
    Removals *removals_;
};

} // namespace

void watch_thread(Class what, Tally *tally)
{
    thread_class = what;
    thread_tally = tally;
}

leveldb::Cache *new_watch(leveldb::Cache *subject, Removals *removals)
{
    return new Watch(subject, removals);
}

} // namespace bench
