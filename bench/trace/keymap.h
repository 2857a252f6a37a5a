/* SPDX-License-Identifier: MIT */
/*
 * keymap.h - numbers the distinct keys of a trace 0, 1, 2 … in order of first appearance
 *
 * A key is a byte string; two keys are the same iff their bytes are. Keys that are plain decimal
 * numbers below 2^64 ("0", "4711", not "007", "+1", "1.0") take a short cut: they are mapped as
 * 64-bit integers, 16 bytes a slot. Everything else is kept as text, so no two different keys are
 * ever confused by a hash.
 */
#ifndef GENLRU_BENCH_TRACE_KEYMAP_H
#define GENLRU_BENCH_TRACE_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

struct keymap;

/* `max_ids` limits the distinct keys. NULL without memory. */
struct keymap *keymap_create(uint32_t max_ids);
void keymap_destroy(struct keymap *map);

/*
 * The key's id in *ret_id: its own, or the next free one. 0; -ENOMEM; -ENOSPC (max_ids reached).
 * The map is unchanged on failure. O(1) amortised.
 */
int keymap_text(struct keymap *map, const char *text, size_t len, uint32_t *ret_id);
int keymap_number(struct keymap *map, uint64_t key, uint32_t *ret_id);

/*
 * n keys at once, n ≤ KEYMAP_BATCH: the same ids as n calls of keymap_number, but the slots are
 * fetched side by side, so that a large map costs one wait for memory and not n. On failure none of
 * the keys has got an id, except where max_ids is what was reached: then all before it.
 */
#define KEYMAP_BATCH 64
int keymap_numbers(struct keymap *map, const uint64_t *keys, size_t n, uint32_t *ret_ids);

/* Ids given so far. */
uint32_t keymap_count(const struct keymap *map);

#endif
