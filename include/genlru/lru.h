/* SPDX-License-Identifier: MIT */
/*
 * The lru: a window of generations, youngest to oldest, and the calls that change it.
 *
 *            genlru_add                genlru_access: refs+1, maybe gen+1 (the word only, never a list)
 *   OFF ───────────────────▶ LISTED ◀──────────────────┐
 *    ▲                        │  ▲                     │
 *    │ genlru_del             │  │ genlru_putback      │ scan: word younger than its list → promote
 *    ├────────────────────────┤  │                     │ scan: protected tier            → protect, gen+1
 *    │                        ▼  │                     │ scan: pinned                    → PARKED until unpin
 *    └── owner frees ◀────── ISOLATED ◀── genlru_evict ┘
 *
 * The whole transition table (rows: state before; "-E" = refused, nothing changed):
 *
 *              add       access  pin      unpin        del               isolate   putback   release    fini
 *   OFF        LISTED    counts  -ENOENT  -EPERM       -ENOENT           -         -EPERM    -EPERM     ok
 *   LISTED     -EEXIST   counts  PINNED   -EPERM       OFF, yours        ISOLATED  -EPERM    -EPERM     -EBUSY
 *    + PINNED  -EEXIST   counts  -EBUSY   LISTED       CONDEMNED         PARKED    -EPERM    -EPERM     -EBUSY
 *   PARKED     -EEXIST   counts  -EBUSY   LISTED       CONDEMNED         -         -EPERM    -EPERM     -EBUSY
 *   ISOLATED   -EBUSY    counts  -EBUSY   -EPERM       + DEAD            -         LISTED    + DEAD     ok
 *    + DEAD    -EBUSY    counts  -EBUSY   -EPERM       ISOLATED, yours   -         yours     yours      ok
 *   CONDEMNED  -EBUSY    counts  -EBUSY   OFF, yours   -ENOENT           -         -EPERM    -EPERM     -EBUSY
 *
 * ## Who may free a node, and when
 *
 * genlru_del, genlru_release, genlru_unpin and genlru_putback answer GENLRU_YOURS when the node's memory belongs to
 * the caller from now on, and 0 when someone else has it and will be told so. Nobody waits for anybody:
 * who finds a node in other hands marks it DEAD with one atomic step, and the second of the two frees it.
 * So memory may be freed
 *   - after genlru_del, genlru_release, genlru_unpin or genlru_putback answered GENLRU_YOURS,
 *   - by an evictor that itself removed the isolated node from the owner's index (no call needed),
 * and never else. A thread that merely found a node in the index needs what every index needs: the index's
 * lock, an RCU read section, or a pin, to keep it from being freed under its hands.
 *
 * ## The inserter's contract
 *
 * A node can be isolated as soon as it is added, before its owner has put it into an index; and deleted and
 * freed by others as soon as it is in the index. Therefore: add pinned, insert into the index, unpin and look.
 *
 *     if (genlru_add(lru, &e->node, &(struct genlru_add){.flags = GENLRU_ADD_PINNED}) != 0)
 *         return serve_uncached(e);         // no memory: it is on no list
 *     if (!index_insert(index, e))          // another inserter of the key was faster
 *         assert(genlru_del(lru, &e->node) == 0); // pinned, so it is the unpin below that frees it
 *     if (genlru_unpin(lru, &e->node) == GENLRU_YOURS)
 *         free(e);                          // deleted meanwhile, by us or others, and left to us
 *
 *     // the evictor
 *     n = genlru_evict(lru, &budget, victims, 64, NULL);
 *     for (i = 0; i < n; i++) {
 *         struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node);
 *         if (index_remove(index, e) || genlru_release(lru, &e->node) == GENLRU_YOURS)
 *             free(e);                      // won the index, or the deleter was there first
 *     }
 *
 *     // a deleter
 *     if (index_remove(index, e) && genlru_del(lru, &e->node) == GENLRU_YOURS)
 *         free(e);
 *
 * (An owner whose index and lru are only ever changed under one lock of its own needs none of this.)
 *
 * ## Exclusion: which calls may run at the same time on the SAME node ("." may, "X" the caller excludes)
 *
 *                add access del pin unpin recharge advise evict putback release free
 *     add         X    .     X   X    X      X       X      .      X       X     X
 *     access      .    .     .   .    .      .       .      .      .       .     X
 *     del         X    .     X   .    .      .       .      .      .       .     X
 *     pin         X    .     .   .    X      .       .      .      .       .     X
 *     unpin       X    .     .   X    X      .       .      .      .       .     X
 *     recharge    X    .     .   .    .      .       .      .      .       .     X
 *     advise      X    .     .   .    .      .       .      .      .       .     X
 *     evict       .    .     .   .    .      .       .      .      .       .     X
 *     putback     X    .     .   .    .      .       .      .      X       X     X
 *     release     X    .     .   .    .      .       .      .      X       X     X
 *
 * Two deleters of one node: only the one that removed it from the index may call del. On DIFFERENT nodes of one lru
 * every call may run beside every other; genlru_destroy and genlru_verify beside none. "evict" stands for every call
 * that moves nodes: genlru_evict, genlru_age, genlru_workingset, genlru_trim.
 *
 * ## Locks
 *
 * genlru_access, genlru_access_batch, genlru_recharge, genlru_advise, genlru_stat, genlru_dump and the calls that
 * read a node or a shadow take none; genlru_workingset and genlru_verify do. genlru_add takes its stripe's lock, and
 * the lru's once in 60 adds; genlru_del counts under its stripe's lock if that is free, and takes the lru's only when a
 * mover holds the node, when it is parked or isolated, or one time in 64, if it is free, to compact. The owner's code never runs under any of them (docs/locking.md has the table).
 *
 * ## Errors
 *
 * Negative errno, before anything changed. -EINVAL an argument; -ENOMEM; -ERANGE a number too big; the rest as in the
 * table: misuse, which also goes to the error hook, and which the checked build aborts on when there is no hook.
 */
