/* SPDX-License-Identifier: MIT */
/*
 * The index: hash → handle, look-ups without locks or stores.
 *
 *   bucket = one cache line                                              11 slots
 *   ┌───────────────────────┬───────────┬──────┬──────────────────────────────────┐
 *   │ tag[11]               │ control   │ next │ handle[11]                       │
 *   │ top 8 bits of the     │ 31 bits:  │ over-│ of entries; 0 = free             │
 *   │ hash, 0 = free        │ a version │ flow │                                  │
 *   │                       │ bit 0:    │ (0 = │                                  │
 *   │                       │ locked    │ none)│                                  │
 *   └───────────────────────┴───────────┴──┬───┴──────────────────────────────────┘
 *                                          └──▶ the same again, from an arena of overflow buckets
 *
 * **Look-up**: bucket of the hash, tags compared all at once, the entry's key compared; two dependent cache misses.
 *
 * **Growth** is linear hashing (W. Litwin, Linear Hashing: a new tool for file and table addressing, VLDB 1980) from any number
 * of buckets: a hash belongs to one of the first `nr_first`, and each doubling takes one bit more of it. Bucket n is made by
 * splitting bucket n - nr_first * 2^level; one split a call, so nobody ever waits for a table to be copied.
 *
 *   number = first + nr_first * (low bits of the hash),    one bit more where that bucket exists already
 *
 * **Writers** lock the home bucket of their key (bit 0 of its control). A slot is filled handle first, then tag; a
 * replacement stores the handle alone, so readers see the old or the new entry and nothing between.
 *
 * **Readers** may be wrong about absence only, and check it:
 *   - a key that moved in a split: the split publishes the number of buckets before it takes slots out of the old bucket,
 *     so a reader that missed looks whether the key's bucket is another now;
 *   - an overflow bucket that was unlinked and has a new life elsewhere: its unlinking changes the version before;
 *   - an entry that moved from an overflow bucket to its home: so does that.
 * A key found is right whatever else happened: entries live until a grace period after they are out.
 */
#ifndef GENLRU_CACHE_INDEX_H
#define GENLRU_CACHE_INDEX_H

#include "entry.h"
#include "heap.h"
#include "tags.h"

/* At 7 entries a bucket one in twenty needs an overflow bucket; at 8 one in nine would, for as much memory. */
enum { GENLRU__BUCKET_SLOTS = GENLRU__NR_TAGS, GENLRU__BUCKET_MEAN = 7, GENLRU__OVER_SHIFT = 6 };

struct genlru__bucket {
    uint8_t tag[12]; /* the last is always 0 */
    uint32_t control;
    uint32_t next; /* overflow bucket's number, from 1 */
    uint32_t handle[GENLRU__BUCKET_SLOTS];
} __attribute__((aligned(64)));

struct genlru__index {
    /* read by each look-up, written by splits */
    struct genlru__table segment; /* arrays of 2^segment_shift buckets */
    uint64_t nr_buckets;          /* from nr_first * 2^level to twice that */
    uint64_t level_mask;          /* 2^(level + 1) - 1; stored before nr_buckets, read after it */
    const struct genlru__heap *heap;
    uint32_t nr_first;
    uint32_t segment_shift;
    struct genlru__kind kind;
    /* writers */
    uint32_t is_splitting __attribute__((aligned(64))); /* bit 0: who splits, or adds memory */
    uint32_t over_lock;                                 /* bit 0: guards the next four */
    uint32_t over_free;                                 /* list by `next` */
    uint32_t nr_over_free;
    uint32_t nr_over; /* in existence */
    uint32_t nr_segments;
    struct genlru__memory *memory;
    struct genlru__table over; /* arrays of 2^GENLRU__OVER_SHIFT overflow buckets */
    uint64_t bytes;
};

/* A table for `expected` entries. 0 or -ENOMEM. */
int genlru__index_init(struct genlru__index *index, struct genlru__memory *memory, const struct genlru__heap *heap,
                       struct genlru__kind kind, uint64_t expected);
