/* SPDX-License-Identifier: MIT */
/* genlru through its public interface, with the default policy: see subject.h. */
#include <stdlib.h>

#include "micro/subject.h"

struct subject {
    struct genlru_pool *pool;
    struct genlru *lru;
};

static uint32_t id_of(const struct object *objects, const struct genlru_node *node)
{
    return (uint32_t)(GENLRU_ENTRY(node, struct object, node) - objects);
}

static struct subject *create(size_t capacity)
{
    struct genlru_config c = GENLRU_CONFIG_INIT;
    struct subject *s = malloc(sizeof(*s));

    if (!s) {
        return NULL;
    }
    if (genlru_pool_create(NULL, &s->pool) != 0) {
        free(s);
        return NULL;
    }
    c.capacity = capacity;
    c.pool = s->pool;
    if (genlru_create(&c, &s->lru) != 0) {
        (void)genlru_pool_destroy(s->pool);
        free(s);
        return NULL;
    }
    return s;
}

static void destroy(struct subject *s)
{
    struct genlru_victim victims[64];

    while (genlru_evict(s->lru, NULL, victims, 64, NULL) > 0) {
    }
    if (genlru_destroy(s->lru) != 0 || genlru_pool_destroy(s->pool) != 0) {
        abort(); /* nothing is pinned here: the library has lost count */
    }
    free(s);
}

static void hit(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    struct genlru *lru = s->lru;

    for (size_t i = 0; i < nr; i++) {
        genlru_access(lru, &objects[ids[i]].node);
    }
}

static int add(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        struct genlru_node *node = &objects[ids[i]].node;
        int error;

        (void)genlru_node_init(node, 1, 0);
        error = genlru_add(s->lru, node, NULL);
        if (error) {
            return error;
        }
    }
    return 0;
}

static size_t evict(struct subject *s, struct object *objects, uint32_t *ids, size_t nr, uint64_t *ret_scanned)
{
    struct genlru_victim victims[64];
    size_t done = 0;

    while (done < nr) {
        struct genlru_evict_result result;
        int n = genlru_evict(s->lru, NULL, victims, nr - done < 64 ? nr - done : 64, &result);

        for (int i = 0; i < n; i++) {
            ids[done++] = id_of(objects, victims[i].node);
        }
        *ret_scanned += result.scanned;
        if (n <= 0) {
            break;
        }
    }
    return done;
}

static void del(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        (void)!genlru_del(s->lru, &objects[ids[i]].node); /* the objects stay, whoever has them */
    }
}

/* As many at a time as a small array holds: what an owner does that drops a table. */
static void del_batch(struct subject *s, struct object *objects, const uint32_t *ids, size_t nr)
{
    struct genlru_node *nodes[64];
    int results[64];

    for (size_t i = 0; i < nr;) {
        size_t n = nr - i < 64 ? nr - i : 64;

        for (size_t k = 0; k < n; k++) {
            nodes[k] = &objects[ids[i + k]].node;
        }
        (void)!genlru_del_batch(s->lru, nodes, n, results);
        i += n;
    }
}

/* Back to one use, where it is: the next accesses raise a count, and nothing else. */
static void forget(struct subject *s, struct object *objects, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        (void)genlru_advise(s->lru, &objects[i].node, GENLRU_ADVICE_PREFETCHED);
        genlru_access(s->lru, &objects[i].node); /* the first use after a prefetch is one of its own kind */
    }
}

static uint64_t slabs(struct subject *s)
{
    struct genlru_pool_stat stat = {.size = sizeof(stat)};

    return genlru_pool_stat(s->pool, &stat) == 0 ? stat.slabs : 0;
}

const struct subject_ops subject_genlru = {"genlru", SUBJECT_NODE, 40,    4,   create, destroy,
                                           hit,      add,          evict, del, forget, slabs};
const struct subject_ops subject_genlru_batch = {"genlru_batch", SUBJECT_NODE, 40,     4,    create, destroy, hit, add,
                                                 evict,          del_batch,    forget, slabs};
