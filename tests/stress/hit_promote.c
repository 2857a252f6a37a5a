/* SPDX-License-Identifier: MIT */
/*
 * Storm: hits that promote. Accesses and harvested accesses raise generations while others begin new ones and scans move the
 * nodes to where their words say; a window may pass while an access sleeps (edge W).
 */
#include "storm.h"

static void hit_often(struct toy_thread *thread)
{
    unsigned key = storm_key(thread), i;

    for (i = 0; i < 4; i++)
        toy_do(thread, key, TOY_ACCESS);
}

static void harvest(struct toy_thread *thread)
{
    toy_do(thread, storm_key(thread), TOY_HARVEST);
}

int main(int argc, char **argv)
{
    static const struct storm storm = {.roles = {{"hit", hit_often},
                                                 {"age", storm_age},
                                                 {"get", storm_get},
                                                 {"harvest", harvest},
                                                 {"evict", storm_evict}},
                                       .threads = 5,
                                       .ops = 5000,
                                       .putback_one_in = 4};

    return storm_main(argc, argv, &storm);
}
