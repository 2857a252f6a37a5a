/* SPDX-License-Identifier: MIT */
/*
 * libgenlru-cache: a ready key → value cache, bounded by charge, for any number of threads. Link with
 * genlru::cache (or `pkg-config genlru-cache`); it is built on libgenlru and liburcu.
 *
 *              insert                     get: no lock, no store for a hot entry
 *   (absent) ─────────▶ entry in the index ◀──────┐
 *                         │   │                    │ pins: one for each handle
 *   erased, replaced, ────┤   └── handle ──────────┘
 *   expired, cleared,     ▼
 *   evicted            removed ── last handle released, grace period over ──▶ config.release(value, cause)
 *
 * docs/cache.md draws what is inside.
 *
 * ## Who owns what
 *
 * A key is copied. A value is the owner's pointer (GENLRU_CACHE_VALUE_POINTER) or bytes that are copied into the entry
 * (GENLRU_CACHE_VALUE_INLINE). An insert that answers >= 0 takes the value over; a negative answer leaves it with the
 * caller. config.release gives each value back, once, with the cause of its removal, when no handle and no read
 * section can reach it any more.
 *
 * A handle (struct genlru_cache_entry *) is a pin: the entry and its value stay where they are until
 * genlru_cache_release(), also when the entry is removed meanwhile. Handles may go from thread to thread.
 *
 * ## Threads
 *
 * Each thread that uses caches calls genlru_cache_register_thread() before and genlru_cache_unregister_thread() after.
 * The library is built for one flavour of liburcu (genlru_cache_rcu_flavour() names it):
 *
 *   memb  default. A read section costs about 3 ns. Threads register.
 *   bp    about 2 ns. Threads need not register (both calls do nothing).
 *   qsbr  nothing. Threads register, and must call genlru_cache_quiescent() now and then, outside of read sections, and
 *         genlru_cache_offline() around long waits: else no memory is freed.
 *
 * A thread that uses the same flavour of liburcu itself registers once, either way. A call may be made inside a read
 * section unless it says "not in a read section"; it may be made from a callback unless it says "not from a callback".
 *
 * ## Locks
 *
 * Every call says which it takes. A hit takes none. "bucket": one spin lock of a few dozen instructions, of a cache
 * line of the index. "core": what genlru_add, genlru_del or genlru_evict take (lru.h). "stripe": a spin lock per group
 * of threads. The owner's functions are never called under a lock or in a read section of the library's.
 *
 * ## Callbacks
 *
 * All of config's functions may be called by any thread that uses the cache, several at once, and may call the cache
 * back, except genlru_cache_destroy() (-EDEADLK) and genlru_cache_drain() (-EDEADLK). Removals by a callback are
 * released later, never in a nested call, so that callbacks do not recurse. release is called by insert,
 * erase, get_or_load, maintain, drain, clear, destroy and the maintenance thread, a few milliseconds after the removal.
 *
 * ## Errors
 *
 * Negative errno, before anything changed:
 *   -EINVAL  an argument              -EFBIG   charge above the capacity: it can never fit
 *   -ENOMEM  no memory                -ENOBUFS hard limit: everything is pinned, reserved or being loaded
 *   -EPERM   reserve first!           -EAGAIN  hard limit: this call's budget is used up, more may be evictable
 *   -EEXIST  insert if absent: it is  -ENOENT  it is not there
 *   -ERANGE  a number too big         -EDEADLK from a callback; or a load that waits for itself
 */
#ifndef GENLRU_CACHE_H
#define GENLRU_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "export.h"
#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct genlru_cache;
struct genlru_cache_entry;

/* ---- configuration ---------------------------------------------------------------------------------- */

enum genlru_cache_key_kind {
    GENLRU_CACHE_KEY_BYTES = 0, /* any length below 2^31; equal if length and bytes are */
    GENLRU_CACHE_KEY_U64 = 1    /* a uint64_t: the _u64 calls, or eight bytes */
};

enum genlru_cache_value_kind {
    GENLRU_CACHE_VALUE_POINTER = 0, /* the owner's pointer, never looked through */
    GENLRU_CACHE_VALUE_INLINE = 1   /* bytes, copied; the copy is aligned to 8 */
};

