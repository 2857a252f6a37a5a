/* SPDX-License-Identifier: MIT */
/*
 * sink.c - see sink.h
 *
 *      number ──▶ wait[0 … KEYMAP_BATCH) ──keymap_numbers──▶ ids, channels, sizes
 *      text   ──▶ (empties wait first) ───keymap_text──────▶
 */
#define _POSIX_C_SOURCE 200809L
#include "trace/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/keymap.h"

struct sink {
    struct trace trace;
    struct keymap *keys;
    uint64_t ids_room;
    uint64_t channels_room;
    uint64_t sizes_room;
    bool has_sizes;
    uint32_t nr_sized; /* ids that sizes[] has an element for */

    size_t nr_wait; /* requests kept back */
    uint64_t wait_key[KEYMAP_BATCH];
    uint64_t wait_size[KEYMAP_BATCH];
    uint8_t wait_channel[KEYMAP_BATCH];
};

struct sink *sink_create(void)
{
    struct sink *s = calloc(1, sizeof(*s));

    if (s) {
        s->keys = keymap_create(TRACE_IDS_MAX);
        s->trace.is_plain = true;
    }
    if (s && !s->keys) {
        free(s);
        return NULL;
    }
    return s;
}

void sink_destroy(struct sink *s)
{
    if (s) {
        keymap_destroy(s->keys);
        free(s->trace.name);
        free(s->trace.ids);
        free(s->trace.sizes);
        free(s->trace.channels);
        free(s);
    }
}

const char *sink_reason(int rc)
{
    return rc == -ENOSPC ? "too many distinct keys" : strerror(-rc);
}

void sink_has_sizes(struct sink *s)
{
    s->has_sizes = true;
}

/* Room for `need` elements of the given size in the array that `array` points to. */
static int reserve(void *array, uint64_t *room, uint64_t need, size_t size)
{
    void *old;
    uint64_t more = *room ? *room : 1024;

    if (need <= *room) {
        return 0;
    }
    while (more < need) {
        more *= 2;
    }
    if (more > SIZE_MAX / size) {
        return -ENOMEM;
    }
    memcpy(&old, array, sizeof(old));
    void *bigger = realloc(old, (size_t)more * size);

    if (!bigger) {
        return -ENOMEM;
    }
    memcpy(array, &bigger, sizeof(bigger));
    *room = more;
    return 0;
}

/* Channels are kept from the first one that is not a read; those before it were. */
static int note_channel(struct sink *s, uint64_t at, uint8_t channel)
{
    struct trace *t = &s->trace;

    if (!t->channels && channel == POLICY_READ) {
        return 0;
    }
    uint64_t before = t->channels ? at : 0;
    int rc = reserve(&t->channels, &s->channels_room, at + 1, sizeof(*t->channels));

    if (rc) {
        return rc;
    }
    if (before == 0) {
        memset(t->channels, POLICY_READ, (size_t)at);
    }
    t->channels[at] = channel;
    t->nr_prefetches += channel == POLICY_PREFETCH;
    t->is_plain &= channel <= POLICY_WRITE;
    return 0;
}

/* Sizes are kept from the first file on that has some; SINK_NO_SIZE marks those not told yet. */
static int note_size(struct sink *s, uint32_t id, uint64_t size)
{
    struct trace *t = &s->trace;
    int rc = 0;

    if (!s->has_sizes) {
        return 0;
    }
    if (id >= s->nr_sized) {
        rc = reserve(&t->sizes, &s->sizes_room, (uint64_t)id + 1, sizeof(*t->sizes));
        if (rc) {
            return rc;
        }
        while (s->nr_sized <= id) {
            t->sizes[s->nr_sized++] = SINK_NO_SIZE;
        }
    }
    if (size == SINK_NO_SIZE) {
        return 0;
    }
    if (t->sizes[id] == SINK_NO_SIZE) {
        t->sizes[id] = size;
    }
    t->nr_resized += t->sizes[id] != size;
    return 0;
}

/* A request whose id is known. The arrays grow before anything is counted. */
static int append(struct sink *s, uint32_t id, bool is_new, uint64_t size, uint8_t channel)
{
    struct trace *t = &s->trace;
    int rc = reserve(&t->ids, &s->ids_room, t->nr_requests + 1, sizeof(*t->ids));

    if (!rc) {
        rc = note_size(s, id, size);
    }
    if (!rc) {
        rc = note_channel(s, t->nr_requests, channel);
    }
    if (!rc) {
        t->nr_first_touch += is_new && channel != POLICY_PREFETCH;
        t->ids[t->nr_requests++] = id;
    }
    return rc;
}

