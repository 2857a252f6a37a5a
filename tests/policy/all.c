/* SPDX-License-Identifier: MIT */
/*
 * What every policy of the registry must do, whatever it is: random requests over all channels,
 * checked after each one against what a cache is.
 *
 *  1. the answer is "hit" iff the id was resident before
 *  2. the id is resident afterwards
 *  3. no more are resident than the capacity; nr_resident counts them
 *  4. misses = evictions + resident, + refused where objects have sizes
 *  5. replay gives the misses and the state that access gives, and both are deterministic
 *  6. capacity 0 holds nothing; a capacity beyond the ids never evicts
 *  7. none has fewer misses than the optimum
 *  8. in bytes: what is resident fits and is what `used` says; what is larger than the cache is
 *     refused, and only that; sizes that are all the same give what entries give
 *
 * The seed is fixed or taken from GENLRU_SEED, and printed.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "policy/all.h"
#include "policy/genlru.h"

#define NR_IDS 300
#define NR_STEPS 20000

static uint64_t seed_of_run(void)
{
    const char *text = getenv("GENLRU_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 20240611;

    fprintf(stderr, "GENLRU_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Skewed, with a slow drift and a scan now and then, so that every list of every policy is used. */
static uint32_t next_id(uint64_t *state, uint32_t step)
{
    uint64_t r = next_random(state);

    if (step / 500 % 4 == 3) {
        return step % NR_IDS;
    }
    uint32_t a = (uint32_t)(r % NR_IDS);
    uint32_t b = (uint32_t)((r >> 32) % NR_IDS);
    uint32_t skewed = a * b / NR_IDS;

    return (skewed + step / 2000 * 37) % NR_IDS;
}

static uint32_t count_resident(const struct policy *p)
{
    uint32_t n = 0;

    for (uint32_t id = 0; id < p->nr_ids; id++) {
        n += policy_is_resident(p, id);
    }
    return n;
}

static struct policy *make_config(const struct policy_ops *ops, const struct policy_config *config, const uint32_t *ids)
{
    struct policy *p = NULL;

    cr_assert_eq(policy_create(ops, config, &p), 0, "%s", ops->name);
    cr_assert_eq(p->ops, ops);
    cr_assert_eq(p->capacity, config->capacity);
    cr_assert_eq(p->nr_ids, NR_IDS);
    cr_assert_eq(p->nr_resident, 0);
    cr_assert_eq(p->evictions, 0);
    cr_assert_eq(policy_prepare(p, ids, NR_STEPS), 0, "%s", ops->name);
    return p;
}

static struct policy *make(const struct policy_ops *ops, uint32_t capacity, const uint32_t *ids)
{
    struct policy_config config = {.capacity = capacity, .nr_ids = NR_IDS};

    return make_config(ops, &config, ids);
}

static uint32_t *random_ids(void)
{
    uint64_t state = seed_of_run();
    uint32_t *ids = malloc(NR_STEPS * sizeof(*ids));

    cr_assert_not_null(ids);
    for (uint32_t i = 0; i < NR_STEPS; i++) {
        ids[i] = next_id(&state, i);
    }
    return ids;
}

static void random_run(const struct policy_ops *ops, uint32_t capacity, const uint32_t *ids, bool all_channels)
{
    uint64_t state = seed_of_run();
    struct policy *p = make(ops, capacity, ids);
    uint64_t misses = 0;

    for (uint32_t i = 0; i < NR_STEPS; i++) {
        uint32_t id = ids[i];
        enum policy_channel channel = POLICY_READ;

        if (all_channels) {
            channel = (enum policy_channel)(next_random(&state) % (POLICY_PREFETCH + 1));
        }
        bool was = policy_is_resident(p, id);
        bool hit = policy_access(p, id, channel);

        misses += !hit;
        cr_assert_eq(hit, was, "%s, step %u: 1", ops->name, (unsigned)i);
        cr_assert(policy_is_resident(p, id), "%s, step %u: 2", ops->name, (unsigned)i);
        cr_assert_leq(p->nr_resident, capacity, "%s, step %u: 3", ops->name, (unsigned)i);
        cr_assert_eq(p->nr_resident + p->evictions, misses, "%s, step %u: 4", ops->name, (unsigned)i);
        if (i % 64 == 0) {
            cr_assert_eq(p->nr_resident, count_resident(p), "%s, step %u: 3", ops->name, (unsigned)i);
        }
    }
    cr_assert_gt(misses, 0);
    cr_assert_lt(misses, NR_STEPS);
    policy_destroy(p);
}

