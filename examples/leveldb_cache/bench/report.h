/* SPDX-License-Identifier: MIT */
/* What is printed. */
#ifndef GENLRU_LEVELDB_REPORT_H
#define GENLRU_LEVELDB_REPORT_H

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload.h"

namespace bench
{

/* Runs of one workload by subject, in the order in which they were made: the i-th of each belong together. */
using Runs = std::map<std::string, std::vector<Result>>;

void print_circumstances(const Options &options, const Sizes &sizes);
/* All workloads and subjects at a glance, medians only. */
void print_overview(const Options &options, const std::vector<std::pair<const Workload *, Runs>> &all);
void print_table(const Workload &workload, const Options &options, const Runs &runs);
/*
 * Does genlru keep what it promises? Against LevelDB's LRU: misses of a get; against the best of the others: operations a
 * second. Nothing if one of these was not measured. False if a promise is broken beyond the interval.
 */
bool print_verdicts(const Options &options, const Runs &runs);
/* One line a run, for other tools. */
void print_raw_head(FILE *out);
void print_raw(FILE *out, const Workload &workload, const std::string &subject, unsigned pass, const Result &result);

} // namespace bench

#endif
