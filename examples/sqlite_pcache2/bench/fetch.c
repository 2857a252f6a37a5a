/* SPDX-License-Identifier: MIT */
/*
 * xFetch of pages that are there, and xUnpin, without SQLite around them: batches of different pages, in random order,
 * fetched and then unpinned; the median batch, since a mean on a shared machine is that of its disturbances. A small cache, which fits the processor's first levels, and one of 80 MiB.
 */
#include "bench.h"

#include <stdlib.h>

enum { BATCH = 64, PAGE_BYTES = 4096, EXTRA_BYTES = 136 };

static void measure(const struct options *options, uint32_t nr_pages, const char *const names[2],
                    struct metrics *metrics)
{
    uint32_t nr_batches = 20000 * options->scale;
    sqlite3_pcache_page *pages[BATCH];
    double *fetch_ns = malloc(2 * nr_batches * sizeof(double)), *unpin_ns = fetch_ns + nr_batches;
    uint64_t random = 1;
    const sqlite3_pcache_methods2 m = *subject_methods();
    sqlite3_pcache *cache;

    cache = m.xCreate(PAGE_BYTES, EXTRA_BYTES, 1);
    if (!cache || !fetch_ns)
        bench_die("fetch", "no memory");
    m.xCachesize(cache, (int)(nr_pages + nr_pages / 4));
    for (uint32_t key = 1; key <= nr_pages; key++) {
        pages[0] = m.xFetch(cache, key, 2);
        if (!pages[0])
            bench_die("fetch", "no memory");
        m.xUnpin(cache, pages[0], 0);
    }
    for (uint32_t i = 0; i < nr_batches; i++) {
        uint32_t keys[BATCH], start;
        uint64_t t0, t1;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        start = (uint32_t)(random >> 33);
        for (uint32_t j = 0; j < BATCH; j++) /* 7919 is prime to both sizes: no page twice */
            keys[j] = (uint32_t)(((uint64_t)start + (uint64_t)j * 7919) % nr_pages) + 1;
        t0 = bench_now_ns();
        for (uint32_t j = 0; j < BATCH; j++)
            pages[j] = m.xFetch(cache, keys[j], 1);
        t1 = bench_now_ns();
        for (uint32_t j = 0; j < BATCH; j++)
            m.xUnpin(cache, pages[j], 0);
        unpin_ns[i] = (double)(bench_now_ns() - t1) / BATCH;
        fetch_ns[i] = (double)(t1 - t0) / BATCH;
    }
    m.xDestroy(cache);
    metric_add(metrics, names[0], "ns", paired_median(fetch_ns, nr_batches));
    metric_add(metrics, names[1], "ns", paired_median(unpin_ns, nr_batches));
    free(fetch_ns);
}

void fetch_run(const struct options *options, const char *path, struct metrics *metrics)
{
    (void)path;
    measure(options, 200, (const char *const[]){"fetch, 200 pages", "unpin, 200 pages"}, metrics);
    measure(options, 20000, (const char *const[]){"fetch, 20000 pages", "unpin, 20000 pages"}, metrics);
}
