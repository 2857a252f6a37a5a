/* SPDX-License-Identifier: MIT */
/*
 * Histories. Three threads make a few calls each on one key, side by side; when each began and ended is written down, and what it
 * answered. Then the calls are searched for an order that respects the times and in which a sequential cache
 * would have answered the same (Wing and Gong 1993): if there is none, the cache was not linearizable.
 *
 *   state of the sequential cache: absent, or the number of the insert that is in
 *
 * Three kinds of rounds: nothing can be evicted; others' inserts push the key out (then it may become absent at any moment,
 * but never hold an old value again); and the index grows all the time, which must not be seen at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"

enum { NR_THREADS = 3, CALLS = 4, NR_CALLS = NR_THREADS * CALLS, ABSENT = 0, NR_NOISE = 40 };

enum call_kind { INSERT, INSERT_IF_ABSENT, REPLACE, ERASE, GET, GET_RCU, CONTAINS, NR_KINDS };

struct call {
    enum call_kind kind;
    uint32_t number; /* of the value it inserts, from 1 */
    uint32_t seen;   /* number of the value it found; ABSENT */
    int result;
    uint64_t began;
    uint64_t ended;
};

struct round {
    struct genlru_cache *cache;
    struct cache_test_owner *owner;
    struct stress_barrier barrier;
    struct call call[NR_CALLS];
    uint64_t clock;
    uint64_t key;
    uint64_t seed;
    unsigned nr_rounds;
    bool has_noise; /* other keys come and go */
    bool may_evict; /* the key may go, too */
    uint64_t next_noise;
};

static uint64_t tick(struct round *round)
{
    return __atomic_fetch_add(&round->clock, 1, __ATOMIC_SEQ_CST);
}

static uint32_t number_in(const struct round *round, const struct genlru_cache_entry *e)
{
    const struct cache_test_value *value = genlru_cache_value(round->cache, e);

    STRESS_CHECK(value->key == round->key && !value->is_released, "an entry of another key, or a released one");
    return (uint32_t)value->version;
}

static void make(struct round *round, struct call *call)
{
    struct cache_test_value *value;
    struct genlru_cache_insert how = {.charge = 1};
    struct genlru_cache_entry *e = NULL;

    switch (call->kind) {
    case INSERT:
    case INSERT_IF_ABSENT:
    case REPLACE:
        value = cache_test_make(round->owner, round->key, call->number);
        how.value = value;
        how.mode = call->kind == INSERT             ? GENLRU_CACHE_UPSERT
                   : call->kind == INSERT_IF_ABSENT ? GENLRU_CACHE_IF_ABSENT
                                                    : GENLRU_CACHE_IF_PRESENT;
        call->began = tick(round);
        call->result = genlru_cache_insert_u64(round->cache, round->key, &how, &e);
        call->ended = tick(round);
        if (call->result < 0)
            cache_test_free(round->owner, value);
        break;
    case ERASE:
        call->began = tick(round);
        call->result = genlru_cache_erase_u64(round->cache, round->key);
        call->ended = tick(round);
        break;
    case GET:
        call->began = tick(round);
        e = genlru_cache_get_u64(round->cache, round->key);
        call->ended = tick(round);
        break;
    case GET_RCU:
        genlru_cache_read_lock();
        call->began = tick(round);
        e = genlru_cache_get_rcu_u64(round->cache, round->key);
        call->ended = tick(round);
        call->seen = e ? number_in(round, e) : ABSENT;
        genlru_cache_read_unlock();
        return;
    case CONTAINS:
    case NR_KINDS:
        call->began = tick(round);
        call->result = genlru_cache_contains(round->cache, &round->key, sizeof(round->key));
        call->ended = tick(round);
        return;
    }
    call->seen = e ? number_in(round, e) : ABSENT;
    genlru_cache_release(round->cache, e);
}

/* ---- the search ---- */

struct search {
    const struct round *round;
    uint32_t seen[1 << NR_CALLS]; /* sets of calls done: states that led nowhere, a bit each */
};

/* Whether the sequential cache in `state` would answer so; and the state after it. */
static bool would_answer(const struct call *call, uint32_t state, uint32_t *ret_state)
{
    *ret_state = state;
    switch (call->kind) {
    case INSERT:
        *ret_state = call->number;
        return call->result == (state ? GENLRU_CACHE_REPLACED_OLD : 0) && call->seen == call->number;
    case INSERT_IF_ABSENT:
        if (state)
            return call->result == -EEXIST && call->seen == state;
        *ret_state = call->number;
        return call->result == 0 && call->seen == call->number;
    case REPLACE:
        if (!state)
            return call->result == -ENOENT;
        *ret_state = call->number;
        return call->result == GENLRU_CACHE_REPLACED_OLD && call->seen == call->number;
    case ERASE:
        *ret_state = ABSENT;
        return call->result == (state ? 0 : -ENOENT);
    case GET:
    case GET_RCU:
        return call->seen == state;
    case CONTAINS:
    case NR_KINDS:
        return call->result == (state != ABSENT);
    }
    return false;
}

