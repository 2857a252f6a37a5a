/* SPDX-License-Identifier: MIT */
/* The caches that are compared. */
#include "bench.h"
#include "genlru_leveldb.h"

namespace bench
{

namespace
{

struct Preset {
    const char *name;
    const struct genlru_policy *policy;
};

/* These run on libgenlru-cache, as they would in a program. */
const Preset presets[] = {
    {"mglru", &GENLRU_POLICY_MGLRU},
    {"mglru-fg", &GENLRU_POLICY_MGLRU_FG},
    {"tuned-fg", &GENLRU_POLICY_TUNED_FG},
    {"genlru", &GENLRU_POLICY_DEFAULT},
};

} // namespace

leveldb::Cache *new_subject(const std::string &name, const Sizes &sizes, const Options &options)
{
    genlru_leveldb::CacheOptions how;

    if (name == "leveldb")
        return leveldb::NewLRUCache(sizes.cache_bytes);
    for (const Preset &preset : presets)
        if (name == preset.name) {
            how.policy = preset.policy;
            how.mean_charge = sizes.mean_block;
            return genlru_leveldb::NewCache(sizes.cache_bytes, how);
        }
    return new_lab_cache(name.compare(0, 4, "lab:") == 0 ? name.substr(4) : name, sizes, options.shards);
}

std::string subject_names()
{
    return "leveldb (its own LRU), genlru, mglru, mglru-fg, tuned-fg (libgenlru-cache), and every policy of\n"
           "genlru-sim behind a mutex a shard: lru, clru, arc, s3fifo, ..., also lab:genlru, lab:mglru-fg";
}

} // namespace bench
