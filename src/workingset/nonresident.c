/* SPDX-License-Identifier: MIT */
/*
 * The nonresident table: see genlru/shadow.h.
 *
 *   set = one cache line of 8 slots      slot:  63      48 47                0
 *                                              |   print  |  shadow, low 48   |     0 = empty
 *
 * Readers and writers are lock-free: a slot is replaced by one store, and a lost race
 * only means that one of two shadows is kept, which a table of this kind may always do.
 */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "workingset/shadow.h"

enum { SET_SLOTS = 8, PRINT_SHIFT = GENLRU__SHADOW_LOW_BITS };

#define LOW_MASK ((UINT64_C(1) << GENLRU__SHADOW_LOW_BITS) - 1)
/* where size_t has 32 bits, memory ends before */
#define MAX_SLOTS (SIZE_MAX > UINT32_MAX ? (size_t)(UINT64_C(1) << 32) : SIZE_MAX / 16)

struct set {
    uint64_t slot[SET_SLOTS];
} __attribute__((aligned(64)));

struct genlru_nonresident {
    struct set *sets;
    uint64_t nr_sets; /* below 2^32 */
    uint64_t seed;
    size_t bytes;
    struct genlru_allocator allocator;
};

int genlru_nonresident_create(size_t slots, uint64_t seed, const struct genlru_allocator *allocator,
                              struct genlru_nonresident **ret_table)
{
    struct genlru_allocator a = genlru__allocator_or_default(allocator);
    struct genlru_nonresident *table;
    uint64_t nr_sets;

    if (!ret_table || !genlru__allocator_is_sound(allocator) || slots == 0 || slots > MAX_SLOTS)
        return -EINVAL;
    nr_sets = ((uint64_t)slots + SET_SLOTS - 1) / SET_SLOTS;
    if (nr_sets > SIZE_MAX / sizeof(struct set))
        return -EINVAL;
    table = a.alloc(a.ctx, sizeof(*table), _Alignof(struct genlru_nonresident));
    if (!table)
        return -ENOMEM;
    *table = (struct genlru_nonresident){NULL, nr_sets, seed, (size_t)nr_sets * sizeof(struct set), a};
    table->sets = a.alloc(a.ctx, table->bytes, _Alignof(struct set));
    if (!table->sets) {
        a.free(a.ctx, table, sizeof(*table), _Alignof(struct genlru_nonresident));
        return -ENOMEM;
    }
    memset(table->sets, 0, table->bytes);
    *ret_table = table;
    return 0;
}

void genlru_nonresident_destroy(struct genlru_nonresident *table)
{
    struct genlru_allocator a;

    if (!table)
        return;
    a = table->allocator;
    a.free(a.ctx, table->sets, table->bytes, _Alignof(struct set));
    a.free(a.ctx, table, sizeof(*table), _Alignof(struct genlru_nonresident));
}

size_t genlru_nonresident_bytes(const struct genlru_nonresident *table)
{
    return table ? sizeof(*table) + table->bytes : 0;
}

/* The seed enters twice, so that who does not know it cannot choose keys that share a set. */
static uint64_t seeded(const struct genlru_nonresident *table, uint64_t key_hash)
{
    return genlru__mix(genlru__mix(key_hash ^ table->seed) + table->seed);
}

/* Of any number of sets, by the low half of the hash; the print is of the upper one. */
static struct set *set_of(const struct genlru_nonresident *table, uint64_t hash)
{
    return &table->sets[(uint64_t)(uint32_t)hash * table->nr_sets >> 32];
}

/* Never 0, so that a slot in use is not 0 either. */
static uint64_t print_of(uint64_t hash)
{
    uint64_t print = hash >> PRINT_SHIFT;

    return print ? print : 1;
}

/*
 * Slot for a new shadow: the key's own, an empty one, or the one that is longest in the past; of equals the first. It is the largest of
 * eight numbers: the time since a slot was filled (the clock's bits moved to the top, so that others fall out) above what is less
 * the later the slot; an empty slot's time is longer than any.
 */
static unsigned slot_to_replace(const struct set *set, const struct genlru *lru, uint64_t print)
{
    enum { TO_TOP = 64 - GENLRU__SHADOW_CLOCK_BITS };
    const uint64_t now = (uint64_t)genlru__clock_since(lru, 0) << TO_TOP, never = UINT64_MAX << (TO_TOP - 1);
    uint64_t best = 0, since;
    unsigned i;

    for (i = 0; i < SET_SLOTS; i++) {
        uint64_t value = genlru_impl_load_relaxed(&set->slot[i]);

        if (GENLRU_UNLIKELY(value >> PRINT_SHIFT == print)) /* rare: an owner takes a shadow out as its key returns */
            return i;
        since = (value ? now - (value << TO_TOP) : never) | (SET_SLOTS - i);
        best = since > best ? since : best;
    }
    return SET_SLOTS - (unsigned)(best & (2 * SET_SLOTS - 1));
}

void genlru_nonresident_prefetch(const struct genlru_nonresident *table, uint64_t key_hash)
{
    if (table)
        __builtin_prefetch(set_of(table, seeded(table, key_hash)), 1);
}

void genlru_nonresident_insert(struct genlru_nonresident *table, const struct genlru *lru, uint64_t key_hash,
                               genlru_shadow shadow)
{
    uint64_t hash;
    struct set *set;

    if (!table || !lru || !shadow)
        return;
    hash = seeded(table, key_hash);
    set = set_of(table, hash);
    /* relaxed: a slot is complete in itself; of two that take the same one, one is lost: a hint */
    genlru_impl_store_relaxed(&set->slot[slot_to_replace(set, lru, print_of(hash))],
                              print_of(hash) << PRINT_SHIFT | (shadow & LOW_MASK));
}

genlru_shadow genlru_nonresident_take(struct genlru_nonresident *table, const struct genlru *lru, uint64_t key_hash)
{
    uint64_t hash, print;
    struct set *set;
    unsigned i;

    if (!table || !lru)
        return 0;
    hash = seeded(table, key_hash);
    print = print_of(hash);
    set = set_of(table, hash);
    for (i = 0; i < SET_SLOTS; i++) {
        uint64_t value = genlru_impl_load_relaxed(&set->slot[i]);

        while (value >> PRINT_SHIFT == print)
            if (genlru_impl_cas_relaxed(&set->slot[i], &value, 0))
                return UINT64_C(1) << 63 | (uint64_t)lru->tag << PRINT_SHIFT | (value & LOW_MASK);
    }
    return 0;
}