static bool search(struct search *s, unsigned done, uint32_t state)
{
    const struct call *calls = s->round->call;
    uint64_t first_end = UINT64_MAX;
    uint32_t next;
    unsigned i;

    if (done == (1u << NR_CALLS) - 1)
        return true;
    if (s->seen[done] & 1u << state)
        return false;
    for (i = 0; i < NR_CALLS; i++)
        if (!(done & 1u << i) && calls[i].ended < first_end)
            first_end = calls[i].ended;
    for (i = 0; i < NR_CALLS; i++) {
        if (done & 1u << i || calls[i].began > first_end)
            continue; /* another one ended before it began */
        if (would_answer(&calls[i], state, &next) && search(s, done | 1u << i, next))
            return true;
    }
    s->seen[done] |= 1u << state;
    return s->round->may_evict && state && search(s, done, ABSENT);
}

static void check(const struct round *round)
{
    static const char *const names[] = {"insert", "insert if absent", "replace", "erase", "get", "get_rcu", "contains"};
    struct search *s = calloc(1, sizeof(*s));

    STRESS_CHECK(s, "no memory");
    s->round = round;
    if (!search(s, 0, ABSENT)) {
        for (unsigned i = 0; i < NR_CALLS; i++)
            fprintf(stderr, "thread %u: %3llu-%3llu %s %u: %d, saw %u\n", i / CALLS,
                    (unsigned long long)round->call[i].began, (unsigned long long)round->call[i].ended,
                    names[round->call[i].kind], round->call[i].number, round->call[i].result, round->call[i].seen);
        stress_fail(__FILE__, __LINE__, "no order of these calls explains their answers");
    }
    free(s);
}

/* ---- rounds ---- */

/* Other keys: they make the index grow, and push entries out where the capacity says so. */
static void make_noise(struct round *round)
{
    uint64_t first = __atomic_fetch_add(&round->next_noise, NR_NOISE, __ATOMIC_RELAXED);

    for (unsigned i = 0; i < NR_NOISE / NR_THREADS; i++)
        (void)cache_test_put(round->cache, round->owner, first + i, 0);
}

static void play(void *ctx, unsigned thread)
{
    struct round *round = ctx;
    struct stress_random random = stress_random(round->seed, thread);

    for (unsigned nr = 0; nr < round->nr_rounds; nr++) {
        if (thread == 0) {
            round->key = 1000000000 + nr; /* a new one: absent */
            round->clock = 0;
        }
        stress_wait(&round->barrier);
        for (unsigned i = 0; i < CALLS; i++) {
            struct call *call = &round->call[thread * CALLS + i];

            *call = (struct call){.kind = (enum call_kind)stress_below(&random, NR_KINDS),
                                  .number = 1 + thread * CALLS + i};
            make(round, call);
            if (round->has_noise)
                make_noise(round);
        }
        genlru_cache_quiescent();
        stress_wait(&round->barrier);
        if (thread == 0)
            check(round);
    }
}

static void run(const struct stress_options *options, const char *name, uint64_t capacity, bool has_noise,
                unsigned nr_rounds)
{
    struct cache_test_owner owner = {0, {0}};
    struct genlru_cache_config config = cache_test_config(&owner, capacity);
    struct round *round = calloc(1, sizeof(*round));

    STRESS_CHECK(round, "no memory");
    if (!stress_is_wanted(options, name))
        return;
    stress_context("%s", name);
    config.stripes = 2;
    round->cache = cache_test_create(&config);
    round->owner = &owner;
    round->seed = options->seed;
    round->nr_rounds = stress_scaled(options, nr_rounds);
    round->has_noise = has_noise;
    round->may_evict = capacity != GENLRU_NO_LIMIT;
    stress_barrier_init(&round->barrier, NR_THREADS);
    cache_test_run(NR_THREADS, play, round);
    cache_test_verify(round->cache);
    cache_test_destroy(round->cache, &owner);
    free(round);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);

    genlru_cache_register_thread();
    run(&options, "alone", GENLRU_NO_LIMIT, false, 6000);
    run(&options, "growing", GENLRU_NO_LIMIT, true, 2000);
    run(&options, "evicted", 16, true, 2000);
    genlru_cache_unregister_thread();
    return 0;
}
