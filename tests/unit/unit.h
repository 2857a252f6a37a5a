/* SPDX-License-Identifier: MIT */
/*
 * What the unit tests share: an lru with an injected clock, allocator and error hook that remember what they were
 * asked, arrays of nodes, and the checks that end a test.
 */
#ifndef GENLRU_TESTS_UNIT_H
#define GENLRU_TESTS_UNIT_H

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gens/lru.h"
#include "genlru/genlru.h"
#include "genlru/stat.h"

/* Clock, hook and heap behind an lru. */
struct unit {
    uint64_t now; /* what the clock says; `tick` is added by each look */
    uint64_t tick;
    unsigned nr_errors;
    enum genlru_error error; /* the last one */
    const struct genlru_node *error_node;
    struct genlru_allocator heap; /* for config.allocator */
    uint64_t nr_allocs;
    uint64_t fail_from; /* allocations fail from this one on (1 = the first) ... */
    uint64_t fail_nr;   /* ... this many of them */
    uint64_t bytes;     /* allocated and not freed */
};

static inline uint64_t unit_now(void *ctx)
{
    struct unit *unit = ctx;

    unit->now += unit->tick;
    return unit->now;
}

static inline void unit_on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    struct unit *unit = ctx;

    cr_assert(what && what[0]);
    unit->nr_errors++;
    unit->error = error;
    unit->error_node = node;
}

static inline void *unit_alloc(void *ctx, size_t size, size_t align)
{
    struct unit *unit = ctx;
    void *memory;

    unit->nr_allocs++;
    if (unit->fail_nr && unit->nr_allocs >= unit->fail_from && unit->nr_allocs - unit->fail_from < unit->fail_nr)
        return NULL;
    cr_assert(align && (align & (align - 1)) == 0 && align <= 2u << 20);
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0)
        return NULL;
    memset(memory, 0xa5, size); /* who relies on zeros finds none */
    unit->bytes += size;
    return memory;
}

static inline void unit_free(void *ctx, void *memory, size_t size, size_t align)
{
    struct unit *unit = ctx;

    (void)align;
    cr_assert(unit->bytes >= size);
    unit->bytes -= size;
    free(memory);
}

/* From now on the n-th allocation and all after it fail. */
static inline void unit_fail_from(struct unit *unit, uint64_t n)
{
    unit->fail_from = unit->nr_allocs + n;
    unit->fail_nr = UINT64_MAX;
}

/* A config of one stripe that reports to `unit`, its heap included. Deterministic. */
static inline struct genlru_config unit_config(struct unit *unit)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    memset(unit, 0, sizeof(*unit));
    unit->heap.alloc = unit_alloc;
    unit->heap.free = unit_free;
    unit->heap.ctx = unit;
    config.stripes = 1;
    config.allocator = &unit->heap;
    config.now_ns = unit_now;
    config.clock_ctx = unit;
    config.on_error = unit_on_error;
    config.error_ctx = unit;
    return config;
}

static inline struct genlru *unit_create(const struct genlru_config *config)
{
    struct genlru *lru = NULL;

    cr_assert(genlru_create(config, &lru) == 0 && lru);
    return lru;
}

static inline void unit_verify(struct genlru *lru)
{
    char text[200];
    int broken = genlru_verify(lru, text, sizeof(text));

    cr_assert(broken == 0, "invariant %d: %s", broken, text);
}

/* Prepared nodes, charge 1, type 0; the caller frees them. */
static inline struct genlru_node *unit_nodes(size_t nr)
{
    struct genlru_node *nodes = aligned_alloc(16, nr * sizeof(*nodes));
    size_t i;

    cr_assert(nodes);
    for (i = 0; i < nr; i++)
        cr_assert(genlru_node_init(&nodes[i], 1, 0) == 0);
    return nodes;
}

static inline int unit_add(struct genlru *lru, struct genlru_node *node, unsigned flags)
{
    struct genlru_add how = {.flags = flags};

    return genlru_add(lru, node, &how);
}

static inline void unit_add_all(struct genlru *lru, struct genlru_node *nodes, size_t nr, unsigned flags)
{
    size_t i;

    for (i = 0; i < nr; i++)
        cr_assert(unit_add(lru, &nodes[i], flags) == 0);
}

static inline uint32_t unit_word(const struct genlru_node *node)
{
    return genlru_impl_word(genlru_impl_load_relaxed(&node->state.do_not_touch));
}

/* Age of a listed node's generation. */
static inline unsigned unit_age_of(const struct genlru *lru, const struct genlru_node *node)
{
    uint32_t word = unit_word(node);

    return genlru_impl_age(lru->view.window, genlru_impl_type(word), genlru_impl_gen(word));
}

/* Ends every node as its state asks. */
static inline void unit_del_all(struct genlru *lru, struct genlru_node *nodes, size_t nr)
{
    size_t i;

    for (i = 0; i < nr; i++) {
        if (genlru_node_is_pinned(&nodes[i]))
            (void)!genlru_unpin(lru, &nodes[i]);
        if (genlru_node_is_listed(&nodes[i]))
            cr_assert(genlru_del(lru, &nodes[i]) == GENLRU_YOURS);
    }
}

/* The end of a test: verify, no nodes, destroy, nothing leaked. `nodes` are freed. */
static inline void unit_end(struct unit *unit, struct genlru *lru, struct genlru_node *nodes, size_t nr)
{
    unit_verify(lru);
    unit_del_all(lru, nodes, nr);
    unit_verify(lru);
    cr_assert(genlru_charge(lru) == 0);
    cr_assert(genlru_destroy(lru) == 0);
    if (unit)
        cr_assert(unit->bytes == 0, "%llu bytes leaked", (unsigned long long)unit->bytes);
    free(nodes);
}

static inline struct genlru_stat unit_stat(const struct genlru *lru)
{
    struct genlru_stat stat = {.size = sizeof(stat)};

    cr_assert(genlru_stat(lru, &stat) == 0);
    return stat;
}

/* A small generator for random tests; its seed is printed. */
static inline uint64_t unit_seed(void)
{
    const char *text = getenv("GENLRU_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 20240607;

    fprintf(stderr, "seed %llu (GENLRU_SEED chooses another)\n", (unsigned long long)seed);
    return seed;
}

static inline uint64_t unit_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A hot check: cr_assert is too slow for loops of 10^8 steps. */
#define unit_check(condition, ...)       \
    do {                                 \
        if (!(condition))                \
            cr_assert_fail(__VA_ARGS__); \
    } while (0)

#endif
