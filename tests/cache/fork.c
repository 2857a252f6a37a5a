/* SPDX-License-Identifier: MIT */
/*
 * fork: with the three calls around it, from the only thread besides liburcu's, the child's cache is a copy that works: look-ups, inserts
 * that evict, erase, drain, destroy. So does the parent's. Some rounds, since each child forks again.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache_test.h"

#if defined(__SANITIZE_THREAD__)
#define IS_TSAN 1
#elif defined(__has_feature)
#define IS_TSAN __has_feature(thread_sanitizer)
#else
#define IS_TSAN 0
#endif

enum { CAPACITY = 200, GENERATIONS = 3 };

static struct cache_test_owner owner;

static void use(struct genlru_cache *cache, uint64_t from)
{
    for (uint64_t key = from; key < from + 3 * CAPACITY; key++) {
        STRESS_CHECK(cache_test_put(cache, &owner, key, 0) == 0, "put");
        if (key % 3 == 0)
            STRESS_CHECK(genlru_cache_erase_u64(cache, key) == 0, "erase");
        genlru_cache_quiescent();
    }
    STRESS_CHECK(genlru_cache_drain(cache) == 0, "drain");
    cache_test_verify(cache);
}

static void generation(struct genlru_cache *cache, unsigned nr)
{
    int status;
    pid_t child;

    use(cache, nr * 10000);
    if (nr == GENERATIONS)
        return;
    genlru_cache_before_fork();
    child = fork();
    STRESS_CHECK(child >= 0, "fork");
    if (child == 0) {
        genlru_cache_after_fork_child();
        use(cache, nr * 10000 + 5000);
        generation(cache, nr + 1);
        cache_test_destroy(cache, &owner);
        genlru_cache_unregister_thread();
        exit(0);
    }
    genlru_cache_after_fork_parent();
    use(cache, nr * 10000 + 7000);
    STRESS_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
                 "the child failed");
}

int main(int argc, char **argv)
{
    struct genlru_cache_config config = cache_test_config(&owner, CAPACITY);
    struct genlru_cache *cache;

    (void)stress_begin(argc, argv);
    if (IS_TSAN) {
        puts("skipped: ThreadSanitizer allows no new threads after a fork");
        return 77;
    }
    genlru_cache_register_thread();
    cache = cache_test_create(&config);
    generation(cache, 0);
    cache_test_destroy(cache, &owner);
    genlru_cache_unregister_thread();
    return 0;
}
