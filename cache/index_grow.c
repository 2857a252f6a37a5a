/* SPDX-License-Identifier: MIT */
/* Memory of the index: segments of buckets, the arena of overflow buckets, and splitting. See index.h. */
#include <errno.h>

#include "index.h"
#include "rcu.h"

/* A segment of a large table is a huge page. */
enum { FIRST_TABLE = 16, LARGE_SEGMENT_SHIFT = 15, SMALL_SEGMENT_SHIFT = 6 };

#define OVER_BYTES (sizeof(struct genlru__bucket) << GENLRU__OVER_SHIFT)

static size_t segment_bytes(const struct genlru__index *index)
{
    return sizeof(struct genlru__bucket) << index->segment_shift;
}

static size_t align_of(size_t bytes)
{
    return bytes >= GENLRU__HUGE ? GENLRU__HUGE : 4096;
}

/* One more array of buckets at the end of a table, got before it is known whether it will be needed. */
struct provision {
    uint32_t nr; /* it is to be array number nr */
    size_t bytes;
    void *memory;
    uint32_t size; /* of `array` */
    void **array;  /* a larger table, where that is full */
};

static int provide(struct genlru__index *index, const struct genlru__table *table, uint32_t nr, size_t bytes,
                   struct provision *ret)
{
    uint32_t size = genlru__u32_load_relaxed(&table->size);

    *ret = (struct provision){nr, bytes, NULL, 2 * size, NULL};
    ret->memory = genlru__memory_get_zeroed(index->memory, bytes, align_of(bytes));
    if (ret->memory && nr == size)
        ret->array = genlru__table_prepare(index->memory, ret->size);
    if (ret->memory && (nr < size || ret->array))
        return 0;
    genlru__memory_put(index->memory, ret->memory, bytes, align_of(bytes));
    return -ENOMEM;
}

/* Under `is_splitting`, if the table is as it was; else nothing is installed, and give_back has something to do. */
static bool install(struct genlru__index *index, struct genlru__table *table, uint32_t nr, struct provision *p)
{
    if (p->array) {
        genlru__table_replace(table, p->array, p->size);
        p->array = NULL;
    }
    if (p->nr != nr || nr >= table->size)
        return false;
    __atomic_store_n(&table->at[nr], p->memory, __ATOMIC_RELAXED); /* published by nr_buckets or by a link */
    p->memory = NULL;
    genlru__count(&index->bytes, p->bytes);
    return true;
}

static void give_back(struct genlru__index *index, struct provision *p)
{
    genlru__memory_put(index->memory, p->memory, p->bytes, align_of(p->bytes));
    genlru__table_discard(p->array);
}

static int add_first_segment(struct genlru__index *index)
{
    struct provision p;
    int error = provide(index, &index->segment, index->nr_segments, segment_bytes(index), &p);

    if (!error)
        index->nr_segments += install(index, &index->segment, index->nr_segments, &p);
    return error;
}

int genlru__index_init(struct genlru__index *index, struct genlru__memory *memory, const struct genlru__heap *heap,
                       struct genlru__kind kind, uint64_t expected)
{
    uint64_t n = expected / GENLRU__BUCKET_MEAN;
    int error;

    memset(index, 0, sizeof(*index));
    index->memory = memory;
    index->heap = heap;
    index->kind = kind;
    index->nr_buckets = n ? n : 1;
    index->nr_first = (uint32_t)index->nr_buckets;
    index->level_mask = 1;
    index->segment_shift = n >= UINT64_C(1) << LARGE_SEGMENT_SHIFT ? LARGE_SEGMENT_SHIFT : SMALL_SEGMENT_SHIFT;
    error = genlru__table_init(&index->segment, memory, FIRST_TABLE);
    if (!error)
        error = genlru__table_init(&index->over, memory, FIRST_TABLE);
    while (!error && (uint64_t)index->nr_segments << index->segment_shift < index->nr_buckets)
        error = add_first_segment(index);
    if (error)
        genlru__index_fini(index);
    return error;
}

void genlru__index_fini(struct genlru__index *index)
{
    uint32_t i, nr_over = index->nr_over >> GENLRU__OVER_SHIFT;

    for (i = 0; i < index->nr_segments; i++)
        genlru__memory_put(index->memory, index->segment.at[i], segment_bytes(index), align_of(segment_bytes(index)));
    for (i = 0; i < nr_over; i++)
        genlru__memory_put(index->memory, index->over.at[i], OVER_BYTES, align_of(OVER_BYTES));
    genlru__table_fini(&index->segment);
    genlru__table_fini(&index->over);
    index->nr_segments = index->nr_over = 0;
}

