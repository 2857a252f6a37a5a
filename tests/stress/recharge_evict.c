/* SPDX-License-Identifier: MIT */
/*
 * Storm: recharges and everything that counts charge: whoever moves a node moves the charge that it had at that moment, and a
 * recharge of an isolated node is in the eviction clock. At each quiescent point the sums are exact.
 */
#include "storm.h"

static void recharge(struct toy_thread *thread)
{
    toy_do(thread, storm_key(thread), TOY_RECHARGE);
}

int main(int argc, char **argv)
{
    static const struct storm storm = {.roles = {{"recharge", recharge},
                                                 {"evict", storm_evict},
                                                 {"get", storm_get},
                                                 {"age", storm_age},
                                                 {"delete", storm_delete}},
                                       .threads = 5,
                                       .ops = 5000,
                                       .putback_one_in = 2};

    return storm_main(argc, argv, &storm);
}
