// SPDX-License-Identifier: MIT
// list_map.cpp - what one writes first: a hash map, a list in order of use, a mutex; and 16 of them side by side
#include <list>
#include <mutex>
#include <new>
#include <unordered_map>

#include "cache/subject.h"

namespace
{

class Shard
{
  public:
    void set_capacity(size_t capacity)
    {
        capacity_ = capacity;
        map_.reserve(capacity);
    }

    bool get(uint64_t key, void **value)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        auto found = map_.find(key);
        if (found == map_.end())
            return false;
        list_.splice(list_.begin(), list_, found->second);
        *value = found->second->value;
        return true;
    }

    void insert(uint64_t key, void *value)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        if (map_.find(key) != map_.end())
            return;
        if (list_.size() >= capacity_) {
            map_.erase(list_.back().key);
            list_.pop_back();
        }
        list_.push_front(Entry{key, value});
        map_[key] = list_.begin();
    }

  private:
    struct Entry {
        uint64_t key;
        void *value;
    };
    std::mutex mutex_;
    size_t capacity_ = 0;
    std::list<Entry> list_;
    std::unordered_map<uint64_t, std::list<Entry>::iterator> map_;
};

template <size_t N> struct Cache {
    struct alignas(64) Padded : Shard {
    };
    Padded shard[N];

    Shard &of(uint64_t key)
    {
        return shard[(key >> 59) % N];
    }
};

template <size_t N> void *create(size_t capacity)
{
    auto *cache = new (std::nothrow) Cache<N>;
    for (size_t i = 0; cache && i < N; i++)
        cache->shard[i].set_capacity(capacity / N);
    return cache;
}

template <size_t N> void destroy(void *cache)
{
    delete static_cast<Cache<N> *>(cache);
}

template <size_t N> size_t get(void *user, const uint64_t *keys, size_t nr)
{
    auto *cache = static_cast<Cache<N> *>(user);
    size_t nr_hits = 0;
    void *value = nullptr;

    for (size_t i = 0; i < nr; i++)
        nr_hits += cache->of(keys[i]).get(keys[i], &value) && value != nullptr;
    return nr_hits;
}

template <size_t N> size_t get_or_insert(void *user, const uint64_t *keys, size_t nr)
{
    auto *cache = static_cast<Cache<N> *>(user);
    size_t nr_hits = 0;
    void *value = nullptr;

    for (size_t i = 0; i < nr; i++) {
        if (cache->of(keys[i]).get(keys[i], &value))
            nr_hits++;
        else
            cache->of(keys[i]).insert(keys[i], reinterpret_cast<void *>(keys[i]));
    }
    return nr_hits;
}

} // namespace

extern "C" {
const struct cache_subject_ops cache_subject_list_map = {"list_map", create<1>, destroy<1>, nullptr,
                                                         nullptr,    get<1>,    nullptr,    get_or_insert<1>};
const struct cache_subject_ops cache_subject_list_map_16 = {"list_map_16", create<16>, destroy<16>, nullptr,
                                                            nullptr,       get<16>,    nullptr,     get_or_insert<16>};
}
