/* SPDX-License-Identifier: MIT */
/*
 * Bytes as the choices of the random owner of tests/model: configuration, policy, operations, arguments. Every answer is
 * compared with the model's, and everything after each step.
 */
#include <string.h>

#include "fuzz.h"
#include "../model/rig.h"

enum { MAX_STEPS = 3000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rig rig;
    unsigned step;

    if (size == 0)
        return 0;
    memset(&rig, 0, sizeof(rig));
    rig.options = (struct options){.policy = "any", .verify_every = 1};
    rig.input = data;
    rig.nr_input = size;
    rig_open(&rig);
    for (step = 0; step < MAX_STEPS && rig.nr_input > 0; step++) {
        rig.step++;
        owner_step(&rig);
        compare_all(&rig);
    }
    rig.nr_input = 0;
    rig_close(&rig);
    return 0;
}
