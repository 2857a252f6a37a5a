// SPDX-License-Identifier: MIT
// libcuckoo.cpp - libcuckoo's map (Debian's libcuckoo-dev) with a CLOCK ring of keys beside it
//
// A ring slot per entry; an insert takes the next slot whose entry was not used since the hand came by, and its key out
// of the map.
#include <atomic>
#include <memory>
#include <new>

#include <libcuckoo/cuckoohash_map.hh>

#include "cache/subject.h"

namespace
{

struct Slot {
    std::atomic<uint64_t> key{0}; // 0 = free
    std::atomic<uint8_t> is_used{0};
};

struct Value {
    void *pointer;
    uint32_t slot;
};

struct Cache {
    explicit Cache(size_t capacity) : capacity(capacity), ring(new Slot[capacity]), map(capacity)
    {
    }
    size_t capacity;
    std::unique_ptr<Slot[]> ring;
    libcuckoo::cuckoohash_map<uint64_t, Value> map;
    alignas(64) std::atomic<uint64_t> hand{0};

    bool look_up(uint64_t key)
    {
        bool has_value = false;
        map.find_fn(key, [&](const Value &value) {
            if (!ring[value.slot].is_used.load(std::memory_order_relaxed))
                ring[value.slot].is_used.store(1, std::memory_order_relaxed);
            has_value = value.pointer != nullptr;
        });
        return has_value;
    }

    void insert(uint64_t key)
    {
        for (;;) {
            uint32_t number = static_cast<uint32_t>(hand.fetch_add(1, std::memory_order_relaxed) % capacity);
            Slot &slot = ring[number];
            if (slot.is_used.load(std::memory_order_relaxed)) {
                slot.is_used.store(0, std::memory_order_relaxed);
                continue;
            }
            uint64_t old = slot.key.exchange(key);
            if (old)
                map.erase(old);
            if (!map.insert(key, Value{reinterpret_cast<void *>(key), number}))
                slot.key.store(0);
            return;
        }
    }
};

void *create(size_t capacity)
{
    return new (std::nothrow) Cache(capacity);
}

void destroy(void *cache)
{
    delete static_cast<Cache *>(cache);
}

size_t get(void *user, const uint64_t *keys, size_t nr)
{
    auto *cache = static_cast<Cache *>(user);
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++)
        nr_hits += cache->look_up(keys[i]);
    return nr_hits;
}

size_t get_or_insert(void *user, const uint64_t *keys, size_t nr)
{
    auto *cache = static_cast<Cache *>(user);
    size_t nr_hits = 0;

    for (size_t i = 0; i < nr; i++) {
        if (cache->look_up(keys[i]))
            nr_hits++;
        else
            cache->insert(keys[i]);
    }
    return nr_hits;
}

} // namespace

extern "C" const struct cache_subject_ops cache_subject_libcuckoo = {"libcuckoo", create, destroy, nullptr,
                                                                     nullptr,     get,    nullptr, get_or_insert};
