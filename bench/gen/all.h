/* SPDX-License-Identifier: MIT */
/*
 * all.h - the generators, for the list
 */
#ifndef GENLRU_BENCH_GEN_ALL_H
#define GENLRU_BENCH_GEN_ALL_H

#include "gen/gen.h"

extern const struct gen_ops gen_fio_zipf;
extern const struct gen_ops gen_zipf;
extern const struct gen_ops gen_uniform;
extern const struct gen_ops gen_loop;
extern const struct gen_ops gen_phase;
extern const struct gen_ops gen_scan_get;
extern const struct gen_ops gen_sqlite_grep;
extern const struct gen_ops gen_ycsb_b;
extern const struct gen_ops gen_ycsb_d;

#endif
