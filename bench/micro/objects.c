/* SPDX-License-Identifier: MIT */
/* Objects and orders: see objects.h. */
#include "micro/objects.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "gen/random.h"

#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

void *objects_map(size_t bytes)
{
    size_t size = round_up(bytes) + HUGE_PAGE;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t head;

    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* Only what begins at a multiple of 2 MiB can be a huge page. */
    head = round_up((size_t)(uintptr_t)memory) - (size_t)(uintptr_t)memory;
    if (head) {
        munmap(memory, head);
    }
    if (HUGE_PAGE - head) {
        munmap(memory + head + round_up(bytes), HUGE_PAGE - head);
    }
    (void)madvise(memory + head, round_up(bytes), MADV_HUGEPAGE);
    return memory + head;
}

void objects_unmap(void *memory, size_t bytes)
{
    if (memory) {
        munmap(memory, round_up(bytes));
    }
}

struct object *objects_get(size_t nr)
{
    static struct object *objects;
    static size_t have;

    if (!objects) { /* address space for all there may ever be, so that they keep their places */
        objects = objects_map(OBJECTS_MAX * sizeof(*objects));
    }
    if (!objects || nr > OBJECTS_MAX) {
        return NULL;
    }
    for (; have < nr; have++) { /* and none of what is measured is the first to touch a page */
        objects[have].key = have;
    }
    return objects;
}

uint32_t *objects_order(size_t nr, uint64_t seed)
{
    uint32_t *order = malloc((nr ? nr : 1) * sizeof(*order));
    struct random random = {seed};

    for (size_t i = 0; order && i < nr; i++) { /* inside-out Fisher-Yates */
        size_t k = (size_t)random_below(&random, i + 1);

        order[i] = order[k];
        order[k] = (uint32_t)i;
    }
    return order;
}
