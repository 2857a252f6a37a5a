/* SPDX-License-Identifier: MIT */
/*
 * belady.c - the optimum: out goes what is asked for again last (Belady's MIN, 1966)
 *
 *      prepare: next[i] = position of the next request for ids[i], or NEVER
 *      evict:   an entry that is never asked for again, if there is one, else the one whose next
 *               request is farthest
 *
 * A position belongs to one id, so the resident entries that have a future are a *set of
 * positions*: a bitmap, with a bitmap above it that says which of its words are not empty, and so
 * on, 64 to 1 (drawn with 4):
 *
 *      0110                       top
 *      0000 1010 0100 0000        words of it that are not empty
 *      …         0001 … 1000      one bit a position; the farthest is found by going down
 *
 * Exact for entries of one size. With sizes the same rule is a good bound, but not the optimum
 * (finding that is NP-hard); no byte of that is hidden in the name, see docs/baselines.md.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/replay.h"

#define NEVER UINT32_MAX
#define LEVELS_MAX 6 /* 64^6 > 2^32 */

struct belady {
    struct policy base;
    const uint32_t *ids; /* of prepare */
    uint32_t *next;      /* of each request */
    uint64_t *level[LEVELS_MAX];
    uint32_t *finished; /* resident ids that are never asked for again: a stack */
    uint8_t *resident;
    uint32_t nr_levels;
    uint32_t nr_finished;
    uint32_t nr_requests;
    uint32_t now; /* requests so far */
};

static void belady_destroy(struct policy *p)
{
    struct belady *b = (struct belady *)p;

    for (int i = 0; i < LEVELS_MAX; i++) {
        array_destroy(b->level[i]);
    }
    array_destroy(b->next);
    array_destroy(b->finished);
    array_destroy(b->resident);
    free(b);
}

static int belady_create(const struct policy_config *config, struct policy **ret)
{
    struct belady *b = calloc(1, sizeof(*b));

    if (!b) {
        return -ENOMEM;
    }
    policy_init(&b->base, &policy_belady, config);
    b->resident = array_create(config->nr_ids, sizeof(*b->resident));
    b->finished = array_create(policy_entries_max(config), sizeof(*b->finished));
    if (!b->resident || !b->finished) {
        belady_destroy(&b->base);
        return -ENOMEM;
    }
    *ret = &b->base;
    return 0;
}

/* Backwards: the request seen last for an id is the next one of the one before. */
static int find_next(struct belady *b, size_t n)
{
    uint32_t *last = array_create(b->base.nr_ids, sizeof(*last));

    if (!last) {
        return -ENOMEM;
    }
    for (uint32_t id = 0; id < b->base.nr_ids; id++) {
        last[id] = NEVER;
    }
    for (size_t i = n; i-- > 0;) {
        b->next[i] = last[b->ids[i]];
        last[b->ids[i]] = (uint32_t)i;
    }
    array_destroy(last);
    return 0;
}

static int belady_prepare(struct policy *p, const uint32_t *ids, size_t n)
{
    struct belady *b = (struct belady *)p;
    size_t words = n;

    if (n >= NEVER) {
        return -EFBIG;
    }
    assert(!b->next);
    b->ids = ids;
    b->nr_requests = (uint32_t)n;
    b->next = array_create(n, sizeof(*b->next));
    if (!b->next) {
        return -ENOMEM;
    }
    do {
        words = (words + 63) / 64;
        b->level[b->nr_levels] = array_create(words, sizeof(**b->level));
        if (!b->level[b->nr_levels++]) {
            return -ENOMEM;
        }
    } while (words > 1);
    return find_next(b, n);
}

REPLAY_INLINE void set_position(struct belady *b, uint32_t position)
{
    for (uint32_t i = 0; i < b->nr_levels; i++) {
        uint64_t *word = &b->level[i][position / 64];
        bool was_empty = *word == 0;

        *word |= UINT64_C(1) << position % 64;
        if (!was_empty) {
            return;
        }
        position /= 64;
    }
}

REPLAY_INLINE void clear_position(struct belady *b, uint32_t position)
{
    for (uint32_t i = 0; i < b->nr_levels; i++) {
        uint64_t *word = &b->level[i][position / 64];

        *word &= ~(UINT64_C(1) << position % 64);
        if (*word) {
            return;
        }
        position /= 64;
    }
}

/* The set must not be empty. */
REPLAY_INLINE uint32_t farthest_position(const struct belady *b)
{
    uint32_t position = 0;

    for (uint32_t i = b->nr_levels; i-- > 0;) {
        uint64_t word = b->level[i][position];

        assert(word);
        position = position * 64 + 63u - (uint32_t)__builtin_clzll(word);
    }
    return position;
}

REPLAY_INLINE void belady_evict_one(struct belady *b, bool sized)
{
    uint32_t id;

    if (b->nr_finished > 0) {
        id = b->finished[--b->nr_finished];
    } else {
        uint32_t position = farthest_position(b);

        clear_position(b, position);
        id = b->ids[position];
    }
    b->resident[id] = 0;
    policy_count_eviction(&b->base, id, sized);
}

REPLAY_INLINE bool belady_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct belady *b = (struct belady *)p;
    uint32_t now = b->now++;
    bool hit = b->resident[id];

    (void)channel;
    /* Whoever asks for something else than was foretold is wrong, and so would the result be. */
    if (now >= b->nr_requests || b->ids[now] != id) {
        fputs("belady: a request that prepare was not told of\n", stderr);
        abort();
    }
    if (hit) {
        clear_position(b, now);
    } else {
        if (policy_refuses(p, id, sized)) {
            return false;
        }
        while (policy_is_full(p, id, sized)) {
            belady_evict_one(b, sized);
        }
        b->resident[id] = 1;
        policy_count_fill(p, id, sized);
    }
    if (b->next[now] == NEVER) {
        b->finished[b->nr_finished++] = id;
    } else {
        set_position(b, b->next[now]);
    }
    return hit;
}

REPLAY_INLINE void belady_prefetch(const struct policy *p, uint32_t id)
{
    const struct belady *b = (const struct belady *)p;

    __builtin_prefetch(&b->resident[id], 1);
}

REPLAY_DEFINE_SIZED(belady)

static bool belady_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct belady *)p)->resident[id];
}

/* By id. */
static void belady_dump(const struct policy *p, FILE *out)
{
    const struct belady *b = (const struct belady *)p;

    fputs("belady:", out);
    for (uint32_t id = 0; id < p->nr_ids; id++) {
        if (b->resident[id]) {
            fprintf(out, " %u", (unsigned)id);
        }
    }
}

const struct policy_ops policy_belady = {
    .name = "belady",
    .what = "the optimum for entries of one size: evicts what is asked for again last",
    .source = "Belady: A study of replacement algorithms for a virtual-storage computer, "
              "IBM Systems Journal 5(2), 1966",
    .has_sizes = true,
    .create = belady_create,
    .destroy = belady_destroy,
    .prepare = belady_prepare,
    .access = belady_access_one,
    .replay = belady_replay,
    .is_resident = belady_is_resident,
    .dump = belady_dump,
};
