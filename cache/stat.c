/* SPDX-License-Identifier: MIT */
/* Looking inside: figures, and a check of everything against everything. */
#include <errno.h>
#include <stdio.h>

#include "internal.h"

static uint64_t clamp(uint64_t value)
{
    return (int64_t)value < 0 ? 0 : value;
}

static uint64_t sum(const struct genlru_cache *cache, size_t offset)
{
    uint64_t total = 0;
    unsigned i;

    for (i = 0; i < cache->nr_lanes; i++)
        total += genlru_impl_load_relaxed((const uint64_t *)(const void *)((const char *)&cache->lane[i] + offset));
    return clamp(total);
}

#define SUM(cache, member) sum(cache, offsetof(struct genlru__lane, member))

static void fill_memory(struct genlru_cache *cache, const struct genlru_stat *core, struct genlru_cache_stat *stat)
{
    uint64_t all = clamp(genlru_impl_load_relaxed(&cache->memory.bytes));

    stat->index_bytes = genlru_impl_load_relaxed(&cache->index.bytes);
    stat->core_bytes = core->metadata_bytes;
    stat->ghost_bytes = cache->ghosts ? genlru_nonresident_bytes(cache->ghosts) : 0;
    stat->entry_bytes = clamp(all - stat->index_bytes);
    stat->metadata_bytes =
        clamp(all + stat->core_bytes + stat->ghost_bytes - genlru_impl_load_relaxed(&cache->payload));
    if (cache->kind.has_number)
        stat->metadata_bytes = clamp(stat->metadata_bytes - 8 * genlru__nr_entries(cache));
}

int genlru_cache_stat(struct genlru_cache *cache, struct genlru_cache_stat *ret_stat)
{
    struct genlru_cache_stat stat;
    struct genlru_stat core;
    unsigned cause;

    if (!cache || !ret_stat || ret_stat->size < sizeof(size_t))
        return -EINVAL;
    memset(&stat, 0, sizeof(stat));
    memset(&core, 0, sizeof(core));
    core.size = sizeof(core);
    genlru_stat(cache->lru, &core);
    stat.size = ret_stat->size;
    stat.capacity = genlru_impl_load_relaxed(&cache->capacity);
    stat.charge = clamp(genlru_impl_load_relaxed(&cache->charge));
    stat.reserved = clamp(genlru_impl_load_relaxed(&cache->reserved));
    stat.over = stat.charge > stat.capacity ? stat.charge - stat.capacity : 0;
    stat.entries = genlru__nr_entries(cache);
    stat.detached = SUM(cache, detached);
    stat.waiting = SUM(cache, waiting);
    stat.parked_nodes = core.pinned_nodes;
    stat.hits = SUM(cache, hits);
    stat.misses = SUM(cache, misses);
    stat.inserted = SUM(cache, inserted);
    for (cause = 0; cause < GENLRU__NR_CAUSES; cause++)
        stat.removed[cause] = sum(cache, offsetof(struct genlru__lane, removed) + cause * sizeof(uint64_t));
    stat.refused = SUM(cache, refused);
    stat.loads = SUM(cache, loads);
    stat.load_waits = SUM(cache, load_waits);
    stat.refaulted = core.refaulted;
    fill_memory(cache, &core, &stat);
    memcpy(ret_stat, &stat, stat.size < sizeof(stat) ? stat.size : sizeof(stat));
    return 0;
}

/* ---- verify ---- */

struct sums {
    uint64_t nr;
    uint64_t charge;
};

static int complain(char *text, size_t bytes, int number, const char *what, uint64_t a, uint64_t b)
{
    if (text && bytes)
        snprintf(text, bytes, "%s: %llu, %llu", what, (unsigned long long)a, (unsigned long long)b);
    return number;
}

static int verify_entry(const struct genlru_cache *cache, const struct genlru_cache_entry *e, uint64_t bucket,
                        char *text, size_t bytes)
{
    uint64_t hash = genlru__hash_of_entry(cache, e);
    struct genlru__key key = {genlru__entry_key(cache->kind, e), genlru__key_bytes(cache->kind, e), e->key};
    uint32_t pins = genlru__u32_load_relaxed(&e->pins);

    if (genlru__bucket_of(&cache->index, hash, cache->index.nr_buckets) != bucket)
        return complain(text, bytes, 1, "an entry is in the wrong bucket", hash, bucket);
    if (genlru__index_find(&cache->index, hash, &key) != e)
        return complain(text, bytes, 2, "an entry is not what its key finds", hash, bucket);
    if (pins & GENLRU__DEAD || !(pins & GENLRU__LISTED))
        return complain(text, bytes, 3, "an entry in the index is dead or not listed", pins, 0);
    if (!genlru_node_is_listed(&e->node))
        return complain(text, bytes, 4, "an entry's node is not on the lru", pins, 0);
    if ((pins & GENLRU__PARKED) && !genlru_node_is_pinned(&e->node))
        return complain(text, bytes, 5, "an entry is parked, its node not", pins, 0);
    if (!(pins & GENLRU__PARKED) && genlru_node_is_pinned(&e->node))
        return complain(text, bytes, 6, "a node is pinned, its entry not parked", pins, 0);
    return 0;
}

static int verify_index(const struct genlru_cache *cache, struct sums *sums, char *text, size_t bytes)
{
    enum { MAX = 4096 }; /* a bucket has 8, but for a hash that is none */
    uint32_t handles[MAX];
    uint64_t number;
    unsigned i, nr;
    int broken;

    for (number = 0; number < cache->index.nr_buckets; number++) {
        nr = genlru__index_walk(&cache->index, number, handles, MAX);
        for (i = 0; i < nr; i++) {
            const struct genlru_cache_entry *e = genlru__entry_at(&cache->index, handles[i]);

            broken = verify_entry(cache, e, number, text, bytes);
            if (broken)
                return broken;
            sums->nr++;
            sums->charge += genlru_node_charge(&e->node);
        }
    }
    return 0;
}

int genlru_cache_verify(struct genlru_cache *cache, char *text, size_t bytes)
{
    struct genlru_cache_stat stat;
    struct sums sums = {0, 0};
    int broken = verify_index(cache, &sums, text, bytes);

    stat.size = sizeof(stat);
    genlru_cache_stat(cache, &stat);
    if (broken)
        return broken;
    if (sums.nr != stat.entries)
        return complain(text, bytes, 7, "entries in the index, and counted", sums.nr, stat.entries);
    if (sums.charge + stat.reserved > stat.charge || (!stat.detached && sums.charge + stat.reserved != stat.charge))
        return complain(text, bytes, 8, "charge in the index and reserved, and counted", sums.charge + stat.reserved,
                        stat.charge);
    if (genlru_charge(cache->lru) != sums.charge)
        return complain(text, bytes, 9, "charge in the index, and on the lru", sums.charge, genlru_charge(cache->lru));
    broken = genlru_verify(cache->lru, text, bytes);
    return broken ? 100 + broken : 0;
}
