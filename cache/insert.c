/* SPDX-License-Identifier: MIT */
/*
 * Inserting.
 *
 *   room ─▶ object ─▶ genlru_add ─▶ index ─▶ the replaced entry dies ─▶ handle given or dropped ─▶ upkeep
 *
 * The new entry has a handle from the start, the inserter's, so eviction lets it be until it is in the index. All that
 * can fail comes before the index; what was done is undone by letting the entry die with cause NONE.
 */
#include <errno.h>

#include "internal.h"

enum {
    ALL_FLAGS = GENLRU_CACHE_INSERT_PREFETCHED | GENLRU_CACHE_INSERT_COLD | GENLRU_CACHE_INSERT_HOT |
                GENLRU_CACHE_INSERT_NOREUSE | GENLRU_CACHE_INSERT_WEIGHTLESS,
    LOOK_AT_SIZE = 64 /* inserts of a lane between two looks at the index's size */
};

static size_t payload_of(const struct genlru_cache *cache, const struct genlru__key *key,
                         const struct genlru_cache_insert *how)
{
    return genlru__payload_bytes(cache->kind, key->nr_bytes, how->value_bytes);
}

uint64_t genlru__charge_of(const struct genlru_cache *cache, const struct genlru__key *key,
                           const struct genlru_cache_insert *how)
{
    uint64_t charge = how->charge;
    size_t payload;

    if (!charge && !(how->flags & GENLRU_CACHE_INSERT_WEIGHTLESS))
        charge = cache->kind.is_inline ? key->nr_bytes + how->value_bytes : 1;
    if (!(cache->flags & GENLRU_CACHE_CHARGE_METADATA))
        return charge;
    payload = payload_of(cache, key, how);
    charge += genlru__entry_cost(cache->kind, payload) - (cache->kind.is_inline ? payload : 0);
    return charge;
}

uint64_t genlru__charge_without_metadata(const struct genlru_cache *cache, size_t key_bytes,
                                         const struct genlru_cache_insert *how)
{
    size_t payload = genlru__payload_bytes(cache->kind, key_bytes, how->value_bytes);
    uint64_t metadata = genlru__entry_cost(cache->kind, payload) - (cache->kind.is_inline ? payload : 0);

    return how->charge > metadata ? how->charge - metadata : 0;
}

static void copy_payload(struct genlru_cache *cache, struct genlru_cache_entry *e, const struct genlru__key *key,
                         const struct genlru_cache_insert *how)
{
    unsigned char *at = genlru__payload(cache->kind, e);

    if (cache->kind.is_inline && how->value_bytes) {
        memcpy(at, how->value, how->value_bytes);
        at += how->value_bytes;
    }
    if (!cache->kind.has_number && key->nr_bytes)
        memcpy(at, key->bytes, key->nr_bytes);
}

/* Header fields, but for pins and node. */
static void fill(struct genlru_cache *cache, struct genlru_cache_entry *e, const struct genlru__key *key,
                 const struct genlru_cache_insert *how)
{
    uint64_t ttl = how->ttl_ns ? how->ttl_ns : cache->ttl_ns;

    e->key = cache->kind.has_number  ? key->number
             : cache->kind.is_inline ? key->nr_bytes | (uint64_t)how->value_bytes << 32
                                     : key->nr_bytes;
    e->expiry = ttl == GENLRU_NO_LIMIT ? 0 : genlru__expiry_after(cache, ttl);
    if (e->expiry && !genlru__u32_load_relaxed(&cache->has_ttl))
        genlru__u32_store_relaxed(&cache->has_ttl, 1);
    if (!cache->kind.is_inline)
        e->value = (uintptr_t)how->value;
    else if (cache->kind.has_number)
        e->value = how->value_bytes;
}

/* The object, with what varies in length. */
static struct genlru_cache_entry *new_with_payload(struct genlru_cache *cache, const struct genlru__key *key,
                                                   const struct genlru_cache_insert *how, unsigned nr_inserted)
{
    size_t payload = payload_of(cache, key, how);
    bool is_outside = genlru__is_outside(cache->kind, payload);
    void *outside = is_outside ? genlru__memory_get(&cache->memory, payload, 8) : NULL;
    struct genlru_cache_entry *e;

    if (is_outside && !outside)
        return NULL;
    e = genlru__object_new(cache, genlru__lane_of(cache), genlru__object_bytes(cache->kind, payload), nr_inserted);
    if (!e) {
        genlru__memory_put(&cache->memory, outside, payload, 8);
        return NULL;
    }
    fill(cache, e, key, how);
    if (is_outside)
        memcpy(genlru__tail(e, genlru__tail_offset(cache->kind)), &outside, sizeof(outside));
    copy_payload(cache, e, key, how);
    genlru__count(&cache->payload, payload);
    return e;
}