/* ---- overflow buckets ---- */

uint32_t genlru__over_get(struct genlru__index *index)
{
    uint32_t number;

    genlru__bit_lock(&index->over_lock);
    number = index->over_free;
    if (number) {
        index->over_free = genlru__over_at(index, number)->next;
        genlru__u32_store_relaxed(&index->nr_over_free, index->nr_over_free - 1);
    }
    genlru__bit_unlock(&index->over_lock);
    return number;
}

void genlru__over_put(struct genlru__index *index, uint32_t number)
{
    genlru__bit_lock(&index->over_lock);
    /* a reader may still stand here: he goes on along the free list, finds nothing, and then that the version changed */
    genlru__u32_store_release(&genlru__over_at(index, number)->next, index->over_free);
    index->over_free = number;
    genlru__u32_store_relaxed(&index->nr_over_free, index->nr_over_free + 1);
    genlru__bit_unlock(&index->over_lock);
}

int genlru__over_provide(struct genlru__index *index)
{
    uint32_t first = genlru__u32_load_relaxed(&index->nr_over), i;
    struct provision p;
    int error;

    if (genlru__u32_load_relaxed(&index->nr_over_free))
        return 0;
    error = provide(index, &index->over, first >> GENLRU__OVER_SHIFT, OVER_BYTES, &p);
    if (error)
        return error;
    genlru__bit_lock(&index->is_splitting);
    if (install(index, &index->over, index->nr_over >> GENLRU__OVER_SHIFT, &p)) {
        genlru__u32_store_relaxed(&index->nr_over, first + (1u << GENLRU__OVER_SHIFT));
        for (i = first; i < index->nr_over; i++)
            genlru__over_put(index, i + 1);
    }
    genlru__bit_unlock(&index->is_splitting);
    give_back(index, &p);
    return 0;
}

static bool is_empty(const struct genlru__bucket *bucket)
{
    for (unsigned slot = 0; slot < GENLRU__BUCKET_SLOTS; slot++)
        if (bucket->tag[slot])
            return false;
    return true;
}

void genlru__index_prune(struct genlru__index *index, struct genlru__bucket *home)
{
    struct genlru__bucket *before = home, *bucket;
    uint32_t number;

    while ((number = before->next) != 0) {
        bucket = genlru__over_at(index, number);
        if (!is_empty(bucket)) {
            before = bucket;
            continue;
        }
        genlru__u32_store_release(&before->next, bucket->next);
        /* release V: a reader that finds something of the bucket's next life finds the new version, too */
        genlru__u32_store_release(&home->control, genlru__u32_load_relaxed(&home->control) + 2);
        genlru__over_put(index, number); /* which stores with release, too, so after that */
    }
}

/* ---- splitting ---- */

/* A handle into a bucket that nobody sees yet, or that is locked. `spare`: overflow buckets got before. */
static void put(struct genlru__index *index, struct genlru__bucket *home, uint8_t tag, uint32_t handle,
                uint32_t *nr_spare, uint32_t *spare)
{
    struct genlru__bucket *bucket = home;
    unsigned slot;

    for (;;) {
        for (slot = 0; slot < GENLRU__BUCKET_SLOTS; slot++) {
            if (bucket->tag[slot])
                continue;
            genlru__u32_store_release(&bucket->handle[slot], handle);
            genlru__u8_store_release(&bucket->tag[slot], tag);
            return;
        }
        if (!bucket->next) {
            uint32_t number = spare[--*nr_spare];

            genlru__u32_store_release(&genlru__over_at(index, number)->next, 0);
            genlru__u32_store_release(&bucket->next, number);
        }
        bucket = genlru__over_at(index, bucket->next);
    }
}

/* Overflow buckets of a chain: the new one needs no more than the old one has. */
static uint32_t chain_length(const struct genlru__index *index, const struct genlru__bucket *bucket)
{
    uint32_t length = 0;

    for (; bucket->next; bucket = genlru__over_at(index, bucket->next))
        length++;
    return length;
}

enum { MAX_SPARE = 64 };

