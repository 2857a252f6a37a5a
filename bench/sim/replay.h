/* SPDX-License-Identifier: MIT */
/*
 * replay.h - a piece of a trace through a policy, whatever channels it has
 */
#ifndef GENLRU_BENCH_SIM_REPLAY_H
#define GENLRU_BENCH_SIM_REPLAY_H

#include "policy/policy.h"
#include "trace/trace.h"

/*
 * Requests [at, at + n) of the trace; returns the misses of those that somebody waits for, that is
 * without prefetches.
 */
uint64_t sim_replay(struct policy *p, const struct trace *trace, uint64_t at, size_t n);

/*
 * A trace as its requests come to a cache: as keys, random-looking 64-bit numbers that an index has to find first. One
 * replay, begun at the trace's start; ids come out as they are in the trace.
 */
struct sim_keys;

/* Makes the keys of all requests, 8 bytes each. NULL without memory. */
struct sim_keys *sim_keys_create(const struct trace *trace);
void sim_keys_destroy(struct sim_keys *keys);

/* As sim_replay, the next n requests, each looked up before. 0, or -ENOMEM; adds to *misses. */
int sim_replay_keys(struct policy *p, struct sim_keys *keys, size_t n, uint64_t *misses);

#endif
