/* SPDX-License-Identifier: MIT */
/* Creating and destroying a cache. */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

enum {
    SMALL = 4096,            /* a capacity below this has one lane */
    DEFAULT_ENTRIES = 65536, /* where nothing says how many there will be */
    GUESSED_BYTES = 256,     /* of an entry with an inline value, where nothing says so */
    ALL_FLAGS = GENLRU_CACHE_CHARGE_METADATA | GENLRU_CACHE_COUNT_LOOKUPS | GENLRU_CACHE_MAINTENANCE
};

/* What a table of them may have. */
#define MAX_GHOSTS (UINT64_C(1) << (sizeof(size_t) > 4 ? 32 : 27))

static int check(const struct genlru_cache_config *config)
{
    if (!config || config->size != sizeof(*config) || (unsigned)config->limit > GENLRU_CACHE_RESERVE_FIRST ||
        (unsigned)config->key_kind > GENLRU_CACHE_KEY_U64 || (unsigned)config->value_kind > GENLRU_CACHE_VALUE_INLINE ||
        config->flags & ~(unsigned)ALL_FLAGS || config->stripes > GENLRU__MAX_LANES ||
        (config->allocator && (!config->allocator->alloc || !config->allocator->free)) ||
        config->expected_entries > UINT32_MAX || config->ttl_ns > GENLRU_CACHE_TTL_MAX_NS)
        return -EINVAL;
    return 0;
}

/* Differs from process to process and from cache to cache; nobody outside is to guess it, as far as that is easy. */
static uint64_t random_seed(const void *salt)
{
    struct timespec now;
    uint64_t seed;

    if (getentropy(&seed, sizeof(seed)) == 0 && seed)
        return seed;
    clock_gettime(CLOCK_REALTIME, &now);
    return genlru__mix((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20 ^ (uintptr_t)salt ^ (uint64_t)getpid() << 40);
}

static uint32_t nr_lanes(const struct genlru_cache_config *config)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    uint32_t wanted = config->stripes, nr = 1;

    if (!wanted && config->capacity >= SMALL && cpus > 0)
        wanted = cpus < GENLRU__MAX_LANES ? (uint32_t)cpus : GENLRU__MAX_LANES;
    while (nr < wanted) /* a power of two */
        nr *= 2;
    return nr;
}

/* Two an entry: the rules that are learned use no more (tests/cache/replay.c), and one is too few for loops. */
static uint64_t nr_ghosts(const struct genlru_cache_config *config)
{
    uint64_t entries = config->expected_entries;

    if (config->ghosts)
        return config->ghosts < MAX_GHOSTS ? config->ghosts : MAX_GHOSTS;
    if (!entries)
        entries = config->capacity < DEFAULT_ENTRIES ? config->capacity : DEFAULT_ENTRIES;
    return 2 * entries < MAX_GHOSTS ? 2 * entries : MAX_GHOSTS;
}

static uint64_t hash_of_node(void *ctx, const struct genlru_node *node)
{
    return genlru__hash_of_entry(ctx, GENLRU_ENTRY(node, struct genlru_cache_entry, node));
}

/* For learning, which samples a share of the keys: the number of entries, as far as it was said or charges tell. 0 = the capacity. */
static uint64_t nr_entries_of(const struct genlru_cache_config *config)
{
    uint64_t wanted = config->expected_entries;

    if (!wanted && config->value_kind == GENLRU_CACHE_VALUE_INLINE && config->capacity != GENLRU_NO_LIMIT)
        wanted = config->capacity / GUESSED_BYTES + 1;
    return wanted < config->capacity ? wanted : 0;
}

static int create_core(struct genlru_cache *cache, const struct genlru_cache_config *config)
{
    struct genlru_config core = GENLRU_CONFIG_INIT;
    int error = 0;

    if (config->ghosts != GENLRU_CACHE_NO_GHOSTS && config->capacity)
        error = genlru_nonresident_create(nr_ghosts(config), cache->seed, genlru__allocator(config->allocator),
                                          &cache->ghosts);
    if (error)
        return error;
    core.policy = config->policy;
    core.capacity = config->capacity;
    core.nr_gens = config->nr_gens;
    core.stripes = cache->nr_lanes;
    core.allocator = config->allocator;
    core.on_error = config->on_error;
    core.error_ctx = config->error_ctx;
    core.hash_of = hash_of_node;
    core.hash_ctx = cache;
    core.sample_seed = cache->seed;
    core.entries = nr_entries_of(config);
    return genlru_create(&core, &cache->lru);
}

static int create_lanes(struct genlru_cache *cache)
{
    unsigned i, k;

    cache->lane = genlru__memory_get_zeroed(&cache->memory, cache->nr_lanes * sizeof(*cache->lane), 64);
    if (!cache->lane)
        return -ENOMEM;
    for (i = 0; i < cache->nr_lanes; i++) {
        genlru__dead_bound(&cache->lane[i], 0);
        for (k = 0; k < GENLRU__NR_GRACES; k++)
            cache->lane[i].grace[k].cache = cache;
    }
    return 0;
}

