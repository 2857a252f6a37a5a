/* SPDX-License-Identifier: MIT */
/*
 * cache.c - whole caches side by side, subject by subject of one operation in one group
 *
 *   cache_get            hits by zipf's law (0.99): look up with a handle, let it go
 *   cache_get_section    the same in read sections, where a cache has them (peers: as cache_get)
 *   cache_hot            one key
 *   cache_hot_section
 *   cache_miss           a full cache, every key new: look up, insert, evict
 *   cache_mixed          zipf (0.99) over ten times what fits: look up, insert what is missing
 *   cache_insert_latency single inserts into a full cache, timed each
 *   cache_memory         what a full cache and its entries cost, in bytes an entry; the time is that of filling it
 */
#include "cache/cache.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cache/subject.h"
#include "micro/histogram.h"
#include "micro/stream.h"
#include "shim/shim.h"

enum { CHUNK = 1024, THREADS_MAX = 2, ROOM_PERCENT = 125 };

/* Of the mixed load, times what fits: keys; requests before any is measured; all requests, no matter how many runs share them. */
enum { MIXED_KEYS = 10, MIXED_WARM = 16, MIXED_LENGTH = 32 };

static const struct cache_subject_ops *const subjects[] = {
    &cache_subject_lfht, /* the first: see group */
    &cache_subject_genlru,      &cache_subject_list_map,   &cache_subject_list_map_16,
#ifdef HAS_LEVELDB
    &cache_subject_leveldb,
#endif
#ifdef HAS_ROCKSDB
    &cache_subject_rocksdb_lru, &cache_subject_hyperclock,
#endif
#ifdef HAS_LIBCUCKOO
    &cache_subject_libcuckoo,
#endif
};
enum { NR_SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

/* One filled cache at a time is kept, since filling is most of the work: all kept would be gigabytes. */
static struct {
    const struct cache_subject_ops *ops;
    size_t capacity;
    size_t nr; /* entries it was filled with */
    void *cache;
    uint64_t next_new;
    /* Request of the mixed load: each comes once, or policies that resist loops would seem good at it. */
    uint64_t next_mixed;
} kept;

static void drop(void)
{
    if (kept.ops) {
        kept.ops->destroy(kept.cache);
    }
    memset(&kept, 0, sizeof(kept));
    malloc_trim(0);
}

static void translate(const uint32_t *ids, uint64_t *keys)
{
    for (size_t i = 0; i < CHUNK; i++) {
        keys[i] = cache_key(ids[i]);
    }
}

static void fill(const struct cache_subject_ops *ops, void *cache, uint64_t from, uint64_t nr)
{
    uint64_t keys[CHUNK];

    if (ops->enter) {
        ops->enter();
    }
    for (uint64_t i = 0; i < nr; i += CHUNK) {
        size_t some = nr - i < CHUNK ? (size_t)(nr - i) : CHUNK;

        for (size_t k = 0; k < some; k++) {
            keys[k] = cache_key(from + i + k);
        }
        (void)ops->get_or_insert(cache, keys, some);
    }
    if (ops->leave) {
        ops->leave();
    }
}

/*
 * Each entry is used once, in a random order, so that what is evicted next lies anywhere, as in a cache that has lived;
 * a cache that was only filled evicts in the order of its memory.
 */
static void shuffle(const struct cache_subject_ops *ops, void *cache, const struct stream *order)
{
    uint64_t keys[CHUNK];
    size_t position = 0;

    if (ops->enter) {
        ops->enter();
    }
    for (size_t i = 0; i < order->nr; i += CHUNK) {
        translate(stream_next(order, &position), keys);
        (void)ops->get(cache, keys, CHUNK);
    }
    if (ops->leave) {
        ops->leave();
    }
}

/* The next requests of the mixed load, whichever thread asks. */
static void next_mixed(const struct stream *stream, uint64_t *keys)
{
    size_t position = __atomic_fetch_add(&kept.next_mixed, CHUNK, __ATOMIC_RELAXED) % stream->nr;

    translate(stream_next(stream, &position), keys);
}

static void new_keys(uint64_t *keys, size_t nr)
{
    uint64_t first = __atomic_fetch_add(&kept.next_new, nr, __ATOMIC_RELAXED);

    for (size_t i = 0; i < nr; i++) {
        keys[i] = cache_key(first + i);
    }
}

/*
 * Before the clock starts: requests of the mixed load, so that what is measured is its steady state; or as many new keys as fit, so that
 * what a cache does once in its life (grow its table, touch its memory) is done.
 */
static void warm_up(const struct cache_subject_ops *ops, void *cache, const struct stream *mixed, size_t nr)
{
    uint64_t keys[CHUNK];

    if (ops->enter) {
        ops->enter();
    }
    while (mixed ? kept.next_mixed < MIXED_WARM * nr : kept.next_new < 2 * nr) {
        if (mixed) {
            next_mixed(mixed, keys);
        } else {
            new_keys(keys, CHUNK);
        }
        (void)ops->get_or_insert(cache, keys, CHUNK);
    }
    if (ops->leave) {
        ops->leave();
    }
}

static void *get_filled(const struct cache_subject_ops *ops, size_t capacity, size_t nr, const struct stream *order)
{
    if (kept.ops == ops && kept.capacity == capacity && kept.nr == nr) {
        return kept.cache;
    }
    drop();
    kept.cache = ops->create(capacity);
    if (!kept.cache) {
        return NULL;
    }
    kept.ops = ops;
    kept.capacity = capacity;
    kept.nr = nr;
    kept.next_new = nr;
    fill(ops, kept.cache, 0, nr);
    if (order) {
        shuffle(ops, kept.cache, order);
    }
    return kept.cache;
}

enum kind { GET, GET_SECTION, MISS, MIXED };

struct run {
    const struct cache_subject_ops *ops;
    enum kind kind;
    size_t nr;
    const struct stream *stream; /* NULL = new keys */
    const struct stream *order;  /* every entry once */
    void *cache;
    uint64_t nr_hits;
    uint64_t nr_done;
    struct histogram histogram[THREADS_MAX];
};

static int setup(struct shim_state *state, void *user)
{
    struct run *run = user;
    bool is_full = run->kind == MISS || run->kind == MIXED;

    (void)state;
    run->nr_hits = run->nr_done = 0;
    memset(run->histogram, 0, sizeof(run->histogram));
    run->cache =
        get_filled(run->ops, is_full ? run->nr : run->nr / 100 * ROOM_PERCENT, run->nr, is_full ? run->order : NULL);
    if (run->cache && is_full) {
        warm_up(run->ops, run->cache, run->kind == MIXED ? run->stream : NULL, run->nr);
    }
    return run->cache ? 0 : -ENOMEM;
}

static size_t do_chunk(const struct run *run, const uint64_t *keys)
{
    switch (run->kind) {
    case GET:
        return run->ops->get(run->cache, keys, CHUNK);
    case GET_SECTION:
        return run->ops->get_section ? run->ops->get_section(run->cache, keys, CHUNK)
                                     : run->ops->get(run->cache, keys, CHUNK);
    case MISS:
    case MIXED:
        return run->ops->get_or_insert(run->cache, keys, CHUNK);
    }
    return 0;
}

static void run_chunks(struct shim_state *state, void *user)
{
    struct run *run = user;
    size_t position = run->stream ? stream_start(run->stream, shim_thread(state), shim_threads(state)) : 0;
    uint64_t keys[CHUNK], nr_hits = 0, nr_done = 0;

    if (run->ops->enter) {
        run->ops->enter();
    }
    while (shim_next(state, CHUNK)) {
        if (run->kind == MIXED) {
            next_mixed(run->stream, keys);
        } else if (run->stream) {
            translate(stream_next(run->stream, &position), keys);
        } else {
            new_keys(keys, CHUNK);
        }
        nr_hits += do_chunk(run, keys);
        nr_done += CHUNK;
    }
    if (run->ops->leave) {
        run->ops->leave();
    }
    __atomic_fetch_add(&run->nr_hits, nr_hits, __ATOMIC_RELAXED);
    __atomic_fetch_add(&run->nr_done, nr_done, __ATOMIC_RELAXED);
}

static void report_hits(struct shim_state *state, void *user)
{
    const struct run *run = user;

    shim_counter(state, "hit_percent", run->nr_done ? 100.0 * (double)run->nr_hits / (double)run->nr_done : 0,
                 SHIM_SUM);
}

/* ---- latency ---- */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_timed(struct shim_state *state, void *user)
{
    struct run *run = user;
    struct histogram *histogram = &run->histogram[shim_thread(state) % THREADS_MAX];
    uint64_t keys[CHUNK];

    if (run->ops->enter) {
        run->ops->enter();
    }
    while (shim_next(state, CHUNK)) {
        new_keys(keys, CHUNK);
        for (size_t i = 0; i < CHUNK; i++) {
            uint64_t began = now_ns();

            (void)run->ops->get_or_insert(run->cache, &keys[i], 1);
            histogram_count(histogram, now_ns() - began);
        }
    }
    if (run->ops->leave) {
        run->ops->leave();
    }
}

static void report_latency(struct shim_state *state, void *user)
{
    const struct run *run = user;
    struct histogram all = run->histogram[0];

    for (unsigned t = 1; t < shim_threads(state) && t < THREADS_MAX; t++) {
        histogram_merge(&all, &run->histogram[t]);
    }
    shim_counter(state, "p50_ns", (double)histogram_quantile(&all, 0.5), SHIM_SUM);
    shim_counter(state, "p99_ns", (double)histogram_quantile(&all, 0.99), SHIM_SUM);
    shim_counter(state, "p999_ns", (double)histogram_quantile(&all, 0.999), SHIM_SUM);
    shim_counter(state, "max_ns", (double)all.max, SHIM_SUM);
}

/* ---- memory ---- */

/* Resident bytes of the process: of all allocators and of none in particular. */
static double resident_bytes(void)
{
    unsigned long long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file) {
        if (fscanf(file, "%llu %llu", &pages, &resident) != 2) {
            resident = 0;
        }
        fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void run_memory(struct shim_state *state, void *user)
{
    struct run *run = user;
    double before, filled, churned;

    while (shim_next(state, 1)) {
        drop();
        before = resident_bytes();
        run->cache = run->ops->create(run->nr);
        if (!run->cache) {
            shim_fail(state, "no memory");
            continue;
        }
        fill(run->ops, run->cache, 0, run->nr);
        filled = resident_bytes() - before;
        fill(run->ops, run->cache, run->nr, run->nr);
        churned = resident_bytes() - before;
        run->ops->destroy(run->cache);
        /* of the key's eight bytes (or sixteen) none is taken off */
        shim_counter(state, "bytes", filled / (double)run->nr, SHIM_SUM);
        shim_counter(state, "bytes_churned", churned / (double)run->nr, SHIM_SUM);
    }
}

/* ---- groups ---- */

static int add(struct run *run, const char *operation, const char *variant, const unsigned *threads,
               unsigned nr_threads)
{
    char name[120], size[MICRO_SIZE_TEXT];
    struct shim_bench bench;

    memset(&bench, 0, sizeof(bench));
    snprintf(name, sizeof(name), "%s/%s/%s/%s", operation, run->ops->name, micro_size_text(run->nr, size), variant);
    bench.name = name;
    bench.setup = setup;
    bench.run = run_chunks;
    bench.teardown = report_hits;
    bench.user = run;
    for (unsigned i = 0; i < nr_threads; i++) {
        bench.threads[i] = threads[i];
    }
    if (!strcmp(operation, "cache_insert_latency")) {
        bench.run = run_timed;
        bench.teardown = report_latency;
        bench.iterations = 200 * CHUNK;
    } else if (!strcmp(operation, "cache_memory")) {
        bench.setup = NULL;
        bench.run = run_memory;
        bench.teardown = NULL;
        bench.iterations = bench.repetitions = 1;
    }
    return shim_add(&bench);
}

static int group(const char *operation, const char *variant, enum kind kind, size_t nr, const struct stream *stream,
                 const struct stream *order, unsigned max_threads)
{
    static const unsigned threads[] = {1, 2};
    struct run *runs = calloc(NR_SUBJECTS, sizeof(*runs));
    int error = runs ? 0 : -ENOMEM;

    shim_group();
    for (unsigned i = kind == MISS || kind == MIXED; i < NR_SUBJECTS && !error; i++) { /* an index evicts nothing */
        runs[i].ops = subjects[i];
        runs[i].kind = kind;
        runs[i].nr = nr;
        runs[i].stream = stream;
        runs[i].order = order;
        error = add(&runs[i], operation, variant, threads, max_threads);
    }
    if (!error) {
        (void)shim_run();
    }
    drop();
    free(runs);
    return error;
}

static int of_size(size_t nr)
{
    struct stream zipf = STREAM_NONE, one = STREAM_NONE, mixed = STREAM_NONE, order = STREAM_NONE;
    int error = stream_need(&zipf, nr, 99);

    error = error ? error : stream_need(&one, nr, STREAM_ONE);
    error = error ? error : stream_need_order(&order, nr);
    error = error ? error : stream_need_long(&mixed, nr * MIXED_KEYS, 99, nr * MIXED_LENGTH);
    error = error ? error : group("cache_get", "zipf", GET, nr, &zipf, &order, 2);
    error = error ? error : group("cache_get_section", "zipf", GET_SECTION, nr, &zipf, &order, 2);
    error = error ? error : group("cache_hot", "one", GET, nr, &one, &order, 2);
    error = error ? error : group("cache_hot_section", "one", GET_SECTION, nr, &one, &order, 2);
    error = error ? error : group("cache_miss", "new", MISS, nr, NULL, &order, 2);
    error = error ? error : group("cache_mixed", "zipf", MIXED, nr, &mixed, &order, 2);
    error = error ? error : group("cache_insert_latency", "new", MISS, nr, NULL, &order, 2);
    error = error ? error : group("cache_memory", "new", MISS, nr, NULL, &order, 1);
    stream_fini(&zipf);
    stream_fini(&one);
    stream_fini(&mixed);
    stream_fini(&order);
    return error;
}

int cache_benchmarks(const struct micro_options *options)
{
    int error = 0;

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        error = of_size(options->nodes[i]);
    }
    return error;
}
