/* SPDX-License-Identifier: MIT */
/*
 * size.h - how large a cache is: entries or bytes, or a share of the trace's distinct ones
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
    uint64_t scale; /* 10^decimals of a percentage; 0 = number is entries or bytes */
};

/*
 * "1000", "1%", "0.1%" (at most 100 %, at most 6 decimals) of `len` bytes. 0, or -EINVAL with *ret
 * untouched.
 */
int sim_size_parse(const char *text, size_t len, struct sim_size *ret);

/*
 * The same where a number is bytes (below 2^62), which may end in KiB, MiB, GiB or TiB, and a
 * percentage is a share of the trace's distinct bytes.
 */
int sim_size_parse_bytes(const char *text, size_t len, struct sim_size *ret);

/*
 * Entries for a trace of so many distinct keys, or bytes for one of so many distinct bytes: floor
 * of the share.
 */
uint64_t sim_size_capacity(const struct sim_size *size, uint64_t whole);

#endif
