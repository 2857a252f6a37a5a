/* SPDX-License-Identifier: MIT */
/*
 * A toy cache that keeps the contract of genlru/lru.h to the letter, for the stress tests: entries are real heap
 * memory, freed by whoever the library says, so that the sanitizers see any mistake.
 *
 *   index[key]: one word. 0 = absent; entry*; entry* | 1 = locked
 *
 * The lock bit is what lets a hit touch an entry: removal (by a deleter or an evictor) waits until it is clear.
 * Whoever needs an entry for longer pins its node under the bit. No call of the library but access, access_batch,
 * recharge, advise and pin is made under it, and these never free.
 *
 * At a quiescent point (no call running, no pin held, no victim in hand) toy_check() compares the lru with the index.
 */
#ifndef GENLRU_TESTS_TOY_H
#define GENLRU_TESTS_TOY_H

#include "genlru/genlru.h"
#include "stress.h"

struct toy_entry {
    struct genlru_node node;
    unsigned key;
    unsigned type;
    unsigned payload; /* plain on purpose: whoever owns, holds or has locked the entry reads it */
};

struct toy {
    struct genlru *lru;
    uintptr_t *index;
    unsigned nr_keys;
    unsigned nr_types;
    genlru_shadow *shadow;       /* per key; relaxed atomics. NULL = the lru's nonresident table keeps them */
    uint64_t nr_entries;         /* allocated and not freed; relaxed atomics, like the rest */
    uint64_t clock;              /* charge of entries that were isolated when they were freed */
    uint64_t nr_refused;         /* adds that got -ENOMEM */
    uint64_t nr_putback_refused; /* ... putbacks; the victim was freed then */
    uint64_t nr_added, nr_deleted, nr_evicted, nr_putback;
    uint64_t nr_met; /* calls that left the free to the other of two parties */
};

/* What one thread holds. */
enum { TOY_MAX_HELD = 4 };
struct toy_thread {
    struct toy *toy;
    struct stress_random random;
    struct toy_entry *held[TOY_MAX_HELD];
    unsigned putback_one_in; /* of the victims; 0 = none */
};

/*
 * Creates the lru from *config, to which it adds the hooks. The allocator's failures are not covered here: 0 or
 * -ENOMEM.
 */
int toy_create(struct toy *toy, const struct genlru_config *config, unsigned nr_keys);
/* Deletes all entries and destroys the lru. Quiescent. */
void toy_destroy(struct toy *toy);

struct toy_thread toy_thread(struct toy *toy, uint64_t seed, unsigned thread);
/* Unpins all that the thread holds: before a quiescent point. */
void toy_let_go(struct toy_thread *thread);

/* A look-up, and an insertion if the key is absent (0, or -ENOMEM from the add). */
int toy_get(struct toy_thread *thread, unsigned key);
/* Something done to an entry while it is locked. */
enum toy_deed { TOY_RECHARGE, TOY_ADVISE, TOY_HARVEST, TOY_ACCESS, TOY_HOLD };
void toy_do(struct toy_thread *thread, unsigned key, enum toy_deed deed);
/* One of them; a pin is held on for a while. */
void toy_touch(struct toy_thread *thread, unsigned key);
void toy_delete(struct toy_thread *thread, unsigned key);
/* Evicts at most max (<= 64) nodes; some are put back. Returns how many were isolated. */
int toy_evict(struct toy_thread *thread, const struct genlru_budget *budget, unsigned max,
              struct genlru_evict_result *ret_result);
/* Whatever moves nodes or looks: age, trim, workingset, dump, stat. */
void toy_move(struct toy_thread *thread);
/* One random operation of a cache of `capacity`: mostly look-ups, and evictions while it is too full. */
void toy_step(struct toy_thread *thread);

/* Quiescent: verify, and the index against lists, counters and the eviction clock. */
void toy_check(struct toy *toy);

#endif
