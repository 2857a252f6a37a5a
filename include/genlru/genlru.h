/* SPDX-License-Identifier: MIT */
/*
 * genlru: generation-LRU lists for the caches inside other programs.
 *
 *      youngest                                    oldest
 *      max_seq                                     min_seq[type]
 *   ┌───────────┬───────────┬─ ··· ─┬───────────┬───────────┐      ┌───────────┐   ┌────────┐
 *   │ gen       │ gen       │       │ gen       │ gen       │ ───▶ │ probation │   │ parked │
 *   │ blocks of │ of 60     │       │           │           │      │ (optional)│   │ pinned │
 *   │ slots ──┐ │           │       │           │           │      └───────────┘   └────────┘
 *   └─────────┼─┴───────────┴─ ··· ─┴───────────┴───────────┘
 *             ▼                                 │  genlru_evict scans here, oldest slot first
 *   ┌───────────────────────────────┐           ▼
 *   │ node: word | charge | slot    │      victims {node, shadow}: the owner frees or puts back
 *   └───────────────────────────────┘
 *     embedded in the owner's object; genlru_access changes the word alone
 *
 * Include this header for everything. Start with lru.h; the state word is drawn in impl/state.h.
 */
#ifndef GENLRU_GENLRU_H
#define GENLRU_GENLRU_H

#include "config.h"
#include "export.h"
#include "impl/hit.h"
#include "lru.h"
#include "node.h"
#include "policy.h"
#include "shadow.h"
#include "stat.h"
#include "version.h"

#endif
