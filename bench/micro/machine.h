/* SPDX-License-Identifier: MIT */
/* machine.h - what a reader of figures wants to know of where they come from */
#ifndef GENLRU_BENCH_MICRO_MACHINE_H
#define GENLRU_BENCH_MICRO_MACHINE_H

/* Adds processor, compiler, huge pages and build to the JSON's context. */
void machine_describe(void);

#endif
