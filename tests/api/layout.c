/* SPDX-License-Identifier: MIT */
/*
 * Pins what is compiled into other programs, so that it cannot change by accident: the node, the
 * fields of its word, the view that an inlined hit reads, the structs of calls. Compiled as C and as C++ (layout_cxx.cpp),
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

/*
 * Structs without a size, policies (which are data symbols, too) and what they consist of: any change is a new GENLRU_ABI.
 * 64-bit; elsewhere the same fields have the platform's sizes.
 */
static void check_fixed_structs(void)
{
    EXPECT(sizeof(struct genlru_add), 24);
    EXPECT(offsetof(struct genlru_add, flags), 20);
    EXPECT(sizeof(struct genlru_harvest), 16);
    EXPECT(offsetof(struct genlru_harvest, is_dear), 8);
    EXPECT(sizeof(struct genlru_budget), 40);
    EXPECT(offsetof(struct genlru_budget, charge), 0);
    EXPECT(offsetof(struct genlru_budget, nodes), 8);
    EXPECT(offsetof(struct genlru_budget, scanned), 16);
    EXPECT(offsetof(struct genlru_budget, deadline_ns), 24);
    EXPECT(offsetof(struct genlru_budget, types), 32);
    EXPECT(offsetof(struct genlru_budget, flags), 36);
    EXPECT(sizeof(struct genlru_evict_result), 72);
    EXPECT(offsetof(struct genlru_evict_result, aged), 56);
    EXPECT(offsetof(struct genlru_evict_result, reason), 64);
    EXPECT(sizeof(struct genlru_victim), 16);
    EXPECT(offsetof(struct genlru_victim, shadow), 8);
    EXPECT(sizeof(struct genlru_shadow_info), 24);
    EXPECT(offsetof(struct genlru_shadow_info, gens), 8);
    EXPECT(offsetof(struct genlru_shadow_info, refs), 12);
    EXPECT(offsetof(struct genlru_shadow_info, is_foreign), 17);
    EXPECT(sizeof(struct genlru_gen_stat), 32);
    EXPECT(offsetof(struct genlru_gen_stat, charge), 24);
    EXPECT(sizeof(struct genlru_tier_stat), 40);
    EXPECT(offsetof(struct genlru_tier_stat, protected_), 32);
    EXPECT(sizeof(struct genlru_allocator), 24);
    EXPECT(sizeof(struct genlru_policy), 104);
    EXPECT(sizeof(struct genlru_hit_rules), 16);
    EXPECT(sizeof(struct genlru_mapped_rules), 6);
    EXPECT(sizeof(struct genlru_place_rules), 12);
    EXPECT(sizeof(struct genlru_refault_rules), 8);
    EXPECT(sizeof(struct genlru_tier_rules), 24);
    EXPECT(sizeof(struct genlru_probation_rules), 8);
    EXPECT(offsetof(struct genlru_policy, hit), 16);
    EXPECT(offsetof(struct genlru_policy, mapped), 32);
    EXPECT(offsetof(struct genlru_policy, place), 38);
    EXPECT(offsetof(struct genlru_policy, refault), 50);
    EXPECT(offsetof(struct genlru_policy, tiers), 58);
    EXPECT(offsetof(struct genlru_policy, probation), 82);
    EXPECT(offsetof(struct genlru_policy, age_percent), 94);
    EXPECT(offsetof(struct genlru_policy, epoch_percent), 96);
}

/* Structs that begin with their size: what is there stays where it is; more may follow (base/sized.h). */
static void check_sized_structs(void)
{
    EXPECT(offsetof(struct genlru_config, policy), 8);
    EXPECT(offsetof(struct genlru_config, capacity), 16);
    EXPECT(offsetof(struct genlru_config, nr_gens), 24);
    EXPECT(offsetof(struct genlru_config, nr_types), 28);
    EXPECT(offsetof(struct genlru_config, stripes), 32);
    EXPECT(offsetof(struct genlru_config, type_weight), 36);
    EXPECT(offsetof(struct genlru_config, allocator), 40);
    EXPECT(offsetof(struct genlru_config, pool), 48);
    EXPECT(offsetof(struct genlru_config, now_ns), 56);
    EXPECT(offsetof(struct genlru_config, clock_ctx), 64);
    EXPECT(offsetof(struct genlru_config, on_error), 72);
    EXPECT(offsetof(struct genlru_config, error_ctx), 80);
    EXPECT(offsetof(struct genlru_config, nonresident), 88);
    EXPECT(offsetof(struct genlru_config, hash_of), 96);
    EXPECT(offsetof(struct genlru_config, hash_ctx), 104);
    EXPECT(offsetof(struct genlru_stat, nr_gens), 8);
    EXPECT(offsetof(struct genlru_stat, capacity), 24);
    EXPECT(offsetof(struct genlru_stat, min_seq), 40);
    EXPECT(offsetof(struct genlru_stat, nodes), 72);
    EXPECT(offsetof(struct genlru_stat, eviction_clock), 120);
    EXPECT(offsetof(struct genlru_stat, evicted), 128);
    EXPECT(offsetof(struct genlru_stat, refaulted), 184);
    EXPECT(offsetof(struct genlru_stat, metadata_bytes), 232);
    EXPECT(offsetof(struct genlru_stat, tier), 240);
    EXPECT(offsetof(struct genlru_stat, tier_threshold), 880);
    EXPECT(offsetof(struct genlru_workingset, charge_by_age), 8);
    EXPECT(offsetof(struct genlru_workingset, charge_by_tier), 520);
    EXPECT(offsetof(struct genlru_workingset, charge_by_refs), 552);
    EXPECT(offsetof(struct genlru_workingset, workingset_charge), 696);
    EXPECT(offsetof(struct genlru_pool_stat, blocks), 8);
    EXPECT(offsetof(struct genlru_pool_stat, trimmed_bytes), 40);
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
    if (sizeof(void *) == 8) {
        check_fixed_structs();
        check_sized_structs();
    }
    check_against_library();
    if (nr_failed == 0)
        printf("node, word, view and public structs are laid out as promised\n");
    return nr_failed > 0;
}
