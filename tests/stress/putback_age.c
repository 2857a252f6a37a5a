/* SPDX-License-Identifier: MIT */
/*
 * Storm: putback and aging. Nearly every victim is put back, at a place of a window that others move on at the same time, while
 * a third party deletes it: the one that comes second frees it.
 */
#include "storm.h"

int main(int argc, char **argv)
{
    static const struct storm storm = {
        .roles = {{"evict", storm_evict}, {"age", storm_age}, {"get", storm_get}, {"delete", storm_delete}},
        .threads = 6,
        .ops = 5000,
        .putback_one_in = 1};

    return storm_main(argc, argv, &storm);
}
