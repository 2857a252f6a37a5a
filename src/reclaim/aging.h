/* SPDX-License-Identifier: MIT */
/*
 * Aging: beginning generations, and emptying the oldest so that there is room for a new one. A type can be scanned
 * only while its window has an oldest generation and two younger ones.
 */
#ifndef GENLRU_RECLAIM_AGING_H
#define GENLRU_RECLAIM_AGING_H

#include "gens/lru.h"

enum genlru__aging {
    GENLRU__AGING_READY, /* the oldest generation may be scanned */
    GENLRU__AGING_FLUSH_ALL, /* so it is if it has linked blocks, and a generation has begun: flush every stripe after unlocking */
    GENLRU__AGING_FLUSH_OLDEST, /* open blocks stand in the way: flush those of *ret_flush, then try again */
    GENLRU__AGING_AGAIN         /* a piece of a full window was moved up: try again */
};

/* Lets min_seq of `type` pass empty generations. Under the lru's lock. */
void genlru__skip_empty(struct genlru *lru, unsigned type);

/*
 * One bounded step towards an oldest generation of `type` that may be scanned; moves up at most max_scanned nodes,
 * rounded up to whole blocks. Under the lru's lock.
 */
enum genlru__aging genlru__make_oldest(struct genlru *lru, unsigned type, uint64_t max_scanned, uint64_t *aged,
                                       uint64_t *scanned, unsigned *ret_flush);

/*
 * Aging and frequency epochs by eviction volume, where the policy asks for them. True if a generation has begun: flush
 * every stripe after unlocking. Under the lru's lock.
 */
bool genlru__advance_clocks(struct genlru *lru);

#endif
