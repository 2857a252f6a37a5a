/* SPDX-License-Identifier: MIT */
/*
 * mixed.c - a cache at its limit: look-ups in an index and hits, and every 10th or 100th operation an insert
 *
 *      look-up by zipf's law ─▶ index.h ─▶ object ─▶ hit
 *      insert: spare object ─▶ add and index, under the key's lock ; no spare left: evict 16, take them out of the index
 *
 * What was evicted comes back under its own key a little later, so the share of inserts and the popularity of keys
 * stay what the name says; a look-up between the two misses, one in thousands. The objects wait until
 * every thread has gone on to its next chunk, since before that one may still look at them
 * (quiescent states, as in RCU): what a real cache needs for its memory, too.
 *
 * Subjects: `lookup`, all operations look-ups; `index`, look-ups and inserts with a ring of pointers as the policy,
 * the least there can be; genlru and the peers.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "micro/fixture.h"
#include "micro/index.h"
#include "micro/micro.h"
#include "micro/stream.h"
#include "shim/shim.h"

enum { SUBJECTS = 7, THREADS = 2, BATCH = 16, SPARE_MAX = 4096 };

/* Of one thread: objects that were evicted, oldest first, and the chunk in which. */
struct spares {
    uint32_t id[SPARE_MAX];
    uint64_t chunk[SPARE_MAX]; /* the other thread's when it was evicted */
    size_t first;
    size_t nr;
    uint64_t chunks; /* begun by this thread; UINT64_MAX = it is not running. Atomic */
} __attribute__((aligned(128)));

/* Of one size and skew, for all its subjects, which run one after another. */
struct shared {
    size_t nr;
    int theta;
    struct stream stream;
    struct index index;
    struct spares spares[THREADS];
};

struct mixed {
    const struct subject_ops *ops;
    struct shared *shared;
    unsigned period; /* each so manieth operation is an insert; 0 = none */
    struct subject *subject;
};

static void begin_chunk(struct spares *spares, uint64_t chunk)
{
    /* release: what was done with objects of the last chunk comes before; pairs with the acquire of may_reuse */
    __atomic_store_n(&spares->chunks, chunk, __ATOMIC_RELEASE);
}

static uint64_t chunk_of(const struct spares *spares)
{
    return __atomic_load_n(&spares->chunks, __ATOMIC_ACQUIRE);
}

/* Whether the other thread has begun a chunk since the oldest spare was evicted. */
static int may_reuse(const struct spares *own, const struct spares *other)
{
    uint64_t chunk = chunk_of(other);

    return chunk == UINT64_MAX || chunk > own->chunk[own->first];
}

static void put_spare(struct spares *own, const struct spares *other, uint32_t id)
{
    size_t at = (own->first + own->nr++) % SPARE_MAX;

    own->id[at] = id;
    own->chunk[at] = chunk_of(other);
}

static int evict_batch(const struct mixed *m, struct object *objects, struct spares *own, const struct spares *other)
{
    uint32_t ids[BATCH];
    uint64_t scanned = 0;
    size_t n = m->ops->evict(m->subject, objects, ids, BATCH, &scanned);

    for (size_t i = 0; i < n; i++) {
        struct object *object = &objects[ids[i]];
        int error;

        index_lock(&m->shared->index, object->key);
        error = index_remove(&m->shared->index, object);
        index_unlock(&m->shared->index, object->key);
        if (error) {
            return error;
        }
        put_spare(own, other, ids[i]);
    }
    return n == BATCH ? 0 : -ENOENT;
}

/* A small cache cannot have many in waiting. */
static size_t spare_max(const struct mixed *m)
{
    return m->shared->nr / 16 < SPARE_MAX ? m->shared->nr / 16 : SPARE_MAX;
}

static int insert(const struct mixed *m, struct object *objects, struct spares *own, const struct spares *other)
{
    struct object *object;
    int error = 0;

    if (own->nr == 0 || !may_reuse(own, other)) {
        if (own->nr + BATCH > spare_max(m)) { /* the other thread does not run: let it */
            sched_yield();
            return 0;
        }
        error = evict_batch(m, objects, own, other);
        if (error || !may_reuse(own, other)) {
            return error;
        }
    }
    object = &objects[own->id[own->first]];
    index_lock(&m->shared->index,
               object->key); /* evictors remove under it, so what they find on the list is in the index */
    error = m->ops->add(m->subject, objects, &own->id[own->first], 1);
    error = error ? error : index_put(&m->shared->index, object);
    index_unlock(&m->shared->index, object->key);
    own->first = (own->first + 1) % SPARE_MAX;
    own->nr--;
    return error;
}

static int fill_index(struct index *index, size_t nr)
{
    struct object *objects = objects_get(nr);
    int error = objects ? index_init(index, nr) : -ENOMEM;

    for (size_t i = 0; i < nr && !error; i++) {
        objects[i].key = i;
        error = index_put(index, &objects[i]);
    }
    return error;
}

