/* SPDX-License-Identifier: MIT */
/*
 * Miniatures: what each rule would do, played on a sample of the keys at the scale of the sample (Waldspurger et al.,
 * "Cache modeling and optimization using miniature simulations", 2017). The words, their changes and the verdicts are
 * those of the lru itself; only the lists are arrays.
 *
 *   directory   of the keys of the sample (directory.h)
 *   cells[]     for each key, and each rule: word | next in its list, or when it was evicted
 *   mini[]      for each rule: window, FIFO of each generation and of probation, charge, eviction clock
 */
#ifndef GENLRU_LEARN_MINI_H
#define GENLRU_LEARN_MINI_H

#include <stddef.h>
#include <stdint.h>

#include "gens/lru.h"
#include "learn/rules.h"

struct genlru__minis;

/* Bytes of the miniatures for this many entries each. */
size_t genlru__minis_bytes(uint32_t entries);

/*
 * Lays them out in `memory` (aligned to a cache line, of minis_bytes). `capacity` is of one, in charge; `rules` are
 * GENLRU__NR_RULES, which must outlive them.
 */
struct genlru__minis *genlru__minis_init(void *memory, uint32_t entries, uint64_t capacity, unsigned nr_gens,
                                         const struct genlru__rule *rules);

/*
 * A sampled key is accessed, in all of them; is_ahead: its first use after it was read ahead. Mask of the rules that missed
 * it.
 */
uint32_t genlru__minis_access(struct genlru__minis *minis, uint32_t print, uint32_t charge, bool is_ahead);

/* What access of this key will read, ahead of it. */
void genlru__minis_prefetch(const struct genlru__minis *minis, uint32_t print);

/* Epochs of freq that a rule's miniature has begun: one each time it evicted its rule's epoch_percent of the capacity. */
uint32_t genlru__minis_epoch(const struct genlru__minis *minis, unsigned rule);

/* For tests and statistics. */
struct genlru__mini_stat {
    uint64_t nodes, charge, probation_charge, clock;
};
struct genlru__mini_stat genlru__minis_stat(const struct genlru__minis *minis, unsigned rule);

#endif
