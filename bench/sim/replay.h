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

#endif
