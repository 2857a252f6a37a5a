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

enum { MICRO_SIZES_MAX = 8, MICRO_SIZE_TEXT = 24 };

struct micro_options {
    size_t nodes[MICRO_SIZES_MAX]; /* sizes to measure at */
    unsigned nr_nodes;
};

/* "1k", "10M"; `text` has room for MICRO_SIZE_TEXT bytes. */
const char *micro_size_text(size_t nodes, char *text);

int micro_hits(const struct micro_options *options);

#endif
