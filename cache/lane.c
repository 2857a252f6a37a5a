/* SPDX-License-Identifier: MIT */
/* Lanes: groups of threads that share free objects and counters. And what waits for their locks, and for the other ones. */
#include <sched.h>

#include "internal.h"

enum { AT_ONCE = 16 };

__thread unsigned genlru__cache_thread;

unsigned genlru__cache_thread_begin(void)
{
    static unsigned nr_threads;

    genlru__cache_thread = 1 + __atomic_fetch_add(&nr_threads, 1, __ATOMIC_RELAXED);
    return genlru__cache_thread;
}

void genlru__bit_wait(uint32_t *word)
{
    enum { SPINS = 64 }; /* looks without a pause; then others may run, as the holder may have been preempted */
    unsigned spins = 0;

    while (!genlru__bit_trylock(word))
        if (++spins % SPINS == 0)
            sched_yield();
}

static void count_inserted(struct genlru__lane *lane, uint64_t by)
{
    genlru_impl_store_relaxed(&lane->inserted, lane->inserted + by);
}

void genlru__lane_uncount(struct genlru__lane *lane)
{
    genlru__bit_lock(&lane->lock);
    count_inserted(lane, 0 - UINT64_C(1));
    genlru__bit_unlock(&lane->lock);
}

/* A free object; where entries need no more than their memory given back, also one whose grace period is over, as it is. */
static uint32_t pop(struct genlru_cache *cache, struct genlru__lane *lane, unsigned class_, unsigned nr_inserted)
{
    struct genlru__grace *grace = NULL;
    uint32_t handle;

    genlru__bit_lock(&lane->lock);
    count_inserted(lane, nr_inserted);
    handle = genlru__magazine_pop(&cache->heap, &lane->magazine[class_], class_);
    if (!handle && !cache->release && !genlru__has_payload(cache->kind))
        handle = genlru__dead_reuse(cache, lane, &grace);
    genlru__bit_unlock(&lane->lock);
    genlru__grace_launch(grace);
    return handle;
}

/* The first object of a list of `nr` that is kept; the others go into the lane's magazine. */
static uint32_t refill(struct genlru_cache *cache, struct genlru__lane *lane, unsigned class_, uint32_t first)
{
    struct genlru__magazine rest = {first, 1}; /* its own count does not matter */
    uint32_t kept = genlru__magazine_pop(&cache->heap, &rest, class_), handle;

    genlru__bit_lock(&lane->lock);
    while ((handle = genlru__magazine_pop(&cache->heap, &rest, class_)) != 0)
        (void)genlru__magazine_push(&cache->heap, &lane->magazine[class_], class_, handle);
    genlru__bit_unlock(&lane->lock);
    return kept;
}

struct genlru_cache_entry *genlru__object_new(struct genlru_cache *cache, struct genlru__lane *lane, size_t bytes,
                                              unsigned nr_inserted)
{
    unsigned class_ = genlru__class_of(bytes);
    uint32_t handle = pop(cache, lane, class_, nr_inserted), first;

    if (!handle && genlru__dead_collect(cache, lane, AT_ONCE))
        handle = pop(cache, lane, class_, 0); /* what has just come back is as good, and nearer */
    if (!handle) {
        if (!genlru__heap_take(&cache->heap, class_, &first)) {
            if (nr_inserted)
                genlru__lane_uncount(lane);
            return NULL;
        }
        handle = refill(cache, lane, class_, first);
    }
    return genlru__heap_at(&cache->heap, handle);
}

static size_t object_bytes(const struct genlru_cache *cache, const struct genlru_cache_entry *e)
{
    if (!genlru__has_payload(cache->kind))
        return GENLRU__OBJECT_MIN;
    return genlru__object_bytes(cache->kind, genlru__payload_bytes(cache->kind, genlru__key_bytes(cache->kind, e),
                                                                   genlru__value_bytes(cache->kind, e)));
}

void genlru__objects_free(struct genlru_cache *cache, struct genlru__lane *lane,
                          struct genlru_cache_entry *const *entries, unsigned nr)
{
    uint32_t too_many[GENLRU__NR_CLASSES], nr_too_many = 0;
    unsigned i;

    genlru__bit_lock(&lane->lock);
    for (i = 0; i < nr; i++) {
        unsigned class_ = genlru__class_of(object_bytes(cache, entries[i]));
        struct genlru__magazine *magazine = &lane->magazine[class_];

        if (genlru__magazine_push(&cache->heap, magazine, class_, genlru__heap_handle(entries[i])) &&
            nr_too_many < GENLRU__NR_CLASSES) {
            too_many[nr_too_many++] = magazine->free;
            magazine->free = magazine->nr = 0;
        }
    }
    genlru_impl_store_relaxed(&lane->waiting, lane->waiting - nr);
    genlru__bit_unlock(&lane->lock);
    while (nr_too_many)
        genlru__heap_take_back(&cache->heap, too_many[--nr_too_many]);
}

uint64_t genlru__nr_entries(const struct genlru_cache *cache)
{
    uint64_t nr = 0;
    unsigned i, cause;

    for (i = 0; i < cache->nr_lanes; i++) {
        nr += genlru_impl_load_relaxed(&cache->lane[i].inserted);
        for (cause = 0; cause < GENLRU_CACHE_UNCACHED; cause++)
            nr -= genlru_impl_load_relaxed(&cache->lane[i].removed[cause]);
    }
    return (int64_t)nr < 0 ? 0 : nr;
}