/* What the filter leaves out needs no index. */
static int need_index(struct shared *shared)
{
    if (shared->index.bucket) {
        return 0;
    }
    fixture_clear(); /* keys change under what is filled */
    return fill_index(&shared->index, shared->nr);
}

static int setup(struct shim_state *state, void *user)
{
    struct mixed *m = user;
    struct shared *shared = m->shared;
    int error = need_index(shared);

    (void)state;
    error = error ? error : stream_need(&shared->stream, shared->nr, shared->theta);
    m->subject = error ? NULL : fixture_warm(m->ops, shared->nr, &shared->stream);
    if (!m->subject) {
        return error ? error : -ENOMEM;
    }
    for (unsigned t = 0; t < THREADS; t++) {
        shared->spares[t].first = shared->spares[t].nr = 0;
        shared->spares[t].chunks = UINT64_MAX;
    }
    return 0;
}

static void run_chunk(const struct mixed *m, struct object *objects, const uint32_t *keys, struct spares *own,
                      const struct spares *other, struct shim_state *state)
{
    for (size_t i = 0; i < STREAM_CHUNK; i++) {
        const struct object *found;

        if (m->period && i % m->period == m->period - 1) {
            if (insert(m, objects, own, other) != 0) {
                shim_fail(state, "index and policy disagree");
                return;
            }
            continue;
        }
        found = index_find(&m->shared->index, keys[i]);
        if (found) {
            uint32_t id = (uint32_t)(found - objects);

            m->ops->hit(m->subject, objects, &id, 1);
        }
    }
}

static void run(struct shim_state *state, void *user)
{
    const struct mixed *m = user;
    struct object *objects = objects_get(m->shared->nr);
    size_t position = stream_start(&m->shared->stream, shim_thread(state), shim_threads(state));
    struct spares *own = &m->shared->spares[shim_thread(state)], *other = &m->shared->spares[1 - shim_thread(state)];
    uint64_t chunk = 0;

    while (shim_next(state, STREAM_CHUNK)) {
        begin_chunk(own, ++chunk);
        run_chunk(m, objects, stream_next(&m->shared->stream, &position), own, other, state);
    }
    begin_chunk(own, UINT64_MAX);
}

/* Puts back what is in nobody's hands, so that the next one finds index and subject full. */
static void teardown(struct shim_state *state, void *user)
{
    const struct mixed *m = user;
    struct object *objects = objects_get(m->shared->nr);

    for (unsigned t = 0; t < THREADS; t++) {
        struct spares *spares = &m->shared->spares[t];

        while (spares->nr > 0) {
            if (insert(m, objects, spares, &m->shared->spares[1 - t]) != 0) {
                shim_fail(state, "index and policy disagree");
                return;
            }
        }
    }
}

static int run_group(struct shared *shared, unsigned period)
{
    static const struct subject_ops *const subjects[SUBJECTS] = {
        &limit_ring, &limit_ring, &subject_genlru, &subject_clru, &subject_arc, &subject_lru, &subject_lru16};
    struct mixed mixed[SUBJECTS];
    char name[96], size[MICRO_SIZE_TEXT];
    int error = 0;

    shim_group();
    for (unsigned i = 0; i < SUBJECTS && !error; i++) {
        struct shim_bench bench = {
            .name = name, .threads = {1, THREADS}, .setup = setup, .run = run, .teardown = teardown, .user = &mixed[i]};

        mixed[i] = (struct mixed){subjects[i], shared, i == 0 ? 0 : period, NULL};
        snprintf(name, sizeof(name), "mixed/%s/%s/zipf:%d.%02d/%u:%u", i == 0 ? "lookup" : subjects[i]->name,
                 micro_size_text(shared->nr, size), shared->theta / 100, shared->theta % 100, 100 - 100 / period,
                 100 / period);
        error = shim_add(&bench);
    }
    if (!error) {
        (void)shim_run();
    }
    return error;
}

static int run_size(size_t nr)
{
    static const int thetas[] = {90, 99, 120};
    static struct shared shared;
    int error = 0;

    shared = (struct shared){.nr = nr};
    for (unsigned i = 0; i < sizeof(thetas) / sizeof(thetas[0]) && !error; i++) {
        shared.theta = thetas[i];
        error = run_group(&shared, 10);
        error = error ? error : run_group(&shared, 100);
        stream_fini(&shared.stream);
        fixture_clear(); /* it is warm with that stream */
    }
    index_fini(&shared.index);
    return error;
}

int micro_mixed(const struct micro_options *options)
{
    int error = 0;

    for (unsigned i = 0; i < options->nr_nodes && !error; i++) {
        error = run_size(options->nodes[i]);
    }
    return error;
}
