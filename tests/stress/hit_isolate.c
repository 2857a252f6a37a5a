/* SPDX-License-Identifier: MIT */
/*
 * Storm: hits and isolation. Evictors take what two threads hit at the same time, and give most of it up; a hit comes when the
 * word says listed, when it was swapped and not counted yet, when it is isolated, and when the key is there anew.
 */
#include "storm.h"

static void hit(struct toy_thread *thread)
{
    toy_do(thread, storm_key(thread), TOY_ACCESS);
}

int main(int argc, char **argv)
{
    static const struct storm storm = {.roles = {{"get", storm_get}, {"evict", storm_evict}, {"hit", hit}},
                                       .threads = 6,
                                       .ops = 6000,
                                       .putback_one_in = 16};

    return storm_main(argc, argv, &storm);
}
