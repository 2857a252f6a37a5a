/* SPDX-License-Identifier: MIT */
/*
 * Hits that the owner's code never sees: pages mapped into a process, buffers that a device reads. Something sets
 * an accessed bit; the owner harvests the bits now and then and reports them with genlru_access_batch.
 *
 * Here the "hardware" is an array of bits. Of 1000 pages 200 are used between any two harvests, and 100 once only
 * but are code, dearer to lose. While new pages stream through, both kinds stay and the rest goes.
 */
#include <genlru/genlru.h>

#include <stdio.h>
#include <stdlib.h>

enum { NR_PAGES = 1000, NR_USED = 200, NR_CODE = 100, ROUNDS = 6, STREAM = 480 };

struct page {
    struct genlru_node node;
    int number; /* in `pages`, or -1: one of the stream */
    int is_code;
    int is_resident;
    int is_accessed; /* the bit that hardware would set */
};

static struct page pages[NR_PAGES];
static struct genlru *lru;

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "04_harvest: %s\n", what);
    exit(EXIT_FAILURE);
}

static void add(struct page *page, int number)
{
    struct genlru_add how = {.flags = GENLRU_ADD_MAPPED}; /* a fault brought it in */

    page->number = number;
    check(genlru_node_init(&page->node, 1, 0) == 0 && genlru_add(lru, &page->node, &how) == 0, "add");
    page->is_resident = 1;
}

/* What would walk page tables: collects the bits, clears them and reports them in batches. */
static void harvest(void)
{
    struct genlru_harvest batch[64];
    size_t nr = 0;

    for (int i = 0; i < NR_PAGES; i++) {
        if (pages[i].is_resident && pages[i].is_accessed) {
            batch[nr].node = &pages[i].node;
            batch[nr++].is_dear = (uint32_t)pages[i].is_code;
        }
        pages[i].is_accessed = 0;
        if (nr == 64 || (i == NR_PAGES - 1 && nr)) {
            genlru_access_batch(lru, batch, nr); /* counters are updated once per batch */
            nr = 0;
        }
    }
}

static void shrink(void)
{
    struct genlru_victim victims[64];
    uint64_t excess;

    while ((excess = genlru_excess(lru)) > 0) {
        int nr = genlru_evict(lru, &(struct genlru_budget){.charge = excess}, victims, 64, NULL);

        check(nr > 0, "nothing to evict");
        for (int i = 0; i < nr; i++) {
            struct page *page = GENLRU_ENTRY(victims[i].node, struct page, node);

            page->is_resident = 0;
            if (page->number < 0)
                free(page);
        }
    }
}

static int count(int from, int to)
{
    int nr = 0;

    for (int i = from; i < to; i++)
        nr += pages[i].is_resident;
    return nr;
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    config.capacity = NR_PAGES;
    check(genlru_create(&config, &lru) == 0, "create");
    for (int i = 0; i < NR_PAGES; i++) {
        pages[i].is_code = i >= NR_USED && i < NR_USED + NR_CODE;
        add(&pages[i], i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < NR_USED; i++)
            pages[i].is_accessed = 1; /* used again and again */
        for (int i = NR_USED; i < NR_USED + NR_CODE; i++)
            pages[i].is_accessed = round == 0; /* used once */
        harvest();
        for (int i = 0; i < STREAM / ROUNDS; i++) {
            struct page *page = calloc(1, sizeof(*page));

            check(page != NULL, "calloc");
            add(page, -1);
        }
        shrink();
    }
    int used = count(0, NR_USED), code = count(NR_USED, NR_USED + NR_CODE), rest = count(NR_USED + NR_CODE, NR_PAGES);
    printf("resident after %d new pages: %d of %d used, %d of %d code, %d of %d others\n", STREAM, used, NR_USED, code,
           NR_CODE, rest, NR_PAGES - NR_USED - NR_CODE);
    check(used == NR_USED && code == NR_CODE, "harvested pages were evicted");
    check(rest < NR_PAGES - NR_USED - NR_CODE, "nothing was evicted");

    genlru_set_capacity(lru, 0);
    shrink();
    return genlru_destroy(lru) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
