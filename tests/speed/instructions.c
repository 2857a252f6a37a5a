/* SPDX-License-Identifier: MIT */
/*
 * How many instructions an operation takes: runs each OPERATIONS times between callgrind's marks, which do nothing
 * outside of it. check_instructions runs this under valgrind and compares with instructions.tsv. One thread, one
 * stripe, always the same calls: counts differ between compilers, not between runs or machines.
 *
 * Whether an operation did what its name says is looked up afterwards, so that a count is never one of nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include <valgrind/callgrind.h>

#include <genlru/genlru.h>

enum { NODES = 12000, OPERATIONS = 6000, BATCH = 64 };

static struct genlru_node nodes[NODES];
static struct genlru *lru;

static void fail(const char *operation, const char *why)
{
    fprintf(stderr, "instructions: %s: %s\n", operation, why);
    exit(EXIT_FAILURE);
}

static void begin(void)
{
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
}

static void end(const char *operation)
{
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(operation);
}

static uint32_t word_of(const struct genlru_node *node)
{
    return (uint32_t)node->state.do_not_touch;
}

static void access_all(unsigned times)
{
    for (unsigned i = 0; i < OPERATIONS; i++) {
        for (unsigned k = 0; k < times; k++) {
            genlru_access(lru, &nodes[i]);
        }
    }
}

static void measure_access(const char *operation)
{
    begin();
    access_all(1);
    end(operation);
}

static void measure_add(void)
{
    begin();
    for (unsigned i = 0; i < OPERATIONS; i++) {
        (void)genlru_add(lru, &nodes[i], NULL);
    }
    end("add");
    for (unsigned i = 0; i < OPERATIONS; i++) {
        if (!genlru_node_is_listed(&nodes[i])) {
            fail("add", "a node is not listed");
        }
    }
}

static void measure_hits(void)
{
    uint32_t before = word_of(&nodes[0]);

    measure_access("access rising");
    if (genlru_impl_gen(word_of(&nodes[0])) != genlru_impl_gen(before) ||
        genlru_impl_refs(word_of(&nodes[0])) != genlru_impl_refs(before) + 1) {
        fail("access rising", "it did not count, or it promoted");
    }
    while (genlru_impl_refs(word_of(&nodes[0])) + 1 < GENLRU_POLICY_DEFAULT.hit.defer_refs) {
        access_all(1);
    }
    measure_access("access promoting");
    if (genlru_impl_gen(word_of(&nodes[0])) == genlru_impl_gen(before)) {
        fail("access promoting", "the generation is what it was");
    }
    access_all(40);
    before = word_of(&nodes[0]);
    measure_access("access saturated");
    if (word_of(&nodes[0]) != before) {
        fail("access saturated", "it changed the word");
    }
}

static void measure_del(void)
{
    unsigned nr = 0;

    begin();
    for (unsigned i = 0; i < OPERATIONS; i++) {
        nr += genlru_del(lru, &nodes[i]) == GENLRU_YOURS;
    }
    end("del");
    if (nr != OPERATIONS) {
        fail("del", "not all are ours");
    }
}

static void add_anew(void)
{
    for (unsigned i = 0; i < NODES; i++) {
        (void)genlru_node_init(&nodes[i], 1, 0);
        if (genlru_add(lru, &nodes[i], NULL) != 0) {
            fail("evict", "no memory");
        }
    }
}

static void measure_evict(void)
{
    struct genlru_victim victims[BATCH];
    unsigned nr = 0;

    begin();
    for (unsigned i = 0; i < OPERATIONS / BATCH; i++) {
        nr += (unsigned)genlru_evict(lru, NULL, victims, BATCH, NULL);
    }
    end("evict");
    if (nr != OPERATIONS / BATCH * BATCH) {
        fail("evict", "not a full batch each time");
    }
}

/* Steady state: what is evicted comes back. */
static void measure_pair(void)
{
    struct genlru_victim victims[BATCH];

    begin();
    for (unsigned i = 0; i < OPERATIONS / BATCH; i++) {
        int nr = genlru_evict(lru, NULL, victims, BATCH, NULL);

        for (int k = 0; k < nr; k++) {
            (void)genlru_node_init(victims[k].node, 1, 0);
            (void)genlru_add(lru, victims[k].node, NULL);
        }
    }
    end("insert and evict");
}

static void empty(void)
{
    struct genlru_victim victims[BATCH];

    while (genlru_evict(lru, NULL, victims, BATCH, NULL) > 0) {
    }
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    config.capacity = NODES;
    config.stripes = 1;
    if (genlru_create(&config, &lru) != 0) {
        fail("create", "no memory");
    }
    for (unsigned i = 0; i < NODES; i++) {
        (void)genlru_node_init(&nodes[i], 1, 0);
    }
    measure_add();
    measure_hits();
    measure_del();
    add_anew();
    measure_evict();
    measure_pair();
    empty();
    return genlru_destroy(lru) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
