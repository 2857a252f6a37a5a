/* SPDX-License-Identifier: MIT */
/*
 * micro.h - the groups of benchmarks of genlru-bench, one function an operation
 *
 * A group is what one ratio is taken within: all subjects of one operation at one size, their repetitions
 * taking turns. Each function adds and runs its groups, one after another. 0 or a negative errno.
 */
#ifndef GENLRU_BENCH_MICRO_MICRO_H
#define GENLRU_BENCH_MICRO_MICRO_H

#include <stddef.h>

enum { MICRO_SIZES_MAX = 8, MICRO_SIZE_TEXT = 24, MICRO_NODES_MIN = 5000 /* chunks for a quarter */ };

struct micro_options {
    size_t nodes[MICRO_SIZES_MAX]; /* sizes to measure at */
    unsigned nr_nodes;
    size_t growth_nodes; /* up to which growth goes */
};

/* "1k", "10M"; `text` has room for MICRO_SIZE_TEXT bytes. */
const char *micro_size_text(size_t nodes, char *text);

int micro_hits(const struct micro_options *options);         /* hit_saturated, hit_first */
int micro_evict(const struct micro_options *options);        /* evict_scan */
int micro_add(const struct micro_options *options);          /* add */
int micro_insert_evict(const struct micro_options *options); /* insert_evict */
int micro_delete(const struct micro_options *options);       /* delete */
int micro_mixed(const struct micro_options *options);        /* mixed */
int micro_latency(const struct micro_options *options);      /* insert_latency */
int micro_lock_hold(const struct micro_options *options);    /* lock_hold, where the library measures its locks */
int micro_growth(const struct micro_options *options);       /* growth_hit, growth_pair */

#endif
