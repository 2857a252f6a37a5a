/* SPDX-License-Identifier: MIT */
/*
 * LRU, as most caches have it: one list, moved to the front at each hit, behind one mutex. And 16 of them, each
 * with a mutex and a 16th of the objects by a hash of the key, as those do that met the lock. Evicted in
 * batches under one hold. See subject.h.
 */
#include <pthread.h>
#include <stdlib.h>

#include "micro/subject.h"
#include "micro/subject/list.h"

enum { SHARDS_MAX = 16 };

struct shard {
    pthread_mutex_t lock;
    struct list list;
} __attribute__((aligned(128))); /* two lines: processors fetch them in pairs */

struct subject {
    struct shard shard[SHARDS_MAX];
    unsigned nr_shards;
    unsigned next __attribute__((aligned(128))); /* shard to evict from */
};

static inline struct shard *shard_of(struct subject *s, const struct object *object)
{
    return &s->shard[s->nr_shards == 1 ? 0 : (object->key * 0x9e3779b97f4a7c15u) >> 60];
}

static struct subject *create_shards(unsigned nr)
{
    struct subject *s = aligned_alloc(128, sizeof(*s));

    if (!s) {
        return NULL;
    }
    s->nr_shards = nr;
    s->next = 0;
    for (unsigned i = 0; i < nr; i++) {
        pthread_mutex_init(&s->shard[i].lock, NULL);
        list_init(&s->shard[i].list);
    }
    return s;
}

static struct subject *create_one(size_t capacity)
{
    (void)capacity;
    return create_shards(1);
}

static struct subject *create_16(size_t capacity)
{
    (void)capacity;
    return create_shards(SHARDS_MAX);
}

static void destroy(struct subject *s)
{
    for (unsigned i = 0; i < s->nr_shards; i++) {
        struct object *object;

        while ((object = list_last(&s->shard[i].list))) {
            list_remove(&s->shard[i].list, object);
        }
        pthread_mutex_destroy(&s->shard[i].lock);
    }
    free(s);
}

static void hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];
        struct shard *shard = shard_of(s, object);

        pthread_mutex_lock(&shard->lock);
        if (list_has(object)) {
            list_to_front(&shard->list, object);
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

static int add(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];
        struct shard *shard = shard_of(s, object);

        pthread_mutex_lock(&shard->lock);
        list_push(&shard->list, object);
        pthread_mutex_unlock(&shard->lock);
    }
    return 0;
}

static size_t evict_shard(struct shard *shard, struct object *objects, uint32_t *ids, size_t nr)
{
    struct object *object;
    size_t done = 0;

    pthread_mutex_lock(&shard->lock);
    while (done < nr && (object = list_last(&shard->list))) {
        list_remove(&shard->list, object);
        ids[done++] = (uint32_t)(object - objects);
    }
    pthread_mutex_unlock(&shard->lock);
    return done;
}

static size_t evict(struct subject *s, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned)
{
    size_t done = 0;

    for (unsigned i = 0; i < s->nr_shards && done < nr; i++) {
        unsigned k = s->nr_shards == 1 ? 0 : __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED) % s->nr_shards;

        done += evict_shard(&s->shard[k], objects, ids + done, nr - done);
    }
    *ret_scanned += done;
    return done;
}

static void del(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct object *object = &objects[ids[i]];
        struct shard *shard = shard_of(s, object);

        pthread_mutex_lock(&shard->lock);
        if (list_has(object)) {
            list_remove(&shard->list, object);
        }
        pthread_mutex_unlock(&shard->lock);
    }
}

const struct subject_ops subject_lru = {"lru", SUBJECT_LINK, 0,     1,   create_one, destroy,
                                        hit,   add,          evict, del, NULL,       NULL};
const struct subject_ops subject_lru16 = {"lru16", SUBJECT_LINK, 0,     1,   create_16, destroy,
                                          hit,     add,          evict, del, NULL,      NULL};
