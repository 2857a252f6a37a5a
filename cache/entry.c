/* SPDX-License-Identifier: MIT */
/*
 * The life of an entry after it is in the index: handles, removal, core's pin. See entry.h for the word.
 *
 *   who took it out of the index   DEAD + cause, and core's del: GENLRU_YOURS clears LISTED, too
 *   an evictor that met handles    putback, core's pin, PARKED
 *   the last handle                gives core's pin back, if PARKED
 *   whoever is told GENLRU_YOURS   clears LISTED
 *
 * and whoever leaves nothing but DEAD retires it.
 */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "internal.h"

/* ---- time ---- */

static uint64_t now_ns(const struct genlru_cache *cache)
{
    struct timespec now;

    if (cache->now_ns)
        return cache->now_ns(cache->clock_ctx);
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t genlru__now_ticks(const struct genlru_cache *cache)
{
    return (uint32_t)(now_ns(cache) / GENLRU_CACHE_TICK_NS);
}

uint32_t genlru__expiry_after(const struct genlru_cache *cache, uint64_t ttl_ns)
{
    uint32_t expiry;

    if (!ttl_ns)
        return 0;
    /* the first tick that begins when the time is over, so that it is never early */
    expiry = (uint32_t)((now_ns(cache) + ttl_ns + GENLRU_CACHE_TICK_NS - 1) / GENLRU_CACHE_TICK_NS);
    return expiry ? expiry : 1;
}

bool genlru__is_past(const struct genlru_cache *cache, uint32_t expiry)
{
    return (int32_t)(genlru__now_ticks(cache) - expiry) >= 0;
}

/* ---- handles ---- */

void genlru__entry_repin(struct genlru_cache_entry *e)
{
    __atomic_fetch_add(&e->pins, 1, __ATOMIC_RELAXED); /* the caller's own handle keeps it */
}

static void retire(struct genlru_cache *cache, struct genlru_cache_entry *e, struct genlru__dead_list *dead)
{
    struct genlru__dead_list alone = {0, 0, 0, {0}, 0};

    genlru__dead_add(dead ? dead : &alone, e);
    if (!dead)
        genlru__dead_push(cache, &alone);
}

void genlru__entry_delisted(struct genlru_cache *cache, struct genlru_cache_entry *e, struct genlru__dead_list *dead)
{
    if (genlru__is_retired(genlru__entry_change(e, 0, GENLRU__LISTED, 0)))
        retire(cache, e, dead);
}

/* Core's pin back: the caller cleared PARKED, or never set it. */
static void unpark(struct genlru_cache *cache, struct genlru_cache_entry *e, struct genlru__dead_list *dead)
{
    if (genlru_unpin(cache->lru, &e->node) == GENLRU_YOURS)
        genlru__entry_delisted(cache, e, dead);
}

void genlru__entry_drop(struct genlru_cache *cache, struct genlru_cache_entry *e)
{
    uint32_t pins = genlru__u32_load_relaxed(&e->pins), after;

    do {
        after = pins - 1;
        if (!(after & GENLRU__PINS))
            after &= ~GENLRU__PARKED;
        /* acq_rel R */
    } while (!genlru__u32_cas_acq_rel(&e->pins, &pins, after));
    if ((after & GENLRU__DEAD) && !(after & GENLRU__PINS))
        genlru__count(&genlru__lane_of(cache)->detached, 0 - UINT64_C(1));
    if ((pins ^ after) & GENLRU__PARKED)
        unpark(cache, e, NULL); /* it is LISTED until core says otherwise, and that it says to us */
    else if (genlru__is_retired(after))
        retire(cache, e, NULL);
}

bool genlru__entry_park(struct genlru_cache *cache, const struct genlru_victim *victim, struct genlru__dead_list *dead)
{
    struct genlru_cache_entry *e = GENLRU_ENTRY(victim->node, struct genlru_cache_entry, node);
    uint32_t pins;
    int result;

    genlru__rcu_read_lock(); /* once it is put back, others may delete and retire it */
    result = genlru_putback(cache->lru, victim);
    if (result == GENLRU_YOURS)
        genlru__entry_delisted(cache, e, dead);
    else if (result == 0 && genlru_pin(cache->lru, &e->node) == 0) {
        pins = genlru__u32_load_relaxed(&e->pins);
        do {
            if (!(pins & GENLRU__PINS)) {
                unpark(cache, e, dead); /* the last handle went before it could see PARKED */
                break;
            }
        } while (!genlru__u32_cas_acq_rel(&e->pins, &pins, pins | GENLRU__PARKED));
    }
    genlru__rcu_read_unlock();
    return result >= 0;
}

void genlru__entry_removed(struct genlru_cache *cache, struct genlru_cache_entry *e, unsigned cause)
{
    struct genlru__lane *lane = genlru__lane_of(cache);
    bool is_ours = genlru_del(cache->lru, &e->node) == GENLRU_YOURS;
    uint32_t after;

    genlru__count(&lane->removed[cause], 1);
    after = genlru__entry_change(e, genlru__dead(cause), is_ours ? GENLRU__LISTED : 0, 0);
    if (after & GENLRU__PINS)
        genlru__count(&lane->detached, 1);
    if (genlru__is_retired(after))
        retire(cache, e, NULL);
}

void genlru__entry_info(const struct genlru_cache *cache, const struct genlru_cache_entry *e,
                        struct genlru_cache_info *ret_info)
{
    uint32_t expiry = genlru__u32_load_relaxed(&e->expiry);
    int32_t left = expiry ? (int32_t)(expiry - genlru__now_ticks(cache)) : 0;

    ret_info->key = genlru__entry_key(cache->kind, e);
    ret_info->key_bytes = genlru__key_bytes(cache->kind, e);
    ret_info->value = genlru__entry_value(cache->kind, e);
    ret_info->value_bytes = genlru__value_bytes(cache->kind, e);
    ret_info->charge = genlru_node_charge(&e->node);
    ret_info->ttl_ns = left > 0 ? (uint64_t)left * GENLRU_CACHE_TICK_NS : expiry ? 1 : 0;
}
