/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of the trace readers and of the simulator's policies fails once. A load ends with -ENOMEM and a text that
 * names the file, or gives the same trace as with memory; a policy ends with -ENOMEM, or makes the same misses.
 *
 *   lab FOLDER    the folder of the fuzzers' kept inputs, which has traces of every format
 *
 * malloc and its kin are caught by the linker (--wrap) in what is linked statically: zlib, zstd and the C library's own
 * allocations are theirs.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "policy/all.h"
#include "trace/trace.h"
#include "walk.h"

struct walk walk;

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **ret, size_t align, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **ret, size_t align, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

static void *counted(void *memory)
{
    walk.nr_live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return walk_fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t nr, size_t size)
{
    return walk_fails() ? NULL : counted(__real_calloc(nr, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = walk_fails() ? NULL : __real_realloc(old, size);

    walk.nr_live += memory && !old;
    return memory;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return walk_fails() ? NULL : counted(__real_aligned_alloc(align, size));
}

int __wrap_posix_memalign(void **ret, size_t align, size_t size)
{
    int result = walk_fails() ? ENOMEM : __real_posix_memalign(ret, align, size);

    if (result == 0)
        (void)counted(*ret);
    return result;
}

char *__wrap_strdup(const char *text)
{
    return walk_fails() ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    walk.nr_live -= memory != NULL;
    __real_free(memory);
}

/* ---- traces ------------------------------------------------------------------------------------------- */

struct file {
    char path[1024];
    enum trace_format format;
    uint64_t requests; /* with memory */
    uint32_t ids;
};

static int load(const struct file *file, struct trace **ret, struct trace_error *error)
{
    struct trace_options options = {.format = file->format};

    return trace_load(file->path, &options, ret, error);
}

static void load_without_memory(void *ctx)
{
    const struct file *file = ctx;
    struct trace_error error = {""};
    struct trace *trace = NULL;
    int result = load(file, &trace, &error);

    if (result == 0) {
        CHECK(trace->nr_requests == file->requests && trace->nr_ids == file->ids, "another trace without memory");
        trace_destroy(trace);
        return;
    }
    CHECK(result == -ENOMEM && !trace && walk.nr_failed, "load: %d, %s", result, error.text);
    CHECK(strncmp(error.text, file->path, strlen(file->path)) == 0, "error '%s'", error.text);
}

/* The largest kept input of the format that is a trace. */
static void find_file(const char *folder, struct file *file)
{
    struct file candidate = {.format = file->format};
    char name[768], *c;
    struct dirent *entry;
    DIR *dir;

    (void)snprintf(name, sizeof(name), "%s/trace_%s", folder, trace_format_name(file->format));
    for (c = name + strlen(folder); *c; c++)
        *c = *c == '-' ? '_' : *c;
    dir = opendir(name);
    CHECK(dir, "%s", name);
    while ((entry = readdir(dir))) {
        struct trace_error error;
        struct trace *trace;

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(candidate.path, sizeof(candidate.path), "%s/%s", name, entry->d_name);
        if (load(&candidate, &trace, &error) != 0)
            continue;
        if (trace->nr_requests > file->requests && trace->nr_requests < 1000000) {
            candidate.requests = trace->nr_requests;
            candidate.ids = trace->nr_ids;
            *file = candidate;
        }
        trace_destroy(trace);
    }
    closedir(dir);
    CHECK(file->requests, "no kept input of %s is a trace", trace_format_name(file->format));
}

/* ---- policies ----------------------------------------------------------------------------------------- */

enum { NR_IDS = 500, NR_REQUESTS = 5000 };

static uint32_t requests[NR_REQUESTS];

struct player {
    const struct policy_ops *ops;
    uint64_t misses; /* with memory */
};

static uint64_t play(struct policy *p)
{
    uint64_t misses = 0;
    unsigned i;

    for (i = 0; i < NR_REQUESTS; i++)
        misses += !policy_access(p, requests[i], POLICY_READ);
    return misses;
}

/* Those that hold an lru allocate while they run, and end the program then, as a result without it would be none. */
static bool allocates_later(const struct policy_ops *ops)
{
    return ops == &policy_genlru || ops == &policy_mglru || ops == &policy_mglru_old || ops == &policy_mglru_fg ||
           ops == &policy_tuned_fg;
}

static void play_without_memory(void *ctx)
{
    struct player *player = ctx;
    struct policy_config config = {.capacity = 50, .nr_ids = NR_IDS};
    struct policy *p = NULL;
    int result = policy_create(player->ops, &config, &p);

    CHECK(result == 0 || (result == -ENOMEM && !p && walk.nr_failed), "create: %d", result);
    if (result != 0)
        return;
    result = policy_prepare(p, requests, NR_REQUESTS);
    CHECK(result == 0 || (result == -ENOMEM && walk.nr_failed), "prepare: %d", result);
    if (result == 0) {
        uint64_t misses;

        walk.is_off = allocates_later(player->ops);
        misses = play(p);
        CHECK(misses == player->misses, "%llu misses", (unsigned long long)misses);
    }
    policy_destroy(p);
}

int main(int argc, char **argv)
{
    int format;
    unsigned i;

    CHECK(argc == 2, "usage: lab FOLDER");
    for (format = TRACE_FORMAT_AUTO + 1; format < TRACE_NR_FORMATS; format++) {
        struct file file = {.format = (enum trace_format)format};

        walk = (struct walk){.name = trace_format_name(file.format)};
        find_file(argv[1], &file);
        walk_all(trace_format_name(file.format), load_without_memory, &file);
    }
    for (i = 0; i < NR_REQUESTS; i++)
        requests[i] = i % 3 ? i * 7919u % 40 : i * 104729u % NR_IDS;
    for (i = 0; policy_at(i); i++) {
        struct player player = {.ops = policy_at(i)};
        struct policy_config config = {.capacity = 50, .nr_ids = NR_IDS};
        struct policy *p;

        walk = (struct walk){.name = player.ops->name};
        CHECK(policy_create(player.ops, &config, &p) == 0 && policy_prepare(p, requests, NR_REQUESTS) == 0, "create");
        player.misses = play(p);
        policy_destroy(p);
        walk_all(player.ops->name, play_without_memory, &player);
    }
    return 0;
}
