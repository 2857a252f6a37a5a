/* SPDX-License-Identifier: MIT */
/*
 * reuse.h - exact reuse distances of a trace
 *
 * The distance of a request is how many other keys were asked for since the last request for its
 * key. An LRU cache of c entries hits exactly the requests with a distance below c (R. Mattson et
 * al.: Evaluation techniques for storage hierarchies, IBM Systems Journal, 1970).
 */
#ifndef GENLRU_BENCH_SIM_REUSE_H
#define GENLRU_BENCH_SIM_REUSE_H

#include <stdint.h>

#include "trace/trace.h"

/*
 * Adds one to counts[d] for every request of distance d; counts has nr_ids zeroed elements. First
 * requests have no distance. Prefetches are requests here too. tell (may be NULL) is called now and
 * then with the requests done. 0, -ENOMEM. O(n log nr_ids), 12 bytes an id beside the counts.
 */
int reuse_count(const struct trace *t, uint64_t *counts, void (*tell)(void *ctx, uint64_t done), void *ctx);

/*
 * The smallest distance that at least the share `permille` of all counted requests do not exceed. total =
 * sum of the counts, > 0.
 */
uint64_t reuse_quantile(const uint64_t *counts, uint32_t nr_ids, uint64_t total, unsigned permille);

#endif