struct genlru_cache_entry *genlru__entry_new(struct genlru_cache *cache, const struct genlru__key *key,
                                             const struct genlru_cache_insert *how, uint64_t charge,
                                             unsigned nr_inserted)
{
    struct genlru_cache_entry *e;

    if (genlru__has_payload(cache->kind)) {
        e = new_with_payload(cache, key, how, nr_inserted);
    } else {
        e = genlru__object_new(cache, genlru__lane_of(cache), GENLRU__OBJECT_MIN, nr_inserted);
        if (e)
            fill(cache, e, key, how);
    }
    if (!e)
        return NULL;
    (void)genlru_node_init(&e->node, charge, 0); /* the charge was looked at */
    e->pins = 1;
    return e;
}

/* An entry with one handle and in no index goes, and its charge with it; the value stays the caller's. */
static void undo(struct genlru_cache *cache, struct genlru_cache_entry *e, bool is_listed)
{
    bool is_ours = is_listed && genlru_del(cache->lru, &e->node) == GENLRU_YOURS;

    (void)genlru__entry_change(e, genlru__dead(GENLRU__CAUSE_NONE), is_ours ? GENLRU__LISTED : 0, 0);
    genlru__count(&genlru__lane_of(cache)->detached, 1);
    genlru__lane_uncount(genlru__lane_of(cache));
    genlru__entry_drop(cache, e);
}

static unsigned add_flags(unsigned flags)
{
    return (flags & GENLRU_CACHE_INSERT_PREFETCHED ? (unsigned)GENLRU_ADD_PREFETCHED : 0) |
           (flags & GENLRU_CACHE_INSERT_COLD ? (unsigned)GENLRU_ADD_COLD : 0) |
           (flags & GENLRU_CACHE_INSERT_HOT ? (unsigned)GENLRU_ADD_HOT : 0) |
           (flags & GENLRU_CACHE_INSERT_NOREUSE ? (unsigned)GENLRU_ADD_NOREUSE : 0);
}

static int check(const struct genlru_cache *cache, const struct genlru_cache_insert *how, uint64_t charge)
{
    uint64_t ttl = how->ttl_ns;

    if (how->flags & ~(unsigned)ALL_FLAGS || (unsigned)how->mode > GENLRU_CACHE_IF_PRESENT ||
        (how->flags & GENLRU_CACHE_INSERT_COLD && how->flags & GENLRU_CACHE_INSERT_HOT) ||
        (cache->kind.is_inline && !how->value && how->value_bytes))
        return -EINVAL;
    if (charge > UINT32_MAX || (cache->kind.is_inline && how->value_bytes > GENLRU__MAX_BYTES) ||
        (ttl != GENLRU_NO_LIMIT && ttl > GENLRU_CACHE_TTL_MAX_NS))
        return -ERANGE;
    return 0;
}

/* Room for the charge; `discount` of it will be given back by the entry that is replaced. */
static int make_room(struct genlru_cache *cache, uint64_t charge, uint64_t discount)
{
    int error;

    if (charge > genlru_impl_load_relaxed(&cache->capacity))
        return -EFBIG;
    discount = discount < charge ? discount : charge;
    error = genlru__room_take(cache, charge - discount, cache->limit != GENLRU_CACHE_SOFT);
    if (!error)
        genlru__room_give(cache, 0 - discount);
    return error;
}

/* Room made now, or out of the reservation. */
static int take_room(struct genlru_cache *cache, struct genlru_cache_reservation *reservation, uint64_t charge,
                     uint64_t discount)
{
    if (!reservation)
        return cache->limit == GENLRU_CACHE_RESERVE_FIRST ? -EPERM : make_room(cache, charge, discount);
    if (reservation->charge < charge)
        return -EPERM;
    reservation->charge -= charge;
    genlru__count(&cache->reserved, 0 - charge);
    return 0;
}

