/* SPDX-License-Identifier: MIT */
/*
 * The cache keeps what the laboratory's genlru keeps: traces are replayed through the policy `genlru` of bench/policy and
 * through the cache, both learning, and the miss ratios must be within half a per cent of the requests of each other. Both evict
 * as many at a time, which the cache says (the laboratory's own default is up to 32), and remember every evicted key; what the
 * cache's default, two ghosts an entry, makes of it is printed beside it.
 *
 *   replay [--all] [TRACE...]    without a trace: the repository's own; --all: the open traces, too, where they are
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"
#include "policy/genlru.h"
#include "policy/policy.h"
#include "trace/trace.h"

#define TOLERANCE 0.005
/* What an insert of the cache evicts at once (cache/room.c). */
static uint32_t chunk_of(uint64_t capacity)
{
    uint64_t share = capacity / 64;

    return share < 1 ? 1 : share > 8 ? 8 : (uint32_t)share;
}

static uint64_t replay_policy(const struct trace *trace, uint64_t capacity, uint64_t seed)
{
    struct genlru_variant variant = {
        .policy = GENLRU_POLICY_DEFAULT, .sample_seed = (uint32_t)seed, .chunk = chunk_of(capacity)};
    struct policy_config config = {capacity, trace->nr_ids, NULL, &variant};
    struct policy *policy;
    uint64_t misses;

    STRESS_CHECK(policy_create(policy_find("genlru"), &config, &policy) == 0, "policy");
    misses = policy_replay(policy, trace->ids, trace->nr_requests);
    policy_destroy(policy);
    return misses;
}

static uint64_t replay_cache(const struct trace *trace, uint64_t capacity, uint64_t ghosts, uint64_t seed)
{
    struct genlru_cache_config config = cache_test_config(NULL, capacity);
    struct genlru_cache *cache;
    uint64_t misses = 0;

    config.release = NULL;
    config.seed = seed;
    config.stripes = 1;
    config.expected_entries = capacity;
    config.ghosts = ghosts;
    cache = cache_test_create(&config);
    for (uint64_t i = 0; i < trace->nr_requests; i++) {
        struct genlru_cache_insert how = {.charge = 1};
        int found;

        genlru_cache_read_lock();
        found = genlru_cache_get_rcu_u64(cache, trace->ids[i]) != NULL;
        genlru_cache_read_unlock();
        if (!found) {
            misses++;
            STRESS_CHECK(genlru_cache_insert_u64(cache, trace->ids[i], &how, NULL) == 0, "insert");
        }
        if (i % 1024 == 0)
            genlru_cache_quiescent();
    }
    cache_test_verify(cache);
    STRESS_CHECK(genlru_cache_destroy(cache) == 0, "destroy");
    return misses;
}

/*
 * Means of some seeds, since both learn from a sample of the keys that their seeds choose: from one seed to the next a miss ratio may
 * change by 0.6 points (cphys-io at a tenth of its keys), so a mean of sixteen is known to 0.15. Long traces make do with eight. Also, a
 * ghost taken for another's is rare (1 in 8,000), but in a loop that is just too long it decides what the next round keeps.
 */
static unsigned nr_seeds(const struct trace *trace)
{
    return trace->nr_requests < 1000000 ? 16 : 8;
}

static double ratio_of_cache(const struct trace *trace, uint64_t capacity, uint64_t ghosts)
{
    uint64_t misses = 0;

    for (unsigned i = 0; i < nr_seeds(trace); i++)
        misses += replay_cache(trace, capacity, ghosts, 1 + i);
    return (double)misses / nr_seeds(trace) / (double)trace->nr_requests;
}

static double ratio_of_policy(const struct trace *trace, uint64_t capacity)
{
    uint64_t misses = 0;

    for (unsigned i = 0; i < nr_seeds(trace); i++)
        misses += replay_policy(trace, capacity, 1 + i);
    return (double)misses / nr_seeds(trace) / (double)trace->nr_requests;
}

static unsigned compare(const char *path)
{
    static const double shares[] = {0.01, 0.1};
    struct trace_error error;
    struct trace *trace;
    unsigned nr_off = 0;

    STRESS_CHECK(trace_load(path, NULL, &trace, &error) == 0, "%s cannot be loaded", path);
    for (unsigned i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
        uint64_t capacity = (uint64_t)(shares[i] * trace->nr_ids) + 1;
        double of_policy = ratio_of_policy(trace, capacity);
        double of_cache = ratio_of_cache(trace, capacity, 4 * (uint64_t)trace->nr_ids);
        double by_default = ratio_of_cache(trace, capacity, 0);
        bool is_off = fabs(of_cache - of_policy) > TOLERANCE || fabs(by_default - of_policy) > TOLERANCE;

        printf("%-24s %9llu entries  laboratory %.4f  cache %.4f%s  with default ghosts %.4f\n", trace->name,
               (unsigned long long)capacity, of_policy, of_cache, is_off ? " OFF" : "", by_default);
        nr_off += is_off;
    }
    trace_destroy(trace);
    return nr_off;
}

/* Every trace of a folder; says so if there is none. */
static unsigned compare_all(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    unsigned nr_off = 0;
    char path[2048];

    if (!dir) {
        printf("skipped: no traces in %s\n", folder);
        return 0;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (!strstr(entry->d_name, ".zst"))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        nr_off += compare(path);
    }
    closedir(dir);
    return nr_off;
}

int main(int argc, char **argv)
{
    const char *source = getenv("GENLRU_SOURCE_DIR"), *traces = getenv("GENLRU_TRACES");
    char path[1024];
    unsigned nr_off = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    genlru_cache_register_thread();
    if (argc < 2 || !strcmp(argv[1], "--all")) {
        snprintf(path, sizeof(path), "%s/data/sqlite-mixed.txt.zst", source ? source : ".");
        nr_off += compare(path);
    }
    if (argc > 1 && !strcmp(argv[1], "--all")) {
        snprintf(path, sizeof(path), "%s%s",
                 traces   ? traces
                 : source ? source
                          : ".",
                 traces ? "/open" : "/../shared/traces/open");
        nr_off += compare_all(path);
    } else {
        for (int i = 1; i < argc; i++)
            nr_off += compare(argv[i]);
    }
    genlru_cache_unregister_thread();
    return nr_off ? 1 : 0;
}
