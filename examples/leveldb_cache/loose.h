/* SPDX-License-Identifier: MIT */
/*
 * Loose entries: those that a cache does not keep, since they are too heavy or there is no memory. LevelDB wants a handle
 * all the same, and it is the only way to the value. Bit 0 of a handle tells the two kinds apart.
 */
#ifndef GENLRU_LEVELDB_LOOSE_H
#define GENLRU_LEVELDB_LOOSE_H

#include <cstdint>
#include <cstring>

#include <genlru/config.h>
#include <leveldb/cache.h>

namespace genlru_leveldb
{

using Deleter = void (*)(const leveldb::Slice &key, void *value);

/* What LevelDB gives for a key. */
struct Payload {
    void *value;
    Deleter deleter;
};

struct Loose {
    Payload payload;
    size_t key_bytes; /* the key follows */

    leveldb::Slice key() const
    {
        return leveldb::Slice(reinterpret_cast<const char *>(this + 1), key_bytes);
    }
    size_t bytes() const
    {
        return sizeof(*this) + key_bytes;
    }
    leveldb::Cache::Handle *handle()
    {
        return reinterpret_cast<leveldb::Cache::Handle *>(reinterpret_cast<uintptr_t>(this) | 1);
    }
};

/* nullptr if the handle is one of a kept entry. */
inline Loose *loose_of(leveldb::Cache::Handle *handle)
{
    uintptr_t bits = reinterpret_cast<uintptr_t>(handle);

    return bits & 1 ? reinterpret_cast<Loose *>(bits & ~uintptr_t(1)) : nullptr;
}

/* nullptr without memory. */
inline Loose *loose_new(const genlru_allocator &allocator, const leveldb::Slice &key, const Payload &payload)
{
    void *memory = allocator.alloc(allocator.ctx, sizeof(Loose) + key.size(), alignof(Loose));
    Loose *loose = static_cast<Loose *>(memory);

    if (!loose)
        return nullptr;
    loose->payload = payload;
    loose->key_bytes = key.size();
    if (key.size())
        std::memcpy(loose + 1, key.data(), key.size());
    return loose;
}

inline void loose_delete(const genlru_allocator &allocator, Loose *loose)
{
    loose->payload.deleter(loose->key(), loose->payload.value);
    allocator.free(allocator.ctx, loose, loose->bytes(), alignof(Loose));
}

} // namespace genlru_leveldb

#endif
