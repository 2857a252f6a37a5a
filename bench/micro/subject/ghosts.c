/* SPDX-License-Identifier: MIT */
/* Evicted keys: see ghosts.h. */
#include "micro/subject/ghosts.h"

#include <errno.h>
#include <string.h>

#include "micro/objects.h"

enum { HEADS = 2 };

static size_t nr_buckets(const struct ghosts *g)
{
    return (size_t)1 << (64 - g->shift);
}

int ghosts_init(struct ghosts *g, size_t capacity)
{
    *g = (struct ghosts){.capacity = capacity, .shift = 63};
    while (g->shift > 32 && nr_buckets(g) < capacity) {
        g->shift--;
    }
    g->pool = objects_map((capacity + HEADS) * sizeof(*g->pool));
    g->bucket = objects_map(nr_buckets(g) * sizeof(*g->bucket));
    if (!g->pool || !g->bucket) {
        ghosts_fini(g);
        return -ENOMEM;
    }
    /* touched now, or the first operations measured would pay for the kernel's pages */
    memset(g->bucket, 0, nr_buckets(g) * sizeof(*g->bucket));
    for (uint32_t i = 0; i < HEADS; i++) {
        g->pool[i].prev = g->pool[i].next = i;
    }
    for (uint32_t i = 0; i < capacity; i++) {
        g->pool[HEADS + i].chain = i + 1 < capacity ? HEADS + i + 1 : 0;
    }
    g->free = capacity ? HEADS : 0;
    return 0;
}

void ghosts_fini(struct ghosts *g)
{
    objects_unmap(g->pool, (g->capacity + HEADS) * sizeof(*g->pool));
    objects_unmap(g->bucket, nr_buckets(g) * sizeof(*g->bucket));
    g->pool = NULL;
    g->bucket = NULL;
}

enum ghost_list ghosts_find(const struct ghosts *g, uint64_t key)
{
    uint32_t i = *ghosts_bucket(g, key);

    while (i && g->pool[i].key != key) {
        i = g->pool[i].chain;
    }
    return i ? (enum ghost_list)g->pool[i].list : GHOSTS_NONE;
}

void ghosts_take(struct ghosts *g, uint64_t key)
{
    uint32_t *to = ghosts_bucket(g, key);
    struct ghost *ghost;
    uint32_t i;

    while (g->pool[*to].key != key) {
        to = &g->pool[*to].chain;
    }
    i = *to;
    ghost = &g->pool[i];
    *to = ghost->chain;
    g->pool[ghost->prev].next = ghost->next;
    g->pool[ghost->next].prev = ghost->prev;
    g->nr[ghost->list]--;
    ghost->chain = g->free;
    g->free = i;
}

void ghosts_drop(struct ghosts *g, enum ghost_list list)
{
    ghosts_take(g, g->pool[g->pool[list].prev].key);
}

void ghosts_put(struct ghosts *g, uint64_t key, enum ghost_list list)
{
    uint32_t *bucket = ghosts_bucket(g, key);
    struct ghost *ghost;
    uint32_t i;

    if (!g->capacity) {
        return;
    }
    if (!g->free) {
        ghosts_drop(g, g->nr[GHOSTS_B1] > g->nr[GHOSTS_B2] ? GHOSTS_B1 : GHOSTS_B2);
    }
    i = g->free;
    ghost = &g->pool[i];
    g->free = ghost->chain;
    *ghost = (struct ghost){.key = key, .prev = list, .next = g->pool[list].next, .chain = *bucket, .list = list};
    *bucket = i;
    g->pool[ghost->next].prev = i;
    g->pool[list].next = i;
    g->nr[list]++;
}
