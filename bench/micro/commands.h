/* SPDX-License-Identifier: MIT */
/* commands.h - what genlru-bench does with the JSON of earlier runs; exit statuses */
#ifndef GENLRU_BENCH_MICRO_COMMANDS_H
#define GENLRU_BENCH_MICRO_COMMANDS_H

int bench_summary(int argc, char **argv);
int bench_caches(int argc, char **argv);
int bench_model(int argc, char **argv);
int bench_report(int argc, char **argv);

#endif
