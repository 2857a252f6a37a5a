/* SPDX-License-Identifier: MIT */
/*
 * size_range.h - several cache sizes in geometric steps: "0.1%..40%:12"
 *
 *      0.1% ──×r──▶ 0.1724% ──×r──▶ … ──×r──▶ 40%       r = (40 / 0.1)^(1/11)
 */
#ifndef GENLRU_BENCH_SIM_SIZE_RANGE_H
#define GENLRU_BENCH_SIM_SIZE_RANGE_H

#include <stdbool.h>

#include "sim/size.h"

#define SIM_SIZE_RANGE_MAX 1000

struct sim_size_range {
    struct sim_size first;
    struct sim_size last;
    unsigned nr; /* 2 … SIM_SIZE_RANGE_MAX */
    bool bytes;
};

/* Whether the text means a range, well-formed or not. */
bool sim_size_is_range(const char *text, size_t len);

/*
 * "FIRST..LAST:N" of `len` bytes: two sizes of the same kind, 0 < FIRST < LAST, N of them. 0, or
 * -EINVAL with *ret untouched.
 */
int sim_size_range_parse(const char *text, size_t len, bool bytes, struct sim_size_range *ret);

/*
 * Size i < nr of the range. The ends are as given; between them shares have four significant digits
 * (and at most six decimals), numbers are whole, so that the text of each is the very size and can
 * be given again. Neighbours may hence be the same in a narrow range.
 */
void sim_size_range_at(const struct sim_size_range *range, unsigned i, struct sim_size *ret);

#endif
