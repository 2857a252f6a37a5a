/* SPDX-License-Identifier: MIT */
/*
 * The bound. `charge` counts what entries weigh from before they are inserted until they are dead and nobody holds
 * them; reservations and loads under way, too. Who adds more than fits evicts first: what is over, but at most about
 * twice what he adds, and at least a few entries at a time, since batches are cheaper. Under a soft limit he does not wait for
 * core's lock while no more is over than is evicted ahead: most often who has it is evicting, for himself and ahead. If he is
 * not (trim, aging, compaction, dels), or was done before the last insert came, so much stays over until the next one.
 *
 * A batch: victims from core; their buckets prefetched; then each is taken out of the index, and who wins it there
 * decides (genlru/lru.h). Victims with handles are parked, those the owner does not let go are put back.
 */
#include <errno.h>

#include "internal.h"

enum {
    BATCH = 8, /* inside an insert: as fast as 16 an entry, and half as long a pause */
    MAX_SCANNED =
        4096, /* nodes a batch looks at, some tens of microseconds; so small caches are looked through as often as it takes */
    FRUITLESS = 2,       /* batches without a victim after which an insert gives up */
    SHARE_OF_SLACK = 64, /* no more than 1/64 of the capacity is evicted ahead of need */
};

static bool is_kept_by_owner(struct genlru_cache *cache, const struct genlru_victim *victim,
                             const struct genlru_cache_entry *e)
{
    struct genlru_cache_info info;

    if (!cache->can_evict)
        return false;
    genlru__entry_info(cache, e, &info);
    (void)victim;
    return genlru__call_can_evict(cache, &info) == 0;
}

static void remove_victim(struct genlru_cache *cache, struct genlru_cache_entry *e, uint64_t hash, genlru_shadow shadow,
                          struct genlru__lane *lane, struct genlru__dead_list *dead, uint64_t *nr_evicted)
{
    uint32_t handle = genlru__heap_handle(e), after;

    if (!genlru__index_remove(&cache->index, hash, handle)) { /* a deleter was faster */
        if (genlru_release(cache->lru, &e->node) == GENLRU_YOURS)
            genlru__entry_delisted(cache, e, dead);
        return;
    }
    genlru_nonresident_insert(cache->ghosts, cache->lru, hash, shadow);
    *nr_evicted += 1;
    after = genlru__entry_change(e, genlru__dead(GENLRU_CACHE_EVICTED), GENLRU__LISTED, 0);
    if (after & GENLRU__PINS)
        genlru__count(&lane->detached, 1);
    if (genlru__is_retired(after))
        genlru__dead_add(dead, e);
}

static void evict_one(struct genlru_cache *cache, const struct genlru_victim *victim, uint64_t hash,
                      struct genlru__lane *lane, struct genlru__dead_list *dead, uint64_t *nr_evicted)
{
    struct genlru_cache_entry *e = GENLRU_ENTRY(victim->node, struct genlru_cache_entry, node);
    int result;

    /* acquire R: an inserter's handle is let go after the entry is in the index */
    if ((genlru__u32_load_acquire(&e->pins) & GENLRU__PINS) && genlru__entry_park(cache, victim, dead))
        return;
    if (is_kept_by_owner(cache, victim, e)) {
        result = genlru_putback(cache->lru, victim);
        if (result == GENLRU_YOURS)
            genlru__entry_delisted(cache, e, dead);
        if (result >= 0)
            return;
    }
    remove_victim(cache, e, hash, victim->shadow, lane, dead, nr_evicted);
}

/* One batch; what it freed of charge and how many entries. */
static uint64_t evict_batch(struct genlru_cache *cache, uint64_t want, unsigned max, bool may_wait, unsigned *ret_nodes,
                            enum genlru_evict_reason *ret_reason)
{
    struct genlru_budget budget = {want, 0, MAX_SCANNED, 0, 0, may_wait ? 0 : GENLRU_BUDGET_TRY};
    struct genlru__lane *lane = genlru__lane_of(cache);
    struct genlru__dead_list dead = genlru__dead_begin(lane);
    struct genlru_victim victims[BATCH];
    struct genlru_evict_result result;
    uint64_t hash[BATCH], charge, nr_evicted = 0;
    int nr = genlru_evict(cache->lru, &budget, victims, max < BATCH ? max : BATCH, &result), i;

