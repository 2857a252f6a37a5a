/* SPDX-License-Identifier: MIT */
/*
 * What the cases share. A case is a kind of failure that users of cache libraries have reported, by its number in the list
 * that docs/cases.md keeps; its program is named after it and covers the kind, not the one report.
 */
#ifndef GENLRU_TESTS_CASES_H
#define GENLRU_TESTS_CASES_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../stress/stress.h"
#include "genlru/genlru.h"

static const struct genlru_policy *const case_policies[] = {&GENLRU_POLICY_MGLRU_OLD, &GENLRU_POLICY_MGLRU,
                                                            &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_DEFAULT};
enum { CASE_NR_POLICIES = sizeof(case_policies) / sizeof(case_policies[0]) };

/* A clock that stands still unless it is told to go on. */
static inline uint64_t case_clock(void *ctx)
{
    return ctx ? *(uint64_t *)ctx : 1;
}

/* Whatever the hook is told ends the test. */
static inline void case_no_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)error;
    (void)node;
    stress_fail(__FILE__, __LINE__, "error hook: %s", what);
}

static inline struct genlru *case_create(const struct genlru_config *config)
{
    struct genlru_config full = *config;
    struct genlru *lru = NULL;

    if (!full.on_error)
        full.on_error = case_no_error;
    STRESS_CHECK(genlru_create(&full, &lru) == 0, "create");
    return lru;
}

static inline struct genlru *case_create_of(const struct genlru_policy *policy, uint64_t capacity, unsigned stripes)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    config.policy = policy;
    config.capacity = capacity;
    config.stripes = stripes;
    config.now_ns = case_clock;
    return case_create(&config);
}

static inline struct genlru_node *case_nodes(size_t nr, uint64_t charge)
{
    struct genlru_node *nodes = aligned_alloc(16, nr * sizeof(*nodes));
    size_t i;

    STRESS_CHECK(nodes, "no memory");
    for (i = 0; i < nr; i++)
        STRESS_CHECK(genlru_node_init(&nodes[i], charge, 0) == 0, "init");
    return nodes;
}

static inline void case_add(struct genlru *lru, struct genlru_node *node, unsigned flags)
{
    struct genlru_add how = {.flags = flags};

    STRESS_CHECK(genlru_add(lru, node, &how) == 0, "add");
}

static inline struct genlru_stat case_stat(const struct genlru *lru)
{
    struct genlru_stat stat = {.size = sizeof(stat)};

    STRESS_CHECK(genlru_stat(lru, &stat) == 0, "stat");
    return stat;
}

/* Evicts what is left, and destroys. Returns how many there were. */
static inline uint64_t case_end(struct genlru *lru)
{
    struct genlru_victim victims[64];
    uint64_t nr_all = 0;
    int nr;

    stress_verify(lru);
    while ((nr = genlru_evict(lru, NULL, victims, 64, NULL)) > 0)
        nr_all += (uint64_t)nr;
    STRESS_CHECK(genlru_charge(lru) == 0, "charge is left on an empty lru");
    STRESS_CHECK(genlru_destroy(lru) == 0, "destroy");
    return nr_all;
}

#endif