/* Copies what belongs to the new bucket (`is_copying`), or takes it out of the old one. */
static void split_pass(struct genlru__index *index, struct genlru__bucket *old, struct genlru__bucket *new_,
                       uint64_t number, bool is_copying,
                       uint64_t (*hash_of)(const void *ctx, const struct genlru_cache_entry *e), const void *ctx,
                       uint32_t *nr_spare, uint32_t *spare)
{
    struct genlru__bucket *bucket = old;
    unsigned slot;

    for (;; bucket = genlru__over_at(index, bucket->next)) {
        for (slot = 0; slot < GENLRU__BUCKET_SLOTS; slot++) {
            uint32_t handle = bucket->handle[slot];

            if (!bucket->tag[slot] ||
                genlru__bucket_of(index, hash_of(ctx, genlru__entry_at(index, handle)), number + 1) != number)
                continue;
            if (is_copying) {
                put(index, new_, bucket->tag[slot], handle, nr_spare, spare);
                continue;
            }
            /* release S: who finds the slot empty finds the number of buckets that was published before */
            genlru__u8_store_release(&bucket->tag[slot], 0);
            genlru__u32_store_release(&bucket->handle[slot], 0);
        }
        if (!bucket->next)
            return;
    }
}

/* The two locked buckets are split, and the new one becomes known. */
static int split_locked(struct genlru__index *index, uint64_t number, struct genlru__bucket *old,
                        struct genlru__bucket *new_,
                        uint64_t (*hash_of)(const void *ctx, const struct genlru_cache_entry *e), const void *ctx)
{
    uint32_t spare[MAX_SPARE], nr_spare = 0, needed = chain_length(index, old);

    if (needed > MAX_SPARE)
        needed = MAX_SPARE + 1; /* a hash that is no hash; leave it */
    while (nr_spare < needed && nr_spare < MAX_SPARE && (spare[nr_spare] = genlru__over_get(index)) != 0)
        nr_spare++;
    if (nr_spare == needed) {
        split_pass(index, old, new_, number, true, hash_of, ctx, &nr_spare, spare);
        genlru__u64_store_release(&index->nr_buckets, number + 1); /* release N: the bucket, and its segment */
        split_pass(index, old, new_, number, false, hash_of, ctx, NULL, NULL);
        genlru__index_prune(index, old);
        needed = 0;
    }
    while (nr_spare)
        genlru__over_put(index, spare[--nr_spare]);
    return needed == 0 ? 0 : needed > MAX_SPARE ? -ENOSPC : -EAGAIN;
}

/* The bucket that bucket `number` is split off. Begins a level where the last one is full. */
static uint64_t origin_of(struct genlru__index *index, uint64_t number)
{
    uint64_t mask = index->level_mask;

    if (number == index->nr_first * (mask + 1)) {
        mask = 2 * mask + 1;
        genlru_impl_store_relaxed(&index->level_mask, mask); /* release N follows */
    }
    return number - index->nr_first * ((mask + 1) / 2);
}

static bool needs_segment(const struct genlru__index *index, uint64_t number)
{
    return number >> index->segment_shift == genlru__u32_load_relaxed(&index->nr_segments);
}

int genlru__index_split(struct genlru__index *index,
                        uint64_t (*hash_of)(const void *ctx, const struct genlru_cache_entry *e), const void *ctx)
{
    uint64_t number = genlru_impl_load_relaxed(&index->nr_buckets);
    struct provision p = {0, 0, NULL, 0, NULL};
    struct genlru__bucket *old;
    int error = -EAGAIN;

    if (needs_segment(index, number) &&
        provide(index, &index->segment, (uint32_t)(number >> index->segment_shift), segment_bytes(index), &p) != 0)
        return -ENOMEM;
    if (genlru__bit_trylock(&index->is_splitting)) {
        number = index->nr_buckets;
        if (p.memory && install(index, &index->segment, index->nr_segments, &p))
            genlru__u32_store_relaxed(&index->nr_segments, index->nr_segments + 1);
        if (!needs_segment(index, number)) {
            old = genlru__bucket_at(index, origin_of(index, number));
            genlru__rcu_read_lock(); /* entries that moved may be removed before the old bucket is done with */
            genlru__bit_lock(&old->control);
            error = split_locked(index, number, old, genlru__bucket_at(index, number), hash_of, ctx);
            genlru__bit_unlock(&old->control);
            genlru__rcu_read_unlock();
        }
        genlru__bit_unlock(&index->is_splitting);
    }
    give_back(index, &p);
    return error == -EAGAIN ? genlru__over_provide(index) : error;
}