static int append_batch(struct sink *s, const uint64_t *keys, const uint64_t *sizes, const uint8_t *channels, size_t n)
{
    uint32_t ids[KEYMAP_BATCH];
    uint32_t known = keymap_count(s->keys);
    int rc = keymap_numbers(s->keys, keys, n, ids);

    if (!rc) {
        rc = reserve(&s->trace.ids, &s->ids_room, s->trace.nr_requests + n, sizeof(*s->trace.ids));
    }
    if (!rc && !channels && !s->trace.channels && !s->has_sizes) {
        memcpy(s->trace.ids + s->trace.nr_requests, ids, n * sizeof(*ids));
        s->trace.nr_requests += n;
        s->trace.nr_first_touch += keymap_count(s->keys) - known;
        return 0;
    }
    for (size_t i = 0; i < n && !rc; i++) {
        bool is_new = ids[i] == known;

        known += is_new;
        rc = append(s, ids[i], is_new, sizes ? sizes[i] : SINK_NO_SIZE, channels ? channels[i] : POLICY_READ);
    }
    return rc;
}

static int empty_wait(struct sink *s)
{
    size_t n = s->nr_wait;

    s->nr_wait = 0;
    return n ? append_batch(s, s->wait_key, s->wait_size, s->wait_channel, n) : 0;
}

int sink_number(struct sink *s, uint64_t key, uint64_t size, enum policy_channel channel)
{
    s->wait_key[s->nr_wait] = key;
    s->wait_size[s->nr_wait] = size;
    s->wait_channel[s->nr_wait] = (uint8_t)channel;
    return ++s->nr_wait < KEYMAP_BATCH ? 0 : empty_wait(s);
}

int sink_text(struct sink *s, const char *key, size_t len, uint64_t size, enum policy_channel channel)
{
    int rc = empty_wait(s);
    uint32_t known = keymap_count(s->keys);
    uint32_t id = 0;

    if (!rc) {
        rc = keymap_text(s->keys, key, len, &id);
    }
    return rc ? rc : append(s, id, id == known, size, (uint8_t)channel);
}

static int add_numbers(struct sink *s, const uint64_t *keys, const uint64_t *sizes, const uint8_t *channels, size_t n)
{
    int rc = empty_wait(s);

    for (size_t at = 0; at < n && !rc; at += KEYMAP_BATCH) {
        size_t batch = n - at < KEYMAP_BATCH ? n - at : KEYMAP_BATCH;

        rc = append_batch(s, keys + at, sizes ? sizes + at : NULL, channels ? channels + at : NULL, batch);
    }
    return rc;
}

int sink_numbers(struct sink *s, const uint64_t *keys, const uint64_t *sizes, size_t n)
{
    return add_numbers(s, keys, sizes, NULL, n);
}

int sink_batch(struct sink *s, const uint64_t *keys, const uint8_t *channels, size_t n)
{
    return add_numbers(s, keys, NULL, channels, n);
}

void sink_skip(struct sink *s)
{
    s->trace.nr_skipped++;
}

uint64_t sink_requests(const struct sink *s)
{
    return s->trace.nr_requests;
}

int sink_trace(struct sink *s, const struct trace *from)
{
    int rc = 0;

    if (from->sizes) {
        sink_has_sizes(s);
    }
    for (uint64_t i = 0; i < from->nr_requests && !rc; i++) {
        uint32_t id = from->ids[i];

        rc = sink_number(s, id, from->sizes ? from->sizes[id] : SINK_NO_SIZE,
                         from->channels ? from->channels[i] : POLICY_READ);
    }
    s->trace.nr_skipped += from->nr_skipped;
    return rc;
}

/* Gives back what doubling took too much; failing to is harmless. */
static void shrink_to_fit(void *array, uint64_t n, size_t size)
{
    void *old;

    memcpy(&old, array, sizeof(old));
    void *smaller = old && n ? realloc(old, (size_t)n * size) : NULL;

    if (smaller) {
        memcpy(array, &smaller, sizeof(smaller));
    }
}

int sink_finish(struct sink *s, const char *name, struct trace **ret)
{
    int rc = empty_wait(s);
    struct trace *t = rc ? NULL : malloc(sizeof(*t));

    if (rc) {
        return rc;
    }
    if (s->trace.nr_requests == 0) {
        free(t);
        return -EINVAL;
    }
    s->trace.name = strdup(name);
    if (!t || !s->trace.name) {
        free(t);
        return -ENOMEM;
    }
    s->trace.nr_ids = keymap_count(s->keys);
    /* Ids that came before the first size, or after the last, have elements too. */
    rc = s->has_sizes ? note_size(s, s->trace.nr_ids - 1, SINK_NO_SIZE) : 0;
    if (rc) {
        free(t);
        return rc;
    }
    for (uint32_t id = 0; s->trace.sizes && id < s->trace.nr_ids; id++) {
        if (s->trace.sizes[id] == SINK_NO_SIZE) {
            s->trace.sizes[id] = 0;
        }
    }
    *t = s->trace;
    s->trace = (struct trace){0};
    shrink_to_fit(&t->ids, t->nr_requests, sizeof(*t->ids));
    shrink_to_fit(&t->sizes, t->nr_ids, sizeof(*t->sizes));
    shrink_to_fit(&t->channels, t->nr_requests, sizeof(*t->channels));
    *ret = t;
    return 0;
}