#ifndef GENLRU_LRU_H
#define GENLRU_LRU_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "export.h"
#include "node.h"
#include "shadow.h"

#ifdef __cplusplus
extern "C" {
#endif

struct genlru;

/* The node's memory belongs to the caller from now on. */
#define GENLRU_YOURS 1

/*
 * Makes an lru. config NULL = all defaults. Returns 0; -EINVAL (a field out of its range, an unsound policy: see
 * genlru_policy_check); -ENOMEM. *ret_lru is untouched on failure.
 */
GENLRU_API int genlru_create(const struct genlru_config *config, struct genlru **ret_lru);

/*
 * Ends an lru. Returns 0, or -EBUSY if nodes are still listed or parked (nothing is changed then): evict or delete
 * them first. Isolated nodes and such that wait for their holder's unpin do not count: see them through before. No
 * other call on the lru may be running. NULL is allowed.
 */
GENLRU_API int genlru_destroy(struct genlru *lru);

/* ---- membership ------------------------------------------------------------------------------------- */

/* Flags of genlru_add. A plain add counts as the node's first access. */
enum {
    GENLRU_ADD_PINNED = 1u << 0,     /* pinned from the start: the inserter's contract */
    GENLRU_ADD_PREFETCHED = 1u << 1, /* inserted ahead of use: the first access is still to come */
    GENLRU_ADD_COLD = 1u << 2,       /* to the oldest generation, whatever the policy says */
    GENLRU_ADD_HOT = 1u << 3,        /* to the policy's hot place */
    GENLRU_ADD_NOREUSE = 1u << 4,    /* accesses never count */
    GENLRU_ADD_MAPPED = 1u << 5      /* the access that caused the add is a mapped one (a page fault) */
};

struct genlru_add {
    genlru_shadow shadow; /* what its last eviction left, or 0 */
    uint64_t key_hash;    /* used with config.nonresident, when has_key_hash is set */
    uint32_t has_key_hash;
    uint32_t flags;
};

/*
 * Adds a node that is OFF to the place its policy says; `how` NULL = a demand insert without shadow. Never evicts.
 * Returns 0; -ENOMEM (no block of slots to be had); -EINVAL (type not of this lru, unknown flags, COLD and HOT both);
 * -EEXIST, -EBUSY (see the table). O(1), amortised; in steady state allocates nothing.
 */
GENLRU_API int genlru_add(struct genlru *lru, struct genlru_node *node, const struct genlru_add *how);

/*
 * Takes a node off the lru. GENLRU_YOURS: free it or add it again (after genlru_node_init, if an evictor had it); 0:
 * a pin holder or an evictor has it, and will be told to free it; -ENOENT: it was on no list. Its refs stay in the
 * node. O(1), no lock but as said above. The checked build also refuses a node of another lru with -EXDEV.
 */
GENLRU_API GENLRU_MUST_CHECK int genlru_del(struct genlru *lru, struct genlru_node *node);

/*
 * genlru_del for many, as when a table is dropped or a range expires: their memory is fetched side by side, which makes
 * a delete of cold nodes several times cheaper. ret_results[i] is what genlru_del(nodes[i]) returned; the call returns
 * how many of them are GENLRU_YOURS, and 0 without touching anything if an argument is NULL. No node twice. O(nr).
 */
GENLRU_API GENLRU_MUST_CHECK size_t genlru_del_batch(struct genlru *lru, struct genlru_node *const *nodes, size_t nr,
                                                     int *ret_results);

/*
 * One holder a node: a pinned node is not isolated. (Counted pins belong to the layer above.) The scan moves pinned
 * nodes it meets out of its way. pin: 0, -ENOENT (on no list), -EBUSY (has a holder, or is isolated).
 * unpin: GENLRU_YOURS (deleted meanwhile: free it), 0, -EPERM (was not pinned). Never fails for lack of memory. O(1).
 */
GENLRU_API int genlru_pin(struct genlru *lru, struct genlru_node *node);
GENLRU_API GENLRU_MUST_CHECK int genlru_unpin(struct genlru *lru, struct genlru_node *node);

/*
 * Changes what the node weighs, in whatever state it is; the counters follow in the same step.
 * Returns 0, or -ERANGE if charge > UINT32_MAX. Lock-free, O(1).
 */
GENLRU_API int genlru_recharge(struct genlru *lru, struct genlru_node *node, uint64_t charge);

enum genlru_advice {
    GENLRU_ADVICE_NORMAL = 0,     /* takes NOREUSE and the tier cap back */
    GENLRU_ADVICE_WILLNEED = 1,   /* to the policy's hot place, unless it is younger already; on probation: graduates */
    GENLRU_ADVICE_COLD = 2,       /* forget its refs, to the oldest generation */
    GENLRU_ADVICE_PAGEOUT = 3,    /* COLD, and no tier protects it */
    GENLRU_ADVICE_NOREUSE = 4,    /* accesses do not count from now on */
    GENLRU_ADVICE_SEQUENTIAL = 5, /* used in passing: COLD unless it was used more than once */
    GENLRU_ADVICE_PREFETCHED = 6  /* not used yet: forget its refs; the next access is the first */
};

/* Advice about one node; flags and gen of its word only. 0 or -EINVAL (unknown advice). Lock-free, O(1). */
GENLRU_API int genlru_advise(struct genlru *lru, struct genlru_node *node, enum genlru_advice advice);

/* ---- the hit ---------------------------------------------------------------------------------------- */

/*
 * genlru_access(lru, node): see impl/hit.h. No lock, no list, no allocation; one compare-and-swap while
 * a count rises, no store at all when nothing would change.
 */

/* One accessed bit that the owner harvested. */
struct genlru_harvest {
    struct genlru_node *node;
    uint32_t is_dear; /* dearer to lose than others (the kernel's executable pages): promoted at the first access */
};

/*
 * Reports harvested accessed bits (the kernel's page-table channel): a first access defers a node in the oldest
 * generation, a second one takes it to the youngest. Counters are updated once per batch. Lock-free, O(nr).
 */
GENLRU_API void genlru_access_batch(struct genlru *lru, const struct genlru_harvest *harvest, size_t nr);

/* ---- eviction --------------------------------------------------------------------------------------- */

/*
 * What a call may do. charge and nodes are goals: it stops once either that is not 0 is reached (with
 * both 0, the victims' array is the goal). scanned and deadline_ns are limits; 0 = none.
 */
struct genlru_budget {
    uint64_t charge;      /* isolate at least this much charge (the last victim may go beyond it) */
    uint64_t nodes;       /* isolate this many nodes */
    uint64_t scanned;     /* look at no more nodes than this (16 empty slots count as one); rounded up to whole
                             blocks of 60 where a full window of another type must move up, and
                             where there is no memory to move nodes one by one */
    uint64_t deadline_ns; /* on the config's clock; looked at between batches of 64 */
    uint32_t types;       /* bit t = type t may be evicted; 0 = all */
    uint32_t flags;       /* GENLRU_BUDGET_... */
};

/* Flags of a budget. */
enum {
    GENLRU_BUDGET_TRY = 1u << 0 /* where a batch would wait for the lru's lock, the call ends: GENLRU_EVICT_BUSY */
};

enum genlru_evict_reason {
    GENLRU_EVICT_MET = 0,          /* a goal was reached */
    GENLRU_EVICT_NOTHING = 1,      /* no node is left */
    GENLRU_EVICT_PINNED = 2,       /* nodes are left, all of them pinned */
    GENLRU_EVICT_BUDGET = 3,       /* scanned, deadline or the victims' array is used up */
    GENLRU_EVICT_INCONSISTENT = 4, /* the counters tell of nodes that are on no list; the error hook was told once */
    GENLRU_EVICT_BUSY = 5          /* GENLRU_BUDGET_TRY, and another had the lru's lock: says nothing of what is left */
};

struct genlru_victim {
    struct genlru_node *node;
    genlru_shadow shadow;
};

struct genlru_evict_result {
    uint64_t charge;     /* isolated */
    uint64_t nodes;      /* isolated */
    uint64_t scanned;    /* nodes looked at */
    uint64_t holes;      /* empty slots passed */
    uint64_t promoted;   /* found younger than their list, moved */
    uint64_t protected_; /* kept one generation longer for their tier */
    uint64_t parked;     /* pinned, moved out of the way */
    uint64_t aged;       /* generations begun */
    enum genlru_evict_reason reason;
};

/*
 * Isolates victims, oldest generation first, into victims[0..max-1]; returns how many (>= 0), or -EINVAL (max 0, max
 * > INT_MAX, types beyond the lru's, flags). They belong to the caller until freed or put back. ret_result may be
 * NULL.
 *
 * Takes the lru's lock for one batch at a time (at most 64 victims); calls no code of the owner's under
 * it. Each call is bounded: by the budget, and by a few looks at each node in any case, after which
 * tiers no longer protect; so a call with no limits isolates a node whenever one is not pinned.
 *
 * With GENLRU_BUDGET_TRY no batch waits for that lock: the call ends with what it has, as a rule nothing, and with
 * GENLRU_EVICT_BUSY. For an owner who may be over his bound for a while, as whoever has the lock may be making room.
 * What is done between batches waits as ever: handing over open blocks (once a generation, or where a list has no
 * others), asking for a block, the look whether the counters agree when no list has nodes.
 */
GENLRU_API int genlru_evict(struct genlru *lru, const struct genlru_budget *budget, struct genlru_victim *victims,
                            size_t max, struct genlru_evict_result *ret_result);

/*
 * Puts an isolated node back (it is dirty, in use, ...), to the policy's putback place; undoes what its eviction
 * added to the eviction clock and, while min_seq is the same, to the history. 0; GENLRU_YOURS (deleted meanwhile:
 * free it); -ENOMEM (still isolated, still yours); -EPERM (not isolated); -EINVAL. O(1), takes the lru's lock.
 */
GENLRU_API GENLRU_MUST_CHECK int genlru_putback(struct genlru *lru, const struct genlru_victim *victim);

/*
 * An evictor that did not win the node from the owner's index hands it over to the deleter that did. GENLRU_YOURS:
 * the deleter was first, free it; 0: the deleter frees it; -EPERM: not isolated. O(1), lock-free.
 */
GENLRU_API GENLRU_MUST_CHECK int genlru_release(struct genlru *lru, struct genlru_node *node);

/*
 * Begins a new generation; aging otherwise happens inside genlru_evict. When the window is full its oldest generation
 * moves up first, at most `budget_nodes` nodes of it in this call, rounded up to whole blocks of 60 (0 = no limit).
 * Returns 0, or -EAGAIN when the budget ended first: what was done stays done, call again. Takes the lru's lock in
 * batches.
 */
GENLRU_API int genlru_age(struct genlru *lru, uint64_t budget_nodes);

/* Changes what shares in the policy refer to. At once; nothing is evicted. */
GENLRU_API void genlru_set_capacity(struct genlru *lru, uint64_t capacity);

/* Charge on the lru beyond its capacity, 0 if there is none: what an owner that bounds by capacity evicts. */
GENLRU_API uint64_t genlru_excess(const struct genlru *lru);

/* Charge listed and parked: cheap enough to ask on every insert. No lock, O(stripes). */
GENLRU_API uint64_t genlru_charge(const struct genlru *lru);

/*
 * Finishes the compaction of sparse blocks and trims the pool. Bytes given back. Takes the lru's lock in short
 * steps; O(blocks).
 */
GENLRU_API uint64_t genlru_trim(struct genlru *lru);

#ifdef __cplusplus
}
#endif
#endif
