/* SPDX-License-Identifier: MIT */
/*
 * replay.c - see replay.h
 *
 * All policies account writes as reads, so only prefetched, mapped and executable requests need to
 * be told one by one.
 */
#include "sim/replay.h"

#include <stdlib.h>

#include "trace/keymap.h"

/* Requests looked up before they are replayed: enough for both loops to run ahead of memory. */
enum { LOOKED_UP = 16 * KEYMAP_BATCH };

struct sim_keys {
    const struct trace *trace;
    struct keymap *index;
    uint64_t *key; /* of each request */
    uint64_t at;
    uint32_t ids[LOOKED_UP];
};

uint64_t sim_replay(struct policy *p, const struct trace *t, uint64_t at, size_t n)
{
    const uint32_t *ids = t->ids + at;
    uint64_t misses = 0;

    if (t->is_plain) {
        return policy_replay(p, ids, n);
    }
    for (size_t i = 0; i < n; i++) {
        enum policy_channel channel = (enum policy_channel)t->channels[at + i];
        bool hit = policy_access(p, ids[i], channel);

        misses += !hit && channel != POLICY_PREFETCH;
    }
    return misses;
}

/* A bijection of 64 bits without a pattern (the finaliser of splitmix64: Steele, Lea, Flood 2014). */
static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct sim_keys *sim_keys_create(const struct trace *trace)
{
    struct sim_keys *keys = calloc(1, sizeof(*keys));

    if (!keys) {
        return NULL;
    }
    keys->trace = trace;
    keys->index = keymap_create(trace->nr_ids);
    keys->key = malloc(trace->nr_requests * sizeof(*keys->key));
    if (!keys->index || !keys->key) {
        sim_keys_destroy(keys);
        return NULL;
    }
    for (uint64_t i = 0; i < trace->nr_requests; i++) {
        keys->key[i] = scramble(trace->ids[i] + UINT64_C(1));
    }
    return keys;
}

void sim_keys_destroy(struct sim_keys *keys)
{
    if (keys) {
        keymap_destroy(keys->index);
        free(keys->key);
        free(keys);
    }
}

/* The ids of the next n ≤ LOOKED_UP requests. */
static int look_up(struct sim_keys *keys, size_t n)
{
    int rc = 0;

    for (size_t i = 0; i < n && !rc; i += KEYMAP_BATCH) {
        size_t batch = n - i < KEYMAP_BATCH ? n - i : KEYMAP_BATCH;

        rc = keymap_numbers(keys->index, keys->key + keys->at + i, batch, keys->ids + i);
    }
    return rc;
}

int sim_replay_keys(struct policy *p, struct sim_keys *keys, size_t n, uint64_t *misses)
{
    while (n > 0) {
        size_t piece = n < LOOKED_UP ? n : LOOKED_UP;
        struct trace found = {.ids = keys->ids, .is_plain = keys->trace->is_plain};
        int rc = look_up(keys, piece);

        if (rc) {
            return rc;
        }
        found.channels = keys->trace->channels ? keys->trace->channels + keys->at : NULL;
        *misses += sim_replay(p, &found, 0, piece);
        keys->at += piece;
        n -= piece;
    }
    return 0;
}
