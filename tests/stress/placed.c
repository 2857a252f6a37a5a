/* SPDX-License-Identifier: MIT */
/*
 * Edges of docs/memory-model.md that chance shows seldom: one thread is made to stand at a labelled point of the library while
 * another, or its own hook, does what must not harm it. So each run sees them. Without points there is nothing to do.
 *
 *   again P  a deleter has looked where a node stands; a sweep takes it out of its slot, and publishes it there again
 *   fresh N  a mover has told a node its new slot, in a block of memory that it has just got; a deleter looks there
 *   sums  B  a node that is being deleted is hit while the counters are added up, between two of them, each time
 *   W        an access sleeps while the window goes round and round: its node is then no older than it meant
 */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "genlru/genlru.h"
#include "points.h"
#include "stress.h"

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    stress_fail(__FILE__, __LINE__, "error hook: %d: %s", (int)error, what);
}

static struct genlru *create(struct genlru_config config)
{
    struct genlru *lru;

    config.stripes = 1;
    config.on_error = on_error;
    STRESS_CHECK(genlru_create(&config, &lru) == 0, "create");
    return lru;
}

/* ---- N, fresh ----------------------------------------------------------------------------------------- */

enum { MAX_SLABS = 64 };

/* One node, moved by side 0 and deleted by side 1. After the barrier nothing orders the two but what the library does. */
struct fresh {
    struct genlru_pool *pool;
    struct genlru *lru;
    struct genlru_node node;
    struct stress_barrier barrier;
    char *slab[MAX_SLABS]; /* of side 0, got after the barrier */
    size_t slab_bytes[MAX_SLABS];
    unsigned nr_slabs;
    bool is_counting;
    bool is_moved;   /* relaxed atomic: the node's new slot is in one of these slabs, and empty */
    bool has_looked; /* relaxed atomic: the deleter went there */
};

static void *alloc_counted(void *ctx, size_t bytes, size_t alignment)
{
    struct fresh *f = ctx;
    void *memory = NULL;

    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes) != 0)
        return NULL;
    if (f->is_counting) {
        STRESS_CHECK(f->nr_slabs < MAX_SLABS, "more memory than expected");
        f->slab[f->nr_slabs] = memory;
        f->slab_bytes[f->nr_slabs++] = bytes;
    }
    return memory;
}

static void free_counted(void *ctx, void *memory, size_t bytes, size_t alignment)
{
    (void)ctx;
    (void)bytes;
    (void)alignment;
    free(memory);
}

static bool is_in_fresh_slab(const struct fresh *f, const char *slot)
{
    unsigned i;

    for (i = 0; i < f->nr_slabs; i++)
        if (slot >= f->slab[i] && slot < f->slab[i] + f->slab_bytes[i])
            return true;
    return false;
}

static void hold_mover(void *ctx)
{
    struct fresh *f = ctx;

    if (!f->is_counting || !is_in_fresh_slab(f, __atomic_load_n((char **)&f->node.slot, __ATOMIC_RELAXED)))
        return;
    __atomic_store_n(&f->is_moved, true, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&f->has_looked, __ATOMIC_RELAXED))
        sched_yield();
}

static void note_look(void *ctx)
{
    struct fresh *f = ctx;

    __atomic_store_n(&f->has_looked, true, __ATOMIC_RELAXED);
}

static void move_or_delete(void *ctx, unsigned side)
{
    struct fresh *f = ctx;
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_budget budget = {.nodes = 1, .scanned = 1};
    struct genlru_victim victim;
    struct genlru_node passing;
    struct genlru *other;

    stress_wait(&f->barrier);
    if (side == 1) {
        while (!__atomic_load_n(&f->is_moved, __ATOMIC_RELAXED))
            sched_yield();
        STRESS_CHECK(genlru_del(f->lru, &f->node) == GENLRU_YOURS, "del");
        return;
    }
    /* an lru that comes and goes leaves its blocks in the pool, where the mover takes one */
    f->is_counting = true;
    config.pool = f->pool;
    other = create(config);
    STRESS_CHECK(genlru_node_init(&passing, 1, 0) == 0 && genlru_add(other, &passing, NULL) == 0, "add");
    STRESS_CHECK(genlru_del(other, &passing) == GENLRU_YOURS && genlru_destroy(other) == 0, "destroy");
    STRESS_CHECK(genlru_evict(f->lru, &budget, &victim, 1, NULL) == 0, "a node that was used often is a victim");
    STRESS_CHECK(f->is_moved, "the node was not moved into fresh memory");
}

