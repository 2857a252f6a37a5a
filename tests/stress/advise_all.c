/* SPDX-License-Identifier: MIT */
/*
 * Storm: every advice, on nodes that are hit, pinned, scanned, swept and deleted at the same time.
 */
#include "storm.h"

static void advise(struct toy_thread *thread)
{
    toy_do(thread, storm_key(thread), TOY_ADVISE);
}

static void touch(struct toy_thread *thread)
{
    toy_touch(thread, storm_key(thread));
}

int main(int argc, char **argv)
{
    static const struct storm storm = {.roles = {{"advise", advise},
                                                 {"get", storm_get},
                                                 {"evict", storm_evict},
                                                 {"age", storm_age},
                                                 {"touch", touch},
                                                 {"delete", storm_delete}},
                                       .threads = 6,
                                       .ops = 4000,
                                       .putback_one_in = 4};

    return storm_main(argc, argv, &storm);
}
