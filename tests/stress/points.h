/* SPDX-License-Identifier: MIT */
/* What tests may have happen at the library's labelled points: see points.c. Without GENLRU_POINTS nothing happens. */
#ifndef GENLRU_TESTS_POINTS_H
#define GENLRU_TESTS_POINTS_H

#include <stdint.h>

#include "base/testing.h"

/* Before there are threads. 0 = none are delayed. */
void stress_delay_points(unsigned one_in_so_many, uint64_t seed);

/* Calls the function at this point, in the thread that comes there, with whatever locks the library holds. NULL = no more. */
void stress_at_point(enum genlru__point point, void (*function)(void *ctx), void *ctx);

#endif