enum genlru_cache_limit {
    /*
     * An insert may go beyond the capacity when nothing can be evicted, and a little while core's lock is busy
     * (genlru_cache_insert); worked off later.
     */
    GENLRU_CACHE_SOFT = 0,
    GENLRU_CACHE_HARD = 1,         /* an insert fails instead: -ENOBUFS, -EAGAIN */
    GENLRU_CACHE_RESERVE_FIRST = 2 /* hard, and an insert needs a reservation: room is made before the work is done */
};

/* Why an entry was removed. */
enum genlru_cache_cause {
    GENLRU_CACHE_EVICTED = 0,
    GENLRU_CACHE_ERASED = 1,
    GENLRU_CACHE_REPLACED = 2,
    GENLRU_CACHE_EXPIRED = 3,
    GENLRU_CACHE_CLEARED = 4, /* genlru_cache_clear, genlru_cache_prune, genlru_cache_destroy */
    GENLRU_CACHE_UNCACHED = 5 /* was never in the index: loaded by get_or_load when there was no room to keep it */
};

/* What an entry holds. Pointers are good while the entry is: in the callback, under a pin, in the read section. */
struct genlru_cache_info {
    const void *key; /* a uint64_t for KEY_U64 */
    size_t key_bytes;
    void *value;        /* the owner's pointer, or where the inline bytes are */
    size_t value_bytes; /* 0 for pointers */
    uint64_t charge;
    uint64_t ttl_ns; /* left; 0 = expires never */
};

enum {
    GENLRU_CACHE_CHARGE_METADATA = 1u << 0, /* add to each charge what the entry costs the cache, in bytes */
    GENLRU_CACHE_COUNT_LOOKUPS = 1u << 1,   /* count hits and misses of get: a store to a line per group of threads */
    GENLRU_CACHE_MAINTENANCE = 1u << 2      /* start a thread that calls genlru_cache_maintain when there is need */
};

#define GENLRU_CACHE_NO_GHOSTS UINT64_MAX

struct genlru_cache_config {
    size_t size;       /* sizeof(struct genlru_cache_config) of the header compiled with */
    uint64_t capacity; /* in charge; 0 keeps nothing; GENLRU_NO_LIMIT; changed by genlru_cache_set_capacity */
    enum genlru_cache_limit limit;
    enum genlru_cache_key_kind key_kind;
    enum genlru_cache_value_kind value_kind;
    uint32_t flags;
    /*
     * The index is made for so many at once; 0 = it grows as they come. Learning takes a sample by it; without it, the capacity
     * tells, at 256 bytes an entry where values are inline.
     */
    uint64_t expected_entries;
    uint64_t ghosts;        /* evicted keys remembered, 8 bytes each; 0 = about twice as many as entries are expected
                               or, without that, twice the capacity, at most 2^17, and
                               128 at least; GENLRU_CACHE_NO_GHOSTS */
    uint64_t low_watermark; /* maintenance evicts down to this; 0 = the capacity */
    uint64_t ttl_ns;        /* of entries inserted without one; 0 = they do not expire */
    uint64_t seed;          /* of the hash; 0 = a random one */
    const struct genlru_policy *policy; /* copied; NULL = GENLRU_POLICY_DEFAULT */
    uint32_t nr_gens;                   /* as in genlru_config */
    uint32_t stripes;                   /* groups of threads, 1..8; 0 = min(cpus, 8), 1 where the capacity is small */
    /* Gets a removed value back. NULL: values need no release. */
    void (*release)(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause);
    /*
     * Asked before an entry is evicted; it may make it evictable, for example write it out. 0 = not now: the entry
     * stays, and is asked again when the scan comes back. Not asked for other causes. NULL: all may go.
     */
    int (*can_evict)(void *ctx, const struct genlru_cache_info *info);
    /*
     * Good in all 64 bits. NULL: the library's. A pure function of its arguments: it may not call the cache, and is called
     * under locks, too.
     */
    uint64_t (*hash)(void *ctx, const void *key, size_t key_bytes, uint64_t seed);
    void *ctx;                                /* of the three */
    const struct genlru_allocator *allocator; /* copied; of entries, index and everything else */
    uint64_t (*now_ns)(void *clock_ctx);      /* monotonic, for expiry; NULL = a coarse CLOCK_MONOTONIC */
    void *clock_ctx;
    void (*on_error)(void *error_ctx, enum genlru_error error, const char *what, const struct genlru_node *node);
    void *error_ctx;
};