static void test_fresh(void)
{
    struct fresh f = {.nr_slabs = 0};
    struct genlru_allocator allocator = {alloc_counted, free_counted, &f};
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    unsigned i;

    stress_context("N, fresh");
    STRESS_CHECK(genlru_pool_create(&allocator, &f.pool) == 0, "pool");
    config.pool = f.pool;
    config.policy = &policy;
    f.lru = create(config);
    STRESS_CHECK(genlru_node_init(&f.node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(f.lru, &f.node, &(struct genlru_add){.flags = GENLRU_ADD_COLD}) == 0, "add");
    for (i = 0; i < 2; i++) /* the second use raises it: the scan finds it on a list that it has left by its word */
        genlru_access(f.lru, &f.node);
    stress_barrier_init(&f.barrier, 2);
    stress_at_point(GENLRU__AT_PUBLISH, hold_mover, &f);
    stress_at_point(GENLRU__AT_DEL_WAITS, note_look, &f);
    stress_run(2, move_or_delete, &f);
    stress_at_point(GENLRU__AT_PUBLISH, NULL, NULL);
    stress_at_point(GENLRU__AT_DEL_WAITS, NULL, NULL);
    stress_verify(f.lru);
    STRESS_CHECK(genlru_destroy(f.lru) == 0, "destroy");
    STRESS_CHECK(genlru_pool_destroy(f.pool) == 0, "destroy the pool");
}

/* ---- P, again ----------------------------------------------------------------------------------------- */

/* One node, published again by side 0 and deleted by side 1. After the barrier nothing orders the two but its slot. */
struct again {
    struct genlru *lru;
    struct genlru_node *node;
    void *slot;
    struct stress_barrier barrier;
    unsigned nr_published; /* of side 0: into the same slot */
    bool is_waiting;       /* of side 1: the slot was another one, and the lru's lock orders the two */
    bool has_looked;       /* relaxed atomic */
    bool is_published;     /* relaxed atomic */
};

static void count_publishing(void *ctx)
{
    struct again *a = ctx;

    a->nr_published += __atomic_load_n(&a->node->slot, __ATOMIC_RELAXED) == a->slot;
}

static void hold_deleter(void *ctx)
{
    struct again *a = ctx;

    __atomic_store_n(&a->has_looked, true, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&a->is_published, __ATOMIC_RELAXED))
        sched_yield();
}

static void note_wait(void *ctx)
{
    ((struct again *)ctx)->is_waiting = true;
}

static void publish_or_delete(void *ctx, unsigned side)
{
    struct again *a = ctx;
    unsigned i;

    stress_wait(&a->barrier);
    if (side == 1) {
        STRESS_CHECK(genlru_del(a->lru, a->node) == GENLRU_YOURS, "del");
        free(a->node);
        return;
    }
    while (!__atomic_load_n(&a->has_looked, __ATOMIC_RELAXED))
        sched_yield();
    for (i = 0; i < 8; i++)
        STRESS_CHECK(genlru_age(a->lru, 0) == 0, "age");
    __atomic_store_n(&a->is_published, true, __ATOMIC_RELAXED);
}