Test(all, random_requests)
{
    static const uint32_t capacities[] = {1, 2, 3, 17, 64, 150, NR_IDS - 1};
    uint32_t *ids = random_ids();

    for (size_t k = 0; policy_at(k); k++) {
        for (size_t c = 0; c < sizeof(capacities) / sizeof(capacities[0]); c++) {
            random_run(policy_at(k), capacities[c], ids, false);
            random_run(policy_at(k), capacities[c], ids, true);
        }
    }
    free(ids);
}

/* Rule 7. */
Test(all, none_beats_the_optimum)
{
    static const uint32_t capacities[] = {1, 2, 5, 40, 150};
    uint32_t *ids = random_ids();

    for (size_t c = 0; c < sizeof(capacities) / sizeof(capacities[0]); c++) {
        struct policy *optimum = make(&policy_belady, capacities[c], ids);
        uint64_t least = policy_replay(optimum, ids, NR_STEPS);

        for (size_t k = 0; policy_at(k); k++) {
            struct policy *p = make(policy_at(k), capacities[c], ids);

            cr_assert_geq(policy_replay(p, ids, NR_STEPS), least, "%s", policy_at(k)->name);
            policy_destroy(p);
        }
        policy_destroy(optimum);
    }
    free(ids);
}

/* ---- bytes ---- */

/* 0 … 999 bytes, some of them 0, some very large. */
static uint64_t *random_sizes(void)
{
    uint64_t state = seed_of_run() + 1;
    uint64_t *sizes = malloc(NR_IDS * sizeof(*sizes));

    cr_assert_not_null(sizes);
    for (uint32_t id = 0; id < NR_IDS; id++) {
        uint64_t r = next_random(&state);

        sizes[id] = r % 16 == 0 ? 0 : r % 16 == 1 ? 20000 + r / 16 % 20000 : r / 16 % 1000;
    }
    return sizes;
}

static uint64_t count_bytes(const struct policy *p)
{
    uint64_t bytes = 0;

    for (uint32_t id = 0; id < p->nr_ids; id++) {
        bytes += policy_is_resident(p, id) ? p->sizes[id] : 0;
    }
    return bytes;
}

static void random_run_bytes(const struct policy_config *config, const struct policy_ops *ops, const uint32_t *ids)
{
    struct policy *p = make_config(ops, config, ids);
    uint64_t misses = 0;
    uint64_t missed_bytes = 0;
    uint64_t refused = 0;

    for (uint32_t i = 0; i < NR_STEPS; i++) {
        uint64_t size = config->sizes[ids[i]];
        bool was = policy_is_resident(p, ids[i]);
        bool hit = policy_access(p, ids[i], POLICY_READ);

        misses += !hit;
        missed_bytes += hit ? 0 : size;
        refused += size > config->capacity;
        cr_assert_eq(hit, was, "%s, step %u", ops->name, (unsigned)i);
        cr_assert_eq(policy_is_resident(p, ids[i]), size <= config->capacity, "%s, step %u", ops->name, (unsigned)i);
        cr_assert_leq(p->used, config->capacity, "%s, step %u", ops->name, (unsigned)i);
        cr_assert_eq(p->nr_resident + p->evictions + p->nr_refused, misses);
        if (i % 64 == 0) {
            cr_assert_eq(p->used, count_bytes(p), "%s, step %u", ops->name, (unsigned)i);
            cr_assert_eq(p->nr_resident, count_resident(p));
        }
    }
    cr_assert_eq(p->missed_bytes, missed_bytes, "%s", ops->name);
    cr_assert_eq(p->nr_refused, refused, "%s", ops->name);
    cr_assert_lt(misses, NR_STEPS);

    struct policy *again = make_config(ops, config, ids);

    cr_assert_eq(policy_replay(again, ids, NR_STEPS), misses, "%s", ops->name);
    cr_assert_eq(again->missed_bytes, missed_bytes, "%s", ops->name);
    policy_destroy(again);
    policy_destroy(p);
}

