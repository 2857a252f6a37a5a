/* SPDX-License-Identifier: MIT */
/*
 * Every allocation fails once: a fixed program is run with an allocator whose n-th call answers NULL, for each n until it
 * is not reached any more; and then with one that fails all calls from the n-th on. Calls answer -ENOMEM with nothing changed, values that were
 * refused are the caller's, look-ups and removals need no memory at all, and everything is given back at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"

struct heap {
    unsigned nr_calls;
    unsigned fails_at; /* 0 = never */
    bool for_ever;
    uint64_t nr_live;
};

static void *alloc(void *ctx, size_t size, size_t align)
{
    struct heap *heap = ctx;
    unsigned nr = __atomic_add_fetch(&heap->nr_calls, 1, __ATOMIC_RELAXED);
    void *memory;

    if (heap->fails_at && (heap->for_ever ? nr >= heap->fails_at : nr == heap->fails_at))
        return NULL;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0)
        return NULL;
    memset(memory, 0xa5, size < 100000 ? size : 100000);
    __atomic_fetch_add(&heap->nr_live, 1, __ATOMIC_RELAXED);
    return memory;
}

static void release(void *ctx, void *memory, size_t size, size_t align)
{
    struct heap *heap = ctx;

    (void)size;
    (void)align;
    free(memory);
    __atomic_fetch_sub(&heap->nr_live, 1, __ATOMIC_RELAXED);
}

static void check(int result)
{
    STRESS_CHECK(result >= 0 || result == -ENOMEM, "%d", result);
}

static int load(void *ctx, const void *key, size_t key_bytes, struct genlru_cache_insert *ret_how)
{
    (void)ctx;
    (void)key;
    ret_how->value = "loaded";
    ret_how->value_bytes = key_bytes % 7;
    return 0;
}

static int count(void *ctx, struct genlru_cache_entry *e, const struct genlru_cache_info *info)
{
    (void)e;
    (void)info;
    ++*(uint64_t *)ctx;
    return 0;
}

static void use(struct genlru_cache *cache)
{
    static const char bytes[2000];
    struct genlru_cache_load how_to_load = {load, NULL, 1, 0};
    struct genlru_cache_entry *e;
    uint64_t nr = 0;

    for (unsigned i = 0; i < 900; i++) {
        struct genlru_cache_insert how = {.value = bytes, .value_bytes = i * 37 % 1500, .charge = 1};
        char key[700] = {0};
        size_t key_bytes = 4 + i % 600;

        memcpy(key, &i, 4);
        e = NULL;
        if (i % 5 == 4) {
            check(genlru_cache_get_or_load(cache, key, key_bytes, &how_to_load, &e));
        } else {
            int result = genlru_cache_insert(cache, key, key_bytes, &how, i % 2 ? &e : NULL);

            check(result);
            STRESS_CHECK(result < 0 || genlru_cache_contains(cache, key, key_bytes), "inserted, and not there");
        }
        genlru_cache_release(cache, e);
        if (i % 3 == 0)
            (void)genlru_cache_erase(cache, key, key_bytes);
    }
    check(genlru_cache_iterate(cache, count, &nr));
    STRESS_CHECK(nr == cache_test_stat(cache).entries, "a walk that is not complete");
    cache_test_verify(cache);
}

/* False: the allocation that was to fail was never asked for. */
static bool run(unsigned fails_at, bool for_ever)
{
    struct heap heap = {0, fails_at, for_ever, 0};
    struct genlru_allocator allocator = {alloc, release, &heap};
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    struct genlru_cache *cache;
    bool was_reached;
    int error;

    stress_context("allocation %u%s", fails_at, for_ever ? " and all after it" : "");
    config.capacity = 300;
    config.value_kind = GENLRU_CACHE_VALUE_INLINE;
    config.allocator = &allocator;
    error = genlru_cache_create(&config, &cache);
    STRESS_CHECK(error == 0 || error == -ENOMEM, "create: %d", error);
    if (!error)
        use(cache);
    was_reached = fails_at && heap.nr_calls >= fails_at;
    STRESS_CHECK(error == 0 || was_reached, "-ENOMEM, though there was memory");
    STRESS_CHECK(error || genlru_cache_destroy(cache) == 0, "destroy");
    STRESS_CHECK(heap.nr_live == 0, "%llu allocations were not given back", (unsigned long long)heap.nr_live);
    return was_reached;
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned step = options.scale < 100 ? 5 : 1, nr;

    genlru_cache_register_thread();
    STRESS_CHECK(!run(0, false), "without failures");
    for (nr = 1; nr < 40 && run(nr, false); nr += step)
        ;
    for (; run(nr, false); nr += 1 + nr / 10)
        ;
    STRESS_CHECK(nr > 40, "only %u allocations", nr);
    for (nr = 1; run(nr, true); nr += 1 + nr / 4 * step)
        ;
    genlru_cache_unregister_thread();
    return 0;
}