static void test_again(void)
{
    struct again a = {.nr_published = 0};
    struct genlru_config config = GENLRU_CONFIG_INIT;

    stress_context("P, again");
    config.nr_gens = 4;
    a.lru = create(config);
    a.node = malloc(sizeof(*a.node));
    STRESS_CHECK(a.node, "node");
    /* one del before: the first of so many looks for holes, under the lru's lock */
    STRESS_CHECK(genlru_node_init(a.node, 1, 0) == 0 && genlru_add(a.lru, a.node, NULL) == 0, "add");
    STRESS_CHECK(genlru_del(a.lru, a.node) == GENLRU_YOURS, "del");
    STRESS_CHECK(genlru_node_init(a.node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(a.lru, a.node, &(struct genlru_add){.flags = GENLRU_ADD_COLD}) == 0, "add");
    a.slot = a.node->slot;
    stress_barrier_init(&a.barrier, 2);
    stress_at_point(GENLRU__AT_TAKE_OWN, hold_deleter, &a);
    stress_at_point(GENLRU__AT_PUBLISH, count_publishing, &a);
    stress_at_point(GENLRU__AT_DEL_WAITS, note_wait, &a);
    stress_run(2, publish_or_delete, &a);
    stress_at_point(GENLRU__AT_TAKE_OWN, NULL, NULL);
    stress_at_point(GENLRU__AT_PUBLISH, NULL, NULL);
    stress_at_point(GENLRU__AT_DEL_WAITS, NULL, NULL);
    STRESS_CHECK(a.nr_published > 0 && !a.is_waiting, "published %u times where it stood", a.nr_published);
    stress_verify(a.lru);
    STRESS_CHECK(genlru_destroy(a.lru) == 0, "destroy");
}

/* ---- B, sums ------------------------------------------------------------------------------------------ */

/* A node that is being deleted: out of its slot and subtracted, listed by its word. */
struct struck {
    struct genlru *lru;
    struct genlru_node node;
    unsigned nr_sums; /* how often two counters were added up */
    unsigned nr_hits;
};

/* Raises the node from the counter that was read last to the one that is read next, once in each adding up. */
static void hit_between_counters(void *ctx)
{
    enum { PASS = GENLRU_GEN_MODULUS + 1 }; /* generations' codes from 1, and probation */
    struct struck *struck = ctx;
    unsigned next = 1 + struck->nr_sums % PASS, pass = struck->nr_sums / PASS,
             code = genlru_impl_gen(genlru_impl_word(genlru_impl_load_relaxed(&struck->node.state.do_not_touch)));

    struck->nr_sums++;
    if (next != code + 1 || pass != struck->nr_hits)
        return;
    genlru_access(struck->lru, &struck->node);
    struck->nr_hits +=
        genlru_impl_gen(genlru_impl_word(genlru_impl_load_relaxed(&struck->node.state.do_not_touch))) == next;
}

static void evict_meanwhile(void *ctx)
{
    struct struck *struck = ctx;
    struct genlru_evict_result result;
    struct genlru_victim victim;

    STRESS_CHECK(genlru_evict(struck->lru, NULL, &victim, 1, &result) == 0, "a victim that is being deleted");
    STRESS_CHECK(result.reason == GENLRU_EVICT_NOTHING, "reason %d after %u hits", (int)result.reason, struck->nr_hits);
}

static void test_sums(unsigned nr_gens)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    struct struck struck = {.lru = NULL};
    unsigned i;

    stress_context("B, sums, %u generations", nr_gens);
    policy.hit.defer_gens = 0;
    policy.hit.overflow_refs = policy.hit.refs_max; /* each hit raises the node by one */
    config.policy = &policy;
    config.nr_gens = nr_gens;
    struck.lru = create(config);
    STRESS_CHECK(genlru_node_init(&struck.node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(struck.lru, &struck.node, &(struct genlru_add){.flags = GENLRU_ADD_COLD}) == 0, "add");
    for (i = 0; genlru_node_refs(&struck.node) < policy.hit.refs_max; i++)
        genlru_access(struck.lru, &struck.node);
    stress_at_point(GENLRU__AT_DELETED, evict_meanwhile, &struck);
    stress_at_point(GENLRU__AT_SUM, hit_between_counters, &struck);
    STRESS_CHECK(genlru_del(struck.lru, &struck.node) == GENLRU_YOURS, "del");
    stress_at_point(GENLRU__AT_DELETED, NULL, NULL);
    stress_at_point(GENLRU__AT_SUM, NULL, NULL);
    STRESS_CHECK(struck.nr_hits == nr_gens - 1, "%u hits came between", struck.nr_hits);
    stress_verify(struck.lru);
    STRESS_CHECK(genlru_destroy(struck.lru) == 0, "destroy");
}

/* ---- W ------------------------------------------------------------------------------------------------ */

struct sleeper {
    struct genlru *lru;
    unsigned agings;
    unsigned nr_calls;
};

static void age_meanwhile(void *ctx)
{
    struct sleeper *sleeper = ctx;
    unsigned i;

    sleeper->nr_calls++;
    for (i = 0; i < sleeper->agings; i++)
        STRESS_CHECK(genlru_age(sleeper->lru, 0) == 0, "age");
}

static uint64_t charge_of_age(struct genlru *lru, unsigned age)
{
    struct genlru_gen_stat gens[GENLRU_MAX_GENS];

    STRESS_CHECK(genlru_stat_gens(lru, 0, gens, GENLRU_MAX_GENS) > (int)age, "generations");
    return gens[age].charge;
}

/*
 * A node one older than the youngest generation is saturated: the next hit raises it. Between that hit's look at the window and its
 * swap some generations begin; no more than leave the node in the window, since then its word would change, and the swap fail.
 * Where the window is so wide that codes may come round (W = 64), the hit makes the node youngest; else it is where the hit meant
 * it to be, and has grown older since.
 */
static void test_sleep(unsigned nr_gens, unsigned agings)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    struct genlru_policy policy = GENLRU_POLICY_MGLRU_FG;
    bool is_late = agings > 128 - 2 * nr_gens;
    struct sleeper sleeper = {NULL, agings, 0};
    struct genlru_node node;
    unsigned i, age;

    stress_context("W, %u generations, %u agings", nr_gens, agings);
    policy.hit.defer_gens = 0; /* only the hit after the last count moves it */
    config.policy = &policy;
    config.nr_gens = nr_gens;
    sleeper.lru = create(config);
    STRESS_CHECK(genlru_node_init(&node, 1, 0) == 0, "init");
    STRESS_CHECK(genlru_add(sleeper.lru, &node, &(struct genlru_add){.flags = GENLRU_ADD_HOT}) == 0, "add");
    for (i = 0; genlru_node_refs(&node) < policy.hit.refs_max; i++)
        genlru_access(sleeper.lru, &node);
    STRESS_CHECK(charge_of_age(sleeper.lru, 1) == 1, "the node is not one older than the youngest");
    stress_at_point(GENLRU__AT_ACCESS, age_meanwhile, &sleeper);
    genlru_access(sleeper.lru, &node);
    stress_at_point(GENLRU__AT_ACCESS, NULL, NULL);
    STRESS_CHECK(sleeper.nr_calls == 1, "the hit came to the point %u times", sleeper.nr_calls);
    for (age = 0; age < nr_gens - 1 && !charge_of_age(sleeper.lru, age); age++)
        ;
    STRESS_CHECK(age == (is_late ? 0 : agings), "it is of age %u", age);
    stress_verify(sleeper.lru);
    STRESS_CHECK(genlru_del(sleeper.lru, &node) == GENLRU_YOURS && genlru_destroy(sleeper.lru) == 0, "end");
}

int main(int argc, char **argv)
{
    static const unsigned gens[] = {3, 4, 7, 33, 63, 64};
    struct stress_options options = stress_begin(argc, argv);
    unsigned i, agings;

    if (!GENLRU__HAS_POINTS) {
        printf("skipped: this build has no points\n");
        return 0;
    }
    if (stress_is_wanted(&options, "again")) {
        for (i = 0; i < 10; i++)
            test_again();
        printf("again\n");
    }
    if (stress_is_wanted(&options, "fresh")) {
        for (i = 0; i < 10; i++)
            test_fresh();
        printf("fresh\n");
    }
    if (stress_is_wanted(&options, "sums")) {
        for (i = 3; i <= 16; i++)
            test_sums(i);
        printf("sums\n");
    }
    if (stress_is_wanted(&options, "W")) {
        for (i = 0; i < sizeof(gens) / sizeof(gens[0]); i++)
            for (agings = 0; agings + 2 <= gens[i]; agings++)
                test_sleep(gens[i], agings);
        printf("W\n");
    }
    return 0;
}