static void give_room_back(struct genlru_cache *cache, struct genlru_cache_reservation *reservation, uint64_t charge)
{
    if (!reservation) {
        genlru__room_give(cache, charge);
        return;
    }
    reservation->charge += charge;
    genlru__count(&cache->reserved, charge);
}

/* The entry was replaced. */
static void bury(struct genlru_cache *cache, uint32_t handle)
{
    struct genlru_cache_entry *old = genlru__heap_at(&cache->heap, handle);

    genlru__entry_removed(cache, old, genlru__is_expired(cache, old) ? GENLRU_CACHE_EXPIRED : GENLRU_CACHE_REPLACED);
}

/* The entry into core and index. On failure it is undone, and its charge is off. */
static int publish(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                   const struct genlru_cache_insert *how, struct genlru_cache_entry *e, uint32_t *ret_old)
{
    struct genlru_add add = {genlru_nonresident_take(cache->ghosts, cache->lru, hash), hash, 1, add_flags(how->flags)};
    int error;

    e->pins |= GENLRU__LISTED; /* before core has it: a victim is told by its handle */
    error = genlru_add(cache->lru, &e->node, &add);
    if (error) {
        e->pins &= ~GENLRU__LISTED;
        genlru_nonresident_insert(cache->ghosts, cache->lru, hash, add.shadow);
        undo(cache, e, false);
        return error;
    }
    error = genlru__index_insert(&cache->index, hash, key, genlru__heap_handle(e), how->mode, ret_old);
    if (error)
        undo(cache, e, true);
    return error;
}

/* It was to replace an entry, which is gone: the room that was counted on is made now. */
static void make_up(struct genlru_cache *cache, uint64_t discount)
{
    uint64_t charge = genlru_impl_load_relaxed(&cache->charge), capacity = genlru_impl_load_relaxed(&cache->capacity);
    enum genlru_evict_reason reason;
    unsigned nr;

    if (charge <= capacity)
        return;
    if (discount > charge - capacity) /* what others are over is theirs to evict */
        discount = charge - capacity;
    (void)genlru__evict_some(cache, discount, UINT32_MAX, true, &nr, &reason);
}

static int insert_new(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                      const struct genlru_cache_insert *how, uint64_t charge, uint64_t discount,
                      struct genlru_cache_entry **ret_entry)
{
    struct genlru_cache_entry *e;
    uint32_t old = 0;
    int error = take_room(cache, how->reservation, charge, discount);

    if (error)
        return error;
    e = genlru__entry_new(cache, key, how, charge, 1);
    if (!e) {
        give_room_back(cache, how->reservation, charge);
        return -ENOMEM;
    }
    error = publish(cache, key, hash, how, e, &old);
    if (error) {
        if (how->reservation) { /* its charge went with the entry; taken again, beyond the capacity if need be */
            genlru__room_give(cache, 0 - charge);
            give_room_back(cache, how->reservation, charge);
        }
        return error;
    }
    if (old)
        bury(cache, old);
    else if (discount)
        make_up(cache, discount);
    if (ret_entry)
        *ret_entry = e;
    else if (!genlru__entry_try_drop(e))
        genlru__entry_drop(cache, e);
    return old ? GENLRU_CACHE_REPLACED_OLD : 0;
}

/* Whether the key is there, and what its entry's end will give back: nothing while somebody has a handle. */
static bool look_before(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                        uint64_t *ret_discount)
{
    const struct genlru_cache_entry *e;

    *ret_discount = 0;
    genlru__rcu_read_lock();
    e = cache->kind.has_number ? genlru__index_find_number(&cache->index, hash, key->number)
                               : genlru__index_find(&cache->index, hash, key);
    if (e && !(genlru__u32_load_relaxed(&e->pins) & GENLRU__PINS))
        *ret_discount = genlru_node_charge(&e->node);
    if (e && genlru__is_expired(cache, e))
        e = NULL;
    genlru__rcu_read_unlock();
    return e != NULL;
}

static int insert_if_absent(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                            const struct genlru_cache_insert *how, uint64_t charge,
                            struct genlru_cache_entry **ret_entry)
{
    struct genlru_cache_entry *e;
    int error;

