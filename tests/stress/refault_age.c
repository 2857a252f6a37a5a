/* SPDX-License-Identifier: MIT */
/*
 * Storm: refaults and aging. What is evicted comes back at once, with a shadow of a window and an eviction clock that others move
 * on; half of the setups keep the shadows in a nonresident table that all threads write.
 */
#include "storm.h"

int main(int argc, char **argv)
{
    static const struct storm storm = {
        .roles = {{"get", storm_get}, {"evict", storm_evict}, {"age", storm_age}, {"get again", storm_get}},
        .threads = 6,
        .ops = 5000,
        .putback_one_in = 16,
        .wants_shadows = true};

    return storm_main(argc, argv, &storm);
}
