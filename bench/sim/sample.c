/* SPDX-License-Identifier: MIT */
/*
 * sample.c - see sample.h
 */
#include "sim/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEPS (1u << 24)
#define NOT_PICKED UINT32_MAX

/* The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014): every bit depends on every bit. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint32_t threshold(double rate)
{
    double steps = rate * STEPS + 0.5;

    return steps < 1 ? 1 : steps > STEPS ? STEPS : (uint32_t)steps;
}

/* New ids of the picked keys, in the order of the old, which is that of first appearance. */
static uint32_t number_picked(const struct trace *t, uint32_t below, uint32_t *new_id)
{
    uint32_t nr = 0;

    for (uint32_t id = 0; id < t->nr_ids; id++) {
        new_id[id] = mix(id) % STEPS < below ? nr++ : NOT_PICKED;
    }
    return nr;
}

static int allocate(const struct trace *t, uint32_t nr_ids, uint64_t nr_requests, struct trace **ret)
{
    struct trace *s = calloc(1, sizeof(*s));

    if (!s) {
        return -ENOMEM;
    }
    s->name = strdup(t->name);
    s->ids = malloc(nr_requests * sizeof(*s->ids));
    s->sizes = t->sizes ? malloc(nr_ids * sizeof(*s->sizes)) : NULL;
    s->channels = t->channels ? malloc(nr_requests) : NULL;
    s->nr_ids = nr_ids;
    s->is_plain = t->is_plain;
    if (!s->name || !s->ids || (t->sizes && !s->sizes) || (t->channels && !s->channels)) {
        trace_destroy(s);
        return -ENOMEM;
    }
    *ret = s;
    return 0;
}

static void copy_picked(const struct trace *t, const uint32_t *new_id, struct trace *s)
{
    uint32_t seen = 0;

    for (uint32_t id = 0; t->sizes && id < t->nr_ids; id++) {
        if (new_id[id] != NOT_PICKED) {
            s->sizes[new_id[id]] = t->sizes[id];
        }
    }
    for (uint64_t i = 0; i < t->nr_requests; i++) {
        uint32_t id = new_id[t->ids[i]];
        bool prefetch = t->channels && t->channels[i] == POLICY_PREFETCH;

        if (id == NOT_PICKED) {
            continue;
        }
        if (s->channels) {
            s->channels[s->nr_requests] = t->channels[i];
        }
        s->nr_prefetches += prefetch;
        s->nr_first_touch += id == seen && !prefetch;
        seen += id == seen;
        s->ids[s->nr_requests++] = id;
    }
}

int sample_create(const struct trace *t, double rate, struct sample *ret)
{
    uint32_t below = threshold(rate);
    uint32_t *new_id = malloc(t->nr_ids * sizeof(*new_id));
    struct trace *s = NULL;
    uint64_t nr_requests = 0;

    if (!new_id) {
        return -ENOMEM;
    }
    uint32_t nr_ids = number_picked(t, below, new_id);
    int rc = nr_ids ? 0 : -ENOENT;

    if (!rc) {
        for (uint64_t i = 0; i < t->nr_requests; i++) {
            nr_requests += new_id[t->ids[i]] != NOT_PICKED;
        }
        rc = allocate(t, nr_ids, nr_requests, &s);
    }
    if (!rc) {
        copy_picked(t, new_id, s);
        *ret = (struct sample){s, (double)below / STEPS};
    }
    free(new_id);
    return rc;
}

void sample_destroy(struct sample *s)
{
    trace_destroy(s->trace);
    *s = (struct sample){0};
}

uint64_t sample_capacity(const struct sample *s, uint64_t capacity)
{
    if (s->rate >= 1 || capacity == 0) {
        return capacity;
    }
    uint64_t scaled = (uint64_t)((double)capacity * s->rate + 0.5);

    return scaled ? scaled : 1;
}

double sample_fit(double entries, uint32_t nr_ids)
{
    double by_entries = entries > 0 ? SAMPLE_ENTRIES / entries : 1;
    double by_keys = (double)SAMPLE_KEYS / nr_ids;
    double rate = by_entries > by_keys ? by_entries : by_keys;

    return rate > 0.5 ? 1 : rate < SAMPLE_RATE_MIN ? SAMPLE_RATE_MIN : rate;
}
