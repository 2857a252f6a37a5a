/* SPDX-License-Identifier: MIT */
/*
 * Two switches for the tests, both off in whatever is installed: then neither leaves a trace in the code.
 *
 *   genlru__point(NAME)   a labelled point between two steps of a protocol. Built with GENLRU_POINTS=1, the tests' hook is
 *                         called there (tests/stress/points.c), to delay the thread just where another one may come between.
 *   genlru__bug(NAME)     true where a known mistake is to be made. Built with GENLRU_SEED_BUG=NAME, the library has it, and
 *                         some test must find it: scripts/seeded_bugs. A test that finds no bug of a kind shows nothing of
 *                         its absence.
 */
#ifndef GENLRU_BASE_TESTING_H
#define GENLRU_BASE_TESTING_H

#ifndef GENLRU_POINTS
#define GENLRU_POINTS 0
#endif
#ifndef GENLRU_SEED_BUG
#define GENLRU_SEED_BUG NONE
#endif

/* Between ... and ... */
enum genlru__point {
    GENLRU__AT_PUBLISH,    /* the back pointer, the slot */
    GENLRU__AT_TAKE,       /* a mover's look at a slot, its exchange */
    GENLRU__AT_TAKE_OWN,   /* a deleter's look at the back pointer, its swap of the slot */
    GENLRU__AT_DECIDE,     /* the verdict, the swap of the word */
    GENLRU__AT_DELETED,    /* the slot is empty, the word still says that the node is listed */
    GENLRU__AT_DEL_WAITS,  /* a del did not find its node in its slot, the lru's lock is to be taken */
    GENLRU__AT_CONDEMN,    /* a deleter or an evictor sets DEAD */
    GENLRU__AT_UNPIN,      /* unpin has looked at the word, and swaps it */
    GENLRU__AT_RELIST,     /* a parked node was taken out, and is not on another list yet */
    GENLRU__AT_PUTBACK,    /* the word says listed, the node stands in no slot */
    GENLRU__AT_ACCOUNT,    /* the word was swapped, its counters not yet changed */
    GENLRU__AT_ACCESS,     /* an access has looked at the window, and swaps the word */
    GENLRU__AT_ADD,        /* a slot was chosen, the word is still the old one */
    GENLRU__AT_OPEN_BLOCK, /* the stripe's lock is held, the lru's is to be taken */
    GENLRU__AT_FLUSH,      /* a stripe is to be flushed */
    GENLRU__AT_SUM,        /* two counters that an evict without victims adds up */
    GENLRU__NR_POINTS
};

enum { GENLRU__HAS_POINTS = GENLRU_POINTS };

/* The tests define it. */
void genlru__on_point(enum genlru__point point);

#define genlru__point(name)                      \
    do {                                         \
        if (GENLRU__HAS_POINTS)                  \
            genlru__on_point(GENLRU__AT_##name); \
    } while (0)

/* Mistakes, by the label of the edge they leave out (docs/memory-model.md), or by the rule that they break. */
enum genlru__bug {
    GENLRU__BUG_NONE,
    GENLRU__BUG_EDGE_P,          /* publish: the slot is stored relaxed */
    GENLRU__BUG_EDGE_D,          /* take_own: a relaxed swap */
    GENLRU__BUG_EDGE_N,          /* the back pointer is stored relaxed */
    GENLRU__BUG_EDGE_S,          /* the stripe's lock is given back relaxed */
    GENLRU__BUG_EDGE_I,          /* unpin: a relaxed swap */
    GENLRU__BUG_EDGE_H,          /* release: a relaxed swap */
    GENLRU__BUG_EDGE_B,          /* a del subtracts its node only after it took the slot */
    GENLRU__BUG_EDGE_W,          /* an access that slept through many agings does not look again */
    GENLRU__BUG_PUBLISH_ORDER,   /* the slot before the back pointer */
    GENLRU__BUG_DEL_BLIND,       /* del empties its slot without comparing */
    GENLRU__BUG_DEL_UNLOCKED,    /* a deleter that lost the slot does not wait for the mover */
    GENLRU__BUG_RELEASE_BOTH,    /* release is told that the node is its own though the deleter is still to come */
    GENLRU__BUG_UNPIN_BLIND,     /* unpin does not look whether the node was deleted meanwhile */
    GENLRU__BUG_PUTBACK_BLIND,   /* putback does not look at DEAD */
    GENLRU__BUG_ISOLATE_BLIND,   /* the verdict is not renewed when the word changed */
    GENLRU__BUG_FLUSH_UNLOCKED,  /* a flush does not take the stripe's lock */
    GENLRU__BUG_ADVANCE_FORGETS, /* min_seq moves on, open blocks stay counted for a generation that is gone */
    GENLRU__BUG_COUNT_TWICE,     /* recharge counts its difference twice */
    GENLRU__BUG_CLOCK_KEPT,      /* putback leaves the eviction clock where it was */
    GENLRU__BUG_UNDEL_FORGOTTEN, /* a del that lost the slot does not add what it subtracted */
    GENLRU__BUG_DEL_STALE,       /* a del does not count what changed between its subtraction and its last swap */
    GENLRU__BUG_PLAIN_TWICE,     /* a plain victim counts though its swap failed */
    GENLRU__BUG_LOOK_SUMS,       /* an evict that finds nothing compares sums, not whether anything was changed */
    GENLRU__BUG_MEMO_KEPT,       /* a flush leaves what the stripe remembers of its last add */
    GENLRU__NR_BUGS
};

#define GENLRU__BUG_CONCAT_(a, b) a##b
#define GENLRU__BUG_CONCAT(a, b) GENLRU__BUG_CONCAT_(a, b)
enum { GENLRU__SEEDED = (int)GENLRU__BUG_CONCAT(GENLRU__BUG_, GENLRU_SEED_BUG) };

#define genlru__bug(name) ((int)GENLRU__SEEDED == (int)GENLRU__BUG_##name)

#endif
