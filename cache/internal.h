/* SPDX-License-Identifier: MIT */
/*
 * What a cache is.
 *
 *   struct genlru_cache
 *     ├─ index            hash → handle (index.h)
 *     ├─ heap             handle → entry (heap.h, entry.h)
 *     ├─ lru, ghosts      core: which entry goes next (genlru/lru.h)
 *     ├─ charge           what is bounded: entries, reservations, loads under way (room.c)
 *     ├─ lane[]           per group of threads: free objects, the dead waiting for a grace period, counters (retire.c)
 *     ├─ flights[]        loads under way (load.c)
 *     └─ keeper           the maintenance thread (maintain.c)
 *
 * Locks, none held while the owner is called or core is:
 *
 *   bucket (index.h) < overflow arena;  lane < heap's mutex;  is_splitting < bucket;  flights' mutexes alone; keeper's alone
 */
#ifndef GENLRU_CACHE_INTERNAL_H
#define GENLRU_CACHE_INTERNAL_H

#include <pthread.h>

#include "entry.h"
#include "genlru/genlru.h"
#include "hash.h"
#include "heap.h"
#include "index.h"
#include "rcu.h"

enum { GENLRU__MAX_LANES = 8, GENLRU__NR_FLIGHTS = 16, GENLRU__NR_CAUSES = 6, GENLRU__NR_GRACES = 2 };

/* Dead entries: linked by handles that stand where core's slot pointer was. Each also names one a few links on. */
enum { GENLRU__AHEAD = 8 };

struct genlru__dead_list {
    uint32_t first;
    uint32_t last;
    uint32_t nr;
    /* the last few that were added; of number nr, nr + 1, ... modulo their number, oldest first */
    uint32_t ahead[GENLRU__AHEAD];
    uint64_t charge;
};

struct genlru__ripe_list {
    uint32_t first; /* read without the lock, too */
    uint32_t last;
};

enum genlru__grace_state { GENLRU__GRACE_IDLE, GENLRU__GRACE_WAITING, GENLRU__GRACE_RIPE };

/* Dead entries that wait for one grace period together. */
struct genlru__grace {
    genlru__rcu_head head;
    struct genlru_cache *cache;
    uint32_t first;
    uint32_t nr;
    uint32_t state; /* WAITING → RIPE by liburcu's thread, all else under the lane's lock */
};

struct genlru__lane {
    uint32_t lock;       /* bit 0 */
    uint32_t splits_due; /* relaxed atomic */
    uint32_t nr_dead;    /* dead.nr, read without the lock */
    uint32_t dead_max;   /* of it: then inserters wait; relaxed atomic */
    uint64_t inserted;   /* written under the lock, read by all; also those that are on their way into the index */
    struct genlru__dead_list dead; /* wait for a grace to be free; of `ahead` the first is the oldest */
    struct genlru__ripe_list ripe; /* their grace period is over */
    struct genlru__grace grace[GENLRU__NR_GRACES];
    /* dead, not given back yet; a sum over lanes means something; written and read as `inserted` is */
    uint64_t waiting;
    /* relaxed atomics, anyone's */
    uint64_t removed[GENLRU__NR_CAUSES] __attribute__((aligned(64)));
    uint64_t detached;
    uint64_t refused;
    uint64_t loads;
    uint64_t load_waits;
    uint64_t hits __attribute__((aligned(64)));
    uint64_t misses;
    struct genlru__magazine magazine[GENLRU__NR_CLASSES]; /* under the lock */
} __attribute__((aligned(64)));

struct genlru__flights {
    pthread_mutex_t mutex;
    struct genlru__flight *first;
} __attribute__((aligned(64)));

struct genlru_cache {
    struct genlru__index index;
    struct genlru__heap heap __attribute__((aligned(64)));

    /* never changed after creation */
    struct genlru *lru __attribute__((aligned(64)));
    uint64_t seed;
    uint64_t (*hash)(void *ctx, const void *key, size_t key_bytes, uint64_t seed); /* NULL = ours */
    void *ctx;
    struct genlru__kind kind;
    bool has_plain_numbers; /* keys are numbers, the hash is ours, and look-ups are not counted */
    uint32_t flags;
    uint32_t nr_lanes;
    struct genlru__lane *lane;
    enum genlru_cache_limit limit;
    uint64_t ttl_ns;
    uint64_t low_watermark;
    void (*release)(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause);
    int (*can_evict)(void *ctx, const struct genlru_cache_info *info);
    uint64_t (*now_ns)(void *clock_ctx);
    void *clock_ctx;
    struct genlru_nonresident *ghosts;
    struct genlru__memory memory;

    /* read by all, seldom changed: relaxed atomics */
    uint64_t capacity __attribute__((aligned(64)));
    uint32_t has_ttl; /* an entry was ever to expire */

    /* changed by every insert: relaxed atomics */
    uint64_t charge __attribute__((aligned(64)));
    uint64_t reserved;     /* of it */
    uint64_t payload;      /* bytes of keys and inline values */
    uint64_t sweep_cursor; /* bucket that is looked through for expired entries next */

