/* SPDX-License-Identifier: MIT */
/* Making room for a new generation without evicting anything: the oldest one joins the next. */
#ifndef GENLRU_RECLAIM_SWEEP_H
#define GENLRU_RECLAIM_SWEEP_H

#include "gens/lru.h"

/*
 * Moves the oldest generation of a full window up, block by block from its young end, at most about `max_scanned`
 * nodes; returns how many were looked at. The order of nodes stays. Done when the chain is empty.
 */
uint64_t genlru__sweep_oldest(struct genlru *lru, unsigned type, uint64_t max_scanned);

#endif
