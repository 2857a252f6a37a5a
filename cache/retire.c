/* SPDX-License-Identifier: MIT */
/*
 * From dead to free.
 *
 *   dead ──▶ lane's list ──▶ grace (call_rcu) ──▶ ripe ──┬──▶ config.release ──▶ heap   by whoever calls next
 *            while both      WAITING               ▲     └──▶ insert                    where nothing is released
 *            graces are out                        │
 *                │                                 │
 *                └──────── too many: wait ─────────┘
 *
 * A lane has two graces. A dead entry is given to a free one at once if nothing is under way, else once some tens came
 * together or the other is back; so there is no memory to be had for it, and a lone erase waits for no other. liburcu's
 * thread only says that the time is over: the owner's function runs in threads that call the cache, a few entries a
 * call. Where too many wait (a read section that does not end lets memory grow), the caller waits for a grace period
 * himself.
 */
#include "internal.h"

enum {
    TOGETHER = 64, /* dead entries that are worth a grace period while another is under way */
    A_FEW = 16,    /* entries given back with one hold of the lane's lock */
    /*
     * So many, or a share of the entries: then the caller waits for a grace period, which is as long as the longest read
     * section under way. liburcu's thread is awake a hundred times a second: without this, what dies meanwhile would wait.
     */
    MANY_DEAD = 8192,
    SHARE_OF_DEAD = 128
};

/* ---- callbacks ---- */

/* Caches whose owner is being called by this thread. */
struct calling {
    const struct genlru_cache *cache;
    struct calling *before;
};

static __thread struct calling *calls;

bool genlru__in_callback(const struct genlru_cache *cache)
{
    const struct calling *call;

    for (call = calls; call; call = call->before)
        if (call->cache == cache)
            return true;
    return false;
}

void genlru__call_release(struct genlru_cache *cache, const struct genlru_cache_info *info, unsigned cause)
{
    struct calling call = {cache, calls};

    if (!cache->release)
        return;
    calls = &call;
    cache->release(cache->ctx, info, (enum genlru_cache_cause)cause);
    calls = call.before;
}

int genlru__call_can_evict(struct genlru_cache *cache, const struct genlru_cache_info *info)
{
    struct calling call = {cache, calls};
    int answer;

    calls = &call;
    answer = cache->can_evict(cache->ctx, info);
    calls = call.before;
    return answer;
}

/* ---- lists of dead entries ---- */

struct link {
    uint32_t next;
    uint32_t ahead; /* a few links on, to be fetched early; a hint: it may be free already, and its memory gone */
};

/* Core is done with the node, so the place of its slot pointer is free; readers never look there. */
static void *link_of(struct genlru_cache_entry *e)
{
    return (char *)&e->node + offsetof(struct genlru_node, slot);
}

static struct link get_link(struct genlru_cache_entry *e)
{
    struct link link;

    memcpy(&link, link_of(e), sizeof(link));
    return link;
}

static void set_link(struct genlru_cache_entry *e, uint32_t next, uint32_t ahead)
{
    struct link link = {next, ahead};

    memcpy(link_of(e), &link, sizeof(link));
}

/* Hints only, so they need not be of one moment. */
struct genlru__dead_list genlru__dead_begin(struct genlru__lane *lane)
{
    struct genlru__dead_list dead = {0, 0, 0, {0}, 0};
    unsigned i;

    for (i = 0; i < GENLRU__AHEAD; i++)
        dead.ahead[i] = genlru__u32_load_relaxed(&lane->dead.ahead[i]);
    return dead;
}

void genlru__dead_add(struct genlru__dead_list *dead, struct genlru_cache_entry *e)
{
    uint32_t handle = genlru__heap_handle(e);

    set_link(e, dead->first, dead->ahead[dead->nr % GENLRU__AHEAD]);
    dead->ahead[dead->nr % GENLRU__AHEAD] = handle;
    dead->first = handle;
    if (!dead->nr++)
        dead->last = handle;
    dead->charge += genlru_node_charge(&e->node);
}

/* ---- graces, under the lane's lock ---- */

static struct genlru__grace *grace_in(struct genlru__lane *lane, enum genlru__grace_state state)
{
    unsigned i;

    for (i = 0; i < GENLRU__NR_GRACES; i++)
        if (genlru__u32_load_acquire(&lane->grace[i].state) == (uint32_t)state) /* acquire G */
            return &lane->grace[i];
    return NULL;
}

/* Empties the lane's list, but for its hints: what comes next is fetched after what was there last. */
static void reset(struct genlru__dead_list *dead)
{
    dead->first = dead->last = dead->nr = 0;
    dead->charge = 0;
}

/* The lane's dead into a grace, if it is time; to be launched without the lock. */
static struct genlru__grace *load_grace(struct genlru__lane *lane)
{
    struct genlru__grace *grace = grace_in(lane, GENLRU__GRACE_IDLE);