/* Every default: bytes → pointer, soft, no limit. */
#define GENLRU_CACHE_CONFIG_INIT                                                                                      \
    {                                                                                                                 \
        sizeof(struct genlru_cache_config), GENLRU_NO_LIMIT, GENLRU_CACHE_SOFT, GENLRU_CACHE_KEY_BYTES,               \
            GENLRU_CACHE_VALUE_POINTER, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
            NULL                                                                                                      \
    }

/* Returns 0, -EINVAL, -ENOMEM, or what pthread_create says. *ret_cache is untouched on failure. */
GENLRU_API int genlru_cache_create(const struct genlru_cache_config *config, struct genlru_cache **ret_cache);

/*
 * Removes every entry (cause CLEARED), waits for grace periods, releases every value, ends the maintenance thread. What
 * release inserts meanwhile goes the same way, so it must stop doing so.
 * Returns 0; -EDEADLK from a callback; -EBUSY while handles or reservations are out: nothing was changed then. No other call
 * may be running, nor any read section of the calling thread. NULL is allowed.
 */
GENLRU_API int genlru_cache_destroy(struct genlru_cache *cache);

/* ---- threads and read sections ---------------------------------------------------------------------- */

GENLRU_API void genlru_cache_register_thread(void);
GENLRU_API void genlru_cache_unregister_thread(void);
/* Only qsbr needs these; elsewhere they do nothing. */
GENLRU_API void genlru_cache_quiescent(void);
GENLRU_API void genlru_cache_offline(void);
GENLRU_API void genlru_cache_online(void);
GENLRU_API const char *genlru_cache_rcu_flavour(void); /* "memb", "qsbr" or "bp" */

/*
 * A read section: entries found inside by the _rcu calls stay readable until it ends. Sections nest and are the
 * thread's, for all caches. A long one delays the release of values everywhere. Wait-free.
 */
GENLRU_API void genlru_cache_read_lock(void);
GENLRU_API void genlru_cache_read_unlock(void);

/* ---- looking up: no lock, no callback, O(1) --------------------------------------------------------- */

/*
 * The entry of the key, pinned; NULL if there is none, or if it has expired (it is removed then, which takes the
 * bucket's lock and core's). Counts as an access. One store to the entry's own line for the pin, and one for the access
 * unless it is hot.
 */
GENLRU_API struct genlru_cache_entry *genlru_cache_get(struct genlru_cache *cache, const void *key, size_t key_bytes);
GENLRU_API struct genlru_cache_entry *genlru_cache_get_u64(struct genlru_cache *cache, uint64_t key);

/* The same for use inside a read section, without a pin: a hit on a hot entry stores nothing. Removes nothing. */
GENLRU_API struct genlru_cache_entry *genlru_cache_get_rcu(struct genlru_cache *cache, const void *key,
                                                           size_t key_bytes);
GENLRU_API struct genlru_cache_entry *genlru_cache_get_rcu_u64(struct genlru_cache *cache, uint64_t key);

/* get, but no access: the entry grows no younger. */
GENLRU_API struct genlru_cache_entry *genlru_cache_peek(struct genlru_cache *cache, const void *key, size_t key_bytes);

/* 1 or 0, no access, no pin. */
GENLRU_API int genlru_cache_contains(struct genlru_cache *cache, const void *key, size_t key_bytes);

/* An access without looking at the value. 0 or -ENOENT. */
GENLRU_API int genlru_cache_touch(struct genlru_cache *cache, const void *key, size_t key_bytes);

/*
 * Copies the value: its inline bytes, or the pointer's eight. 0; -ENOENT; -ERANGE if it is longer than `max` (and
 * *ret_bytes says how long). Counts as an access. ret_bytes may be NULL.
 */
GENLRU_API int genlru_cache_get_copy(struct genlru_cache *cache, const void *key, size_t key_bytes, void *value,
                                     size_t max, size_t *ret_bytes);

/* Makes a handle of an entry found in the read section: 0, or -ENOENT if it was removed meanwhile. */
GENLRU_API GENLRU_MUST_CHECK int genlru_cache_pin(struct genlru_cache *cache, struct genlru_cache_entry *entry);
/* Ends a handle. Calls nobody. Locks: core's if eviction met the pinned entry, stripe if it was removed. */
GENLRU_API void genlru_cache_release(struct genlru_cache *cache, struct genlru_cache_entry *entry);