    struct genlru__flights flights[GENLRU__NR_FLIGHTS];

    /* the maintenance thread */
    pthread_mutex_t keeper_mutex __attribute__((aligned(64)));
    pthread_cond_t keeper_cond;
    pthread_t keeper;
    bool has_keeper;
    uint32_t keeper_is_wanted;
    uint32_t keeper_must_end;
};

/* ---- keys and hashes ---- */

static inline uint64_t genlru__hash_of_key(const struct genlru_cache *cache, const struct genlru__key *key)
{
    if (cache->hash)
        return cache->hash(cache->ctx, key->bytes, key->nr_bytes, cache->seed);
    return cache->kind.has_number ? genlru__hash_u64(key->number, cache->seed)
                                  : genlru__hash_bytes(key->bytes, key->nr_bytes, cache->seed);
}

static inline uint64_t genlru__hash_of_entry(const struct genlru_cache *cache, const struct genlru_cache_entry *e)
{
    struct genlru__key key = {genlru__entry_key(cache->kind, e), genlru__key_bytes(cache->kind, e), e->key};

    return genlru__hash_of_key(cache, &key);
}

/* False: not a key of this cache. */
static inline bool genlru__key_of_bytes(const struct genlru_cache *cache, const void *bytes, size_t nr_bytes,
                                        struct genlru__key *ret)
{
    if ((!bytes && nr_bytes) || nr_bytes > GENLRU__MAX_BYTES || (cache->kind.has_number && nr_bytes != 8))
        return false;
    *ret = (struct genlru__key){bytes, (uint32_t)nr_bytes, 0};
    if (cache->kind.has_number)
        memcpy(&ret->number, bytes, 8);
    return true;
}

/* ---- entry.c: time, removal, handles ---- */

/* Now in ticks of GENLRU_CACHE_TICK_NS; compared modulo 2^32. */
uint32_t genlru__now_ticks(const struct genlru_cache *cache);
/* The expiry of an entry that lives `ttl_ns` from now; 0 for 0. */
uint32_t genlru__expiry_after(const struct genlru_cache *cache, uint64_t ttl_ns);
bool genlru__is_past(const struct genlru_cache *cache, uint32_t expiry);

static inline bool genlru__is_expired(const struct genlru_cache *cache, const struct genlru_cache_entry *e)
{
    uint32_t expiry = genlru__u32_load_relaxed(&e->expiry);

    return GENLRU_UNLIKELY(expiry) && genlru__is_past(cache, expiry);
}

/* A handle more of an entry that the caller has a handle of, dead or not. */
void genlru__entry_repin(struct genlru_cache_entry *e);
/* A handle less. */
void genlru__entry_drop(struct genlru_cache *cache, struct genlru_cache_entry *e);

/* The caller took the entry out of the index: it dies. Calls nobody. */
void genlru__entry_removed(struct genlru_cache *cache, struct genlru_cache_entry *e, unsigned cause);

/*
 * Core says that the node is the caller's (GENLRU_YOURS): what the deleter could not do. The entry may be added to
 * `dead` by it.
 */
void genlru__entry_delisted(struct genlru_cache *cache, struct genlru_cache_entry *e, struct genlru__dead_list *dead);

/*
 * A victim with handles: out of eviction's way until the last handle is released. False: no memory to put it back, it is
 * isolated still.
 */
bool genlru__entry_park(struct genlru_cache *cache, const struct genlru_victim *victim, struct genlru__dead_list *dead);

void genlru__entry_info(const struct genlru_cache *cache, const struct genlru_cache_entry *e,
                        struct genlru_cache_info *ret_info);

/* ---- lane.c: groups of threads, objects ---- */

/* A thread's number plus 1, in the order of first calls; 0 = none yet. */
extern __thread unsigned genlru__cache_thread __attribute__((visibility("hidden")));
unsigned genlru__cache_thread_begin(void);

static inline struct genlru__lane *genlru__lane_of(struct genlru_cache *cache)
{
    unsigned thread = genlru__cache_thread;

    if (GENLRU_UNLIKELY(!thread))
        thread = genlru__cache_thread_begin();
    return &cache->lane[(thread - 1) & (cache->nr_lanes - 1)];
}

/* An object of the lane's heap, NULL: no memory. `nr_inserted`, 0 or 1, is added to the lane's count on the way. */
struct genlru_cache_entry *genlru__object_new(struct genlru_cache *cache, struct genlru__lane *lane, size_t bytes,
                                              unsigned nr_inserted);
/* An insert that was counted failed. */
void genlru__lane_uncount(struct genlru__lane *lane);
/*
 * Gives the memory of dead entries, whose grace period is over and which hold nothing any more, back: to the lane's magazines, and
 * full ones to the heap. They wait no more. No lock may be held.
 */