Test(all, random_bytes)
{
    static const uint64_t capacities[] = {1, 500, 3000, 25000, 100000, UINT64_MAX / 4};
    uint32_t *ids = random_ids();
    uint64_t *sizes = random_sizes();
    unsigned with_sizes = 0;

    for (size_t k = 0; policy_at(k); k++) {
        for (size_t c = 0; c < sizeof(capacities) / sizeof(capacities[0]); c++) {
            struct policy_config config = {
                .capacity = capacities[c],
                .nr_ids = NR_IDS,
                .sizes = sizes,
            };
            struct policy *p = NULL;

            if (policy_at(k)->has_sizes) {
                random_run_bytes(&config, policy_at(k), ids);
                with_sizes++;
            } else {
                cr_assert_eq(policy_create(policy_at(k), &config, &p), -EOPNOTSUPP, "%s", policy_at(k)->name);
                cr_assert_null(p);
            }
        }
    }
    cr_assert_geq(with_sizes, 11 * sizeof(capacities) / sizeof(capacities[0]));
    free(sizes);
    free(ids);
}

/* A prefetch brings in what fits; nobody waits for it, so its miss is not among those counted. */
Test(all, prefetched_bytes)
{
    uint64_t sizes[NR_IDS] = {10, 60, 200};
    uint32_t ids[NR_STEPS] = {0, 1, 2, 0};

    for (size_t k = 0; policy_at(k); k++) {
        struct policy_config config = {.capacity = 100, .nr_ids = NR_IDS, .sizes = sizes};

        if (!policy_at(k)->has_sizes) {
            continue;
        }
        struct policy *p = make_config(policy_at(k), &config, ids);

        cr_assert_not(policy_access(p, 0, POLICY_PREFETCH));
        cr_assert_not(policy_access(p, 1, POLICY_READ));
        cr_assert_not(policy_access(p, 2, POLICY_PREFETCH));
        cr_assert(policy_access(p, 0, POLICY_READ), "%s", policy_at(k)->name);
        cr_assert_eq(p->missed_bytes, 60, "%s", policy_at(k)->name);
        cr_assert_eq(p->nr_refused, 0);
        cr_assert_eq(p->used, 70);
        policy_destroy(p);
    }
}

/*
 * Objects of 8 bytes in a cache of 8 n + 5 are entries in one of n. (8, since gdsf divides by it and
 * must not round. For genlru's presets only
 * with one eviction at a time, since a chunk is bounded by what is asked for; see genlru.c there.)
 */
Test(all, equal_sizes_are_entries)
{
    uint32_t *ids = random_ids();
    uint64_t sizes[NR_IDS];
    unsigned compared = 0;

    for (uint32_t id = 0; id < NR_IDS; id++) {
        sizes[id] = 8;
    }
    for (size_t k = 0; policy_at(k); k++) {
        struct policy_config config = {.capacity = 325, .nr_ids = NR_IDS, .sizes = sizes};

        if (!policy_at(k)->has_sizes || policy_genlru_preset(policy_at(k))) {
            continue;
        }
        struct policy *bytes = make_config(policy_at(k), &config, ids);
        struct policy *entries = make(policy_at(k), 40, ids);

        cr_assert_eq(policy_replay(bytes, ids, NR_STEPS), policy_replay(entries, ids, NR_STEPS), "%s",
                     policy_at(k)->name);
        policy_destroy(bytes);
        policy_destroy(entries);
        compared++;
    }
    cr_assert_geq(compared, 7);
    free(ids);
}