/* What an entry holds, under a pin or in the read section. O(1), no lock. */
GENLRU_API void *genlru_cache_value(const struct genlru_cache *cache, const struct genlru_cache_entry *entry);
GENLRU_API void genlru_cache_info(const struct genlru_cache *cache, const struct genlru_cache_entry *entry,
                                  struct genlru_cache_info *ret_info);

/* ---- changing --------------------------------------------------------------------------------------- */

enum genlru_cache_mode {
    GENLRU_CACHE_UPSERT = 0,    /* insert, or replace what is there */
    GENLRU_CACHE_IF_ABSENT = 1, /* -EEXIST if it is there */
    GENLRU_CACHE_IF_PRESENT = 2 /* replace only: -ENOENT if it is not */
};

enum {
    GENLRU_CACHE_INSERT_PREFETCHED = 1u << 0, /* ahead of use: the first access is still to come */
    GENLRU_CACHE_INSERT_COLD = 1u << 1,
    GENLRU_CACHE_INSERT_HOT = 1u << 2,
    GENLRU_CACHE_INSERT_NOREUSE = 1u << 3,
    GENLRU_CACHE_INSERT_WEIGHTLESS = 1u << 4 /* charge 0; without this flag a charge of 0 means the default */
};

/* Room that was made for an insert to come. */
struct genlru_cache_reservation {
    uint64_t charge; /* what is left of it; the library's to change */
};

struct genlru_cache_insert {
    const void *value;
    size_t value_bytes; /* inline values: below 2^31 */
    uint64_t charge;    /* 0 = 1 for pointers, key and value bytes for inline values; at most UINT32_MAX */
    uint64_t ttl_ns;    /* 0 = config.ttl_ns; GENLRU_NO_LIMIT = never expires, whatever the default; else at most
                           GENLRU_CACHE_TTL_MAX_NS */
    enum genlru_cache_mode mode;
    uint32_t flags;
    struct genlru_cache_reservation *reservation; /* used up by this charge; NULL = make room now */
};

/* The coarsest that expiry is: an entry expires at most twice this late, never early. */
#define GENLRU_CACHE_TICK_NS (UINT64_C(1) << 24)
#define GENLRU_CACHE_TTL_MAX_NS (GENLRU_CACHE_TICK_NS << 30)

#define GENLRU_CACHE_REPLACED_OLD 1

/*
 * Inserts. Returns 0, GENLRU_CACHE_REPLACED_OLD, or an error as above. ret_entry (may be NULL) gets a handle: of the new
 * entry, or with -EEXIST of the one that is there. Readers see the old value or the new one, never neither. Makes room
 * first: evicts at most about twice what it adds, and 8 entries; what is evicted more at a time than needed is at most
 * 1/64 of the capacity.
 *
 * Under a soft limit it goes on without making room while another thread has core's lock, for whatever it has it, and
 * what is over, this charge included, is no more than 1/64 of the capacity and than 8 times this charge; that much may
 * stay over until the next insert, growing recharge or maintenance. It waits for the lock else, and under a hard limit
 * always. With the lock it may still sleep between two batches: for a block, or while open blocks are handed over.
 *
 * Where very many removed entries wait to be freed (in a group of threads more than 8,192, and than a 128th of all
 * entries) it waits for a grace period, that is for the read sections under way, unless the caller is in one (with
 * qsbr: never).
 *
 * Calls can_evict and release. Locks: bucket, stripe, core. O(1), amortised.
 */
GENLRU_API int genlru_cache_insert(struct genlru_cache *cache, const void *key, size_t key_bytes,
                                   const struct genlru_cache_insert *how, struct genlru_cache_entry **ret_entry);
GENLRU_API int genlru_cache_insert_u64(struct genlru_cache *cache, uint64_t key, const struct genlru_cache_insert *how,
                                       struct genlru_cache_entry **ret_entry);

/*
 * 0 or -ENOENT. Locks: bucket, stripe, core. May call release for this or for other entries, and may wait for a grace
 * period as insert does. O(1).
 */
GENLRU_API int genlru_cache_erase(struct genlru_cache *cache, const void *key, size_t key_bytes);
GENLRU_API int genlru_cache_erase_u64(struct genlru_cache *cache, uint64_t key);
/* The same for the very entry of a handle: -ENOENT if it was removed already. The handle stays the caller's. */
GENLRU_API int genlru_cache_erase_entry(struct genlru_cache *cache, struct genlru_cache_entry *entry);

