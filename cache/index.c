/* SPDX-License-Identifier: MIT */
/* Looking up, inserting, removing: see index.h. Growth is in index_grow.c. */
#include "index.h"

#include <errno.h>

static inline bool has_key(const struct genlru__index *index, const struct genlru_cache_entry *e,
                           const struct genlru__key *key, bool is_number)
{
    return is_number ? e->key == key->number : genlru__entry_has_key(index->kind, e, key);
}

/* The entry of the key among the marked slots of a bucket. */
static inline struct genlru_cache_entry *look_at(const struct genlru__index *index, const struct genlru__bucket *bucket,
                                                 uint32_t marks, const struct genlru__key *key, bool is_number)
{
    for (; marks; marks &= marks - 1) {
        unsigned slot = genlru__slot_of_mark(marks);
        /* acquire S: the entry as it was when its handle was stored */
        uint32_t handle = genlru__u32_load_acquire(&bucket->handle[slot]);
        struct genlru_cache_entry *e;

        if (!handle)
            continue;
        e = genlru__entry_at(index, handle);
        if (has_key(index, e, key, is_number))
            return e;
    }
    return NULL;
}

/* More overflow buckets than this mean that the chain changed under the reader's eyes. */
enum { MAX_CHAIN = 1 << 16 };

static inline struct genlru_cache_entry *find(const struct genlru__index *index, uint64_t hash,
                                              const struct genlru__key *key, bool is_number)
{
    uint8_t tag = genlru__tag_of(hash);

    for (;;) {
        uint64_t n = genlru_impl_load_acquire(&index->nr_buckets); /* acquire N */
        uint64_t number = genlru__bucket_of(index, hash, n);
        const struct genlru__bucket *home = genlru__bucket_at(index, number), *bucket = home;
        uint32_t version = genlru__u32_load_acquire(&home->control) & ~1u, next; /* acquire V */
        struct genlru_cache_entry *e = look_at(index, bucket, genlru__tags_match(bucket->tag, tag), key, is_number);
        unsigned length = 0;

        while (!e && (next = genlru__u32_load_acquire(&bucket->next)) != 0 && ++length < MAX_CHAIN) {
            bucket = genlru__over_at(index, next);
            e = look_at(index, bucket, genlru__tags_match(bucket->tag, tag), key, is_number);
        }
        if (e)
            return e;
        if (GENLRU_LIKELY(genlru__index_was_still(index, home, version, number, n, hash)))
            return NULL;
    }
}

struct genlru_cache_entry *genlru__index_find(const struct genlru__index *index, uint64_t hash,
                                              const struct genlru__key *key)
{
    return find(index, hash, key, false);
}

struct genlru_cache_entry *genlru__index_find_number_slowly(const struct genlru__index *index, uint64_t hash,
                                                            uint64_t number)
{
    struct genlru__key key = {NULL, 8, number};

    return find(index, hash, &key, true);
}

/* ---- writers ---- */

/* The home bucket, locked; while it is, it is the hash's home. */
static struct genlru__bucket *lock_home(struct genlru__index *index, uint64_t hash)
{
    for (;;) {
        uint64_t n = genlru_impl_load_acquire(&index->nr_buckets), now; /* acquire N */
        uint64_t number = genlru__bucket_of(index, hash, n);
        struct genlru__bucket *home = genlru__bucket_at(index, number);

        genlru__bit_lock(&home->control);
        now = genlru_impl_load_acquire(&index->nr_buckets);
        if (GENLRU_LIKELY(now == n) || genlru__bucket_of(index, hash, now) == number)
            return home;
        genlru__bit_unlock(&home->control);
    }
}

/* A slot of a locked chain. */
struct place {
    struct genlru__bucket *bucket;
    unsigned slot;
};

static bool is_sought(const struct genlru__index *index, uint32_t found, const struct genlru__key *key, uint32_t handle)
{
    return handle ? found == handle : genlru__entry_has_key(index->kind, genlru__entry_at(index, found), key);
}

/* The slot of a key (or, with a handle, of that one); and the first free slot on the way. */
static bool search(const struct genlru__index *index, struct genlru__bucket *home, uint8_t tag,
                   const struct genlru__key *key, uint32_t handle, struct place *ret_place, struct place *ret_free)
{
    struct genlru__bucket *bucket = home;
    uint32_t marks;

    ret_free->bucket = NULL;
    for (;;) {
        for (marks = genlru__tags_match(bucket->tag, tag); marks; marks &= marks - 1) {
            unsigned slot = genlru__slot_of_mark(marks);

            if (!is_sought(index, bucket->handle[slot], key, handle))
                continue;
            *ret_place = (struct place){bucket, slot};
            return true;
        }
        if (!ret_free->bucket && (marks = genlru__tags_match(bucket->tag, 0)) != 0)
            *ret_free = (struct place){bucket, genlru__slot_of_mark(marks)};
        if (!bucket->next)
            return false;
        bucket = genlru__over_at(index, bucket->next);
    }
}

