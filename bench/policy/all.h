/* SPDX-License-Identifier: MIT */
/*
 * all.h - the operations of each policy, for the registry and for tests
 */
#ifndef GENLRU_BENCH_POLICY_ALL_H
#define GENLRU_BENCH_POLICY_ALL_H

#include "policy/policy.h"

/* Ids are 32-bit; the top values stay free for list heads and for "none". */
#define POLICY_IDS_MAX (UINT32_MAX - 64)

extern const struct policy_ops policy_fifo;
extern const struct policy_ops policy_lru;
extern const struct policy_ops policy_clock;
extern const struct policy_ops policy_slru;
extern const struct policy_ops policy_s4lru;
extern const struct policy_ops policy_s4lru_filled;
extern const struct policy_ops policy_lfu;
extern const struct policy_ops policy_lfu_plain;
extern const struct policy_ops policy_2q;
extern const struct policy_ops policy_arc;
extern const struct policy_ops policy_lirs;
extern const struct policy_ops policy_s3fifo;
extern const struct policy_ops policy_clock2q_plus;
extern const struct policy_ops policy_sieve;
extern const struct policy_ops policy_wtinylfu;
extern const struct policy_ops policy_wtinylfu_adaptive;
extern const struct policy_ops policy_gdsf;
extern const struct policy_ops policy_belady;
extern const struct policy_ops policy_clru;
extern const struct policy_ops policy_mglru;
extern const struct policy_ops policy_mglru_old;
extern const struct policy_ops policy_mglru_fg;
extern const struct policy_ops policy_tuned_fg;
extern const struct policy_ops policy_genlru;

#endif
