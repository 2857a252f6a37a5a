/* SPDX-License-Identifier: MIT */
/*
 * Shadows: every field there and back, distance across the clock's wrap, recency by generations and by distance,
 * strangers.
 */
#include "workingset/shadow.h"

#include "lru/create.h"
#include "unit.h"

/* One bit of each field at a time, then all at random: nothing leaks into a neighbour. */
Test(shadow, fields_there_and_back)
{
    uint64_t random = unit_seed();
    unsigned i;

    for (i = 0; i < 1000000; i++) {
        uint64_t bits = i < 62 ? UINT64_C(1) << i : unit_random(&random);
        struct genlru__shadow_fields in = {
            bits & 0x3ffffff, (uint8_t)(bits >> 26), bits >> 34 & 1, bits >> 35 & 15,
            bits >> 39 & 15,  bits >> 43 & 7,        bits >> 46 & 3, bits >> 48 & 0x7fff,
        };
        struct genlru__shadow_fields out;
        genlru_shadow shadow = genlru__shadow_encode(&in);

        /* the drawing in genlru/shadow.h is exactly this layout */
        unit_check(shadow == (UINT64_C(1) << 63 | (bits & (UINT64_MAX >> 1))), "%llx", (unsigned long long)shadow);
        unit_check(genlru__shadow_decode(shadow, &out) && out.clock == in.clock && out.seq == in.seq &&
                       out.workingset == in.workingset && out.refs == in.refs && out.freq == in.freq &&
                       out.epoch == in.epoch && out.type == in.type && out.tag == in.tag,
                   "%llx", (unsigned long long)shadow);
        unit_check(!genlru__shadow_decode(shadow & (UINT64_MAX >> 1), &out), "no shadow");
    }
}

struct life {
    struct unit unit;
    struct genlru_config config;
    struct genlru_policy policy;
    struct genlru *lru;
    struct genlru_node *nodes;
};

static void evict_charge(struct life *l, uint64_t charge)
{
    struct genlru_victim victim;
    struct genlru_node node;

    while (charge) {
        uint64_t part = charge < UINT32_MAX ? charge : UINT32_MAX;

        cr_assert(genlru_node_init(&node, part, 0) == 0);
        cr_assert(unit_add(l->lru, &node, GENLRU_ADD_COLD) == 0);
        cr_assert(genlru_evict(l->lru, NULL, &victim, 1, NULL) == 1 && victim.node == &node);
        charge -= part;
    }
}

static struct genlru_shadow_info info_of(const struct genlru *lru, genlru_shadow shadow)
{
    struct genlru_shadow_info info;

    memset(&info, 0xee, sizeof(info));
    cr_assert(genlru_shadow_read(lru, shadow, &info) == 0);
    return info;
}

Test(shadow, read_refuses)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_shadow_info info;

    cr_assert(genlru_shadow_read(lru, 0, &info) == -EINVAL);
    cr_assert(genlru_shadow_read(lru, 12345, &info) == -EINVAL);
    cr_assert(genlru_shadow_read(NULL, UINT64_MAX, &info) == -EINVAL);
    cr_assert(genlru_shadow_read(lru, UINT64_MAX, NULL) == -EINVAL);
    unit_end(&unit, lru, NULL, 0);
}

Test(shadow, what_a_victim_leaves)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct genlru_node *nodes = unit_nodes(8);
    struct genlru_victim victims[8];
    struct genlru *lru, *other;
    unsigned i, k;

    policy.hit.freq_max = 15;
    config.policy = &policy;
    config.capacity = 1000; /* a clock of single steps */
    config.nr_types = 4;
    lru = unit_create(&config);
    other = unit_create(&config);
    for (i = 0; i < 8; i++) {
        cr_assert(genlru_node_init(&nodes[i], 1, i % 4) == 0);
        cr_assert(unit_add(lru, &nodes[i], GENLRU_ADD_PREFETCHED) == 0);
        for (k = 0; k < i; k++)
            genlru_access(lru, &nodes[i]);
    }
    cr_assert(genlru_evict(lru, NULL, victims, 8, NULL) == 8);
    for (i = 0; i < 8; i++) {
        struct genlru_shadow_info info = info_of(lru, victims[i].shadow);
        unsigned nr = (unsigned)(victims[i].node - nodes);

        cr_assert(info.refs == genlru_node_refs(victims[i].node) && info.type == nr % 4);
        cr_assert(info.freq == nr, "freq %u of node %u", info.freq, nr);
        cr_assert(info.workingset == (info.refs >= 2), "used more than once");
        cr_assert(!info.is_foreign && info.is_recent == (info.gens < 4));
        cr_assert(info.distance == 8 - i, "%llu", (unsigned long long)info.distance);
        info = info_of(other, victims[i].shadow);
        cr_assert(info.is_foreign && !info.is_recent);
    }
    cr_assert(genlru_destroy(other) == 0);
    unit_end(&unit, lru, nodes, 8);
}

