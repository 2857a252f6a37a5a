/* SPDX-License-Identifier: MIT */
/*
 * size.h - how large a cache is: entries, or a share of the trace's distinct keys
 */
#ifndef GENLRU_BENCH_SIM_SIZE_H
#define GENLRU_BENCH_SIM_SIZE_H

#include <stddef.h>
#include <stdint.h>

#define SIM_SIZE_TEXT 24

/*
 * A percentage is kept as the fraction number / (100 * scale), so that no rounding ever moves a
 * capacity.
 */
struct sim_size {
    char text[SIM_SIZE_TEXT]; /* as given */
    uint64_t number;
    uint64_t scale; /* 10^decimals of a percentage; 0 = number is entries */
};

/*
 * "1000", "1%", "0.1%" (at most 100 %, at most 6 decimals) of `len` bytes. 0, or -EINVAL with *ret
 * untouched.
 */
int sim_size_parse(const char *text, size_t len, struct sim_size *ret);

/* Entries for a trace of so many distinct keys: floor of the share. */
uint32_t sim_size_capacity(const struct sim_size *size, uint32_t distinct);

#endif
