/* SPDX-License-Identifier: MIT */
/*
 * Case 9: all threads hit one entry, and each hit stores something.
 *
 * Once a node is saturated a hit stores nothing. Shown without a clock: node and lru lie on pages that are then made read-only,
 * and threads hit the node millions of times; a store anywhere in them would end the program. Every preset, every way to hit:
 * inline, as a call, harvested; a pinned node, one that is isolated, one that accesses do not count for. (What hits cost, and
 * how that grows with threads, is the business of the benchmarks.)
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"

enum { NR_THREADS = 4, HITS = 1000000 };

struct world {
    struct genlru *lru;
    struct genlru_node *node;
    unsigned hits;
};

static size_t page;
static char *lru_pages; /* what the allocator gave for the lru: whole pages */
static size_t lru_bytes;

/* The first allocation is the lru itself. */
static void *allocate(void *ctx, size_t size, size_t align)
{
    char *memory;

    (void)ctx;
    size = (size + page - 1) / page * page;
    memory = aligned_alloc(align > page ? align : page, size);
    if (!lru_pages) {
        lru_pages = memory;
        lru_bytes = size;
    }
    return memory;
}

static void deallocate(void *ctx, void *memory, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    free(memory);
}

static void hit(void *ctx, unsigned thread)
{
    struct world *world = ctx;
    unsigned i;

    for (i = 0; i < world->hits; i++) {
        if (thread % 2)
            genlru_access_call(world->lru, world->node);
        else
            genlru_access(world->lru, world->node);
    }
}

enum state { LISTED, PINNED, ISOLATED, NOREUSE, NR_STATES };

static void run(const struct stress_options *options, const struct genlru_policy *policy, enum state state)
{
    struct genlru_allocator allocator = {allocate, deallocate, NULL};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct world world = {NULL, NULL, stress_scaled(options, HITS)};
    struct genlru_victim victim;
    struct genlru_node before;
    unsigned i;

    stress_context("%s, state %d", policy->name, (int)state);
    lru_pages = NULL;
    config.policy = policy;
    config.capacity = 100;
    config.stripes = 1;
    config.allocator = &allocator;
    world.lru = case_create(&config);
    STRESS_CHECK((char *)world.lru == lru_pages, "the first allocation is not the lru");
    world.node = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    STRESS_CHECK(world.node != MAP_FAILED && genlru_node_init(world.node, 1, 0) == 0, "node");
    case_add(world.lru, world.node, state == PINNED ? GENLRU_ADD_PINNED : state == NOREUSE ? GENLRU_ADD_NOREUSE : 0);
    if (state == ISOLATED)
        STRESS_CHECK(genlru_evict(world.lru, NULL, &victim, 1, NULL) == 1, "evict");
    for (i = 0; i < 1000; i++) /* to the youngest generation, and up to the last count */
        genlru_access(world.lru, world.node);
    before = *world.node;
    STRESS_CHECK(mprotect(world.node, page, PROT_READ) == 0 && mprotect(lru_pages, lru_bytes, PROT_READ) == 0,
                 "mprotect");
    stress_run(NR_THREADS, hit, &world);
    STRESS_CHECK(mprotect(world.node, page, PROT_READ | PROT_WRITE) == 0 &&
                     mprotect(lru_pages, lru_bytes, PROT_READ | PROT_WRITE) == 0,
                 "mprotect");
    STRESS_CHECK(memcmp(&before, world.node, sizeof(before)) == 0, "the node changed");
    if (state == PINNED)
        STRESS_CHECK(genlru_unpin(world.lru, world.node) == 0, "unpin");
    (void)case_end(world.lru);
    munmap(world.node, page);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned i;
    int state;

    page = (size_t)sysconf(_SC_PAGESIZE);
    for (i = 0; i < CASE_NR_POLICIES; i++)
        for (state = 0; state < NR_STATES; state++)
            run(&options, case_policies[i], (enum state)state);
    return 0;
}
