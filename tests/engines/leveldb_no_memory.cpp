/* SPDX-License-Identifier: MIT */
/*
 * Every allocation fails once, and every one from the n-th on. Making a cache then gives nullptr. In a cache that is there, look-ups and
 * removals need no memory; an entry for which there is none is not kept, its handle is good, and what was under its
 * key is gone. Where there is no memory for the handle either, what nobody holds is given up for it, and only when
 * that does not help the process ends: by abort, with a message (the program calls itself for that).
 */
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>

#include "leveldb_rig.h"

using leveldb::Cache;
using rig::find;
using rig::key_of;

extern char **environ;

namespace
{

struct Heap {
    unsigned nr_calls = 0;
    unsigned fails_at = 0; /* 0 = never */
    bool for_ever = false;
    size_t fails_from_bytes = 0; /* what is smaller is always there */
    uint64_t nr_live = 0;
};

void *heap_alloc(void *ctx, size_t size, size_t align)
{
    Heap *heap = static_cast<Heap *>(ctx);
    unsigned nr = __atomic_add_fetch(&heap->nr_calls, 1, __ATOMIC_RELAXED);
    void *memory;

    if (heap->fails_at && size >= heap->fails_from_bytes &&
        (heap->for_ever ? nr >= heap->fails_at : nr == heap->fails_at))
        return nullptr;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0)
        return nullptr;
    __atomic_fetch_add(&heap->nr_live, 1, __ATOMIC_RELAXED);
    return memory;
}

void heap_free(void *ctx, void *memory, size_t, size_t)
{
    free(memory);
    __atomic_fetch_sub(&static_cast<Heap *>(ctx)->nr_live, 1, __ATOMIC_RELAXED);
}

genlru_leveldb::Cache *make(Heap *heap, size_t capacity)
{
    const struct genlru_allocator allocator = {heap_alloc, heap_free, heap};
    genlru_leveldb::CacheOptions options;

    options.mean_charge = 1;
    options.allocator = &allocator;
    return genlru_leveldb::NewCache(capacity, options);
}

/* Inserts, some of them kept and some not, and all of them read and let go. */
void program(Cache &cache)
{
    enum { NR = 2000 };
    std::vector<Cache::Handle *> handles;

    for (unsigned i = 0; i < NR; i++) {
        std::string key = key_of(i % (NR / 2)) + std::string(i % 50 ? 0 : 600, '.'); /* long ones are kept apart */
        Cache::Handle *handle = rig::insert(cache, key, i + 1, 1);
        uint64_t found = find(cache, key);

        STRESS_CHECK(found == i + 1 || found == 0, "an old value is found");
        STRESS_CHECK(rig::version_of(cache, handle, key) == i + 1, "the handle is no good");
        if (i % 10)
            cache.Release(handle);
        else
            handles.push_back(handle);
        if (i % 7 == 0)
            cache.Erase(key_of(i / 2));
    }
    for (Cache::Handle *handle : handles)
        cache.Release(handle);
    cache.Prune();
}

/* The n-th call fails, from creation on; returns false once there are not so many. */
bool fail_once(unsigned n)
{
    Heap heap;

    stress_context("call %u fails", n);
    rig::nr_made = rig::nr_deleted = 0;
    heap.fails_at = n;
    std::unique_ptr<genlru_leveldb::Cache> cache(make(&heap, 500));
    bool was_reached = !cache;

    if (cache)
        program(*cache);
    was_reached |= heap.nr_calls >= n;
    cache.reset();
    STRESS_CHECK(rig::nr_made == rig::nr_deleted, "values are lost");
    STRESS_CHECK(heap.nr_live == 0, "%llu allocations leak", static_cast<unsigned long long>(heap.nr_live));
    return was_reached;
}

/* From the n-th call after creation on, whatever is larger than a loose handle fails. */
void fail_for_ever(unsigned n)
{
    Heap heap;

    stress_context("all large ones fail from call %u on", n);
    rig::nr_made = rig::nr_deleted = 0;
    std::unique_ptr<genlru_leveldb::Cache> cache(make(&heap, 500));

    STRESS_CHECK(cache, "no cache");
    heap.for_ever = true;
    heap.fails_from_bytes = 2000;
    heap.fails_at = heap.nr_calls + n;
    program(*cache);
    heap.fails_at = 0;
    rig::put(*cache, "memory is back", 1);
    STRESS_CHECK(find(*cache, "memory is back") == 1, "not kept when memory is back");
    cache.reset();
    STRESS_CHECK(rig::nr_made == rig::nr_deleted && heap.nr_live == 0, "something is lost");
}

/* No memory at all: this process is to end here. */
int die()
{
    Heap heap;
    genlru_leveldb::Cache *cache = make(&heap, 500);

    heap.for_ever = true;
    heap.fails_at = 1;
    for (unsigned i = 0;; i++)
        (void)rig::insert(*cache, key_of(i), 1, 1); /* and hold it */
}

void dies(const char *self)
{
    char program_name[] = "leveldb_no_memory", argument[] = "--die";
    char *arguments[] = {program_name, argument, nullptr};
    pid_t child;
    int status;

    stress_context("without any memory");
    STRESS_CHECK(posix_spawn(&child, self, nullptr, nullptr, arguments, environ) == 0, "cannot start %s", self);
    STRESS_CHECK(waitpid(child, &status, 0) == child, "lost the child");
    STRESS_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "ended with %d", status);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--die") == 0)
        return die();
    (void)stress_begin(argc, argv);
    unsigned n = 1;
    while (fail_once(n))
        n++;
    STRESS_CHECK(n > 20, "only %u allocations", n);
    for (n = 1; n < 40; n++)
        fail_for_ever(n);
    dies("/proc/self/exe");
    return 0;
}
