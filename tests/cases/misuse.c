/* SPDX-License-Identifier: MIT */
/*
 * Addresses and arguments that no node and no lru may have: each is refused with its code, nothing is changed, and the lru goes
 * on. (What is misuse by a node's state is in tests/unit, table by table.)
 */
#include <limits.h>

#include "base/check.h"
#include "cases.h"

/* A node is 16 bytes aligned to 8, so that word and charge are one atomic; anything else is refused at once. */
static void test_misaligned(void)
{
    static union {
        struct genlru_node node[4];
        char bytes[64];
    } memory;
    unsigned offset;

    stress_context("misaligned");
    for (offset = 0; offset < 16; offset++) {
        char before[sizeof(memory)];
        /* the cast is what an owner with packed structs would do */
        struct genlru_node *node = (struct genlru_node *)(uintptr_t)(memory.bytes + offset);
        int result;

        memset(memory.bytes, 0x77, sizeof(memory.bytes));
        memcpy(before, memory.bytes, sizeof(before));
        result = genlru_node_init(node, 1, 0);
        STRESS_CHECK(result == (offset % 8 ? -EINVAL : 0), "offset %u: %d", offset, result);
        STRESS_CHECK(result == 0 || memcmp(before, memory.bytes, sizeof(before)) == 0, "offset %u: written", offset);
    }
}

static void test_arguments(void)
{
    struct genlru *lru = case_create_of(&GENLRU_POLICY_DEFAULT, 10, 1);
    struct genlru_victim victim;
    struct genlru_node node;

    stress_context("arguments");
    STRESS_CHECK(genlru_node_init(&node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(lru, &node, &(struct genlru_add){.flags = 64}) == -EINVAL, "flags");
    STRESS_CHECK(genlru_add(lru, &node, &(struct genlru_add){.flags = GENLRU_ADD_COLD | GENLRU_ADD_HOT}) == -EINVAL,
                 "cold and hot");
    STRESS_CHECK(genlru_evict(lru, NULL, &victim, 0, NULL) == -EINVAL, "room for none");
    STRESS_CHECK(genlru_evict(lru, NULL, &victim, (size_t)INT_MAX + 1, NULL) == -EINVAL, "too much room");
    STRESS_CHECK(genlru_evict(lru, &(struct genlru_budget){.types = 2}, &victim, 1, NULL) == -EINVAL, "types");
    STRESS_CHECK(genlru_evict(lru, &(struct genlru_budget){.flags = ~(uint32_t)GENLRU_BUDGET_TRY}, &victim, 1, NULL) ==
                     -EINVAL,
                 "flags");
    STRESS_CHECK(genlru_advise(lru, &node, (enum genlru_advice)99) == -EINVAL, "advice");
    STRESS_CHECK(genlru_charge(lru) == 0, "charge");
    case_add(lru, &node, 0);
    STRESS_CHECK(case_end(lru) == 1, "it goes on");
}

int main(int argc, char **argv)
{
    (void)stress_begin(argc, argv);
    test_misaligned();
    test_arguments();
    return 0;
}