/* Every part that was made goes. */
static void free_parts(struct genlru_cache *cache)
{
    struct genlru__memory memory = cache->memory;

    if (cache->lru)
        (void)genlru_destroy(cache->lru);
    genlru_nonresident_destroy(cache->ghosts);
    genlru__index_fini(&cache->index);
    genlru__heap_fini(&cache->heap);
    genlru__memory_put(&cache->memory, cache->lane, cache->nr_lanes * sizeof(*cache->lane), 64);
    genlru__flights_fini(cache);
    genlru__keeper_fini(cache);
    genlru__memory_put(&memory, cache, sizeof(*cache), 64);
}

static void take_over(struct genlru_cache *cache, const struct genlru_cache_config *config)
{
    cache->kind.has_number = config->key_kind == GENLRU_CACHE_KEY_U64;
    cache->kind.is_inline = config->value_kind == GENLRU_CACHE_VALUE_INLINE;
    cache->capacity = config->capacity;
    cache->limit = config->limit;
    cache->flags = config->flags;
    cache->low_watermark = config->low_watermark;
    cache->ttl_ns = config->ttl_ns;
    cache->seed = config->seed ? config->seed : random_seed(cache);
    cache->release = config->release;
    cache->can_evict = config->can_evict;
    cache->hash = config->hash;
    cache->ctx = config->ctx;
    cache->has_plain_numbers = cache->kind.has_number && !config->hash && !(config->flags & GENLRU_CACHE_COUNT_LOOKUPS);
    cache->now_ns = config->now_ns;
    cache->clock_ctx = config->clock_ctx;
    cache->nr_lanes = nr_lanes(config);
}

int genlru_cache_create(const struct genlru_cache_config *config, struct genlru_cache **ret_cache)
{
    struct genlru__memory memory;
    struct genlru_cache *cache;
    int error = ret_cache ? check(config) : -EINVAL;

    if (error)
        return error;
    genlru__memory_init(&memory, config->allocator);
    cache = genlru__memory_get_zeroed(&memory, sizeof(*cache), 64);
    if (!cache)
        return -ENOMEM;
    cache->memory = memory;
    take_over(cache, config);
    error = genlru__flights_init(cache);
    if (!error)
        error = genlru__heap_init(&cache->heap, &cache->memory);
    if (!error)
        error = genlru__index_init(&cache->index, &cache->memory, &cache->heap, cache->kind, config->expected_entries);
    if (!error)
        error = create_lanes(cache);
    if (!error)
        error = create_core(cache, config);
    if (!error && cache->flags & GENLRU_CACHE_MAINTENANCE)
        error = genlru__keeper_start(cache);
    if (error) {
        free_parts(cache);
        return error;
    }
    *ret_cache = cache;
    return 0;
}

/* Handles out: entries in the index with one, and those removed with one. */
static bool has_handles(struct genlru_cache *cache)
{
    enum { MAX = 64 };
    uint64_t number, detached = 0;
    uint32_t handles[MAX];
    unsigned i, nr;

    for (i = 0; i < cache->nr_lanes; i++)
        detached += genlru_impl_load_relaxed(&cache->lane[i].detached);
    if (detached)
        return true;
    for (number = 0; number < cache->index.nr_buckets; number++) {
        nr = genlru__index_walk(&cache->index, number, handles, MAX);
        for (i = 0; i < nr; i++)
            if (genlru__entry_at(&cache->index, handles[i])->pins & GENLRU__PINS)
                return true;
    }
    return false;
}

/* Dead entries whose values are not released yet. */
static uint64_t nr_waiting(const struct genlru_cache *cache)
{
    uint64_t nr = 0;
    unsigned i;

    for (i = 0; i < cache->nr_lanes; i++)
        nr += genlru_impl_load_relaxed(&cache->lane[i].waiting);
    return nr;
}

int genlru_cache_destroy(struct genlru_cache *cache)
{
    if (!cache)
        return 0;
    if (genlru__in_callback(cache))
        return -EDEADLK;
    genlru__keeper_stop(cache);
    if (genlru_impl_load_relaxed(&cache->reserved) || has_handles(cache)) {
        if (cache->has_keeper)
            (void)genlru__keeper_restart(cache); /* as it was */
        return -EBUSY;
    }
    do {
        (void)genlru_cache_clear(cache);
        genlru__dead_drain(cache); /* and release may have inserted, and erased */
    } while (genlru__nr_entries(cache) || nr_waiting(cache));
    genlru__rcu_barrier(); /* tables that were replaced */
    free_parts(cache);
    return 0;
}