static void fill(const struct place *place, uint8_t tag, uint32_t handle)
{
    /* release S, twice: the entry is seen with its handle, the handle with its tag */
    genlru__u32_store_release(&place->bucket->handle[place->slot], handle);
    genlru__u8_store_release(&place->bucket->tag[place->slot], tag);
}

static void empty(const struct place *place)
{
    genlru__u8_store_release(&place->bucket->tag[place->slot], 0);
    genlru__u32_store_release(&place->bucket->handle[place->slot], 0);
}

/* Links a new overflow bucket behind home. Its slots are free. */
static bool add_over(struct genlru__index *index, struct genlru__bucket *home, struct place *ret_free)
{
    uint32_t number = genlru__over_get(index);
    struct genlru__bucket *over;

    if (!number)
        return false;
    over = genlru__over_at(index, number);
    genlru__u32_store_release(&over->next, home->next);
    genlru__u32_store_release(&home->next, number); /* release S: readers find it empty, and what follows */
    *ret_free = (struct place){over, 0};
    return true;
}

static int insert_locked(struct genlru__index *index, struct genlru__bucket *home, uint8_t tag,
                         const struct genlru__key *key, uint32_t handle, enum genlru_cache_mode mode, uint32_t *ret_old)
{
    struct place place, free_place;

    if (search(index, home, tag, key, 0, &place, &free_place)) {
        if (mode == GENLRU_CACHE_IF_ABSENT)
            return -EEXIST;
        *ret_old = place.bucket->handle[place.slot];
        genlru__u32_store_release(&place.bucket->handle[place.slot], handle); /* release S */
        return 0;
    }
    if (mode == GENLRU_CACHE_IF_PRESENT)
        return -ENOENT;
    if (!free_place.bucket && !add_over(index, home, &free_place))
        return -EAGAIN;
    fill(&free_place, tag, handle);
    *ret_old = 0;
    return 0;
}

int genlru__index_insert(struct genlru__index *index, uint64_t hash, const struct genlru__key *key, uint32_t handle,
                         enum genlru_cache_mode mode, uint32_t *ret_old)
{
    int error;

    for (;;) {
        struct genlru__bucket *home = lock_home(index, hash);

        error = insert_locked(index, home, genlru__tag_of(hash), key, handle, mode, ret_old);
        genlru__bit_unlock(&home->control);
        if (error != -EAGAIN)
            return error;
        error = genlru__over_provide(index);
        if (error)
            return error;
    }
}

/*
 * A slot of home is free: an entry of an overflow bucket moves in, so that chains are short again. A reader that comes between may
 * look for it in neither place; then it finds that the version has changed, which happens between the two steps.
 */
static void refill(struct genlru__index *index, struct genlru__bucket *home, const struct place *free_place)
{
    struct genlru__bucket *over = genlru__over_at(index, home->next);

    for (unsigned slot = 0; slot < GENLRU__BUCKET_SLOTS; slot++) {
        struct place from = {over, slot};

        if (!over->tag[slot])
            continue;
        fill(free_place, over->tag[slot], over->handle[slot]);
        /* release V: who finds the slot empty finds the new version */
        genlru__u32_store_release(&home->control, genlru__u32_load_relaxed(&home->control) + 2);
        empty(&from);
        break;
    }
    genlru__index_prune(index, home);
}

static uint32_t remove_from(struct genlru__index *index, uint64_t hash, const struct genlru__key *key, uint32_t handle)
{
    struct genlru__bucket *home = lock_home(index, hash);
    struct place place, unused;
    uint32_t found = 0;

    if (search(index, home, genlru__tag_of(hash), key, handle, &place, &unused)) {
        found = place.bucket->handle[place.slot];
        empty(&place);
        if (place.bucket != home)
            genlru__index_prune(index, home);
        else if (home->next)
            refill(index, home, &place);
    }
    genlru__bit_unlock(&home->control);
    return found;
}

bool genlru__index_remove(struct genlru__index *index, uint64_t hash, uint32_t handle)
{
    return remove_from(index, hash, NULL, handle) != 0;
}

uint32_t genlru__index_remove_key(struct genlru__index *index, uint64_t hash, const struct genlru__key *key)
{
    return remove_from(index, hash, key, 0);
}

unsigned genlru__index_walk(const struct genlru__index *index, uint64_t number, uint32_t *handles, unsigned max)
{
    const struct genlru__bucket *bucket = genlru__bucket_at(index, number);
    unsigned nr = 0, length = 0;
    uint32_t next;

    do {
        for (unsigned slot = 0; slot < GENLRU__BUCKET_SLOTS; slot++) {
            uint32_t handle = genlru__u32_load_acquire(&bucket->handle[slot]); /* acquire S */

            if (!handle)
                continue;
            if (nr == max)
                return nr;
            handles[nr++] = handle;
        }
        next = genlru__u32_load_acquire(&bucket->next);
        bucket = next ? genlru__over_at(index, next) : NULL;
    } while (bucket && ++length < MAX_CHAIN);
    return nr;
}
