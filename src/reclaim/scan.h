/* SPDX-License-Identifier: MIT */
/*
 * The scan of one list, oldest slot first: each node is taken, judged, and isolated or moved. Under the lru's lock, one
 * batch at a time.
 */
#ifndef GENLRU_RECLAIM_SCAN_H
#define GENLRU_RECLAIM_SCAN_H

#include "gens/lru.h"
#include "gens/sizes.h"
#include "reclaim/plain.h"

enum {
    GENLRU__BATCH_VICTIMS = 64,  /* isolated per lock hold */
    GENLRU__BATCH_SCANNED = 128, /* looked at per lock hold, moves included */
    GENLRU__HOLES_PER_NODE = 16  /* empty slots that cost what one node does */
};

/* A cursor that runs some slots before the scan and prefetches the nodes it passes. */
struct genlru__ahead {
    const struct genlru__block *block;
    unsigned slot;
};

/* A call of genlru_evict under way. */
struct genlru__scan {
    struct genlru *lru;
    const struct genlru_budget *budget;
    struct genlru_victim *victims;
    size_t max;
    struct genlru_evict_result result;

    /* of the batch */
    uint64_t max_scanned; /* figures of the result from which on the batch is full */
    uint64_t max_nodes;
    uint64_t max_charge;
    struct genlru__plain *plain; /* nodes of judge.list that need no further look */
    struct genlru__judge judge;
    unsigned refuge; /* list of the nodes of the present block that stay in it for want of one to move to */
    unsigned refuge_rank;
    bool has_residents; /* of the type: in its generations */
    bool is_undecided;  /* a duel found the oldest generation's chain empty: make one first */

    /* of the duels of the list, with nodes of the oldest generation */
    bool had_duel; /* then these are set: */
    struct genlru__plain opponents;
    struct genlru__ahead ahead_of_opponents;

    /* of the duel under way */
    unsigned duel_left;  /* residents that may still win it */
    uint64_t duel_nodes; /* figures of the result from which on it is over */
    uint64_t duel_scanned;

    uint64_t clock; /* eviction clock at the start of the batch plus what it isolated */
    struct genlru__batch sizes;
};

/* True once the call must stop, with result.reason set. */
bool genlru__scan_is_over(struct genlru__scan *scan);

/* Sets how far the next batch may go: by the budget and by what one lock hold may do. */
void genlru__scan_limit(struct genlru__scan *scan);

/*
 * Scans `list` from its old end until the batch is full, the call is over or the list is empty. It needs no memory to
 * make progress: where there is no block to move nodes to, their block moves as it is to the list of one of them.
 */
void genlru__scan_list(struct genlru__scan *scan, unsigned list, unsigned threshold);

#endif