/*
 * Makes room for `charge` and keeps it: an insert with this reservation fails for lack of room no more (but for
 * -ENOMEM it may). Under every limit this may answer -ENOBUFS or -EAGAIN. Adds to what is reserved already; begin with a charge of
 * 0. unreserve gives back what is left.
 */
GENLRU_API int genlru_cache_reserve(struct genlru_cache *cache, uint64_t charge,
                                    struct genlru_cache_reservation *reservation);
GENLRU_API void genlru_cache_unreserve(struct genlru_cache *cache, struct genlru_cache_reservation *reservation);

/*
 * Changes the charge of a handle's entry; growth makes room as an insert of so much does, or goes on without. 0 or an
 * error as of insert.
 */
GENLRU_API int genlru_cache_recharge(struct genlru_cache *cache, struct genlru_cache_entry *entry, uint64_t charge);
/* Changes when a handle's entry expires, from now; 0 = never. 0 or -ERANGE. No lock. */
GENLRU_API int genlru_cache_set_ttl(struct genlru_cache *cache, struct genlru_cache_entry *entry, uint64_t ttl_ns);

/* ---- loading ---------------------------------------------------------------------------------------- */

struct genlru_cache_load {
    /*
     * Gets the value of an absent key: 0 with *ret_how filled in (it begins zeroed), or a negative error. One call per
     * key at a time. May call the cache, but not load its own key again (-EDEADLK).
     */
    int (*load)(void *load_ctx, const void *key, size_t key_bytes, struct genlru_cache_insert *ret_how);
    void *load_ctx;
    uint64_t charge;  /* reserved from the start of the load; 0 = 1 */
    uint64_t wait_ns; /* how long to wait for another thread's load: 0 = not at all, GENLRU_NO_LIMIT = for ever */
};

/*
 * get; on a miss one thread loads and inserts (if absent), the others wait. Returns 0 with a handle in *ret_entry; or the
 * loader's own error, in every thread that waited for it; -EAGAIN (wait_ns is 0 and it is being loaded, or no room: see
 * insert); -ETIMEDOUT; -ECANCELED (the loading thread ended or was cancelled in its loader). After a failure the next
 * caller loads. Where the entry cannot be kept (capacity, limit), the handle is the only reference (cause UNCACHED).
 * Not in a read section. A hit: no lock; a miss: one of 16 mutexes (not during the load), and insert's.
 */
GENLRU_API int genlru_cache_get_or_load(struct genlru_cache *cache, const void *key, size_t key_bytes,
                                        const struct genlru_cache_load *how, struct genlru_cache_entry **ret_entry);

/* ---- the whole -------------------------------------------------------------------------------------- */

/*
 * Calls `visit` for entries, in no order, outside of read sections and locks, each under a pin: every entry that stays
 * during the walk once at least (twice if the index grows), others perhaps. No access. visit may call everything, and
 * ends the walk by a value other than 0, which is returned. O(entries). Locks: none.
 */
GENLRU_API int genlru_cache_iterate(struct genlru_cache *cache,
                                    int (*visit)(void *visit_ctx, struct genlru_cache_entry *entry,
                                                 const struct genlru_cache_info *info),
                                    void *visit_ctx);

/* Removes every entry that is there when it comes by (cause CLEARED). Returns how many. O(entries). */
GENLRU_API uint64_t genlru_cache_clear(struct genlru_cache *cache);
/*
 * The same for entries that nobody holds; those with handles stay, and can be found. (One that is taken hold of while it comes by
 * may go all the same, as with eviction.) Returns how many. Without memory (needed where hundreds of hashes
 * are alike) it ends early. O(entries).
 */
GENLRU_API uint64_t genlru_cache_prune(struct genlru_cache *cache);

/*
 * At once; what is too much goes in slices: with each insert (at most about twice what it adds), by
 * genlru_cache_maintain and by the maintenance thread. No lock.
 */
GENLRU_API void genlru_cache_set_capacity(struct genlru_cache *cache, uint64_t capacity);

/*
 * One slice of upkeep: evicts above the low watermark, removes the expired, releases values whose grace period is
 * over; at most about `budget_entries` entries of each (0 = 64). Returns how many entries it removed or released: 0 =
 * nothing to do now. For owners without the maintenance thread. Locks: as erase.
 */
GENLRU_API uint64_t genlru_cache_maintain(struct genlru_cache *cache, uint64_t budget_entries);

/*
 * Waits until every value removed before the call is released (but for those under pins). Not in a read section.
 * 0, or -EDEADLK from a callback.
 */