void genlru__index_fini(struct genlru__index *index);

static inline struct genlru_cache_entry *genlru__entry_at(const struct genlru__index *index, uint32_t handle)
{
    return (struct genlru_cache_entry *)genlru__heap_at(index->heap, handle);
}

/*
 * Number of the bucket of a hash in a table of n, which the caller has read before (acquire N). The mask may be that of a later
 * level; its further bits lead beyond n, or are 0. The usual step is computed, not branched on: while a level is under way
 * no processor can guess it.
 */
static inline uint64_t genlru__bucket_of(const struct genlru__index *index, uint64_t hash, uint64_t n)
{
    /* bits 20 to 51: not those of the tag, nor the first twenty levels' */
    uint64_t first = (uint64_t)(uint32_t)(hash >> 20) * index->nr_first >> 32;
    uint64_t mask = genlru_impl_load_relaxed(&index->level_mask), nr_first = index->nr_first;
    uint64_t whole = first + nr_first * (hash & mask), half = first + nr_first * (hash & mask >> 1);
    uint64_t number = half + ((whole - half) & (0 - (uint64_t)(whole < n)));

    while (GENLRU_UNLIKELY(number >= n)) {
        mask >>= 1;
        number = first + nr_first * (hash & mask);
    }
    return number;
}

static inline struct genlru__bucket *genlru__bucket_at(const struct genlru__index *index, uint64_t number)
{
    /* acquire T: the array that knows this bucket's segment; nr_buckets was read before */
    void **at = __atomic_load_n(&index->segment.at, __ATOMIC_ACQUIRE);
    struct genlru__bucket *segment = at[number >> index->segment_shift];

    return segment + (number & ((UINT64_C(1) << index->segment_shift) - 1));
}

static inline void genlru__index_prefetch(const struct genlru__index *index, uint64_t hash)
{
    uint64_t n = genlru_impl_load_acquire(&index->nr_buckets);

    __builtin_prefetch(genlru__bucket_at(index, genlru__bucket_of(index, hash, n)), 1);
}

/* ---- tags ---- */

/* Never 0, which is free. */
static inline uint8_t genlru__tag_of(uint64_t hash)
{
    uint8_t tag = (uint8_t)(hash >> 56);

    return (uint8_t)(tag + !tag);
}

static inline unsigned genlru__slot_of_mark(uint32_t marks)
{
    return (unsigned)__builtin_ctz(marks);
}

/* ---- looking up, in a read section ---- */

/* The entry of a key, or NULL. */
struct genlru_cache_entry *genlru__index_find(const struct genlru__index *index, uint64_t hash,
                                              const struct genlru__key *key);
/* The same for a number, with everything looked at. */
struct genlru_cache_entry *genlru__index_find_number_slowly(const struct genlru__index *index, uint64_t hash,
                                                            uint64_t number);

/*
 * Whether nothing that a reader saw of home, absence above all, was changed while he looked. He looked with acquire loads, so
 * these come after them.
 */
static inline bool genlru__index_was_still(const struct genlru__index *index, const struct genlru__bucket *home,
                                           uint32_t version, uint64_t number, uint64_t n, uint64_t hash)
{
    uint64_t now = genlru_impl_load_relaxed(&index->nr_buckets);

    return (genlru__u32_load_relaxed(&home->control) & ~1u) == version &&
           (GENLRU_LIKELY(now == n) || genlru__bucket_of(index, hash, now) == number);
}

enum genlru__found { GENLRU__FOUND, GENLRU__ABSENT, GENLRU__UNSURE };

/*
 * The usual answers: a hit by the first tag that fits, and a miss where none does. UNSURE: to be looked at again, slowly. Calls
 * nobody, so that callers whose other calls are their last need no stack frame.
 */