    do {
        e = genlru__get(cache, key, hash, false);
        if (!e) {
            /* -EEXIST: another inserter was faster, and his entry is what the caller wants to have */
            error = insert_new(cache, key, hash, how, charge, 0, ret_entry);
            continue;
        }
        error = -EEXIST;
        if (ret_entry)
            *ret_entry = e;
        else
            genlru__entry_drop(cache, e);
    } while (error == -EEXIST && !e);
    return error;
}

/* Who looks before he works knows whether the work would be for nothing, and how much room a replacement needs. */
int genlru__insert(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                   const struct genlru_cache_insert *how, struct genlru_cache_entry **ret_entry)
{
    uint64_t charge = genlru__charge_of(cache, key, how), discount;
    int result = check(cache, how, charge);

    if (result)
        return result;
    genlru_nonresident_prefetch(cache->ghosts, hash); /* beside the index, and needed later */
    if (how->mode == GENLRU_CACHE_IF_ABSENT)
        result = insert_if_absent(cache, key, hash, how, charge, ret_entry);
    else if (!look_before(cache, key, hash, &discount) && how->mode == GENLRU_CACHE_IF_PRESENT)
        return -ENOENT;
    else
        result = insert_new(cache, key, hash, how, charge, discount, ret_entry);
    if (result >= 0)
        genlru__upkeep(cache, 1);
    return result;
}

int genlru_cache_insert(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes,
                        const struct genlru_cache_insert *how, struct genlru_cache_entry **ret_entry)
{
    struct genlru__key key;

    if (!cache || !how || !genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return -EINVAL;
    return genlru__insert(cache, &key, genlru__hash_of_key(cache, &key), how, ret_entry);
}

int genlru_cache_insert_u64(struct genlru_cache *cache, uint64_t number, const struct genlru_cache_insert *how,
                            struct genlru_cache_entry **ret_entry)
{
    struct genlru__key key = {&number, sizeof(number), number};

    if (!cache || !how || !cache->kind.has_number)
        return -EINVAL;
    return genlru__insert(cache, &key, genlru__hash_of_key(cache, &key), how, ret_entry);
}

/* ---- upkeep on the way ---- */

static uint64_t hash_for_split(const void *ctx, const struct genlru_cache_entry *e)
{
    return genlru__hash_of_entry((const struct genlru_cache *)ctx, e);
}

/* Looks how far the index is behind its entries, and how many dead are too many. */
static void look_at_size(struct genlru_cache *cache, struct genlru__lane *lane)
{
    uint64_t n = genlru_impl_load_relaxed(&cache->index.nr_buckets), nr = genlru__nr_entries(cache);
    uint64_t wanted = nr / GENLRU__BUCKET_MEAN;

    if (wanted > n)
        genlru__u32_store_relaxed(&lane->splits_due, wanted - n < LOOK_AT_SIZE ? (uint32_t)(wanted - n) : LOOK_AT_SIZE);
    genlru__dead_bound(lane, nr);
}

/* Keeps the index at its mean of entries a bucket, one split a call. */
static void grow(struct genlru_cache *cache, struct genlru__lane *lane)
{
    if (genlru_impl_load_relaxed(&lane->inserted) % LOOK_AT_SIZE == 0)
        look_at_size(cache, lane);
    if (genlru__u32_load_relaxed(&lane->splits_due) != 0 &&
        genlru__index_split(&cache->index, hash_for_split, cache) == 0)
        genlru__u32_store_relaxed(&lane->splits_due, genlru__u32_load_relaxed(&lane->splits_due) - 1);
}

void genlru__upkeep(struct genlru_cache *cache, unsigned nr_added)
{
    enum { GIVEN_BACK = 2 }; /* twice what comes, so that it gets less */
    struct genlru__lane *lane = genlru__lane_of(cache);

    if (nr_added)
        grow(cache, lane);
    if (genlru__u32_load_relaxed(&cache->has_ttl))
        (void)genlru__sweep(cache, 1);
    /* where nobody waits for his values, dead entries are fetched when inserts need objects */
    if (cache->release || genlru__has_payload(cache->kind) || !nr_added)
        (void)genlru__dead_collect(cache, lane, GIVEN_BACK);
    genlru__dead_relieve(cache, lane);
    if (cache->has_keeper)
        genlru__keeper_notice(cache);
}