/* Rule 5, also with batches of odd lengths. */
Test(all, replay_is_access)
{
    static const size_t batches[] = {1, 7, 16, 17, 1000, NR_STEPS};
    uint32_t *ids = random_ids();

    for (size_t k = 0; policy_at(k); k++) {
        struct policy *one = make(policy_at(k), 40, ids);
        uint64_t misses = 0;

        for (uint32_t i = 0; i < NR_STEPS; i++) {
            misses += !policy_access(one, ids[i], POLICY_READ);
        }
        char *state = golden_state(one);

        for (size_t b = 0; b < sizeof(batches) / sizeof(batches[0]); b++) {
            struct policy *many = make(policy_at(k), 40, ids);
            uint64_t replayed = 0;

            for (size_t i = 0; i < NR_STEPS; i += batches[b]) {
                size_t rest = NR_STEPS - i;
                replayed += policy_replay(many, ids + i, rest < batches[b] ? rest : batches[b]);
            }
            char *other = golden_state(many);

            cr_assert_eq(replayed, misses, "%s", policy_at(k)->name);
            cr_assert_str_eq(other, state, "%s", policy_at(k)->name);
            cr_assert_eq(many->evictions, one->evictions);
            free(other);
            policy_destroy(many);
        }
        free(state);
        policy_destroy(one);
    }
    free(ids);
}

Test(all, capacity_zero_holds_nothing)
{
    uint32_t *ids = random_ids();

    for (size_t k = 0; policy_at(k); k++) {
        struct policy *p = make(policy_at(k), 0, ids);

        cr_assert_eq(policy_replay(p, ids, NR_STEPS), NR_STEPS, "%s", policy_at(k)->name);
        cr_assert_not(policy_access(p, 5, POLICY_MAPPED));
        cr_assert_not(policy_is_resident(p, 5));
        cr_assert_eq(p->nr_resident, 0);
        cr_assert_eq(p->evictions, 0);
        policy_destroy(p);
    }
    free(ids);
}

Test(all, room_for_everything_misses_once)
{
    uint32_t *ids = random_ids();
    bool seen[NR_IDS] = {false};
    uint64_t distinct = 0;

    for (uint32_t i = 0; i < NR_STEPS; i++) {
        distinct += !seen[ids[i]];
        seen[ids[i]] = true;
    }
    for (size_t k = 0; policy_at(k); k++) {
        struct policy *p = make(policy_at(k), NR_IDS, ids);

        cr_assert_eq(policy_replay(p, ids, NR_STEPS), distinct, "%s", policy_at(k)->name);
        cr_assert_eq(p->evictions, 0);
        policy_destroy(p);
    }
    free(ids);
}

Test(all, registry)
{
    for (size_t k = 0; policy_at(k); k++) {
        const struct policy_ops *ops = policy_at(k);

        cr_assert_eq(policy_find(ops->name), ops);
        cr_assert_gt(strlen(ops->what), 10);
        cr_assert_gt(strlen(ops->source), 10);
        cr_assert_null(strpbrk(ops->name, ", \t\n"), "%s", ops->name);
    }
    cr_assert_null(policy_find("no-such-policy"));
    cr_assert_null(policy_find(""));
}

Test(all, too_many_ids_is_refused)
{
    struct policy_config config = {.capacity = 1, .nr_ids = UINT32_MAX};

    for (size_t k = 0; policy_at(k); k++) {
        struct policy *p = NULL;

        cr_assert_eq(policy_create(policy_at(k), &config, &p), -EINVAL);
        cr_assert_null(p);
    }
}

Test(all, too_many_entries_are_refused)
{
    struct policy_config config = {.capacity = UINT64_C(1) << 32, .nr_ids = 1};

    for (size_t k = 0; policy_at(k); k++) {
        struct policy *p = NULL;

        cr_assert_eq(policy_create(policy_at(k), &config, &p), -EINVAL);
        cr_assert_null(p);
    }
}
