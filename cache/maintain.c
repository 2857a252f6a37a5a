/* SPDX-License-Identifier: MIT */
/*
 * Upkeep in slices, by whoever calls genlru_cache_maintain, or by the cache's own thread (the keeper): it sleeps until an
 * insert finds the charge above the middle of low watermark and capacity, a grace period ends, or, where entries expire,
 * some time has passed.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <time.h>

#include "internal.h"

enum { DEFAULT_BUDGET = 64, NAP_MS = 20, REST_MS = 500, KEEPER_BUDGET = 256 };

/* What maintenance evicts down to. */
static uint64_t low_of(const struct genlru_cache *cache)
{
    uint64_t capacity = genlru_impl_load_relaxed(&cache->capacity);

    return cache->low_watermark && cache->low_watermark < capacity ? cache->low_watermark : capacity;
}

static unsigned evict_down(struct genlru_cache *cache, uint64_t budget)
{
    uint64_t charge = genlru_impl_load_relaxed(&cache->charge), low = low_of(cache);
    enum genlru_evict_reason reason;
    unsigned nr = 0;

    if (charge > low)
        (void)genlru__evict_some(cache, charge - low, (unsigned)budget, true, &nr, &reason);
    return nr;
}

uint64_t genlru_cache_maintain(struct genlru_cache *cache, uint64_t budget_entries)
{
    uint64_t nr, budget = budget_entries ? budget_entries : DEFAULT_BUDGET;
    unsigned i;

    budget = budget < UINT32_MAX ? budget : UINT32_MAX;
    nr = evict_down(cache, budget);
    if (genlru__u32_load_relaxed(&cache->has_ttl))
        nr += genlru__sweep(cache, (unsigned)(budget / GENLRU__BUCKET_MEAN + 1));
    for (i = 0; i < cache->nr_lanes; i++)
        nr += genlru__dead_collect(cache, &cache->lane[i], (unsigned)budget);
    return nr;
}

int genlru_cache_drain(struct genlru_cache *cache)
{
    if (!cache || genlru__in_callback(cache))
        return cache ? -EDEADLK : -EINVAL;
    genlru__dead_drain(cache);
    return 0;
}

/* ---- the keeper ---- */

void genlru__keeper_wake(struct genlru_cache *cache)
{
    if (!cache->has_keeper || genlru__u32_load_relaxed(&cache->keeper_is_wanted))
        return;
    pthread_mutex_lock(&cache->keeper_mutex);
    genlru__u32_store_relaxed(&cache->keeper_is_wanted, 1);
    pthread_cond_signal(&cache->keeper_cond);
    pthread_mutex_unlock(&cache->keeper_mutex);
}

void genlru__keeper_notice(struct genlru_cache *cache)
{
    uint64_t low = low_of(cache);

    if (genlru_impl_load_relaxed(&cache->charge) > low + (genlru_impl_load_relaxed(&cache->capacity) - low) / 2)
        genlru__keeper_wake(cache);
}

void genlru__keeper_fini(struct genlru_cache *cache)
{
    if (!cache->has_keeper)
        return;
    pthread_cond_destroy(&cache->keeper_cond);
    pthread_mutex_destroy(&cache->keeper_mutex);
}

/* Sleeps until it is wanted, or for a while. False: it must end. */
static bool rest(struct genlru_cache *cache)
{
    unsigned ms = genlru__u32_load_relaxed(&cache->has_ttl) ? NAP_MS : REST_MS;
    struct timespec until;
    bool goes_on;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    genlru__rcu_offline();
    pthread_mutex_lock(&cache->keeper_mutex);
    while (!cache->keeper_is_wanted && !cache->keeper_must_end &&
           pthread_cond_timedwait(&cache->keeper_cond, &cache->keeper_mutex, &until) != ETIMEDOUT)
        ;
    genlru__u32_store_relaxed(&cache->keeper_is_wanted, 0);
    goes_on = !cache->keeper_must_end;
    pthread_mutex_unlock(&cache->keeper_mutex);
    genlru__rcu_online();
    return goes_on;
}

static void *keep(void *arg)
{
    struct genlru_cache *cache = arg;

    genlru_cache_register_thread();
    while (rest(cache)) {
        while (genlru_cache_maintain(cache, KEEPER_BUDGET) != 0 && !genlru__u32_load_relaxed(&cache->keeper_must_end))
            genlru_cache_quiescent();
        genlru_cache_quiescent();
    }
    genlru_cache_unregister_thread();
    return NULL;
}

int genlru__keeper_restart(struct genlru_cache *cache)
{
    cache->keeper_must_end = 0;
    cache->has_keeper = pthread_create(&cache->keeper, NULL, keep, cache) == 0;
    return cache->has_keeper ? 0 : -EAGAIN;
}

int genlru__keeper_start(struct genlru_cache *cache)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);

    if (error)
        return -error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(&cache->keeper_cond, &attributes);
    pthread_condattr_destroy(&attributes);
    if (error)
        return -error;
    pthread_mutex_init(&cache->keeper_mutex, NULL);
    cache->has_keeper = true;
    error = pthread_create(&cache->keeper, NULL, keep, cache);
    if (!error)
        return 0;
    cache->has_keeper = false;
    pthread_cond_destroy(&cache->keeper_cond);
    pthread_mutex_destroy(&cache->keeper_mutex);
    return -error;
}

void genlru__keeper_stop(struct genlru_cache *cache)
{
    if (!cache->has_keeper)
        return;
    pthread_mutex_lock(&cache->keeper_mutex);
    genlru__u32_store_relaxed(&cache->keeper_must_end, 1);
    pthread_cond_signal(&cache->keeper_cond);
    pthread_mutex_unlock(&cache->keeper_mutex);
    genlru__rcu_offline();
    pthread_join(cache->keeper, NULL);
    genlru__rcu_online();
}
