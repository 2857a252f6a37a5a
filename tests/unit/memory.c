/* SPDX-License-Identifier: MIT */
/* The default allocator and clock, and when an owner's is used instead. */
#include "base/memory.h"

#include "unit.h"

Test(memory, default_allocator)
{
    struct genlru_allocator a = genlru__allocator_or_default(NULL);
    size_t align;

    for (align = 1; align <= 2u << 20; align *= 2) {
        unsigned char *memory = a.alloc(a.ctx, 1000, align);

        cr_assert(memory && (uintptr_t)memory % align == 0);
        memset(memory, 1, 1000);
        a.free(a.ctx, memory, 1000, align);
    }
}

Test(memory, owners_allocator)
{
    struct unit unit;
    struct genlru_allocator a, empty = {NULL, NULL, NULL};

    (void)unit_config(&unit);
    a = genlru__allocator_or_default(&unit.heap);
    cr_assert(a.alloc == unit_alloc && a.free == unit_free && a.ctx == &unit);
    a = genlru__allocator_or_default(&empty);
    cr_assert(a.alloc && a.free, "none given: the C library's");
}

/* All that an lru and its pool allocate comes from the owner, with matching sizes at free (unit_free checks). */
Test(memory, everything_comes_from_the_owner)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    struct genlru_node *nodes = unit_nodes(10000);
    uint64_t bytes = unit.bytes;

    cr_assert(bytes > 1000 && unit.nr_allocs == 2, "itself and its pool");
    unit_add_all(lru, nodes, 10000, 0);
    cr_assert(unit.bytes - bytes >= 10000 / 60 * GENLRU__BLOCK_BYTES);
    cr_assert(unit.bytes - bytes <= 10000 / 60 * GENLRU__BLOCK_BYTES * 5 / 4 + 8192);
    unit_end(&unit, lru, nodes, 10000);
}

Test(memory, clock_never_goes_back)
{
    uint64_t last = genlru__monotonic_ns(NULL), now;
    unsigned i;

    for (i = 0; i < 10000; i++, last = now) {
        now = genlru__monotonic_ns(NULL);
        unit_check(now >= last, "%llu after %llu", (unsigned long long)now, (unsigned long long)last);
    }
}
