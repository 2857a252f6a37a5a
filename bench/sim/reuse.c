/* SPDX-License-Identifier: MIT */
/*
 * reuse.c - see reuse.h
 *
 *      slots in the order of requests:   a . b . . c d . │ free
 *                                        ▲ the key's last request; only that one is kept
 *
 * A key's distance is the number of slots taken behind its own: a Fenwick tree (P. Fenwick, 1994)
 * counts them in O(log). When the slots are used up, those taken move together; with twice as many
 * slots as keys that happens once in nr_ids requests at the most.
 */
#include "sim/reuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TELL_EVERY ((uint64_t)1 << 18)
#define SLOTS_MIN 64

struct reuse {
    uint32_t nr_slots;
    uint32_t next; /* free slot */
    uint32_t taken;
    uint32_t *tree;  /* Fenwick over the slots, 1-based */
    uint32_t *owner; /* id of a slot; valid if it still points back */
    uint32_t *slot;  /* of an id, plus one; 0 = not seen */
};

static void add(struct reuse *r, uint32_t slot, uint32_t delta)
{
    for (uint64_t i = (uint64_t)slot + 1; i <= r->nr_slots; i += i & (~i + 1)) {
        r->tree[i] += delta;
    }
}

/* Slots taken among the first n. */
static uint32_t sum(const struct reuse *r, uint32_t n)
{
    uint32_t total = 0;

    for (uint32_t i = n; i; i &= i - 1) {
        total += r->tree[i];
    }
    return total;
}

static void move_together(struct reuse *r)
{
    uint32_t to = 0;

    for (uint32_t from = 0; from < r->next; from++) {
        uint32_t id = r->owner[from];

        if (r->slot[id] == from + 1) {
            r->owner[to] = id;
            r->slot[id] = ++to;
        }
    }
    r->next = to;
    /* The first `to` slots are taken, the others free: a node counts what it covers of them. */
    for (uint64_t i = 1; i <= r->nr_slots; i++) {
        uint64_t from = i - (i & (~i + 1));

        r->tree[i] = (uint32_t)(from >= to ? 0 : (i < to ? i : to) - from);
    }
}

/* Distance, or UINT32_MAX of a first request. */
static uint32_t request(struct reuse *r, uint32_t id)
{
    uint32_t distance = UINT32_MAX;

    if (r->slot[id]) {
        distance = r->taken - sum(r, r->slot[id]);
        add(r, r->slot[id] - 1, UINT32_MAX);
        r->slot[id] = 0;
        r->taken--;
    }
    if (r->next == r->nr_slots) {
        move_together(r);
    }
    r->owner[r->next] = id;
    add(r, r->next, 1);
    r->slot[id] = ++r->next;
    r->taken++;
    return distance;
}

int reuse_count(const struct trace *t, uint64_t *counts, void (*tell)(void *ctx, uint64_t done), void *ctx)
{
    uint64_t slots = 2 * (uint64_t)t->nr_ids + SLOTS_MIN;
    struct reuse r = {.nr_slots = slots < UINT32_MAX ? (uint32_t)slots : UINT32_MAX - 1};

    r.tree = calloc((size_t)r.nr_slots + 1, sizeof(*r.tree));
    r.owner = calloc(r.nr_slots, sizeof(*r.owner));
    r.slot = calloc(t->nr_ids, sizeof(*r.slot));
    int rc = r.tree && r.owner && r.slot ? 0 : -ENOMEM;

    for (uint64_t i = 0; i < t->nr_requests && !rc; i++) {
        uint32_t distance = request(&r, t->ids[i]);

        if (distance != UINT32_MAX) {
            counts[distance]++;
        }
        if (tell && i % TELL_EVERY == 0) {
            tell(ctx, i);
        }
    }
    free(r.tree);
    free(r.owner);
    free(r.slot);
    return rc;
}

uint64_t reuse_quantile(const uint64_t *counts, uint32_t nr_ids, uint64_t total, unsigned permille)
{
    /* ceil(total * permille / 1000) without overflow. */
    uint64_t need = total / 1000 * permille + (total % 1000 * permille + 999) / 1000;
    uint64_t seen = 0;

    for (uint32_t d = 0; d < nr_ids; d++) {
        seen += counts[d];
        if (seen >= need && seen) {
            return d;
        }
    }
    return nr_ids;
}
