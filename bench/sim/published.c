/* SPDX-License-Identifier: MIT */
/*
 * published.c - refaults per read, and the reads per second they were measured at, of the cover
 * letters of MGLRU with frequency guided promotion (Linux patch series, 2026)
 *
 * genlru has no figure of its own there and is held against the best one, mglru-fg's, at its speed.
 * For reads through a mapping no speed was published; that of read() stands in.
 */
#include "sim/published.h"

const double published_theta[PUBLISHED_THETAS] = {0.8, 0.9, 1.1, 1.2};

#define IOPS_CLRU                        \
    {                                    \
        397572, 605862, 2092280, 4444665 \
    }
#define IOPS_MGLRU                       \
    {                                    \
        396046, 602201, 2122415, 4513839 \
    }
#define IOPS_FG                          \
    {                                    \
        449714, 692524, 2457564, 5066901 \
    }
#define READ_FG                            \
    {                                      \
        0.17660, 0.11522, 0.03065, 0.01230 \
    }
#define MMAP_FG                            \
    {                                      \
        0.01805, 0.01638, 0.02925, 0.01375 \
    }

static const struct published_table tables[] = {
    {
        .name = "fio-read",
        .what = "read(), Zipf's law, 16 jobs x 2560 MiB, cache 16 GiB",
        .channel = POLICY_READ,
        .nr_policies = 4,
        .policies =
            {
                {"clru", IOPS_CLRU, {0.20108, 0.13356, 0.03641, 0.01479}},
                {"mglru", IOPS_MGLRU, {0.20074, 0.13186, 0.03586, 0.01466}},
                {"mglru-fg", IOPS_FG, READ_FG},
                {"genlru", IOPS_FG, READ_FG},
            },
    },
    {
        .name = "fio-mmap",
        .what = "the same through a mapping; a model without read-around",
        .channel = POLICY_MAPPED,
        .nr_policies = 4,
        .policies =
            {
                {"clru", IOPS_CLRU, {0.05403, 0.08937, 0.03549, 0.01529}},
                {"mglru", IOPS_MGLRU, {0.02009, 0.01899, 0.03644, 0.01569}},
                {"mglru-fg", IOPS_FG, MMAP_FG},
                {"genlru", IOPS_FG, MMAP_FG},
            },
    },
};

const struct published_table *published_at(size_t i)
{
    return i < sizeof(tables) / sizeof(tables[0]) ? &tables[i] : NULL;
}