static inline enum genlru__found genlru__index_find_quickly(const struct genlru__index *index, uint64_t hash,
                                                            uint64_t number, struct genlru_cache_entry **ret_entry)
{
    uint64_t n = genlru_impl_load_acquire(&index->nr_buckets); /* acquire N */
    uint64_t home_number = genlru__bucket_of(index, hash, n);
    const struct genlru__bucket *home = genlru__bucket_at(index, home_number);
    uint32_t version, marks, handle;

    /* a load after a locked instruction may wait for that; a prefetch does not, and takes its miss beside the last call's */
    __builtin_prefetch(home);
    version = genlru__u32_load_acquire(&home->control) & ~1u; /* acquire V */
    marks = genlru__tags_match(home->tag, genlru__tag_of(hash));
    if (GENLRU_LIKELY(marks)) {
        handle = genlru__u32_load_acquire(&home->handle[genlru__slot_of_mark(marks)]); /* acquire S */
        *ret_entry = genlru__entry_at(index, handle);
        return GENLRU_LIKELY(handle) && GENLRU_LIKELY((*ret_entry)->key == number) ? GENLRU__FOUND : GENLRU__UNSURE;
    }
    return !genlru__u32_load_acquire(&home->next) && genlru__index_was_still(index, home, version, home_number, n, hash)
               ? GENLRU__ABSENT
               : GENLRU__UNSURE;
}

static inline struct genlru_cache_entry *genlru__index_find_number(const struct genlru__index *index, uint64_t hash,
                                                                   uint64_t number)
{
    struct genlru_cache_entry *e;

    switch (genlru__index_find_quickly(index, hash, number, &e)) {
    case GENLRU__FOUND:
        return e;
    case GENLRU__ABSENT:
        return NULL;
    case GENLRU__UNSURE:
        break;
    }
    return genlru__index_find_number_slowly(index, hash, number);
}

/*
 * Puts `handle` in, as `mode` says. Returns 0, with *ret_old the handle that it replaced, or 0; -EEXIST, -ENOENT;
 * -ENOMEM. Takes the bucket's lock.
 */
int genlru__index_insert(struct genlru__index *index, uint64_t hash, const struct genlru__key *key, uint32_t handle,
                         enum genlru_cache_mode mode, uint32_t *ret_old);

/* Takes this very handle out; false: it is not there. The bucket's lock. */
bool genlru__index_remove(struct genlru__index *index, uint64_t hash, uint32_t handle);
/* Takes the key out; its handle, or 0. */
uint32_t genlru__index_remove_key(struct genlru__index *index, uint64_t hash, const struct genlru__key *key);

/* The first handles in bucket `number`, at most max; returns how many. In a read section. */
unsigned genlru__index_walk(const struct genlru__index *index, uint64_t number, uint32_t *handles, unsigned max);

/*
 * Makes one bucket more, unless somebody else is at it. `hash_of` tells the hash of an entry. 0, -EAGAIN (another one
 * is), -ENOMEM.
 */
int genlru__index_split(struct genlru__index *index,
                        uint64_t (*hash_of)(const void *ctx, const struct genlru_cache_entry *e), const void *ctx);

/* ---- shared by index.c and index_grow.c ---- */

static inline struct genlru__bucket *genlru__over_at(const struct genlru__index *index, uint32_t number)
{
    void **at = __atomic_load_n(&index->over.at, __ATOMIC_ACQUIRE); /* acquire T */

    return (struct genlru__bucket *)at[(number - 1) >> GENLRU__OVER_SHIFT] +
           ((number - 1) & ((1u << GENLRU__OVER_SHIFT) - 1));
}

/* A free overflow bucket, 0 if there is none: provide for one without locks, and come again. */
uint32_t genlru__over_get(struct genlru__index *index);
void genlru__over_put(struct genlru__index *index, uint32_t number);
int genlru__over_provide(struct genlru__index *index);

/* Unlinks `home`'s overflow buckets that are empty. With home's lock. */
void genlru__index_prune(struct genlru__index *index, struct genlru__bucket *home);

#endif
