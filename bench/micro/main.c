/* SPDX-License-Identifier: MIT */
/*
 * genlru-bench: each operation beside its limit and its peers, in one process. See bench/README.md.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "micro/fixture.h"
#include "micro/micro.h"
#include "shim/shim.h"

/* The repetitions of a group take turns, and their median counts. */
static const char *const defaults[] = {"--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=7",
                                       "--benchmark_min_time=0.1", NULL};

const char *micro_size_text(size_t nodes, char *text)
{
    if (nodes >= 1000000 && nodes % 1000000 == 0) {
        snprintf(text, MICRO_SIZE_TEXT, "%zuM", nodes / 1000000);
    } else if (nodes >= 1000 && nodes % 1000 == 0) {
        snprintf(text, MICRO_SIZE_TEXT, "%zuk", nodes / 1000);
    } else {
        snprintf(text, MICRO_SIZE_TEXT, "%zu", nodes);
    }
    return text;
}

int main(int argc, char **argv)
{
    struct micro_options options = {{1000000}, 1};
    int error = shim_init(&argc, argv, defaults);

    if (!error) {
        error = micro_hits(&options);
    }
    fixture_clear();
    if (!error) {
        error = shim_finish();
    }
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