/* Recent: fewer than `gens` generations ago (0 = nr_gens), across all wraps of seq. */
Test(shadow, recency_by_generations)
{
    static const uint64_t starts[] = {3, 250, 255, 256, 65530, 65535, UINT64_C(0xffffffff)};
    unsigned s, gens;

    for (s = 0; s < sizeof(starts) / sizeof(starts[0]); s++)
        for (gens = 0; gens <= 6; gens += 3) {
            struct unit unit;
            struct genlru_config config = unit_config(&unit);
            struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
            struct genlru__start start = {starts[s], 0, 0};
            struct genlru_node *node = unit_nodes(1);
            struct genlru_victim victim;
            struct genlru *lru;
            uint64_t seq, since;
            unsigned i;

            policy.refault.gens = (uint8_t)gens;
            config.policy = &policy;
            cr_assert(genlru__create_at(&config, &start, &lru) == 0);
            cr_assert(genlru_add(lru, node, NULL) == 0);
            seq = unit_stat(lru).min_seq[0];
            cr_assert(genlru_evict(lru, NULL, &victim, 1, NULL) == 1);
            for (i = 0; i < 20; i++) {
                struct genlru_shadow_info info = info_of(lru, victim.shadow);

                since = unit_stat(lru).max_seq - seq;
                cr_assert(info.gens == since, "%u, expected %llu", info.gens, (unsigned long long)since);
                cr_assert(info.is_recent == (since < (gens ? gens : 4)), "after %llu", (unsigned long long)since);
                cr_assert(genlru_age(lru, 0) == 0);
            }
            unit_end(&unit, lru, node, 1);
        }
}

/* Distance: in steps of the capacity / 2^16, right across the wraps of the clock, up to 1024 capacities. */
Test(shadow, distance)
{
    static const uint64_t capacities[] = {0, 1, 1000, 65536, 131072, 1000000, UINT64_C(1) << 40, GENLRU_NO_LIMIT};
    unsigned c, k;

    for (c = 0; c < sizeof(capacities) / sizeof(capacities[0]); c++)
        for (k = 0; k < 3; k++) {
            static const uint64_t near[] = {0, 5, 1000};
            struct life l = {.policy = GENLRU_POLICY_MGLRU_FG};
            struct genlru__start start = {0, 0, 0};
            uint64_t capacity = capacities[c], step = 1, away = 0, part;
            struct genlru_victim victim;
            unsigned i;

            if (capacity != GENLRU_NO_LIMIT) /* at least 1, at most the 2^16th part, a power of two */
                while (step * 2 <= capacity >> 16)
                    step *= 2;
            else
                step = 256;
            l.config = unit_config(&l.unit);
            l.config.capacity = capacity;
            l.config.policy = &l.policy;
            start.eviction_clock = (step << 26) * k * 5 - near[k] * step / 2; /* before and behind wraps */
            cr_assert(genlru__create_at(&l.config, &start, &l.lru) == 0);
            l.nodes = unit_nodes(1);
            cr_assert(genlru_add(l.lru, l.nodes, NULL) == 0);
            cr_assert(genlru_evict(l.lru, NULL, &victim, 1, NULL) == 1);
            away = 1;
            for (i = 0; i < 12; i++) {
                uint64_t told = info_of(l.lru, victim.shadow).distance;

                cr_assert(told + step > away && told < away + step, "%llu away, told %llu, step %llu",
                          (unsigned long long)away, (unsigned long long)told, (unsigned long long)step);
                part = (i + 1) * 37 * step + i;
                evict_charge(&l, part);
                away += part;
            }
            unit_end(&l.unit, l.lru, l.nodes, 1);
        }
}

/* A policy that also calls a shadow recent by distance. */
Test(shadow, recency_by_distance)
{
    struct life l = {.policy = GENLRU_POLICY_MGLRU_FG};
    struct genlru_victim victim;
    unsigned i;

    l.policy.refault.gens = 1; /* never, by generations */
    l.policy.refault.distance_percent = 50;
    l.config = unit_config(&l.unit);
    l.config.capacity = 1000;
    l.config.policy = &l.policy;
    l.lru = unit_create(&l.config);
    l.nodes = unit_nodes(1);
    cr_assert(genlru_add(l.lru, l.nodes, NULL) == 0);
    cr_assert(genlru_evict(l.lru, NULL, &victim, 1, NULL) == 1);
    for (i = 1; i < 1000; i++) {
        struct genlru_shadow_info info = info_of(l.lru, victim.shadow);

        cr_assert(info.distance == i && info.is_recent == (i < 500), "%u away", i);
        evict_charge(&l, 1);
    }
    unit_end(&l.unit, l.lru, l.nodes, 1);
}

/* freq comes back aged by the epochs that passed meanwhile. */
Test(shadow, judge_ages_freq)
{
    struct life l = {.policy = GENLRU_POLICY_MGLRU_FG};
    struct genlru__shadow_fields fields = {0, 0, true, 5, 13, 0, 0, 0};
    unsigned behind;

    l.config = unit_config(&l.unit);
    l.config.policy = &l.policy;
    for (behind = 0; behind < 8; behind++) {
        struct genlru__start start = {0, 0, 0x100 + behind};
        struct genlru__past past;

        cr_assert(genlru__create_at(&l.config, &start, &l.lru) == 0);
        fields.tag = l.lru->tag;
        past = genlru__refault_judge(l.lru, genlru__shadow_encode(&fields));
        cr_assert(past.is_recent && past.refs == 5 && past.workingset);
        cr_assert(past.freq == 13u >> behind, "%u epochs: %u", behind, past.freq);
        past = genlru__refault_judge(l.lru, 0);
        cr_assert(!past.is_recent && !past.refs);
        cr_assert(genlru_destroy(l.lru) == 0);
    }
}