    for (i = 0; i < nr; i++) {
        hash[i] = genlru__hash_of_entry(cache, GENLRU_ENTRY(victims[i].node, struct genlru_cache_entry, node));
        genlru__index_prefetch(&cache->index, hash[i]);
        genlru_nonresident_prefetch(cache->ghosts, hash[i]);
    }
    for (i = 0; i < nr; i++)
        evict_one(cache, &victims[i], hash[i], lane, &dead, &nr_evicted);
    if (nr_evicted)
        genlru__count(&lane->removed[GENLRU_CACHE_EVICTED], nr_evicted);
    *ret_reason = nr < 0 ? GENLRU_EVICT_NOTHING : result.reason;
    *ret_nodes = dead.nr;
    charge = dead.charge;
    genlru__dead_push(cache, &dead);
    return charge;
}

uint64_t genlru__evict_some(struct genlru_cache *cache, uint64_t want, unsigned max_nodes, bool may_wait,
                            unsigned *ret_nodes, enum genlru_evict_reason *ret_reason)
{
    uint64_t charge = 0;
    unsigned nr_fruitless = 0, nr_nodes = 0;

    *ret_reason = GENLRU_EVICT_MET;
    while (charge < want && nr_nodes < max_nodes && nr_fruitless < FRUITLESS) {
        unsigned nr;

        charge += evict_batch(cache, want - charge, max_nodes - nr_nodes, may_wait, &nr, ret_reason);
        nr_nodes += nr;
        nr_fruitless = nr ? 0 : nr_fruitless + 1;
        if (*ret_reason == GENLRU_EVICT_NOTHING || *ret_reason == GENLRU_EVICT_PINNED ||
            *ret_reason == GENLRU_EVICT_INCONSISTENT || *ret_reason == GENLRU_EVICT_BUSY)
            break;
    }
    *ret_nodes = nr_nodes;
    return charge;
}

/* Larger sums than this are refused, so that none wraps. */
#define MAX_CHARGE (UINT64_MAX / 4)

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* As much may be evicted ahead of need; and left over, where another thread has the lock, for the next insert to evict. */
static uint64_t slack(uint64_t capacity, uint64_t charge)
{
    return min(capacity / SHARE_OF_SLACK, BATCH * charge);
}

/* An insert of `charge` makes room in a cache that is `over`. */
static void make_room(struct genlru_cache *cache, uint64_t capacity, uint64_t over, uint64_t charge, bool is_firm,
                      enum genlru_evict_reason *ret_reason)
{
    uint64_t fair = min(over, 2 * charge), ahead = slack(capacity, charge);
    unsigned nr_nodes;

    (void)genlru__evict_some(cache, fair > ahead ? fair : ahead, UINT32_MAX, is_firm || over > ahead, &nr_nodes,
                             ret_reason);
}

int genlru__room_take(struct genlru_cache *cache, uint64_t charge, bool is_firm)
{
    uint64_t capacity = genlru_impl_load_relaxed(&cache->capacity), total;
    enum genlru_evict_reason reason = GENLRU_EVICT_MET;

    if (charge > capacity || capacity == 0)
        return -EFBIG;
    if (charge > MAX_CHARGE)
        return -ERANGE;
    total = genlru_impl_fetch_add_relaxed(&cache->charge, charge) + charge;
    if (GENLRU_UNLIKELY(total > 2 * MAX_CHARGE)) {
        genlru__room_give(cache, charge);
        return -ERANGE;
    }
    if (GENLRU_LIKELY(total <= capacity))
        return 0;
    if (charge)
        make_room(cache, capacity, total - capacity, charge, is_firm, &reason);
    if (!is_firm || genlru_impl_load_relaxed(&cache->charge) <= genlru_impl_load_relaxed(&cache->capacity))
        return 0;
    genlru__room_give(cache, charge);
    genlru__count(&genlru__lane_of(cache)->refused, 1);
    return reason == GENLRU_EVICT_NOTHING || reason == GENLRU_EVICT_PINNED ? -ENOBUFS : -EAGAIN;
}

void genlru__room_give(struct genlru_cache *cache, uint64_t charge)
{
    genlru__count(&cache->charge, 0 - charge);
}

int genlru_cache_reserve(struct genlru_cache *cache, uint64_t charge, struct genlru_cache_reservation *reservation)
{
    int error;

    if (!cache || !reservation)
        return -EINVAL;
    error = genlru__room_take(cache, charge, true);
    if (error)
        return error;
    genlru__count(&cache->reserved, charge);
    reservation->charge += charge;
    return 0;
}

void genlru_cache_unreserve(struct genlru_cache *cache, struct genlru_cache_reservation *reservation)
{
    genlru__count(&cache->reserved, 0 - reservation->charge);
    genlru__room_give(cache, reservation->charge);
    reservation->charge = 0;
}

void genlru_cache_set_capacity(struct genlru_cache *cache, uint64_t capacity)
{
    genlru_impl_store_relaxed(&cache->capacity, capacity);
    genlru_set_capacity(cache->lru, capacity);
    genlru__keeper_wake(cache);
}