GENLRU_API int genlru_cache_drain(struct genlru_cache *cache);

/* ---- warm restart ----------------------------------------------------------------------------------- */

/* Writes or reads one value; NULL stands for the inline bytes. */
struct genlru_cache_value_io {
    /* At most `max` bytes into `bytes`; returns the length (above max: it is called again with so much), or < 0: skip. */
    int64_t (*save)(void *io_ctx, const struct genlru_cache_info *info, void *bytes, size_t max);
    /* The other way round: 0 with ret_how->value (and charge, if it is to be another) filled in, or < 0: skip. */
    int (*load)(void *io_ctx, const void *key, size_t key_bytes, const void *bytes, size_t nr_bytes,
                struct genlru_cache_insert *ret_how);
    void *io_ctx;
};

/*
 * Saves keys, charges, remaining lifetimes and values, oldest generation first, to `path`: into a new file beside it,
 * which is synced and then renamed, so that a crash leaves the old one. Other threads may go on; what they change may be saved
 * before or after. Returns how many entries, or -errno (the old file is untouched). io NULL = inline values.
 * -EINVAL: pointers and no io. Not in a read section. No lock. O(entries).
 */
GENLRU_API int64_t genlru_cache_save(struct genlru_cache *cache, const char *path,
                                     const struct genlru_cache_value_io *io);

/*
 * Inserts what a file holds, in its order, so that what was younger is so again; keys that are there are replaced. The
 * file is checked as a whole before the first insert. Returns how many entries, or -errno with nothing inserted, and
 * *ret_reason (may be NULL) says why in words: -ENOENT no file, -EILSEQ foreign, damaged or cut off, -EPROTO another
 * version or another kind of keys or values, others from the system. Not in a read section.
 */
GENLRU_API int64_t genlru_cache_restore(struct genlru_cache *cache, const char *path,
                                        const struct genlru_cache_value_io *io, const char **ret_reason);

/* ---- looking inside --------------------------------------------------------------------------------- */

/* A loose snapshot: figures are read one after another; each is never negative. No list lock, no upkeep. */
struct genlru_cache_stat {
    size_t size; /* set by the caller; only so much is filled in */
    uint64_t capacity;
    uint64_t charge;       /* entries, reservations and loads: what is bounded */
    uint64_t reserved;     /* of it: reservations and loads under way */
    uint64_t over;         /* charge above the capacity */
    uint64_t entries;      /* in the index */
    uint64_t detached;     /* removed, but still held by handles; their charge counts until they are released */
    uint64_t waiting;      /* removed, waiting for a grace period or for release; no longer charged */
    uint64_t parked_nodes; /* pinned ones that eviction met and put aside */
    uint64_t hits;         /* with COUNT_LOOKUPS, else 0 */
    uint64_t misses;
    uint64_t inserted;
    uint64_t removed[6]; /* by enum genlru_cache_cause */
    uint64_t refused;    /* inserts and reserves that failed for lack of room */
    uint64_t loads;      /* begun */
    uint64_t load_waits; /* that waited for one */
    uint64_t refaulted;  /* inserts whose key was evicted recently */
    uint64_t index_bytes;
    uint64_t entry_bytes; /* memory of the entries, keys and inline values included */
    uint64_t core_bytes;  /* generations' lists */
    uint64_t ghost_bytes;
    uint64_t metadata_bytes; /* all memory of the cache less keys' and inline values' bytes */
};
GENLRU_API int genlru_cache_stat(struct genlru_cache *cache, struct genlru_cache_stat *ret_stat);

/*
 * Checks index, entries, charges and the core's invariants against each other. No other call may be running. 0, or a
 * number > 0 with a sentence in text. O(entries).
 */
GENLRU_API int genlru_cache_verify(struct genlru_cache *cache, char *text, size_t bytes);

/* ---- fork ------------------------------------------------------------------------------------------- */

/*
 * liburcu has a thread of its own, so a process with a cache that forks calls these three around fork(), from its only other
 * thread, outside of calls and read sections, and without maintenance threads. Then the child's cache is a copy that works. A
 * child of a process with more threads may exec or _exit, no more.
 */
GENLRU_API void genlru_cache_before_fork(void);
GENLRU_API void genlru_cache_after_fork_parent(void);
GENLRU_API void genlru_cache_after_fork_child(void);

#ifdef __cplusplus
}
#endif
#endif