    if (!grace || !lane->dead.nr || (lane->dead.nr < TOGETHER && grace_in(lane, GENLRU__GRACE_WAITING)))
        return NULL;
    grace->first = lane->dead.first;
    grace->nr = lane->dead.nr;
    reset(&lane->dead);
    genlru__u32_store_relaxed(&grace->state, GENLRU__GRACE_WAITING);
    return grace;
}

static void ripen(genlru__rcu_head *head)
{
    struct genlru__grace *grace = (struct genlru__grace *)(void *)head;
    struct genlru_cache *cache;

    genlru__rcu_done(head);
    cache = grace->cache;
    genlru__u32_store_release(&grace->state, GENLRU__GRACE_RIPE); /* release G: last touch of the grace */
    genlru__keeper_wake(cache);
    genlru__rcu_ended();
}

void genlru__grace_launch(struct genlru__grace *grace)
{
    if (grace)
        genlru__rcu_call(&grace->head, ripen);
}

/* ---- giving back ---- */

static void give_back(struct genlru_cache *cache, struct genlru_cache_entry *e)
{
    unsigned cause = (e->pins & GENLRU__CAUSE) >> GENLRU__CAUSE_SHIFT;
    struct genlru_cache_info info;
    size_t payload;

    if (cause != GENLRU__CAUSE_NONE && cache->release) {
        genlru__entry_info(cache, e, &info);
        genlru__call_release(cache, &info, cause);
    }
    if (!genlru__has_payload(cache->kind))
        return;
    payload =
        genlru__payload_bytes(cache->kind, genlru__key_bytes(cache->kind, e), genlru__value_bytes(cache->kind, e));
    if (payload)
        genlru__count(&cache->payload, 0 - (uint64_t)payload);
    if (genlru__is_outside(cache->kind, payload))
        genlru__memory_put(&cache->memory, genlru__payload(cache->kind, e), payload, 8);
}

static void give_all_back(struct genlru_cache *cache, struct genlru__lane *lane, struct genlru_cache_entry **entries,
                          unsigned nr)
{
    unsigned i;

    for (i = 0; i < nr && (cache->release || genlru__has_payload(cache->kind)); i++)
        give_back(cache, entries[i]);
    genlru__objects_free(cache, lane, entries, nr);
}

/* Takes up to max entries off a list. */
static unsigned take_some(struct genlru_cache *cache, uint32_t *first, struct genlru_cache_entry **entries,
                          unsigned max)
{
    unsigned nr = 0;

    while (nr < max && *first) {
        struct genlru_cache_entry *e = genlru__heap_at(&cache->heap, *first);
        struct link link = get_link(e);
        const void *ahead = link.ahead ? genlru__heap_hint(&cache->heap, link.ahead) : NULL;

        if (ahead)
            __builtin_prefetch(ahead, 1);
        *first = link.next;
        entries[nr++] = e;
    }
    return nr;
}

/* Under the lane's lock, which every writer of `waiting` has. */
static void count_waiting(struct genlru__lane *lane, uint64_t by)
{
    genlru_impl_store_relaxed(&lane->waiting, lane->waiting + by);
}

uint32_t genlru__dead_reuse(struct genlru_cache *cache, struct genlru__lane *lane, struct genlru__grace **ret_launch)
{
    struct genlru_cache_entry *e = NULL;
    struct genlru__grace *grace;
    uint32_t first = lane->ripe.first;

    *ret_launch = NULL;
    if (first) {
        (void)take_some(cache, &first, &e, 1);
        genlru__u32_store_relaxed(&lane->ripe.first, first);
    } else if ((grace = grace_in(lane, GENLRU__GRACE_RIPE)) != NULL) {
        (void)take_some(cache, &grace->first, &e, 1);
        if (!grace->first) {
            genlru__u32_store_relaxed(&grace->state, GENLRU__GRACE_IDLE);
            *ret_launch = load_grace(lane);
            genlru__u32_store_relaxed(&lane->nr_dead, lane->dead.nr);
        }
    }
    if (!e)
        return 0;
    count_waiting(lane, 0 - UINT64_C(1));
    return genlru__heap_handle(e);
}

/* Up to max ripe entries of the lane; and a grace to launch. */
static unsigned take_ripe(struct genlru_cache *cache, struct genlru__lane *lane, struct genlru_cache_entry **entries,
                          unsigned max, struct genlru__grace **ret_launch)
{
    struct genlru__grace *grace;
    unsigned nr = 0;

    genlru__bit_lock(&lane->lock);
    if (lane->ripe.first) {
        uint32_t first = lane->ripe.first;

        nr = take_some(cache, &first, entries, max);
        genlru__u32_store_relaxed(&lane->ripe.first, first);
    }
    while (nr < max && (grace = grace_in(lane, GENLRU__GRACE_RIPE)) != NULL) {
        nr += take_some(cache, &grace->first, entries + nr, max - nr);
        if (!grace->first)
            genlru__u32_store_relaxed(&grace->state, GENLRU__GRACE_IDLE);
    }
    *ret_launch = load_grace(lane);
    genlru__u32_store_relaxed(&lane->nr_dead, lane->dead.nr);
    genlru__bit_unlock(&lane->lock);
    return nr;
}

