/* SPDX-License-Identifier: MIT */
/*
 * Storm: deletes and whatever walks over slots: scans, sweeps, compaction, the histogram. Two threads delete what a third one
 * inserts, and each takes the slot from under the others.
 */
#include "storm.h"

int main(int argc, char **argv)
{
    static const struct storm storm = {
        .roles = {{"get", storm_get}, {"delete", storm_delete}, {"evict", storm_evict}, {"move", storm_move}},
        .threads = 6,
        .ops = 5000,
        .putback_one_in = 4};

    return storm_main(argc, argv, &storm);
}