void genlru__objects_free(struct genlru_cache *cache, struct genlru__lane *lane,
                          struct genlru_cache_entry *const *entries, unsigned nr);
/* Entries in the index, from the lanes' counts. */
uint64_t genlru__nr_entries(const struct genlru_cache *cache);

/* ---- retire.c: from dead to free ---- */

/* An empty list; what is added names earlier dead of the lane as those to fetch early. */
struct genlru__dead_list genlru__dead_begin(struct genlru__lane *lane);
/* Adds a dead entry; nobody else touches it any more but readers. */
void genlru__dead_add(struct genlru__dead_list *dead, struct genlru_cache_entry *e);
/* Takes their charge off and lets them wait for a grace period. Empties the list. */
void genlru__dead_push(struct genlru_cache *cache, struct genlru__dead_list *dead);
/* Releases and frees up to max entries whose grace period is over; how many. Calls the owner. Nothing in a callback. */
unsigned genlru__dead_collect(struct genlru_cache *cache, struct genlru__lane *lane, unsigned max);
/* One such entry as an object; under the lane's lock. Only where nobody is told of its end. 0: none. Then launch *ret_launch. */
uint32_t genlru__dead_reuse(struct genlru_cache *cache, struct genlru__lane *lane, struct genlru__grace **ret_launch);
/* Without the lock; NULL is allowed. */
void genlru__grace_launch(struct genlru__grace *grace);
/* Where very many are dead: waits for a grace period, and they are ripe. */
void genlru__dead_relieve(struct genlru_cache *cache, struct genlru__lane *lane);
/* How many that is in a cache of so many entries. */
void genlru__dead_bound(struct genlru__lane *lane, uint64_t nr_entries);
/* The same for all lanes, until all that is dead now is free. Waits. */
void genlru__dead_drain(struct genlru_cache *cache);
bool genlru__in_callback(const struct genlru_cache *cache);
/* Calls config.release, if there is one. */
void genlru__call_release(struct genlru_cache *cache, const struct genlru_cache_info *info, unsigned cause);
int genlru__call_can_evict(struct genlru_cache *cache, const struct genlru_cache_info *info);

/* ---- room.c: the bound ---- */

/* Charges `charge`, evicting if need be; 0, -EFBIG, -ENOBUFS, -EAGAIN. `is_firm`: beyond the capacity is an error. */
int genlru__room_take(struct genlru_cache *cache, uint64_t charge, bool is_firm);
void genlru__room_give(struct genlru_cache *cache, uint64_t charge);
/*
 * Evicts up to `want` of charge in slices; returns what went, and the last slice's reason: BUSY if it may not wait for core's
 * lock and would have to.
 */
uint64_t genlru__evict_some(struct genlru_cache *cache, uint64_t want, unsigned max_nodes, bool may_wait,
                            unsigned *ret_nodes, enum genlru_evict_reason *ret_reason);

/* ---- insert.c, get.c, maintain.c ---- */

/* Upkeep that an insert or erase does on the way. Calls the owner. */
void genlru__upkeep(struct genlru_cache *cache, unsigned nr_added);
/* The entry of the key, pinned and not expired. */
struct genlru_cache_entry *genlru__get(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                                       bool is_access);
/* The same without removing an expired one: calls nobody and takes no lock. */
struct genlru_cache_entry *genlru__get_quietly(struct genlru_cache *cache, const struct genlru__key *key,
                                               uint64_t hash);
int genlru__insert(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash,
                   const struct genlru_cache_insert *how, struct genlru_cache_entry **ret_entry);
/* An entry with the key and value that is in no index, with a handle; nr_inserted as for objects. */
struct genlru_cache_entry *genlru__entry_new(struct genlru_cache *cache, const struct genlru__key *key,
                                             const struct genlru_cache_insert *how, uint64_t charge,
                                             unsigned nr_inserted);
/* Charge of an insert; UINT64_MAX: too large a number. */
uint64_t genlru__charge_of(const struct genlru_cache *cache, const struct genlru__key *key,
                           const struct genlru_cache_insert *how);
/* What an owner charged whose entry weighs how->charge, metadata included. */
uint64_t genlru__charge_without_metadata(const struct genlru_cache *cache, size_t key_bytes,
                                         const struct genlru_cache_insert *how);
/* Removes expired entries in the next nr buckets. */
unsigned genlru__sweep(struct genlru_cache *cache, unsigned nr_buckets);

/* ---- maintain.c, load.c: parts of create and destroy ---- */

int genlru__keeper_start(struct genlru_cache *cache);
int genlru__keeper_restart(struct genlru_cache *cache); /* after a stop */
void genlru__keeper_stop(struct genlru_cache *cache);
void genlru__keeper_wake(struct genlru_cache *cache);
void genlru__keeper_notice(struct genlru_cache *cache); /* after an insert: wakes it if there is need */
void genlru__keeper_fini(struct genlru_cache *cache);
int genlru__flights_init(struct genlru_cache *cache);
void genlru__flights_fini(struct genlru_cache *cache);

#endif