static bool has_ripe(struct genlru__lane *lane)
{
    unsigned i;

    for (i = 0; i < GENLRU__NR_GRACES; i++)
        if (genlru__u32_load_relaxed(&lane->grace[i].state) == GENLRU__GRACE_RIPE)
            return true;
    return genlru__u32_load_relaxed(&lane->ripe.first) != 0;
}

unsigned genlru__dead_collect(struct genlru_cache *cache, struct genlru__lane *lane, unsigned max)
{
    struct genlru_cache_entry *entries[A_FEW];
    struct genlru__grace *grace;
    unsigned total = 0, nr;

    if (!has_ripe(lane) || genlru__in_callback(cache))
        return 0;
    while (total < max) {
        nr = take_ripe(cache, lane, entries, max - total < A_FEW ? max - total : A_FEW, &grace);
        genlru__grace_launch(grace);
        if (!nr)
            break;
        give_all_back(cache, lane, entries, nr);
        total += nr;
    }
    return total;
}

/* Takes what is dead in the lane, waits for a grace period, and makes it ripe. */
static void ripen_now(struct genlru_cache *cache, struct genlru__lane *lane)
{
    struct genlru_cache_entry *end;
    uint32_t first, last;

    genlru__bit_lock(&lane->lock);
    first = lane->dead.first;
    last = lane->dead.last;
    reset(&lane->dead);
    genlru__u32_store_relaxed(&lane->nr_dead, 0);
    genlru__bit_unlock(&lane->lock);
    if (!first)
        return;
    genlru__rcu_synchronize();
    genlru__bit_lock(&lane->lock);
    if (lane->ripe.first) {
        end = genlru__heap_at(&cache->heap, lane->ripe.last);
        set_link(end, first, get_link(end).ahead);
    } else {
        genlru__u32_store_relaxed(&lane->ripe.first, first);
    }
    lane->ripe.last = last;
    genlru__bit_unlock(&lane->lock);
}

void genlru__dead_push(struct genlru_cache *cache, struct genlru__dead_list *dead)
{
    struct genlru__lane *lane = genlru__lane_of(cache);
    struct genlru_cache_entry *last;
    struct genlru__grace *grace;
    unsigned i;

    if (!dead->nr)
        return;
    genlru__room_give(cache, dead->charge);
    genlru__bit_lock(&lane->lock);
    count_waiting(lane, dead->nr);
    last = genlru__heap_at(&cache->heap, dead->last);
    set_link(last, lane->dead.first, get_link(last).ahead);
    if (!lane->dead.nr)
        lane->dead.last = dead->last;
    lane->dead.first = dead->first;
    lane->dead.nr += dead->nr;
    for (i = 0; i < GENLRU__AHEAD; i++)
        genlru__u32_store_relaxed(&lane->dead.ahead[i], dead->ahead[(dead->nr + i) % GENLRU__AHEAD]);
    grace = load_grace(lane);
    genlru__u32_store_relaxed(&lane->nr_dead, lane->dead.nr);
    genlru__bit_unlock(&lane->lock);
    genlru__grace_launch(grace);
    *dead = (struct genlru__dead_list){0, 0, 0, {0}, 0};
}

void genlru__dead_relieve(struct genlru_cache *cache, struct genlru__lane *lane)
{
    uint32_t nr_dead = genlru__u32_load_relaxed(&lane->nr_dead);

    if (GENLRU_LIKELY(nr_dead <= genlru__u32_load_relaxed(&lane->dead_max)))
        return;
    if (genlru__rcu_may_wait() && !genlru__in_callback(cache))
        ripen_now(cache, lane);
}

void genlru__dead_bound(struct genlru__lane *lane, uint64_t nr_entries)
{
    uint64_t max = nr_entries / SHARE_OF_DEAD;

    genlru__u32_store_relaxed(&lane->dead_max, max < MANY_DEAD ? MANY_DEAD : (uint32_t)max);
}

void genlru__dead_drain(struct genlru_cache *cache)
{
    unsigned i;

    for (i = 0; i < cache->nr_lanes; i++)
        ripen_now(cache, &cache->lane[i]);
    genlru__rcu_barrier(); /* every grace under way is ripe */
    for (i = 0; i < cache->nr_lanes; i++)
        while (genlru__dead_collect(cache, &cache->lane[i], A_FEW) != 0)
            ;
}
