/* SPDX-License-Identifier: MIT */
/*
 * A table that grows while somebody, who is in no read section, still has the array before: it is there, with what it held, until the
 * table's end; and then nothing is left.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "cache_test.h"
#include "rcu.h"

enum { NR_GROWTHS = 8, FIRST = 4 };

struct counts {
    unsigned nr_got;
    unsigned nr_put;
};

static void *get(void *ctx, size_t size, size_t align)
{
    struct counts *counts = ctx;

    (void)align;
    counts->nr_got++;
    return malloc(size);
}

static void put(void *ctx, void *address, size_t size, size_t align)
{
    struct counts *counts = ctx;

    (void)align;
    counts->nr_put++;
    memset(address, 0xdd, size);
    free(address);
}

int main(int argc, char **argv)
{
    static int things[FIRST << NR_GROWTHS];
    struct counts counts = {0, 0};
    const struct genlru_allocator allocator = {get, put, &counts};
    struct genlru__memory memory;
    struct genlru__table table;
    void **seen[NR_GROWTHS + 1], **prepared;
    unsigned i, k, size = FIRST;

    (void)stress_begin(argc, argv);
    genlru_cache_register_thread();
    genlru__memory_init(&memory, &allocator);
    STRESS_CHECK(genlru__table_init(&table, &memory, size) == 0, "init");
    for (i = 0; i <= NR_GROWTHS; i++) {
        for (k = i ? size / 2 : 0; k < size; k++)
            table.at[k] = &things[k];
        seen[i] = table.at;
        if (i == NR_GROWTHS)
            break;
        prepared = genlru__table_prepare(&memory, 2 * size);
        STRESS_CHECK(prepared, "no memory");
        genlru__table_replace(&table, prepared, 2 * size);
        size *= 2;
    }
    genlru__rcu_barrier(); /* what waits for a grace period has waited for it */
    STRESS_CHECK(counts.nr_put == 0, "%u arrays are gone", counts.nr_put);
    for (i = 0; i <= NR_GROWTHS; i++)
        for (k = 0; k < (unsigned)FIRST << i; k++)
            STRESS_CHECK(seen[i][k] == &things[k], "array %u, place %u", i, k);
    prepared = genlru__table_prepare(&memory, size);
    STRESS_CHECK(prepared, "no memory");
    genlru__table_replace(&table, prepared, size); /* somebody else was faster: nobody sees this one */
    STRESS_CHECK(table.at == seen[NR_GROWTHS], "replaced by one that is no larger");
    genlru__rcu_barrier();
    STRESS_CHECK(counts.nr_put == 1, "%u put back", counts.nr_put);
    genlru__table_fini(&table);
    STRESS_CHECK(counts.nr_put == counts.nr_got && memory.bytes == 0, "%u of %u put back", counts.nr_put,
                 counts.nr_got);
    genlru_cache_unregister_thread();
    return 0;
}
