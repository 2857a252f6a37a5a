/* SPDX-License-Identifier: MIT */
/*
 * Pins what is compiled into other programs, so that it cannot change by accident: the node, the
 * fields of its word, the view that an inlined hit reads. Compiled as C and as C++ (layout_cxx.cpp),
 * and compared with what the library itself says of a node. A change here is a new GENLRU_ABI.
 */
#include <genlru/genlru.h>

#include <stddef.h>
#include <stdio.h>

static int nr_failed;

static void expect(const char *what, unsigned long long found, unsigned long long wanted)
{
    if (found == wanted)
        return;
    printf("FAIL %s: %llu instead of %llu\n", what, found, wanted);
    nr_failed++;
}

#define EXPECT(what, wanted) expect(#what, (unsigned long long)(what), (wanted))

struct probe {
    char before;
    struct genlru_node node;
};

static void check_node(void)
{
    EXPECT(sizeof(struct genlru_node), 16);
    EXPECT(offsetof(struct probe, node), 8);
    EXPECT(sizeof(struct genlru_state), 8);
    EXPECT(offsetof(struct genlru_node, state), 0);
    EXPECT(offsetof(struct genlru_node, slot), 8);
}

static void check_word(void)
{
    EXPECT(GENLRU_GEN_MASK, 0x0000007f);
    EXPECT(GENLRU_REFS_MASK, 0x00000780);
    EXPECT(GENLRU_FREQ_MASK, 0x00007800);
    EXPECT(GENLRU_EPOCH_MASK, 0x00038000);
    EXPECT(GENLRU_TYPE_MASK, 0x000c0000);
    EXPECT(GENLRU_WORKINGSET, 0x00100000);
    EXPECT(GENLRU_PREFETCHED, 0x00200000);
    EXPECT(GENLRU_ISOLATED, 0x00400000);
    EXPECT(GENLRU_PINNED, 0x00800000);
    EXPECT(GENLRU_DEAD, 0x01000000);
    EXPECT(GENLRU_NOREUSE, 0x02000000);
    EXPECT(GENLRU_SAMPLED, 0x04000000);
    EXPECT(GENLRU_TIER_CAP, 0x08000000);
    EXPECT(GENLRU_PROBATION, 0x10000000);
    EXPECT(GENLRU_OWNER_MASK, 0xe0000000);
    EXPECT(GENLRU_GEN_MODULUS, 127);
}

static void check_view(void)
{
    EXPECT(sizeof(struct genlru_view), 64);
    EXPECT(offsetof(struct genlru_view, saturated), 0);
    EXPECT(offsetof(struct genlru_view, window), 8);
    EXPECT(offsetof(struct genlru_view, rules), 16);
}

/* What the library reads out of a node against what is inlined here. */
static void check_against_library(void)
{
    struct genlru_node node;
    uint64_t state;

    EXPECT(genlru_node_init(&node, 12345, 2), 0);
    EXPECT(genlru_node_set_owner_bits(&node, 5), 0);
    state = node.state.do_not_touch;
    EXPECT(genlru_impl_charge(state), 12345);
    EXPECT(genlru_impl_type(genlru_impl_word(state)), 2);
    EXPECT((genlru_impl_word(state) & GENLRU_OWNER_MASK) >> GENLRU_OWNER_SHIFT, 5);
    EXPECT(genlru_node_charge(&node), 12345);
    EXPECT(genlru_node_type(&node), 2);
    EXPECT(genlru_node_owner_bits(&node), 5);

    node.state.do_not_touch = genlru_impl_with_word(state, genlru_impl_with_refs(genlru_impl_word(state), 3));
    EXPECT(genlru_node_refs(&node), 3);
    node.state.do_not_touch = genlru_impl_with_word(state, genlru_impl_word(state) | GENLRU_ISOLATED);
    EXPECT(genlru_node_is_isolated(&node), 1);
    EXPECT(genlru_node_is_listed(&node), 0);
}

int main(void)
{
    check_node();
    check_word();
    check_view();
    check_against_library();
    if (nr_failed == 0)
        printf("node, word and view are laid out as promised\n");
    return nr_failed > 0;
}
